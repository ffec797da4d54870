// This file holds weights that float32 doesn't hold: shares of them, which are worked out once per placed graph, and
// for those that decay once per run.

package pagerank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
)

// wide reports whether ranks are shared out by weights that float32 doesn't hold.
func wide(p *graph.Placed, o Options) bool {
	if !o.Decay.none() {
		return true
	}
	return o.Weighted && p.Err() == nil && !p.Graph().State().ExactWeights()
}

// shares are the weights of edges as shares of their vertex, in float64, however large or small weights are.
type shares struct {
	in    *device.Buffer[float64] // of every in-edge: the share of its source
	gives *device.Buffer[uint32]  // of every vertex: 1 if it has something to share out, else 0
}

// Close frees them with the placed graph.
func (s *shares) Close() error { return errors.Join(s.in.Close(), s.gives.Close()) }

type sharesKey struct{ placed.Of[*shares] }

// sharesOf works them out on the first call: 8 bytes an edge, and 4 a vertex.
func sharesOf(ctx context.Context, p *graph.Placed) (*shares, error) {
	make := run.Choose(p, run.Ways[func(context.Context, *graph.Placed) (*shares, error)]{Host: newShares, GPU: newShares, Shards: noShares})
	return placed.LoadOrMakeIn(ctx, p.State(), sharesKey{}, func() (*shares, error) { return make(ctx, p) })
}

// noShares is newShares over the shards of several GPUs.
func noShares(context.Context, *graph.Placed) (*shares, error) {
	return nil, fmt.Errorf("pagerank: %w: weights need 64 bits, and several GPUs hold weights of 32; take one GPU or the host, or load the graph with graph.WeightsFloat32", device.ErrNotSupported)
}

func newShares(ctx context.Context, p *graph.Placed) (*shares, error) {
	g := p.Graph()
	out, in := g.Out(), g.In()
	n := g.NumVertices()
	// A weight is divided by the largest of the vertex first: the sum might be more than there are numbers for.
	most, sum, gives := make([]float64, n), make([]float64, n), make([]uint32, n)
	bad := false
	if err := looks.Rows(ctx, out.Offsets, func(lo, hi int) {
		for v := lo; v < hi && !bad; v++ {
			first, end := out.Offsets[v], out.Offsets[v+1]
			for e := first; e < end; e++ {
				w := out.FloatWeight(e)
				bad = bad || !(w >= 0) || math.IsInf(w, 1)
				most[v] = max(most[v], w)
			}
			if most[v] == 0 {
				continue
			}
			gives[v] = 1
			for e := first; e < end; e++ {
				sum[v] += out.FloatWeight(e) / most[v]
			}
		}
	}); err != nil {
		return nil, err
	}
	if bad {
		return nil, badWeight(g)
	}
	parts := make([]float64, in.NumEdges())
	if err := looks.Pieces(ctx, len(parts), func(lo, hi int) {
		for i, u := range in.Targets[lo:hi] {
			if most[u] > 0 {
				parts[lo+i] = in.FloatWeight(uint64(lo+i)) / most[u] / sum[u]
			}
		}
	}); err != nil {
		return nil, err
	}
	s := &shares{}
	var err error
	if s.in, err = placedOn(p, parts); err == nil {
		s.gives, err = placedOn(p, gives)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// placedOn returns a copy of an array on the graph's device.
func placedOn[T device.Elem](p *graph.Placed, a []T) (*device.Buffer[T], error) {
	b, err := device.NewBuffer[T](p.Device(), len(a))
	if err != nil {
		return nil, err
	}
	if err := b.Write(p.Device(), 0, a); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// doubles is an array of a run in float64.
func doubles[T float32 | float64](b *device.Buffer[T]) *device.Buffer[float64] {
	x, _ := any(b).(*device.Buffer[float64])
	return x
}
