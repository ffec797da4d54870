// This file holds arrays with an entry for each edge of a graph on several devices: each device has the entries of its rows,
// in their order.

package placed

import (
	"sort"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
)

// ShardEdges are the edges of which each device has its part of an array (Copies.PartsOf).
type ShardEdges struct {
	Of *Shards
	In bool // in-edges of a graph whose rows of them are others
}

// NewEdges returns a buffer with an entry for each edge. It is as long as the longest part.
func NewEdges[T device.Elem](a *Shards, c Copies, in bool) (*device.Buffer[T], error) {
	m, n, err := AllocEdges(a, c, in, uint64(unsafe.Sizeof(*new(T))))
	if err != nil {
		return nil, err
	}
	return discrete.Over[T](m, n), nil
}

// AllocEdges returns the memory of such a buffer whose entries have so many bytes, and its length.
func AllocEdges(a *Shards, c Copies, in bool, size uint64) (device.Memory, int, error) {
	of := ShardEdges{a, in && !a.same()}
	n := a.Edges[0]
	if of.In {
		n = a.Edges[1]
	}
	m, err := c.AllocParts(max(size*n, 16), of)
	return m, int(n), err
}

// same reports whether in-edges and out-edges have the same rows.
func (a *Shards) same() bool { return a.Parts[0].InOffsets == a.Parts[0].Offsets }

// EdgesAt reports whether an array has an entry for each edge in a direction, and in any direction.
func (d *ShardPlace) EdgesAt(at uintptr, in bool) (these, any bool) {
	e, any := d.Copies.PartsOf(at).(ShardEdges)
	return any && e == ShardEdges{d.Of, in && !d.Of.same()}, any
}

// WriteEdges writes the bytes of all edges, size of each, in the order of rows that have these offsets, to the array at an
// address.
func WriteEdges(a *Shards, c Copies, at uintptr, offsets []uint64, values []byte, size uint64) error {
	return a.eachPart(offsets, func(i int, mine []uint64) error {
		return c.UploadPart(i, at, size*mine[len(mine)-1], func(from uint64, part []byte) {
			a.Pieces(offsets, mine, i, from/size, len(part)/int(size), func(first, end uint64) { part = part[copy(part, values[first*size:end*size]):] })
		})
	})
}

// ReadEdges reads such an array.
func ReadEdges(a *Shards, c Copies, at uintptr, offsets []uint64, values []byte, size uint64) error {
	parts := make([][]byte, len(a.Parts))
	err := a.eachPart(offsets, func(i int, mine []uint64) error {
		parts[i] = make([]byte, size*mine[len(mine)-1])
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.Gather(parts, at, 0); err != nil {
		return err
	}
	return a.eachPart(offsets, func(i int, mine []uint64) error {
		if from := parts[i]; len(from) > 0 {
			a.Pieces(offsets, mine, i, 0, len(from)/int(size), func(first, end uint64) { from = from[copy(values[first*size:end*size], from):] })
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
