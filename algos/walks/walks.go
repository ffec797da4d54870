// Package walks makes random walks: uniform, by weight, or of second order as node2vec does.
//
// The guide is [docs/algorithms/walks.md].
//
//   - A walk begins at a vertex and takes Length steps along out-edges. It has the vertices that it visits, the start first, so one more than steps.
//   - Each out-edge is equally likely, each of several parallel ones too. With Weighted the probability is proportional to the weight. Negative,
//     infinite and NaN weights are graph.ErrOptions.
//   - With P or Q, steps depend on the vertex before (Grover and Leskovec, "node2vec: Scalable feature learning for networks", KDD 2016): the
//     weight of an edge that leads back there is divided by P; that of an edge to another vertex is divided by Q, unless an edge leads from the vertex before to it.
//     The first step isn't changed. Steps are drawn exactly from this distribution, by rejection (Yang et al., "KnightKing", SOSP 2019).
//   - A walk ends early at a vertex without out-edges, or whose weights are all zero. It is shorter then, and Batch.Ended counts such walks.
//
// A walk depends on the graph, the seed, its start, its number among the walks of that start, and the options alone: it is the same on
// all devices, for any number of workers, and whichever other walks are made.
//
// Walks come in batches of at most 64 MiB, so memory doesn't grow with their number.
//
// [docs/algorithms/walks.md]: https://github.com/foray-graph/foray/blob/main/docs/algorithms/walks.md
package walks

import (
	"context"
	"fmt"
	"iter"
	"log/slog"

	_ "github.com/foray-graph/foray/algos/internal/ahead" // machine code of the functors' kernels
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/layout/rowcheck"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Options say which walks are made. The zero value makes a walk of 80 steps from each vertex.
type Options struct {
	// Starts are where walks begin, nil for all vertices. A vertex that comes twice begins the same walks twice.
	Starts []uint32
	// Count is how many walks begin at each start, MostCount at most; 0 means 1.
	Count int
	// Length is the number of steps, MostLength at most; 0 means 80.
	Length int
	// Seed selects the walks.
	Seed uint64
	// Weighted chooses edges in proportion to their weights, of which the graph must have some.
	Weighted bool
	// P and Q are node2vec's return and in-out parameters, above 0; 0 stands for 1. If both are 1, steps don't depend on the vertex before.
	P, Q float64

	EachLevel func(traverse.Level) // is called after each batch
	Logger    *slog.Logger         // gets a line at the end (slog.LevelInfo), also of walks that fail
	Metrics   metrics.Recorder     // gets the end of the walks
}

// Batch is some walks: those of one start come one after another, and starts are in the order of Options.Starts, or of
// vertices. The slices are used again for the next batch.
type Batch struct {
	Starts []uint32
	// Offsets has, for each walk, where it begins in Vertices, and the end of the last one.
	Offsets  []int
	Vertices []uint32
	// Ended is how many of the walks have fewer steps than Options.Length, since they came to a vertex without a way on.
	Ended int
}

// check returns graph.ErrOptions for values out of range.
func (o *Options) check(p *graph.Placed) error {
	factor := func(name string, x float64) error {
		if !(x == 0 || x >= 1/mostFactor && x <= mostFactor) {
			return fmt.Errorf("walks: %w: %s is %v; want a number from %v to %v, or 0 for 1", graph.ErrOptions, name, x, 1/mostFactor, mostFactor)
		}
		return nil
	}
	switch {
	case o.Count < 0 || o.Count > MostCount:
		return fmt.Errorf("walks: %w: Count is %d; want 1 to %d, or 0 for 1", graph.ErrOptions, o.Count, MostCount)
	case o.Length < 0 || o.Length > MostLength:
		return fmt.Errorf("walks: %w: Length is %d; want 1 to %d, or 0 for %d", graph.ErrOptions, o.Length, MostLength, defaultLength)
	}
	if err := factor("P", o.P); err != nil {
		return err
	}
	if err := factor("Q", o.Q); err != nil {
		return err
	}
	for _, v := range o.Starts {
		if n := p.NumVertices(); int64(v) >= int64(n) {
			return fmt.Errorf("walks: Starts: %w: vertex %d of %d", graph.ErrNoVertex, v, n)
		}
	}
	return nil
}

// resolved replaces zeros by the defaults.
func (o Options) resolved() Options {
	if o.Count == 0 {
		o.Count = 1
	}
	if o.Length == 0 {
		o.Length = defaultLength
	}
	if o.P == 0 {
		o.P = 1
	}
	if o.Q == 0 {
		o.Q = 1
	}
	return o
}

func (o *Options) second() bool { return o.P != 1 || o.Q != 1 }

// walks returns how many walks there are.
func (o *Options) walks(n int) uint64 {
	if o.Starts != nil {
		n = len(o.Starts)
	}
	return uint64(n) * uint64(o.Count)
}

// batch returns how many walks a batch has at most.
func (o *Options) batch(n int) uint64 {
	return min(o.walks(n), batchWalks, max(1, batchVertices/uint64(o.Length+1)))
}

// Bytes returns the maximum device memory of walks, in addition to the graph.
func Bytes(p *graph.Placed, o Options) uint64 {
	if p.Err() != nil {
		return 0
	}
	o = o.resolved()
	bytes := o.batch(p.NumVertices()) * uint64(12+4*(o.Length+1))
	if o.Weighted {
		bytes += 8 * p.Graph().NumDirectedEdges()
	}
	return bytes
}

// Each makes walks, and yields them in batches. An error ends the batches: graph.ErrOptions, graph.ErrNoVertex, graph.ErrNoWeights with
// Weighted, graph.ErrMalformed for P or Q and rows that don't ascend, device.ErrMemory, device.ErrNotSupported for several GPUs, and those of the
// context and the device.
func Each(ctx context.Context, p *graph.Placed, o Options) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		ended := false
		if err := each(ctx, p, o, func(b Batch) bool { ended = !yield(b, nil); return !ended }); err != nil && !ended {
			yield(Batch{}, err)
		}
	}
}

