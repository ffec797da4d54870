// This file holds what a frontier has on a GPU: its arrays there, and its
// length, which the device counts.

package front

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
)

// Remote is the part of a frontier that is on a GPU. Operators use it; a
// traversal needn't.
type Remote struct {
	f      *State
	dev    *gpu.Device
	graph  *placed.Remote
	shift  uint32
	prefix device.Memory // edge prefix of the queue, as wide as offsets
	sums   []uint64      // what Add writes there, in the host's memory
	narrow []uint32      // likewise, of 32 bits
	room   int           // entries that the queue's arrays have room for

	parts   any // of Parts
	changes uint64
	conv    remoteConverter
	ticket  gpu.Ticket // of the operator that counts what is in here
	list    bool       // that operator may have left a vertex twice
	counted bool       // count and edges are known
	edges   uint64     // edges out of the entries
	stale   bool       // edges aren't known even so
	plain   bool       // the queue has no edge prefix
	recount bool       // the bits of a bitmap must be counted
}

// RemoteQueue is a queue as kernels have it (frontier/queue.cuh): addresses on
// the device of its vertices, of their edge prefix and of the graph's offsets.
// Shift is the result of the function Shift.
type RemoteQueue struct {
	Items, Prefix, Offsets uint64
	Shift, _               uint32
}

// NewRemote returns the part on a GPU of a frontier, nil on the host.
func NewRemote(f *State) *Remote {
	g := f.P.Remote()
	if g == nil {
		return nil
	}
	dev, ok := memoryOf(f.P).(*gpu.Device)
	if !ok {
		return nil
	}
	return &Remote{f: f, dev: dev, graph: g, shift: Shift(f.P), counted: true}
}

// NewSharded returns that of a frontier on several GPUs, which has nothing but the frontiers on each of them.
func NewSharded(f *State, parts any) *Remote { return &Remote{f: f, parts: parts, counted: true} }

// Parts are those: a []*frontier.Frontier; nil for any other frontier.
func (r *Remote) Parts() any { return r.parts }

// Changes counts what may have changed the vertices of a frontier on several GPUs, which Changed tells.
func (r *Remote) Changes() uint64 { return r.changes }
func (r *Remote) Changed()        { r.changes++ }

// Became sets the form of the parts.
func (r *Remote) Became(form Form) { r.f.Form = form }

// Fill says that all vertices are there: of a part of a graph those of the part.
func (r *Remote) Fill() {
	r.Reset()
	n, edges := r.f.N, uint64(0)
	if d := r.graph.Shard; d != nil {
		n, edges = int(d.Count), d.Edges[0]
	} else {
		edges = r.f.P.Graph().NumDirectedEdges()
	}
	r.Set(n, edges)
}

// degree is how many edges lead out of a vertex; of a part of a graph it has its number.
func (r *Remote) degree(v uint32) uint64 {
	if d := r.graph.Shard; d != nil {
		v = d.Of.Vertex(v)
	}
	return r.f.P.Graph().Degree(v)
}

// Shift is from which bit on a slot's tail counts entries, the bits below
// counting the edges out of them.
func Shift(p *graph.Placed) uint32 {
	return uint32(max(bits.Len64(p.Graph().NumDirectedEdges()), 1))
}

// fits reports an error where the tail of a slot can't count the graph's
// vertices and edges at once, which takes more memory than any GPU has today.
func fits(p *graph.Placed) error {
	n, m := uint64(p.NumVertices()), p.Graph().NumDirectedEdges()
	if bits.Len64(n)+bits.Len64(m) > 64 {
		return fmt.Errorf("frontier: %w: %d vertices and %d edges are more than a GPU's frontier can count", device.ErrMemory, n, m)
	}
	return nil
}

