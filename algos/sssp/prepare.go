// This file holds what many searches of one graph are prepared with: its rows by rising weight.

package sssp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/layout/byweight"
	"github.com/foray-graph/foray/traverse"
)

// Prepared is the result of Prepare.
type Prepared struct {
	// ByWeight says that searches go over rows by rising weight. Why says why they don't: what the
	// graph lacks, or why it wouldn't gain anything.
	ByWeight bool
	Why      string
	Elapsed  time.Duration // that it took
	Bytes    uint64        // of memory that it holds, until the placed graph is closed
}

// Prepare makes searches of a graph faster that begin afterwards: it sorts a copy of its rows by
// weight, so that searches leave most of the heavy edges out. It takes as long as a few searches,
// so that it doesn't pay off for one, and 8 bytes an edge in each direction, in the memory of the
// device, which does the work. Graphs of low degree gain nothing, and directed graphs need their
// reverse: Prepared.Why names the reason. Later calls return the first result. Results are the same
// with it and without.
//
// On GPUs searches with targets, and searches level by level, don't use it. It returns the errors of Run,
// and device.ErrMemory where a GPU has too little memory.
func Prepare(ctx context.Context, p *graph.Placed) (Prepared, error) {
	if err := callctx.Check(ctx, "sssp"); err != nil {
		return Prepared{}, err
	}
	return prepareOn(ctx, p, runtime.GOMAXPROCS(0))
}

// prepareOn is Prepare on so many processors of a host.
func prepareOn(ctx context.Context, p *graph.Placed, workers int) (Prepared, error) {
	w, err := weightsOf(ctx, p)
	if err != nil {
		return Prepared{}, fmt.Errorf("sssp: prepare: %w", err)
	}
	b, err := placed.LoadOrMakeIn(ctx, p.State(), byWeightKey{}, func() (*byWeight, error) { return newByWeight(ctx, p, w, workers) })
	if err != nil {
		return Prepared{}, fmt.Errorf("sssp: prepare: %w", err)
	}
	return b.says, nil
}

type (
	byWeightKey struct{ placed.Of[*byWeight] } // of the rows by weight of a placed graph
	lightKey    struct{ placed.Of[*byWeight] } // of the same, at the graph of rows by weight
)

// byWeight is what Prepare made.
type byWeight struct {
	says  Prepared
	p     *graph.Placed           // the rows by weight; nil where there are none
	light *device.Buffer[float32] // the lightest edge into each vertex, +Inf where there is none
	of    *graph.Placed           // that was prepared

	shards byweight.Shards // the rows by weight on several GPUs, where p is nil

	workers int // of the host, that make it
}

// Close frees it with the placed graph that it was made for.
func (b *byWeight) Close() error {
	if b.p == nil {
		return b.shards.Close()
	}
	return errors.Join(b.p.Close(), b.light.Close())
}

// prepared returns the graph to search: the one that Prepare made, else p. It waits for a Prepare that runs until the
// context is done.
func prepared(ctx context.Context, p *graph.Placed) *graph.Placed {
	if b, ok := placed.Await(ctx, p.State(), byWeightKey{}); ok && b.p != nil {
		return b.p
	}
	return p
}

// together reports whether searches without targets on several GPUs are one kernel on each.
func (o Options) together() bool { return o.Engine != traverse.LevelByLevel && o.EachLevel == nil }

// made returns the graph that a Prepare made which has ended, else p.
func made(p *graph.Placed) *graph.Placed {
	if b, ok := placed.Lookup(p.State(), byWeightKey{}); ok && b.p != nil {
		return b.p
	}
	return p
}

// lightOf returns what a graph of rows by weight has, or nil for another.
func lightOf(p *graph.Placed) *byWeight {
	b, _ := placed.Lookup(p.State(), lightKey{})
	return b
}

func newByWeight(ctx context.Context, p *graph.Placed, w *weights, workers int) (*byWeight, error) {
	began, g, b := time.Now(), p.Graph(), &byWeight{workers: workers}
	switch {
	case w.typ != graph.WeightsFloat32 && !w.single():
		b.says.Why = "distances need 64 bits, and searches over rows by weight have 32 (graph.WeightsFloat32)"
	case p.Remote().InTiers():
		b.says.Why = "the graph is in tiers, since it exceeds the GPU's memory: rows by weight would be a second copy"
	case !g.HasReverse():
		b.says.Why = "the graph has no reverse (graph.Options.Reverse)"
	case w.degree < tuning.ByWeightDegree:
		b.says.Why = fmt.Sprintf("vertices have %.1f edges on the mean, which is too few to leave some out", w.degree)
	}
	make := run.Choose(p, run.Ways[func(context.Context, *graph.Placed) error]{Host: b.onHost, GPU: b.onGPU, Shards: b.onShards})
	if b.says.Why == "" {
		if err := make(ctx, p); errors.Is(err, byweight.ErrTurned) {
			b.says.Why = err.Error()
		} else if err != nil {
			return nil, err
		}
	}
	if b.says.Why == "" {
		if b.p != nil {
			placed.Put(b.p.State(), lightKey{}, &byWeight{light: b.light, of: p})
			placed.Put(b.p.State(), weightsKey{}, w)
		}
		b.says.ByWeight = true
		b.says.Bytes, _ = byweight.Bytes(g)
	}
	b.says.Elapsed = time.Since(began)
	return b, nil
}

