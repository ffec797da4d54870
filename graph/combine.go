// This file makes parallel edges one edge.

package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/looks"
)

// Combine is how the weights of parallel edges are combined when these become one edge. Edges in both
// directions between two vertices of an undirected graph are parallel. The edge keeps the least edge id: with
// CombineMin and CombineMax the least id of the edges that have the weight, else of all.
type Combine uint8

// The ways to combine weights.
const (
	// CombineMin keeps the smallest weight, as shortest paths need. NaN counts as larger than every number.
	CombineMin Combine = iota
	// CombineMax keeps the largest weight.
	CombineMax
	// CombineSum adds the weights up, in their type: integers exactly, floats in ascending order, so that the
	// sum doesn't depend on the order of the edges. An integer sum past 64 bits is ErrWeights. networkx, igraph
	// and cugraph add up weights that are amounts.
	CombineSum
	// CombineFirst keeps the weight of the edge with the least edge id: the first edge if ids are row numbers.
	// It needs Options.EdgeIDs.
	CombineFirst
)

var combineNames = [...]string{"min", "max", "sum", "first"}

// String returns the name: min, max, sum or first.
func (c Combine) String() string {
	if int(c) < len(combineNames) {
		return combineNames[c]
	}
	return fmt.Sprintf("Combine(%d)", c)
}

// combines reports whether parallel edges need more than keeping the lightest.
func (o Options) combines() bool { return o.Weights && !o.KeepDuplicates && o.Combine != CombineMin }

// kept are the options to build with where parallel edges are combined afterwards.
func (o Options) kept() Options {
	if o.combines() {
		o.KeepDuplicates, o.Device, o.DeviceOnly = true, nil, false
	}
	if len(o.EdgeColumns) > 0 {
		o.KeepDuplicates, o.Device = true, nil
	}
	return o.withRows()
}

// withRows are the options with ids of edges, which are rows of their columns until these are gathered.
func (o Options) withRows() Options {
	o.EdgeIDs = o.EdgeIDs || len(o.EdgeColumns) > 0
	return o
}

// added are the options to add edges with. One GPU combines parallel edges itself, if their weights allow it.
func (o Options) added() Options {
	k := o.kept()
	if o.combines() && len(o.EdgeColumns) == 0 && o.onDevice() {
		k.Device, k.DeviceOnly = o.Device, o.DeviceOnly
	}
	return k
}

func (o Options) checkCombine() error {
	switch {
	case int(o.Combine) >= len(combineNames):
		return fmt.Errorf("%w: Options.Combine is %v; want CombineMin, CombineMax, CombineSum or CombineFirst", ErrOptions, o.Combine)
	case o.Combine == CombineFirst && o.Weights && !o.KeepDuplicates && !o.withRows().EdgeIDs:
		return fmt.Errorf("%w: Options.Combine is CombineFirst, which goes by edge ids; set EdgeIDs, and give edges the numbers of their rows", ErrOptions)
	case o.Combine == CombineFirst && o.Weights && len(o.EdgeColumns) > 0 && !o.KeepDuplicates:
		return fmt.Errorf("%w: Options.Combine is CombineFirst with EdgeColumns; leave out Combine, since Options.Merge chooses the edge whose weight stays", ErrOptions)
	case o.combines() && o.DeviceOnly && o.sharded() != nil:
		return fmt.Errorf("%w: Options.Combine is %v with DeviceOnly, but several GPUs build graphs without weights; name one GPU, or leave out DeviceOnly", ErrOptions, o.Combine)
	}
	return nil
}

// combined makes parallel edges of a graph that was built with them one edge, as the options say. Vertices were
// numbered by degrees that count such edges, so they are numbered again where there are any.
func (g *Graph) combined(ctx context.Context, o Options) (*Graph, error) {
	dropped, err := g.combineRows(ctx, o.Combine, o.Workers)
	g.simple = o.simple()
	g.stats.Duplicates, g.stats.Combined = dropped, o.Combine
	if err != nil {
		return g, err
	}
	return g.reranked(ctx, o, dropped)
}

// combinedThere is combined for a graph whose parallel edges a device has combined.
func (g *Graph) combinedThere(o Options) *Graph {
	g.simple, g.stats.Combined = o.simple(), o.Combine
	return g
}

// reranked numbers vertices again once so many entries were dropped.
func (g *Graph) reranked(ctx context.Context, o Options, dropped uint64) (_ *Graph, err error) {
	if dropped == 0 || o.Order == OrderGiven {
		return g, nil
	}
	g.order = OrderGiven
	stats := g.stats
	was := g
	g, err = g.Reorder(ctx, ReorderOptions{Order: o.Order, Workers: o.Workers})
	if err == nil && g == was { // degrees are no longer skewed, and were before
		g, err = g.Reorder(ctx, ReorderOptions{Order: OrderGiven, Workers: o.Workers})
	}
	if err != nil {
		return nil, err
	}
	g.stats, g.simple, g.ascends = stats, o.simple(), true
	return g, nil
}