// Grow makes sure that the queue has room for capacity entries. Entries that
// it holds are lost.
func (r *Remote) Grow(capacity int) error {
	if r.f.List != nil && r.room >= capacity {
		return nil
	}
	if err := fits(r.f.P); err != nil {
		return err
	}
	capacity = max(capacity, r.f.N)
	width := r.width()
	list, err := device.NewBuffer[uint32](r.dev, capacity)
	if err != nil {
		return err
	}
	prefix, err := r.dev.Alloc(uint64(capacity) * width)
	if err != nil {
		return errors.Join(err, list.Close())
	}
	if err := r.free(); err != nil {
		return errors.Join(err, list.Close(), prefix.Close())
	}
	r.f.List, r.prefix, r.room = list, prefix, capacity
	return nil
}

// width is how many bytes an entry of the edge prefix has.
func (r *Remote) width() uint64 {
	if r.graph.Wide {
		return 8
	}
	return 4
}

// HasRoom reports whether it has the memory of a queue.
func (r *Remote) HasRoom() bool { return r.f.List != nil }

// Keep is grow for a queue whose entries are kept.
func (r *Remote) Keep(capacity int) error {
	if r.f.List != nil && r.room >= capacity {
		return nil
	}
	vs, err := r.Read()
	if err != nil {
		return err
	}
	if err := r.Grow(capacity); err != nil || len(vs) == 0 {
		return err
	}
	r.Set(0, 0)
	return r.Add(vs)
}

// Zero clears the bitmap, after all kernels on the device.
func (r *Remote) Zero() error {
	if err := r.dev.Sync(); err != nil {
		return err
	}
	return r.dev.Fill(r.f.Bits.Pointer(), 0, uint64(r.f.Words())*2)
}

// Release gives back all there is.
func (r *Remote) Release() error {
	r.Set(0, 0)
	err := r.free()
	if e := r.conv.tiles.Close(); err == nil {
		err = e
	}
	r.conv.tiles = nil
	return err
}

// free gives back the queue's arrays.
func (r *Remote) free() error {
	err := r.f.List.Close()
	if r.prefix != nil {
		if e := r.prefix.Close(); err == nil {
			err = e
		}
	}
	r.f.List, r.prefix, r.room = nil, nil, 0
	return err
}

// Expect says that the operator that has Ticket counts the entries, which are a
// set.
func (r *Remote) Expect() {
	r.counted, r.list, r.stale, r.recount, r.plain = false, false, false, false, r.f.Form == Bitmap
}

// ExpectList is Expect for entries that may hold a vertex more than once. Its
// queue has no edge prefix; known says that edges are counted too.
func (r *Remote) ExpectList(known bool) {
	r.counted, r.list, r.stale, r.plain = false, true, !known, true
}

// Ticket is where the operator that fills the frontier reports to.
func (r *Remote) Ticket() *gpu.Ticket { return &r.ticket }

// Set sets the number of entries and the number of edges out of them, where
// the host knows.
func (r *Remote) Set(entries int, edges uint64) {
	r.f.Length.Store(int64(entries))
	r.edges, r.counted, r.stale, r.recount = edges, true, false, false
}

// Recount notes that a kernel has added entries to the bitmap. The next caller that needs their number counts the
// bits on the host.
func (r *Remote) Recount() { r.recount = true }

// SetUnmeasured sets the number of a queue's entries; the edges out of them aren't known, and
// there is no edge prefix.
func (r *Remote) SetUnmeasured(entries int) {
	r.Set(entries, 0)
	r.stale, r.plain = entries > 0, true
}

// Count returns the number of entries and of the edges out of them. It waits
// for the operator that fills the frontier.
func (r *Remote) Count() (entries int, edges uint64, err error) {
	if r.recount {
		words := make([]uint64, r.f.Words())
		if err := errors.Join(r.dev.Sync(), r.f.Bits.Read(r.dev, 0, words)); err != nil {
			return 0, 0, err
		}
		n := 0
		for _, w := range words {
			n += bits.OnesCount64(w)
		}
		r.Set(n, 0)
		r.stale = true
	}
	if !r.counted {
		mail, err := r.ticket.Wait()
		if err != nil {
			return 0, 0, err
		}
		stale := r.stale
		if r.list && mail.Tail > math.MaxUint32 {
			return 0, 0, fmt.Errorf("frontier: %w: a list of %d entries is more than a GPU's operators can count", device.ErrSize, mail.Tail)
		}
		if r.list {
			r.Set(int(mail.Tail), mail.Visited)
		} else {
			r.Set(int(mail.Tail>>r.shift), mail.Tail&(1<<r.shift-1))
		}
		r.stale = stale
	}
	return int(r.f.Length.Load()), r.edges, nil
}

