// This file holds where the arrays of a traversal are, and in which order, on one device and on several.

package run

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// ShardsOf returns how a placed graph is sharded over several devices; nil where it is on one.
func ShardsOf(p *graph.Placed) *placed.Shards {
	if _, several := p.Device().(placed.Sharded); !several {
		return nil
	}
	a, _ := placed.Lookup(p.State(), placed.ShardsKey{})
	return a
}

// Device returns the device of arrays: that of the graph, or one whose memory each of several has a copy of.
func Device(p *graph.Placed) device.Device {
	if d, several := p.Device().(placed.Sharded); several {
		return d.Arrays()
	}
	return p.Device()
}

// Numbers is how many entries an array with one for each vertex has: on several devices there are some more
// numbers than vertices.
func Numbers(p *graph.Placed) int {
	if a := ShardsOf(p); a != nil {
		return a.Numbers()
	}
	return p.NumVertices()
}

// CheckShards returns an error where a placed graph is on several devices, for an algorithm that doesn't run there.
func CheckShards(p *graph.Placed, runs bool) error {
	if d, several := p.Device().(placed.Sharded); several && !runs {
		name := d.Info().Name
		first, _, _ := strings.Cut(name, ",")
		return fmt.Errorf("%w: several GPUs (%s) are for bfs, dobfs, sssp, msbfs, closeness, pagerank, reach and weak components (cc); take one of them, such as %s", device.ErrNotSupported, name, first)
	}
	return nil
}

// Write writes the entries of all vertices to an array.
func Write[T device.Elem](p *graph.Placed, b *device.Buffer[T], a []T) error {
	x := ShardsOf(p)
	if x == nil {
		return b.Write(p.Device(), 0, a)
	}
	all := make([]T, x.Numbers())
	for v, y := range a {
		all[x.Number(uint32(v))] = y
	}
	return b.Write(Device(p), 0, all)
}

// Read returns the entries of all vertices, in their order.
func Read[T device.Elem](p *graph.Placed, b *device.Buffer[T]) ([]T, error) {
	a, x := make([]T, p.NumVertices()), ShardsOf(p)
	if x == nil {
		return a, b.Read(p.Device(), 0, a)
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	mine, parts := make([][]T, len(x.Parts)), make([][]byte, len(x.Parts))
	for i := range parts {
		mine[i] = make([]T, x.Parts[i].Vertices)
		parts[i] = bytesOf(mine[i])
	}
	if err := p.Device().(placed.Sharded).Arrays().Gather(parts, b.Pointer(), uint64(x.Stride)*size); err != nil {
		return nil, err
	}
	for i, m := range mine {
		for l, y := range m {
			a[l*len(parts)+i] = y
		}
	}
	return a, nil
}

// Edges returns the length of an array with an entry for each out-edge. On several devices each has the entries of its rows, and
// the array is as long as the longest part.
func Edges(p *graph.Placed) int {
	if a := ShardsOf(p); a != nil {
		return int(a.Edges[0])
	}
	return int(p.Graph().NumDirectedEdges())
}

// NewEdges returns an array with an entry for each out-edge.
func NewEdges[T device.Elem](p *graph.Placed) (*device.Buffer[T], error) {
	if a := ShardsOf(p); a != nil {
		return placed.NewEdges[T](a, p.Device().(placed.Sharded).Arrays(), false)
	}
	return device.NewBuffer[T](p.Device(), Edges(p))
}

// OfEdges reports whether an array at an address has an entry for each out-edge: on several devices NewEdges made it, on one it
// has that length.
func OfEdges(p *graph.Placed, at uintptr, length int) bool {
	if d, several := p.Device().(placed.Sharded); several {
		return d.Arrays().PartsOf(at) == placed.ShardEdges{Of: ShardsOf(p)}
	}
	return length == Edges(p)
}

// WriteEdges writes the entries of all out-edges to an array.
func WriteEdges[T device.Elem](p *graph.Placed, b *device.Buffer[T], values []T) error {
	if a := ShardsOf(p); a != nil {
		return placed.WriteEdges(a, p.Device().(placed.Sharded).Arrays(), b.Pointer(), p.Graph().State().Offsets(), bytesOf(values), uint64(unsafe.Sizeof(*new(T))))
	}
	return b.Write(p.Device(), 0, values)
}

// ReadEdges returns the entries of all out-edges. shards is ShardsOf of the placed graph, which may have been closed since.
func ReadEdges[T device.Elem](g *graph.Graph, dev device.Device, shards *placed.Shards, b *device.Buffer[T]) ([]T, error) {
	all := make([]T, g.NumDirectedEdges())
	if shards == nil {
		return all, b.Read(dev, 0, all)
	}
	release, err := g.Hold()
	if err != nil {
		return nil, err
	}
	defer release()
	return all, placed.ReadEdges(shards, dev.(placed.Copies), b.Pointer(), g.State().Offsets(), bytesOf(all), uint64(unsafe.Sizeof(*new(T))))
}

// bytesOf returns the memory of a slice.
func bytesOf[T device.Elem](a []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), uintptr(len(a))*unsafe.Sizeof(*new(T)))
}