// onGPU has the GPU sort the rows.
func (b *byWeight) onGPU(ctx context.Context, p *graph.Placed) error {
	r, err := byweight.Of(ctx, p)
	if err == nil {
		b.p, b.light = r.Placed, r.Light
	}
	return err
}

// onShards makes each of several GPUs sort the rows of the vertices that it has.
func (b *byWeight) onShards(ctx context.Context, p *graph.Placed) error {
	parts, _ := placed.Lookup(p.State(), placed.PlacedShardsKey[*graph.Placed]{})
	var err error
	b.shards, err = byweight.OfShards(ctx, parts)
	return err
}

// onHost sorts the rows on processors of the host.
func (b *byWeight) onHost(ctx context.Context, p *graph.Placed) error {
	g := p.Graph()
	same := b.turned(ctx, g.Out(), false) == b.turned(ctx, g.In(), true)
	if err := ctx.Err(); err != nil {
		return err
	}
	if !same {
		return byweight.ErrTurned
	}
	o := graph.CSROptions{Directed: g.Directed(), IDs: g.IDs(), Order: g.Order(), Stored: graph.Stored{Checked: true}}
	out, err := b.sorted(ctx, g.Out())
	if err != nil {
		return err
	}
	in := &out
	if g.Directed() {
		c, err := b.sorted(ctx, g.In())
		if err != nil {
			return err
		}
		o.In, in = &c, &c
	}
	if b.light, err = device.NewBuffer[float32](p.Device(), g.NumVertices()); err != nil {
		return err
	}
	light := b.light.Host()
	if err := looks.Pieces(ctx, g.NumVertices(), func(lo, hi int) {
		for v := lo; v < hi; v++ {
			light[v] = inf
			if first := in.Offsets[v]; first < in.Offsets[v+1] {
				light[v] = in.Weights[first]
			}
		}
	}); err != nil {
		return errors.Join(err, b.light.Close())
	}
	rows, err := graph.FromCSR(out, o)
	if err != nil {
		return errors.Join(err, b.light.Close())
	}
	if b.p, err = rows.On(p.Device()); err != nil {
		return errors.Join(err, b.light.Close())
	}
	return nil
}

// turned sums up hashes of the edges with their weights, turned round where the rows are those of
// the reverse: of equal sets of edges the sums are equal, and hardly of others. Once ctx is done the sum means
// nothing.
func (b *byWeight) turned(ctx context.Context, c *graph.CSR, in bool) (sum uint64) {
	var total atomic.Uint64
	b.each(c.NumVertices(), func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		var sum uint64
		looked := c.Offsets[lo]
		for v := lo; v < hi; v++ {
			if c.Offsets[v]-looked >= lookEdges {
				if looked = c.Offsets[v]; ctx.Err() != nil {
					return
				}
			}
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				from, to := uint64(v), uint64(c.Targets[e])
				if in {
					from, to = to, from
				}
				sum += mix(mix(from<<32|to) + uint64(math.Float32bits(c.Weights[e])))
			}
		}
		total.Add(sum)
	})
	return total.Load()
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// each calls f for ranges of n vertices, on the processors.
func (b *byWeight) each(n int, f func(lo, hi int)) {
	var wg panics.Group
	var next atomic.Int64
	for range b.workers {
		wg.Go(func() {
			for {
				lo := int(next.Add(sortVertices)) - sortVertices
				if lo >= n {
					return
				}
				f(lo, min(lo+sortVertices, n))
			}
		})
	}
	wg.Wait()
}

// sorted returns a copy of the rows by weight, edges of equal weight by target.
func (b *byWeight) sorted(ctx context.Context, c *graph.CSR) (_ graph.CSR, err error) {
	defer panics.Rethrown(&err)
	s := graph.CSR{Offsets: c.Offsets, Targets: make([]uint32, len(c.Targets)), Weights: make([]float32, len(c.Weights))}
	b.each(c.NumVertices(), func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		var keys, room []uint64
		looked := c.Offsets[lo]
		for v := lo; v < hi; v++ {
			first, last := c.Offsets[v], c.Offsets[v+1]
			if first-looked >= lookEdges {
				if looked = first; ctx.Err() != nil {
					return
				}
			}
			keys = keys[:0]
			for e := first; e < last; e++ {
				keys = append(keys, uint64(math.Float32bits(c.Weights[e]+0))<<32|uint64(c.Targets[e])) // -0 + 0 is 0
			}
			var err error
			if room, err = sortKeys(ctx, keys, room); err != nil {
				return
			}
			for i, k := range keys {
				s.Targets[first+uint64(i)], s.Weights[first+uint64(i)] = uint32(k), math.Float32frombits(uint32(k>>32))
			}
		}
	})
	return s, ctx.Err()
}

// sortKeys sorts the keys of a row, each a weight's bits and a target. If targets ascend, as in rows they do, the bits of
// weights are all there is to sort. It returns room, which the next row may use.
func sortKeys(ctx context.Context, keys, room []uint64) ([]uint64, error) {
	if len(keys) > digitRow || !slices.IsSortedFunc(keys, func(a, b uint64) int { return cmp.Compare(uint32(a), uint32(b)) }) {
		return room, looks.Sort(ctx, keys)
	}
	return looks.SortBits(keys, room, 32), nil
}