// Join says that the entries of another bitmap, none of them in this one, have
// been added to this one.
func (r *Remote) Join(other *Remote) error {
	n, edges, err := r.Count()
	if err != nil {
		return err
	}
	k, more, err := other.Count()
	if err != nil {
		return err
	}
	r.Set(n+k, edges+more)
	return nil
}

// Mail returns what the operator that filled the frontier reported.
func (r *Remote) Mail() (gpu.Mail, error) { return r.ticket.Wait() }

// Reset says that there are no entries.
func (r *Remote) Reset() {
	r.Set(0, 0)
	r.list, r.plain = false, false
}

// IsList reports whether a vertex may be there more than once.
func (r *Remote) IsList() bool { return r.list }

// Measured returns the number of entries of a queue and of the edges out of
// them, and makes sure of the edge prefix where prefix is set.
func (r *Remote) Measured(s *gpu.Stream, prefix bool) (entries int, edges uint64, err error) {
	entries, edges, err = r.Count()
	if err != nil || entries == 0 || !r.stale && !(prefix && r.plain) {
		return entries, edges, err
	}
	edges, err = r.measure(s, entries)
	return entries, edges, err
}

// List returns the queue as kernels that may put a vertex into it twice have
// it.
func (r *Remote) List() RemoteQueue {
	q := r.Queue()
	q.Prefix, q.Shift = 0, 0
	return q
}

// Found returns the queue as the output of a push over a part of a graph: of vertices of all parts, whose
// degrees this one doesn't know.
func (r *Remote) Found() RemoteQueue {
	q := r.List()
	q.Offsets = 0
	return q
}

// Part is the part of a graph that the frontier is over; nil for a whole one.
func (r *Remote) ShardPlace() *placed.ShardPlace { return r.graph.Shard }

// HasPrefix reports whether the queue has an edge prefix.
func (r *Remote) HasPrefix() bool { return !r.plain }

// Queue returns the frontier as kernels have a queue.
func (r *Remote) Queue() RemoteQueue {
	q := RemoteQueue{Offsets: uint64(r.graph.Offsets), Shift: r.shift}
	if r.f.Form == All { // kernels take no items for all, whose edges are counted by the offsets
		q.Prefix = q.Offsets
		if d := r.graph.Shard; d != nil {
			q.Items, q.Prefix = uint64(d.List), q.Prefix+uint64(d.First)*r.width()
		}
		return q
	}
	if r.prefix != nil {
		q.Items, q.Prefix = uint64(r.f.List.Pointer()), uint64(r.prefix.Pointer())
	}
	return q
}

// Words returns the address of the bitmap.
func (r *Remote) Words() uint64 { return uint64(r.f.Bits.Pointer()) }

// Room returns how many entries the queue has room for.
func (r *Remote) Room() int { return r.room }

// ReadWords copies words of the bitmap out, beginning at word at. Operators
// that write them must have ended.
func (r *Remote) ReadWords(at int, words []uint64) error { return r.f.Bits.Read(r.dev, at, words) }

// SwapQueues exchanges the buffers of two queues over the same graph on a GPU,
// for an operator that has written the one's new entries to the other.
func SwapQueues(a, b *Remote) {
	a.f.List, b.f.List = b.f.List, a.f.List
	a.prefix, b.prefix = b.prefix, a.prefix
	a.room, b.room = b.room, a.room
}
