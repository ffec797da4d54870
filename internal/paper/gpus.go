// This file holds searches over ranks of which each has a GPU. NCCL connects them. GPUs generate the graph, so that it may be
// larger than what one process holds.

package paper

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/cluster/nccl"
)

// gpusHere returns how many GPUs this process can connect, or why it can't.
func gpusHere(ctx context.Context) (n int, why error) {
	for _, d := range device.List() {
		if d.Kind == "cuda" {
			n++
		}
	}
	gpus, err := nccl.Here(ctx, 1, nccl.Options{})
	if err != nil {
		return 0, err
	}
	return n, gpus[0].Close()
}

// gpuRanks are connected GPUs of this process.
type gpuRanks struct{ all []*nccl.Process }

// run runs a task on them: a goroutine for each. It connects as many as the task has ranks, unless they are connected.
func (g *gpuRanks) run(ctx context.Context, _ *clusterGraph, k task) (first *outcome, err error) {
	if len(g.all) != k.Ranks {
		if err := g.close(); err != nil {
			return nil, err
		}
		if g.all, err = nccl.Here(ctx, k.Ranks, nccl.Options{}); err != nil {
			return nil, err
		}
	}
	err = onRanks(k.Ranks, func(c comm.Comm) error {
		o, err := k.onGPU(ctx, c, g.all[c.Rank()])
		if c.Rank() == 0 {
			first = o
		}
		return err
	})
	return first, err
}

// close closes them all at once, since each waits for the others.
func (g *gpuRanks) close() error {
	errs := make([]error, len(g.all))
	var all sync.WaitGroup
	for i, p := range g.all {
		all.Go(func() { errs[i] = p.Close() })
	}
	all.Wait()
	g.all = nil
	return errors.Join(errs...)
}

// edges returns how a rank reads the graph if GPUs don't generate it: it makes every size-th block.
func (k *task) edges(rank, size int) (engine.Edges, error) {
	g, err := gen.Parse(k.Spec)
	if err != nil {
		return engine.Edges{}, err
	}
	return engine.Edges{Dense: true, Vertices: g.NumVertices(), Generator: g, Read: func(ctx context.Context, yield func(src, dst []int64) error) error {
		s, d := make([]uint32, gen.BlockEdges), make([]uint32, gen.BlockEdges)
		src, dst := make([]int64, gen.BlockEdges), make([]int64, gen.BlockEdges)
		for i := rank; i < g.Blocks(); i += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := g.Block(i, s, d)
			for k := range n {
				src[k], dst[k] = int64(s[k]), int64(d[k])
			}
			if err := yield(src[:n], dst[:n]); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// onGPU is a rank's part of a task on its GPU. All ranks have the same outcome.
func (k *task) onGPU(ctx context.Context, c comm.Comm, own *nccl.Process) (_ *outcome, err error) {
	e, err := k.edges(c.Rank(), c.Size())
	if err != nil {
		return nil, err
	}
	p, err := engine.Build(ctx, c, e, engine.Options{Threshold: k.Threshold, Workers: max(1, runtime.GOMAXPROCS(0)/c.Size()), GPU: own.Device()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	o := &outcome{stats: p.Stats}
	placed, err := p.PlaceOn(ctx, own, false)
	if lacks := (*engine.NoRoom)(nil); errors.As(err, &lacks) {
		o.lacks = lacks.Reason()
		return o, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, placed.Close()) }()
	bytes := []uint64{placed.Bytes()}
	if err := c.Sum(ctx, bytes); err != nil {
		return nil, err
	}
	o.bytes = bytes[0]
	if k.Draw > 0 {
		return o, k.draw(ctx, p, o)
	}
	for i, w := range k.Ways {
		o.trials = append(o.trials, make([][]trial, len(k.Sources)))
		for s, source := range k.Sources {
			traversed := uint64(0)
			search := func(timed, discard bool) (*engine.Result, trial, error) {
				options := w.options()
				options.Timed, options.Discard = timed, discard
				r, err := p.Search(ctx, []int64{int64(source)}, options)
				if err != nil {
					return nil, trial{}, err
				}
				x, err := trialOf(ctx, c, r)
				traversed = max(traversed, x.traversed)
				x.traversed = traversed
				return r, x, err
			}
			r, parts, err := search(true, false) // also the first, which takes longer
			if err == nil && k.Sums != nil {
				var sum uint64
				if sum, err = r.Checksum(ctx); err == nil && sum != k.Sums[s] {
					o.wrong = &wrongDepth{way: i, source: s}
					return o, nil
				}
			}
			if err == nil {
				_, parts, err = search(true, true)
			}
			if err != nil {
				return nil, err
			}
			for range k.Trials {
				_, x, err := search(false, true)
				if err != nil {
					return nil, err
				}
				x.scale(parts)
				o.trials[i][s] = append(o.trials[i][s], x)
			}
		}
	}
	return o, nil
}

// scale gives a trial the parts of a search whose levels were timed, which took somewhat longer.
func (x *trial) scale(timed trial) {
	f := float64(x.elapsed) / float64(max(timed.elapsed, 1))
	scaled := func(d time.Duration) time.Duration { return time.Duration(f * float64(d)) }
	x.parts.Computing, x.moving = scaled(timed.parts.Computing), scaled(timed.moving)
}

// draw draws sources among the vertices with edges, and checks a search from each.
func (k *task) draw(ctx context.Context, p *engine.Part, o *outcome) error {
	rng := rand.New(rand.NewPCG(k.Seed, 0))
	for tries := 0; len(o.drawn) < k.Draw; tries++ {
		if tries == drawsEach*k.Draw {
			if len(o.drawn) > 0 {
				return nil
			}
			return &comm.Alike{Err: bench.ErrNoSource}
		}
		v := uint32(rng.Uint64N(p.Stats.Vertices))
		if slices.Contains(o.drawn, v) {
			continue
		}
		r, err := p.Search(ctx, []int64{int64(v)}, engine.SearchOptions{})
		if err != nil {
			return err
		}
		if r.Reached == 1 {
			continue
		}
		if k.Checked {
			if err := r.Check(ctx); err != nil {
				return fmt.Errorf("source %d: %w", v, err)
			}
		}
		sum, err := r.Checksum(ctx)
		if err != nil {
			return err
		}
		o.drawn, o.sums = append(o.drawn, v), append(o.sums, sum)
	}
	return nil
}
