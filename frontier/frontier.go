// Package frontier holds the active vertices of a traversal: as a queue
// (sparse) or as a bitmap (dense), in the memory of the device that the graph
// is on. Operators (packages advance and filter) read one frontier and fill
// another; the form in which they want or leave it is theirs to say, and Convert
// changes it.
//
// New, Add, Len, Vertices, Clear, Convert and Free are for everyone. Queue, Bits,
// Room, Spare, Reserve, SetLen, Reset and Grow are for those who write
// operators: they check nothing that would cost a traversal time.
//
// Frontiers are on the host or on a GPU, with the same methods, but:
//
//   - Queue, Bits, Room and Spare are nil on a GPU, whose memory the host can't
//     address. Vertices copies the entries out, and Remote has the addresses.
//   - Reserve and SetLen are for the host: a GPU counts the entries itself, and
//     Len waits for it.
//   - Edges, the edge frontier, is there on a GPU only: on the host NewEdges
//     returns device.ErrNotSupported.
//   - Remote is nil on the host.
package frontier

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Errors to test for with errors.Is. Frontiers and the operators on them wrap
// one of these, and name the operator and what it was given.
var (
	// ErrForm: a frontier in one form where the other is wanted, or a form that
	// is none. Convert changes the form.
	ErrForm = errors.New("frontier in the wrong form")
	// ErrForeign: a frontier over another placed graph than the operator's, or
	// no frontier at all. The vertices of one graph aren't those of another,
	// nor is memory on one device that of another.
	ErrForeign = errors.New("frontier of another placed graph")
	// ErrAliased: one frontier as input and output of an operator that needs
	// two.
	ErrAliased = errors.New("the same frontier twice")
)

// Form is how a frontier is represented at present.
type Form uint8

// The two forms.
const (
	Queue  Form = iota // a list of vertices, in no order; may hold duplicates
	Bitmap             // a bit for each vertex of the graph
)

func (f Form) String() string {
	switch f {
	case Queue:
		return "queue"
	case Bitmap:
		return "bitmap"
	}
	return fmt.Sprintf("Form(%d)", uint8(f))
}

// Slack is how many entries a queue's buffer has beyond its capacity, so that
// an operator may write a tile past the end before it knows how much of it
// counts.
const Slack = 1 << 13

// Frontier is a set of active vertices (a multiset in queue form). It belongs
// to one search: it isn't safe for concurrent use, except that operators fill
// it from all workers of one stream.
type Frontier struct {
	p    *graph.Placed
	n    int
	form Form
	len  atomic.Int64
	none error                  // the graph was being freed when it was made
	done bool                   // freed
	list *device.Buffer[uint32] // queue form: capacity + Slack; nil until needed
	bits *device.Buffer[uint64] // bitmap form: a bit per vertex; nil until needed
	conv converter

	remote *Remote // on a GPU, else nil
}

// New returns an empty frontier over the vertices of a placed graph, in queue
// form. It takes its memory when that is first needed; Free gives it back. Over
// no graph (nil) or one that was freed, all that returns an error does so.
func New(p *graph.Placed) *Frontier {
	f := &Frontier{p: p}
	if f.none = p.Enter(); f.none == nil {
		defer p.Leave()
		f.n = p.NumVertices()
		f.remote = newRemote(f)
	}
	return f
}