// combineRows combines the edges of a graph's rows and returns how many entries of Out it dropped. The rows
// may be written to.
func (g *Graph) combineRows(ctx context.Context, by Combine, workers int) (dropped uint64, err error) {
	if dropped, err = g.out.Combine(ctx, by, g.weights, workers); err == nil && g.in != nil && g.in != g.out {
		_, err = g.in.Combine(ctx, by, g.weights, workers)
	}
	return dropped, err
}

// Combine merges parallel edges of rows with weights of type t, in place, and returns the number of dropped
// entries. It is for rows that don't belong to a graph yet. Errors are ErrWeights for a sum past 64 bits, and
// the context's.
func (c *CSR) Combine(ctx context.Context, by Combine, t WeightType, workers int) (dropped uint64, err error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return 0, err
	}
	k := newCrew(ctx, Options{Workers: workers})
	r := newRowBuckets(c.Offsets, rowParts(c))
	if repeats, err := c.repeats(k, r); err != nil || !repeats {
		return 0, err
	}
	if by == CombineSum { // sums may need 64 bits where no weight does
		if err := c.widen(ctx, t); err != nil {
			return 0, err
		}
	}
	if c.Weights == nil {
		return 0, fmt.Errorf("%w: there is nothing to combine", ErrNoWeights)
	}
	n := c.NumVertices()
	ends := make([]uint64, n)
	var exact atomic.Bool
	exact.Store(true)
	err = k.each("", r.len(), func(_, i int) error {
		var x combiner
		for v := r.starts[i]; v < r.starts[i+1]; v++ {
			if err := x.row(c, v, by, t, ends); err != nil {
				return err
			}
		}
		if x.inexact {
			exact.Store(false)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	dropped, err = c.close(ctx, ends)
	if err == nil && exact.Load() {
		c.IntWeights, c.FloatWeights = nil, nil
	}
	return dropped, err
}

// repeats reports whether rows have parallel edges, or don't ascend.
func (c *CSR) repeats(k *crew, r *rowBuckets) (bool, error) {
	var repeats atomic.Bool
	err := k.each("", r.len(), func(_, i int) error {
		for v := r.starts[i]; v < r.starts[i+1] && !repeats.Load(); v++ {
			row := c.Targets[c.Offsets[v]:c.Offsets[v+1]]
			sorted := slices.IsSorted(row)
			for j := range row[:max(len(row), 1)-1] {
				if !sorted || row[j] == row[j+1] {
					repeats.Store(true)
					break
				}
			}
		}
		return nil
	})
	return repeats.Load(), err
}

// close closes the gaps behind the ends of rows, and returns how many entries were in them.
func (c *CSR) close(ctx context.Context, ends []uint64) (dropped uint64, err error) {
	n := c.NumVertices()
	to, looked := uint64(0), uint64(0)
	for v, end := range ends {
		lo := c.Offsets[v]
		if v%pollItems == 0 || lo-looked >= pollEntries {
			if looked = lo; ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
		c.Offsets[v] = to
		if lo != to {
			c.move(to, lo, end)
			moveWide(c.IntWeights, to, lo, end)
			moveWide(c.FloatWeights, to, lo, end)
		}
		to += end - lo
	}
	dropped = c.Offsets[n] - to
	c.Offsets[n] = to
	c.IntWeights, c.FloatWeights = trimmed(c.IntWeights, to), trimmed(c.FloatWeights, to)
	c.trim()
	return dropped, nil
}

func moveWide[T int64 | float64](a []T, to, lo, hi uint64) {
	if a != nil {
		copy(a[to:], a[lo:hi])
	}
}

func trimmed[T int64 | float64](a []T, n uint64) []T {
	if a == nil {
		return nil
	}
	return slices.Clone(a[:n])
}

// widen gives rows weights of 64 bits, of type t. The error is the context's.
func (c *CSR) widen(ctx context.Context, t WeightType) (err error) {
	switch {
	case c.IntWeights != nil || c.FloatWeights != nil || t == WeightsFloat32:
	case t == WeightsInt64:
		c.IntWeights, err = widened[int64](ctx, c.Weights)
	default:
		c.FloatWeights, err = widened[float64](ctx, c.Weights)
	}
	return err
}

func widened[T int64 | float64](ctx context.Context, weights []float32) ([]T, error) {
	wide := make([]T, len(weights))
	return wide, looks.Pieces(ctx, len(weights), func(lo, hi int) {
		for e, w := range weights[lo:hi] {
			wide[lo+e] = T(w)
		}
	})
}

// combiner combines the edges of rows, one goroutine at a time.
type combiner struct {
	order   []uint64
	inexact bool
}

// row combines the edges of row v, and sets where it ends.
func (x *combiner) row(c *CSR, v int, by Combine, t WeightType, ends []uint64) error {
	lo, hi := c.Offsets[v], c.Offsets[v+1]
	x.order = x.order[:0]
	for e := lo; e < hi; e++ {
		x.order = append(x.order, e)
	}
	compare := func(a, b uint64) int {
		r := cmp.Or(cmp.Compare(c.Targets[a], c.Targets[b]), cmp.Compare(c.key(t, a), c.key(t, b)))
		if r == 0 && c.EdgeIDs != nil {
			r = cmp.Compare(c.EdgeIDs[a], c.EdgeIDs[b])
		}
		return r
	}
	if slices.IsSortedFunc(x.order, compare) {
		to, err := x.groups(c, x.order, lo, by, t)
		ends[v] = to
		return err
	}
	// A row in another order, of a graph from elsewhere.
	slices.SortFunc(x.order, compare)
	one := CSR{Offsets: []uint64{0, hi - lo}}
	for _, e := range x.order {
		one.Targets = append(one.Targets, c.Targets[e])
		one.Weights = append(one.Weights, c.Weights[e])
		if c.IntWeights != nil {
			one.IntWeights = append(one.IntWeights, c.IntWeights[e])
		}
		if c.FloatWeights != nil {
			one.FloatWeights = append(one.FloatWeights, c.FloatWeights[e])
		}
		if c.EdgeIDs != nil {
			one.EdgeIDs = append(one.EdgeIDs, c.EdgeIDs[e])
		}
	}
	for i := range x.order {
		x.order[i] = uint64(i)
	}
	n, err := x.groups(&one, x.order, 0, by, t)
	if err != nil {
		return err
	}
	copy(c.Targets[lo:], one.Targets[:n])
	copy(c.Weights[lo:], one.Weights[:n])
	if c.IntWeights != nil {
		copy(c.IntWeights[lo:], one.IntWeights[:n])
	}
	if c.FloatWeights != nil {
		copy(c.FloatWeights[lo:], one.FloatWeights[:n])
	}
	if c.EdgeIDs != nil {
		copy(c.EdgeIDs[lo:], one.EdgeIDs[:n])
	}
	ends[v] = lo + n
	return nil
}

// groups combines sorted entries in place, and returns the end of the remaining ones.
func (x *combiner) groups(c *CSR, order []uint64, to uint64, by Combine, t WeightType) (uint64, error) {
	for i := 0; i < len(order); {
		first, j := order[i], i+1
		for j < len(order) && c.Targets[order[j]] == c.Targets[first] {
			j++
		}
		if err := x.group(c, first, order[i]+uint64(j-i), to, by, t); err != nil {
			return 0, err
		}
		to++
		i = j
	}
	return to, nil
}

// group makes entry to of entries first to end-1.
func (x *combiner) group(c *CSR, first, end, to uint64, by Combine, t WeightType) error {
	k := first // the entry whose weight stays
	switch {
	case end == first+1:
	case by == CombineMax:
		for k = end - 1; k > first && c.key(t, k-1) == c.key(t, end-1); k-- {
		}
	case by == CombineFirst && c.EdgeIDs != nil:
		for e := first + 1; e < end; e++ {
			if c.EdgeIDs[e] < c.EdgeIDs[k] {
				k = e
			}
		}
	}
	whole, float, finite := int64(0), 0.0, true
	if c.IntWeights != nil {
		whole = c.IntWeights[k]
	} else {
		float = c.FloatWeight(k)
		finite = !math.IsInf(float, 0)
	}
	id := uint64(0)
	if c.EdgeIDs != nil {
		id = c.EdgeIDs[k]
	}
	if by == CombineSum {
		high, low := whole>>63, uint64(whole) // of 128 bits
		for e := first + 1; e < end; e++ {
			if c.EdgeIDs != nil {
				id = min(id, c.EdgeIDs[e])
			}
			if c.IntWeights == nil {
				w := c.FloatWeight(e)
				float += w
				finite = finite && !math.IsInf(w, 0)
				continue
			}
			w := c.IntWeights[e]
			sum, carry := bits.Add64(low, uint64(w), 0)
			low, high = sum, high+w>>63+int64(carry)
		}
		if whole = int64(low); c.IntWeights != nil && high != whole>>63 {
			return fmt.Errorf("%w: the weights of repeated edges add up to more than an int64 holds; set Options.WeightType to WeightsFloat64, or combine them in another way", ErrWeights)
		}
		if t == WeightsFloat32 {
			float = float64(float32(float))
		}
		if finite && math.IsInf(float, 0) {
			return fmt.Errorf("%w: finite weights of repeated edges add up to infinity; scale them down, or combine them in another way", ErrWeights)
		}
	}
	c.Targets[to] = c.Targets[first]
	switch {
	case c.IntWeights != nil:
		c.IntWeights[to], c.Weights[to] = whole, float32(whole)
		x.inexact = x.inexact || !intExact(whole)
	case c.FloatWeights != nil:
		c.FloatWeights[to], c.Weights[to] = float, plainWeight(float32(float))
		x.inexact = x.inexact || !floatExact(float)
	default:
		c.Weights[to] = plainWeight(float32(float))
	}
	if c.EdgeIDs != nil {
		c.EdgeIDs[to] = id
	}
	return nil
}
