// This file holds arrays with an entry for each edge of a graph on several devices: each device has the entries of its rows,
// in their order.

package placed

import (
	"sort"
	"unsafe"

	"github.com/foray-graph/foray/device"
)

// ShardEdges are the edges of which each device has its part of an array (Copies.PartsOf).
type ShardEdges struct {
	Of *Shards
	In bool // in-edges of a graph whose rows of them are others
}

// NewEdges returns a buffer with an entry for each edge. It is as long as the longest part.
func NewEdges[T device.Elem](a *Shards, c Copies, in bool) (*device.Buffer[T], error) {
	of := ShardEdges{a, in && !a.same()}
	return device.NewBuffer[T](edgeDevice{c, of}, int(a.Edges[of.side()]))
}

// same reports whether in-edges and out-edges have the same rows.
func (a *Shards) same() bool { return a.Parts[0].InOffsets == a.Parts[0].Offsets }

func (e ShardEdges) side() int {
	if e.In {
		return 1
	}
	return 0
}

// edgeDevice allocates memory for entries of edges.
type edgeDevice struct {
	Copies
	of ShardEdges
}

func (d edgeDevice) Alloc(bytes uint64) (device.Memory, error) {
	return d.AllocParts(max(bytes, 16), d.of)
}

// EdgesAt reports whether an array has an entry for each edge in a direction, and in any direction.
func (d *ShardPlace) EdgesAt(at uintptr, in bool) (these, any bool) {
	e, any := d.Copies.PartsOf(at).(ShardEdges)
	return any && e == ShardEdges{d.Of, in && !d.Of.same()}, any
}

// WriteEdges writes an array of the entries of all edges, in the order of rows that have these offsets, to the memory at
// an address.
func WriteEdges[T device.Elem](a *Shards, c Copies, at uintptr, offsets []uint64, values []T) error {
	return a.eachPart(offsets, func(i int, mine []uint64) error {
		size := uint64(unsafe.Sizeof(*new(T)))
		return c.UploadPart(i, at, size*mine[len(mine)-1], func(from uint64, part []byte) {
			to := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(part))), uint64(len(part))/size)
			a.Pieces(offsets, mine, i, from/size, len(to), func(first, end uint64) { to = to[copy(to, values[first:end]):] })
		})
	})
}

// ReadEdges reads such an array.
func ReadEdges[T device.Elem](a *Shards, c Copies, at uintptr, offsets []uint64, values []T) error {
	parts, own := make([][]byte, len(a.Parts)), make([][]T, len(a.Parts))
	err := a.eachPart(offsets, func(i int, mine []uint64) error {
		own[i] = make([]T, mine[len(mine)-1])
		parts[i] = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(own[i]))), uint64(len(own[i]))*uint64(unsafe.Sizeof(*new(T))))
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.Gather(parts, at, 0); err != nil {
		return err
	}
	return a.eachPart(offsets, func(i int, mine []uint64) error {
		from := own[i]
		if len(from) > 0 {
			a.Pieces(offsets, mine, i, 0, len(from), func(first, end uint64) { from = from[copy(values[first:end], from):] })
		}
		return nil
	})
}

// eachPart calls do for each device, with the offsets of its rows.
func (a *Shards) eachPart(offsets []uint64, do func(i int, mine []uint64) error) error {
	for i := range a.Parts {
		if err := do(i, a.Rows(offsets, i)); err != nil {
			return err
		}
	}
	return nil
}

// Rows returns the offsets of the rows that a device has, of rows that have these offsets.
func (a *Shards) Rows(offsets []uint64, device int) []uint64 {
	o := make([]uint64, a.Parts[device].Vertices+1)
	for l := range len(o) - 1 {
		v := l*len(a.Parts) + device
		o[l+1] = o[l] + (offsets[v+1] - offsets[v])
	}
	return o
}

// Pieces calls do for where n entries of a device, from entry e on, are among all: a piece of a row after
// the other. mine is what Rows returns.
func (a *Shards) Pieces(offsets, mine []uint64, device int, e uint64, n int, do func(first, end uint64)) {
	l := sort.Search(len(mine), func(i int) bool { return mine[i] > e }) - 1
	for left := uint64(n); left > 0; l++ {
		v := l*len(a.Parts) + device
		first := offsets[v] + (e - mine[l])
		end := min(offsets[v+1], first+left)
		do(first, end)
		e, left = e+(end-first), left-(end-first)
	}
}
