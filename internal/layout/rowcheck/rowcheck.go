// Package rowcheck determines whether the rows of a placed graph are sorted, and whether they
// contain duplicates or self-loops. It does so once per graph, on the graph's device.
package rowcheck

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// verticesAtOnce is how many vertices a worker claims at once: with rows of 16 some tens of
// microseconds, a thousand times the claim.
const verticesAtOnce = 512

// Rows is what the rows of Graph.Out are like.
type Rows struct {
	Ascend bool // each entry is the one before, or a larger one
	Twice  bool // a row that ascends has an entry twice
	Loops  bool // a row that ascends has its own vertex
}

type key struct{ placed.Of[Rows] }

// Of looks at the rows of a placed graph. The error is device.ErrClosed for one that was closed,
// the context's, or the device's.
func Of(ctx context.Context, p *graph.Placed) (Rows, error) {
	return placed.LoadOrMakeIn(ctx, p.State(), key{}, func() (Rows, error) {
		if p.Remote() != nil {
			return onGPU(ctx, p)
		}
		return onHost(ctx, p.Graph().Out())
	})
}

func onHost(ctx context.Context, c *graph.CSR) (Rows, error) {
	var descends, twice, loops atomic.Bool
	n, next := int64(c.NumVertices()), atomic.Int64{}
	var wg panics.Group
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for ctx.Err() == nil {
				lo := next.Add(verticesAtOnce) - verticesAtOnce
				if lo >= n {
					return
				}
				down, same, own := false, false, false
				for at, hi := int(lo), int(min(lo+verticesAtOnce, n)); at < hi && ctx.Err() == nil; {
					for end := looks.Cut(c.Offsets, at, hi); at < end; at++ { // hubs are next to each other
						row := c.Neighbors(uint32(at))
						for i, w := range row {
							own = own || w == uint32(at)
							if i > 0 {
								down = down || row[i-1] > w
								same = same || row[i-1] == w
							}
						}
					}
				}
				if down {
					descends.Store(true)
				}
				if same {
					twice.Store(true)
				}
				if own {
					loops.Store(true)
				}
			}
		})
	}
	if err := wg.Err(); err != nil {
		return Rows{}, err
	}
	return Rows{Ascend: !descends.Load(), Twice: twice.Load(), Loops: loops.Load()}, ctx.Err()
}

func onGPU(ctx context.Context, p *graph.Placed) (_ Rows, err error) {
	ds, err := p.Device().NewStream(ctx)
	if err != nil {
		return Rows{}, err
	}
	defer func() { err = errors.Join(err, ds.Close()) }()
	s, err := gpu.StreamOf(ds)
	if err != nil {
		return Rows{}, err
	}
	k, err := s.Kernel(image, "ascending"+p.Remote().Width())
	if err != nil {
		return Rows{}, err
	}
	var t gpu.Ticket
	post, err := s.Post(&t)
	if err != nil {
		return Rows{}, err
	}
	out := step.Out(p)
	var args gpu.Args
	args.Reset()
	gpu.Struct(&args, &out)
	gpu.Struct(&args, &post)
	items := max(p.Graph().NumDirectedEdges(), uint64(p.NumVertices()))
	if err := s.Launch(k, int(min(items/gpu.Block+1, 1<<30)), &args); err != nil {
		return Rows{}, err
	}
	mail, err := t.Wait()
	if err != nil {
		return Rows{}, err
	}
	return Rows{Ascend: mail.Counts[0] == 0, Twice: mail.Counts[1] != 0, Loops: mail.Counts[2] != 0}, nil
}
