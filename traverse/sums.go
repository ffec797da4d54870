// This file holds sums of weights along rows, by which functors choose edges at random.

package traverse

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sort"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
)

// WeightSums returns an entry per edge of Graph.Out: the sum of the weights of the edge's row, from its first edge up to
// and including this one, for random.Choose. Weights are float64 there, and are added in the order of the row on the host, so that
// sums have the same bits on all devices. They belong to the placed graph and take 8 bytes an edge; the first call
// computes them. Functors must not write them. A weight that is negative, infinite or NaN, or a sum that is
// infinite, is an error, graph.ErrOptions, that names the edge. A graph without weights is graph.ErrNoWeights. On several GPUs
// they are divided with the rows. After an error it is nil.
func WeightSums(t *Traversal) *device.Buffer[float64] {
	if t.err != nil {
		return nil
	}
	b, err := placed.LoadOrMakeIn(t.ctx, t.p.State(), placed.WeightSums, func() (*device.Buffer[float64], error) {
		c, release, err := t.rows()
		if err != nil {
			return nil, err
		}
		defer release()
		if c.Weights == nil && c.NumEdges() > 0 {
			return nil, fmt.Errorf("traverse: sums of weights: %w: load the graph with arrow.Options.Weight, build it with graph.Options.Weights, or use PrefixSums", graph.ErrNoWeights)
		}
		b, err := run.NewEdges[float64](t.p)
		if err != nil {
			return nil, err
		}
		sums := b.Host()
		if uint64(len(sums)) != c.NumEdges() { // on a GPU
			sums = make([]float64, c.NumEdges())
		}
		err = rowSums(t.ctx, t.p.Graph(), c, sums, func(e uint64) float64 { return c.FloatWeight(e) })
		if err == nil && len(b.Host()) == 0 {
			err = run.WriteEdges(t.p, b, sums)
		}
		if err != nil {
			b.Close()
			return nil, err
		}
		return b, nil
	})
	return checked(t, b, err)
}

// PrefixSums is WeightSums by a column of weights of the caller's, such as EdgeColumn returns: an entry per edge of
// Graph.Out, converted to float64. The steps before it finish first. The sums belong to the traversal, like an array of ArrayN. In later
// runs of a Searcher that keeps them (see Kept) they stay the same. A column of another length, or one that is nil or
// closed, is graph.ErrOptions.
func PrefixSums[T device.Elem](t *Traversal, column *device.Buffer[T]) *device.Buffer[float64] {
	if t.err != nil {
		return nil
	}
	sums, err := prefixSums(t, column)
	if t.fail(err) {
		return nil
	}
	return fromEdges(t, sums)
}

func prefixSums[T device.Elem](t *Traversal, column *device.Buffer[T]) ([]float64, error) {
	c, release, err := t.rows()
	if err != nil {
		return nil, err
	}
	defer release()
	switch {
	case column == nil || column.Closed():
		return nil, fmt.Errorf("traverse: prefix sums: %w: the column is nil or closed; traverse.EdgeColumn returns one", graph.ErrOptions)
	case t.otherWay(column.Pointer()):
		return nil, fmt.Errorf("traverse: prefix sums: %w: the column is in the order of in-edges, but sums are along rows of out-edges; use traverse.EdgeColumn or Weights", graph.ErrOptions)
	case !run.OfEdges(t.p, column.Pointer(), column.Len()):
		return nil, fmt.Errorf("traverse: prefix sums: %w: a column of %d entries for %d edges", graph.ErrOptions, column.Len(), c.NumEdges())
	}
	if err := t.Sync(); err != nil {
		return nil, err
	}
	values, err := run.ReadEdges(t.p.Graph(), run.Device(t.p), run.ShardsOf(t.p), column)
	if err != nil {
		return nil, err
	}
	sums := make([]float64, len(values))
	return sums, rowSums(t.ctx, t.p.Graph(), c, sums, func(e uint64) float64 { return float64(values[e]) })
}

// otherWay reports whether an array of the graph has the in-edges of a directed graph.
func (t *Traversal) otherWay(at uintptr) bool {
	in, ok := t.p.State().EdgesOf(at)
	return ok && in && t.p.Graph().Directed()
}

// rows returns the rows of out-edges on the host, and what ends their use.
func (t *Traversal) rows() (*graph.CSR, func(), error) {
	g := t.p.Graph()
	release, err := g.Hold()
	if err != nil {
		return nil, nil, err
	}
	if err := g.Fetch(); err != nil {
		release()
		return nil, nil, err
	}
	return g.Out(), release, nil
}

// rowSums adds weights up along each row. The error names the first edge whose weight can't be.
func rowSums(ctx context.Context, g *graph.Graph, c *graph.CSR, sums []float64, weight func(e uint64) float64) error {
	workers := runtime.GOMAXPROCS(0)
	bad, errs := make([]uint64, workers), make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		first, last := share(c, w, workers), share(c, w+1, workers)
		wait.Go(func() { bad[w], errs[w] = sumRows(ctx, c, first, last, sums, weight) })
	}
	wait.Wait()
	for w := range workers {
		switch {
		case errs[w] != nil:
			return errs[w]
		case bad[w] != c.NumEdges():
			return badWeight(g, c, bad[w], weight(bad[w]))
		}
	}
	return nil
}

// share returns the vertex at which a worker's rows begin: rows are shared out by edges.
func share(c *graph.CSR, worker, workers int) int {
	e := c.NumEdges() / uint64(workers) * uint64(worker)
	if worker == workers {
		return c.NumVertices()
	}
	return sort.Search(c.NumVertices(), func(v int) bool { return c.Offsets[v] >= e })
}

// sumRows adds up the rows of some vertices. It returns the first edge whose weight or sum can't be, or else the number of
// all edges.
func sumRows(ctx context.Context, c *graph.CSR, first, last int, sums []float64, weight func(e uint64) float64) (bad uint64, err error) {
	rest := 0 // edges until the next look at the context
	for v := first; v < last; v++ {
		if rest--; rest < 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			rest = sumsBetweenLooks
		}
		sum := 0.0
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			w := weight(e)
			sum += w
			if !(w >= 0) || !(sum <= math.MaxFloat64) {
				return e, nil
			}
			sums[e] = sum
		}
	}
	return c.NumEdges(), nil
}

// badWeight is the error of an edge.
func badWeight(g *graph.Graph, c *graph.CSR, edge uint64, weight float64) error {
	ids := g.IDs()
	from := sort.Search(c.NumVertices(), func(v int) bool { return c.Offsets[v+1] > edge })
	return fmt.Errorf("traverse: sums of weights: %w: the edge from %s to %s weighs %v; weights are 0 or more, and those of a row have a finite sum: leave such edges out, or change them before loading",
		graph.ErrOptions, ids.Format(uint32(from)), ids.Format(c.Targets[edge]), weight)
}
