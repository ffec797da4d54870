// This file holds arrays with an entry per edge, and results made of them.

package traverse

import (
	"fmt"
	"slices"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
)

// EdgeArray is Array with an entry per edge of the rows of out-edges, for functors that index it by Edge.Index of a step
// along out-edges, or by the edges of a Corner; a step over in-edges of a directed graph refuses them. An undirected graph has
// each edge in both directions, and so two entries.
// On several GPUs the array is divided with the rows, and is as long as the longest part. It belongs to the
// traversal until EdgeResult takes it over. After an error it is nil.
func EdgeArray[T device.Elem](t *Traversal, x T) *device.Buffer[T] {
	b := ofEdges[T](t)
	if t.err != nil {
		return nil
	}
	t.renewed(func() error { return t.space.on.fill(cellsOf(b), bitsOf(x)) })
	t.arrays[len(t.arrays)-1].array = edgeArray[T]{b}
	return b
}

// ofEdges returns an array with an entry per edge, uninitialized.
func ofEdges[T device.Elem](t *Traversal) *device.Buffer[T] {
	if t.err != nil {
		return nil
	}
	b := sized(t, sizedKey[T](^run.Edges(t.p)), func() (*device.Buffer[T], error) { return run.NewEdges[T](t.p) })
	if t.err == nil && b.Len() > 0 && t.space.on.notes() {
		// Steps over in-edges of a directed graph, which have other numbers, refuse it, and so do functors that index it by a vertex.
		last := &t.arrays[len(t.arrays)-1]
		forget, keep := t.p.State().NoteEdges(b.Pointer()), last.keep
		last.forget, last.keep = forget, func() error { forget(); return keep() }
	}
	return b
}

// fromEdges is FromSlice of values of all edges.
func fromEdges[T device.Elem](t *Traversal, s []T) *device.Buffer[T] {
	b := ofEdges[T](t)
	if t.err != nil {
		return nil
	}
	t.renewed(func() error {
		if err := t.space.on.sync(); err != nil { // as in FromSlice
			return err
		}
		return run.WriteEdges(t.p, b, s)
	})
	return b
}

// edgeArray marks an array of a traversal as one that EdgeResult takes.
type edgeArray[T device.Elem] struct{ b *device.Buffer[T] }

// EdgeValues are an array of a traversal that has ended, with one entry per edge of the rows of out-edges, in the memory
// of the device: those of the placed graph's Graph.Out. The caller owns and closes them. arrow.WriteEdges writes them next
// to the edges, as an arrow.ValuesColumn. The methods are safe for concurrent use. Slices that they returned must not be
// used after Close.
type EdgeValues[T device.Elem] struct {
	mu    sync.Mutex // guards what is below
	g     *graph.Graph
	dev   device.Device
	parts *placed.Shards    // nil on one device
	array *device.Buffer[T] // nil once it was closed
	host  []T
}

// EdgeResult waits for the steps and takes an array out of the traversal, as Result does; the error is the traversal's
// first one. The array must be one that EdgeArray returned, and that was not taken before. Of an array that a Searcher
// keeps (see Kept) the values are a copy, in the memory of the host.
func EdgeResult[T device.Elem](t *Traversal, b *device.Buffer[T]) (*EdgeValues[T], error) {
	if t.Sync() != nil {
		return nil, t.err
	}
	r := &EdgeValues[T]{g: t.p.Graph(), dev: run.Device(t.p), parts: run.ShardsOf(t.p)}
	i := slices.IndexFunc(t.arrays, func(o owned) bool { return o.array == any(edgeArray[T]{b}) })
	switch {
	case b != nil && i >= 0:
		if forget := t.arrays[i].forget; forget != nil {
			forget()
		}
		t.arrays = slices.Delete(t.arrays, i, i+1)
		r.array = b.Move()
		return r, nil
	case b != nil && t.array(edgeArray[T]{b}) != nil:
		var err error
		if r.host, err = run.ReadEdges(r.g, r.dev, r.parts, b); !t.fail(err) {
			return r, nil
		}
	default:
		t.fail(fmt.Errorf("traverse: %w: the result is no array per edge of this traversal, or was taken before; take what EdgeArray returned, once", graph.ErrOptions))
	}
	return nil, t.err
}

// Graph returns the graph that was traversed.
func (r *EdgeValues[T]) Graph() *graph.Graph { return r.g }

// Slice returns the values by edge: entry e belongs to the edge to Graph.Out().Targets[e]. On the host the slice is the
// array itself, valid until Close: clone it to retain it. On a GPU the first call copies the array to the host. The error
// is device.ErrClosed after Close, on several GPUs also after the graph was closed, or the device's.
func (r *EdgeValues[T]) Slice() ([]T, error) {
	if r == nil {
		return nil, errResultClosed()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.host != nil:
		return r.host, nil
	case r.array == nil || r.array.Closed():
		return nil, errResultClosed()
	case r.array.Host() != nil || r.array.Len() == 0:
		return r.array.Host(), nil
	}
	all, err := run.ReadEdges(r.g, r.dev, r.parts, r.array)
	if err != nil {
		return nil, fmt.Errorf("traverse: copying the result: %w", err)
	}
	r.host = all
	return all, nil
}

// Close frees the array. The values must not be used afterwards. Closing nil, or a second time, does nothing.
func (r *EdgeValues[T]) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	b := r.array
	r.array, r.host = nil, nil
	r.mu.Unlock()
	if b == nil {
		return nil
	}
	return b.Close()
}
