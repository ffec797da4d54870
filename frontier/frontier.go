// Package frontier holds the active vertices of a traversal: as a queue
// (sparse) or as a bitmap (dense), in the memory of the device that the graph
// is on.
package frontier

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
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
	list *device.Buffer[uint32] // queue form: capacity + Slack; nil until needed
	bits *device.Buffer[uint64] // bitmap form: a bit per vertex; nil until needed
	conv converter

	remote *Remote // on a GPU, else nil
}

// New returns an empty frontier over the vertices of a placed graph, in queue
// form. Free gives its memory back.
func New(p *graph.Placed) *Frontier {
	f := &Frontier{p: p, n: p.NumVertices()}
	f.remote = newRemote(f)
	return f
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

// Free gives the memory back. The frontier is an empty queue afterwards.
func (f *Frontier) Free() error {
	f.len.Store(0)
	f.form = Queue
	if f.remote != nil {
		if err := f.remote.release(); err != nil {
			return err
		}
	}
	err := f.list.Free()
	if e := f.bits.Free(); err == nil {
		err = e
	}
	f.list, f.bits = nil, nil
	return err
}

// Clear empties the frontier and gives it the form.
func (f *Frontier) Clear(form Form) error {
	if form == Bitmap {
		if f.bits == nil {
			return f.Reset(Bitmap)
		}
		if f.remote != nil {
			if err := f.remote.zero(); err != nil {
				return err
			}
		}
		clear(f.bits.Host())
	}
	return f.Reset(form)
}

// Reset gives the frontier the form and length 0 as Clear does, but leaves the
// words of a bitmap as they are, for an operator that writes all of them.
func (f *Frontier) Reset(form Form) error {
	f.len.Store(0)
	f.form = form
	if f.remote != nil {
		f.remote.Set(0, 0)
	}
	if form == Queue {
		return f.Grow(f.n)
	}
	if f.bits == nil {
		b, err := device.NewBuffer[uint64](f.p.Device(), f.Words())
		if err != nil {
			return err
		}
		f.bits = b
	}
	return nil
}

// Grow makes sure that the queue has room for capacity entries. Entries that
// it holds are kept. A frontier without duplicates never needs more than its
// graph has vertices, which is what it has from the start.
func (f *Frontier) Grow(capacity int) error {
	if f.remote != nil {
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
		copy(b.Host(), f.list.Host()[:f.Len()])
		if err := f.list.Free(); err != nil {
			return err
		}
	}
	f.list = b
	return nil
}

// Add adds vertices. In queue form a vertex that is there already is there
// twice afterwards. A vertex that the graph doesn't have is an error.
func (f *Frontier) Add(vs ...uint32) error {
	for _, v := range vs {
		if int64(v) >= int64(f.n) {
			return fmt.Errorf("%w: vertex %d of %d", graph.ErrNoVertex, v, f.n)
		}
	}
	if f.remote != nil {
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
	if err := f.Grow(room); err != nil {
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
// included. What is written there becomes part of the queue by Reserve.
func (f *Frontier) Spare() []uint32 { return f.list.Host()[f.Len():] }

// Room returns the whole buffer of a host queue, Slack included, for workers
// that fill what they reserved.
func (f *Frontier) Room() []uint32 { return f.list.Host() }

// Reserve lengthens the queue by k entries and returns the index of the first,
// which the caller then fills. It is safe for concurrent use.
func (f *Frontier) Reserve(k int) int { return int(f.len.Add(int64(k))) - k }

// SetLen says how many entries an operator has left in the frontier.
func (f *Frontier) SetLen(k int) { f.len.Store(int64(k)) }

// SwapQueues exchanges the entries of two queues over the same graph, and
// their buffers.
func SwapQueues(a, b *Frontier) {
	a.list, b.list = b.list, a.list
	if a.remote != nil {
		a.remote.prefix, b.remote.prefix = b.remote.prefix, a.remote.prefix
		a.remote.room, b.remote.room = b.remote.room, a.remote.room
		return // lengths are with the tickets of the operators that filled them
	}
	n := a.len.Load()
	a.len.Store(b.len.Load())
	b.len.Store(n)
}