func each(ctx context.Context, p *graph.Placed, o Options, yield func(Batch) bool) error {
	if err := callctx.Check(ctx, "walks"); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("walks: %w", err)
	}
	if err := o.check(p); err != nil {
		return err
	}
	if err := run.CheckShards(p, false); err != nil {
		return fmt.Errorf("walks: %w", err)
	}
	if o = o.resolved(); o.second() {
		rows, err := rowcheck.Of(ctx, p)
		if err == nil && !rows.Ascend {
			err = fmt.Errorf("%w: rows don't ascend, in which P and Q look for edges; build the graph by graph.Builder", graph.ErrMalformed)
		}
		if err != nil {
			return fmt.Errorf("walks: %w", err)
		}
	}
	n := max(p.NumVertices(), 1)
	a := traverse.Algorithm[Options, struct{}]{Name: "walks", Memory: traverse.Memory{Arrays: []int{int(Bytes(p, o) / uint64(n))}, Frontiers: 2},
		Run: func(t *traverse.Traversal, o Options) (struct{}, error) { return struct{}{}, walk(t, o, yield) }}
	_, err := traverse.Run(ctx, p, a, o, traverse.Options{EachLevel: o.EachLevel, Logger: o.Logger, Metrics: o.Metrics})
	return err
}

// batches is the memory of walks.
type batches struct {
	start, repeat, path, length *device.Buffer[uint32]
	starts, repeats             []uint32
	paths, lengths              []uint32
	out                         Batch
}

// walk makes the walks of all batches.
func walk(t *traverse.Traversal, o Options, yield func(Batch) bool) error {
	n := t.Placed().NumVertices()
	all, most := o.walks(n), o.batch(n)
	if all == 0 {
		return t.Err()
	}
	stride := uint64(o.Length + 1)
	b := &batches{start: traverse.ArrayN[uint32](t, int(most), 0), repeat: traverse.ArrayN[uint32](t, int(most), 0),
		path: traverse.ArrayN[uint32](t, int(most*stride), 0), length: traverse.ArrayN[uint32](t, int(most), 0)}
	offsets, targets := traverse.Rows(t)
	var sums *device.Buffer[float64]
	if o.Weighted {
		sums = traverse.WeightSums(t)
	}
	threads, cur := uint64(min(n, mostThreads)), t.All()
	if n > mostThreads {
		ids := make([]uint32, mostThreads)
		for i := range ids {
			ids[i] = uint32(i)
		}
		cur = t.From(ids...)
	}
	if err := t.Sync(); err != nil { // copies don't wait until the arrays are filled
		return err
	}
	back, far := 1/o.P, 1/o.Q
	for at := uint64(0); at < all && t.Next(cur); {
		count := min(most, all-at)
		b.number(at, count, &o)
		dev := t.Placed().Device()
		if err := b.start.Write(dev, 0, b.starts); err != nil {
			return err
		}
		if err := b.repeat.Write(dev, 0, b.repeats); err != nil {
			return err
		}
		var step operators.Step
		if o.Weighted {
			step = foreach.Each(newWeighted(offsets, targets, sums, b.start, b.repeat, b.path, b.length, count, uint64(o.Length), o.Seed, threads, back, far, max(back, far, 1), o.second()), nil)
		} else {
			step = foreach.Each(newUniform(offsets, targets, b.start, b.repeat, b.path, b.length, count, uint64(o.Length), o.Seed, threads, back, far, max(back, far, 1), o.second()), nil)
		}
		t.Do(cur, step)
		if err := t.Sync(); err != nil {
			return err
		}
		if err := b.read(dev, count, stride); err != nil {
			return err
		}
		if !yield(b.out) {
			break
		}
		at += count
	}
	t.Next(t.From()) // ends the level
	return t.Err()
}

// number sets the starts of walks, from number at on, and their numbers among those of a start.
func (b *batches) number(at, count uint64, o *Options) {
	b.starts, b.repeats = b.starts[:0], b.repeats[:0]
	for i := at; i < at+count; i++ {
		v := uint32(i / uint64(o.Count))
		if o.Starts != nil {
			v = o.Starts[v]
		}
		b.starts, b.repeats = append(b.starts, v), append(b.repeats, uint32(i%uint64(o.Count)))
	}
}

// read copies walks from the device, and closes the gaps behind those that ended.
func (b *batches) read(dev device.Device, count, stride uint64) error {
	if b.lengths == nil {
		b.lengths, b.paths = make([]uint32, count), make([]uint32, count*stride)
	}
	b.lengths, b.paths = b.lengths[:count], b.paths[:count*stride]
	if err := b.length.Read(dev, 0, b.lengths); err != nil {
		return err
	}
	if err := b.path.Read(dev, 0, b.paths); err != nil {
		return err
	}
	out := &b.out
	out.Starts, out.Offsets, out.Ended = b.starts, append(out.Offsets[:0], 0), 0
	end := 0
	for i, n := range b.lengths {
		end += copy(b.paths[end:], b.paths[uint64(i)*stride:uint64(i)*stride+uint64(n)])
		out.Offsets = append(out.Offsets, end)
		if uint64(n) < stride {
			out.Ended++
		}
	}
	out.Vertices = b.paths[:end]
	return nil
}