// Err says why the frontier can't be used: device.ErrClosed once it, or its
// placed graph, was freed, graph.ErrNoGraph where it was made over none, else
// nil. All methods that return an error return this one first.
func (f *Frontier) Err() error {
	if f.p == nil {
		return fmt.Errorf("frontier: %w: pass a graph.Placed to New", graph.ErrNoGraph)
	}
	if f.done {
		return fmt.Errorf("frontier: %w: it was freed; make a new one", device.ErrClosed)
	}
	if f.none != nil {
		return fmt.Errorf("frontier: %w", f.none)
	}
	if err := f.p.Err(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}

// enter begins what looks at the graph, which f.p.Leave ends.
func (f *Frontier) enter() error {
	if err := f.p.Enter(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}

// Check is what operators ask of a frontier that they are given: it returns
// Err, ErrForeign unless the frontier is over p, and ErrForm unless it is in
// one of the forms. A nil frontier is ErrForeign.
func (f *Frontier) Check(p *graph.Placed, forms ...Form) error {
	if f == nil {
		return fmt.Errorf("%w: it is nil; frontier.New makes one", ErrForeign)
	}
	if err := f.Err(); err != nil {
		return err
	}
	if f.p != p {
		return fmt.Errorf("%w: make it with frontier.New over the one that the operator is for", ErrForeign)
	}
	if len(forms) > 0 && !slices.Contains(forms, f.form) {
		return fmt.Errorf("%w: it is a %s, want a %s; Convert makes one of it", ErrForm, f.form, forms[0])
	}
	return nil
}

// Placed returns the graph that the frontier belongs to.
func (f *Frontier) Placed() *graph.Placed { return f.p }

// Form returns how the frontier is represented at present.
func (f *Frontier) Form() Form { return f.form }

// Len returns the number of entries. On a GPU it waits for the device.
func (f *Frontier) Len() int {
	if f.remote != nil {
		n, _, _ := f.remote.Count() // the error stays with the stream
		return n
	}
	return int(f.len.Load())
}

// Words returns the number of 64-bit words that a bitmap has.
func (f *Frontier) Words() int { return (f.n + 63) / 64 }

// Free gives the memory back. What returns an error afterwards returns
// device.ErrClosed; the rest sees an empty queue. Freeing a nil frontier, or one
// a second time, does nothing.
func (f *Frontier) Free() error {
	if f == nil {
		return nil
	}
	f.done = true
	f.len.Store(0)
	f.form = Queue
	err := f.remote.release()
	if e := f.list.Free(); err == nil {
		err = e
	}
	if e := f.bits.Free(); err == nil {
		err = e
	}
	f.list, f.bits = nil, nil
	return err
}

// Clear empties the frontier and gives it the form. The error is ErrForm for a
// form that is none, or the device's, where it has no memory left.
func (f *Frontier) Clear(form Form) error {
	had := f.bits != nil
	if err := f.Reset(form); err != nil {
		return err
	}
	if form == Bitmap && had {
		if f.remote != nil {
			return f.remote.zero()
		}
		clear(f.bits.Host())
	}
	return nil
}

// Reset gives the frontier the form and length 0 as Clear does, but leaves the
// words of a bitmap as they are, for an operator that writes all of them.
func (f *Frontier) Reset(form Form) error {
	if err := f.Err(); err != nil {
		return err
	}
	switch form {
	case Queue:
		if err := f.grow(f.n, 0); err != nil {
			return err
		}
	case Bitmap:
		if f.bits == nil {
			b, err := device.NewBuffer[uint64](f.p.Device(), f.Words())
			if err != nil {
				return err
			}
			f.bits = b
		}
	default:
		return fmt.Errorf("frontier: %w: %s is none; want queue or bitmap", ErrForm, form)
	}
	f.len.Store(0)
	f.form = form
	f.remote.reset()
	return nil
}

// Grow makes sure that the queue has room for capacity entries. Entries that
// it holds are kept. A frontier without duplicates never needs more than its
// graph has vertices, which is what it has from the start. The error is
// ErrForm for a bitmap, or the device's, where it has no memory left.
func (f *Frontier) Grow(capacity int) error {
	if err := f.Err(); err != nil {
		return err
	}
	if f.form != Queue {
		return fmt.Errorf("frontier: grow: %w: it is a %s, which has room for every vertex; want a queue", ErrForm, f.form)
	}
	return f.grow(capacity, f.Len())
}

// grow makes room for capacity entries of the list and keeps the first ones.
func (f *Frontier) grow(capacity, keep int) error {
	if f.remote != nil {
		if keep == 0 {
			return f.remote.grow(capacity)
		}
		return f.remote.keep(capacity)
	}
	if f.list != nil && f.list.Len()-Slack >= capacity {
		return nil
	}
	b, err := device.NewBuffer[uint32](f.p.Device(), max(capacity, f.n)+Slack)
	if err != nil {
		return err
	}
	if f.list != nil {
		copy(b.Host(), f.list.Host()[:keep])
		if err := f.list.Free(); err != nil {
			return err
		}
	}
	f.list = b
	return nil
}

// Add adds vertices. In queue form a vertex that is there already is there
// twice afterwards. A vertex that the graph doesn't have is
// graph.ErrNoVertex, and none of them is added.
func (f *Frontier) Add(vs ...uint32) error {
	if err := f.Err(); err != nil {
		return err
	}
	for _, v := range vs {
		if int64(v) >= int64(f.n) {
			return fmt.Errorf("frontier: %w: vertex %d of %d; Graph.Vertex finds that of an external id", graph.ErrNoVertex, v, f.n)
		}
	}
	if f.remote != nil {
		if err := f.enter(); err != nil {
			return err
		}
		defer f.p.Leave()
		return f.remote.add(vs)
	}
	if f.form == Bitmap {
		words := f.bits.Host()
		for _, v := range vs {
			if words[v>>6]>>(v&63)&1 == 0 {
				words[v>>6] |= 1 << (v & 63)
				f.len.Add(1)
			}
		}
		return nil
	}
	at := f.Len()
	room := at + len(vs)
	if f.list != nil && f.list.Len()-Slack < room {
		room = max(room, 2*at) // so that adding one by one stays linear
	}
	if err := f.grow(room, at); err != nil {
		return err
	}
	copy(f.list.Host()[at:], vs)
	f.len.Add(int64(len(vs)))
	return nil
}

// Vertices returns a copy of the entries: in queue form as they stand, in
// bitmap form ascending.
func (f *Frontier) Vertices() []uint32 {
	if f.Len() == 0 {
		return nil
	}
	if f.remote != nil {
		vs, _ := f.remote.read()
		return vs
	}
	if f.form == Queue {
		return slices.Clone(f.Queue())
	}
	return listWords(f.bits.Host(), f.Len())
}

func listWords(words []uint64, n int) []uint32 {
	vs := make([]uint32, 0, n)
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			vs = append(vs, uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return vs
}

// Queue returns the entries themselves where the frontier is a queue on the
// host, else nil. The slice is the frontier's own and lasts until it changes.
func (f *Frontier) Queue() []uint32 {
	if f.form != Queue || f.list == nil || f.remote != nil {
		return nil
	}
	return f.list.Host()[:f.Len()]
}

// Bits returns the words themselves where the frontier is a bitmap on the
// host, else nil. Bit v%64 of word v/64 stands for vertex v. Whoever writes
// them sets the length with SetLen.
func (f *Frontier) Bits() []uint64 {
	if f.form != Bitmap || f.bits == nil {
		return nil
	}
	return f.bits.Host()
}

// Spare returns the part of a host queue's buffer behind its entries, Slack
// included. What is written there becomes part of the queue by Reserve. It is
// nil for a bitmap, and on a GPU.
func (f *Frontier) Spare() []uint32 {
	if f.form != Queue || f.remote != nil {
		return nil
	}
	return f.list.Host()[f.Len():]
}

// Room returns the whole buffer of a host queue, Slack included, for workers
// that fill what they reserved: entry i of the queue is Room()[i]. It is nil
// for a bitmap, and on a GPU.
func (f *Frontier) Room() []uint32 {
	if f.form != Queue || f.remote != nil {
		return nil
	}
	return f.list.Host()
}

// Reserve lengthens the queue by k entries and returns the index of the first,
// which the caller then fills. It is safe for concurrent use. It makes no room:
// the caller sees to that with Grow beforehand.
func (f *Frontier) Reserve(k int) int { return int(f.len.Add(int64(k))) - k }

// SetLen says how many entries an operator has left in the frontier: no more
// than the queue has room for, and exactly as many as a bitmap has bits set.
func (f *Frontier) SetLen(k int) { f.len.Store(int64(k)) }

// SwapQueues exchanges the buffers of two queues over the same graph on a GPU,
// for an operator that has written the one's new entries to the other.
func SwapQueues(a, b *Frontier) {
	a.list, b.list = b.list, a.list
	a.remote.prefix, b.remote.prefix = b.remote.prefix, a.remote.prefix
	a.remote.room, b.remote.room = b.remote.room, a.remote.room
}
