package rules

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/graph"
)

// reaches are the calls of package reach, on a graph with columns.
func (c *canceling) reaches() []canceled {
	reaching := func(do func(ctx context.Context, p *graph.Placed, o reach.Options) ([]float64, error)) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			times, kinds := make([]int64, c.there.NumDirectedEdges()), make([]uint32, c.there.NumDirectedEdges())
			for e := range times {
				times[e], kinds[e] = int64(e%100), uint32(e%2)
			}
			g, err := graph.FromCSR(*c.there.Out(), graph.CSROptions{Directed: true, EdgeColumns: []graph.Column{{Name: "time", Values: times},
				{Name: "kind", Values: kinds, Dictionary: &graph.Strings{Offsets: []int64{0, 1, 2}, Data: []byte("ab")}}}})
			if err != nil {
				return nil, err
			}
			p, err := g.On(c.dev)
			if err != nil {
				return nil, err
			}
			found, err := do(ctx, p, reach.Options{Sources: []uint32{c.source()}, Expression: "(a|b)*,b"})
			return found, errors.Join(err, p.Close())
		}
	}
	return []canceled{
		{"reach.Match", 0, reaching(func(ctx context.Context, p *graph.Placed, o reach.Options) ([]float64, error) {
			r, err := reach.Match(ctx, p, o)
			if err != nil {
				return nil, err
			}
			return of(r, r.Close)
		})},
		{"reach.Arrivals", 0, reaching(func(ctx context.Context, p *graph.Placed, o reach.Options) ([]float64, error) {
			r, err := reach.Arrivals(ctx, p, o)
			if err != nil {
				return nil, err
			}
			return of(r, r.Close)
		})},
		{"reach.ValidateMatch", 0, reaching(func(ctx context.Context, p *graph.Placed, o reach.Options) ([]float64, error) {
			r, err := reach.Match(context.Background(), p, o)
			if err != nil {
				return nil, err
			}
			all, err := r.Slice()
			return nil, errors.Join(err, reach.ValidateMatch(ctx, p.Graph(), o, all), r.Close())
		})},
		{"reach.ValidateArrivals", 0, reaching(func(ctx context.Context, p *graph.Placed, o reach.Options) ([]float64, error) {
			r, err := reach.Arrivals(context.Background(), p, o)
			if err != nil {
				return nil, err
			}
			all, err := r.Slice()
			return nil, errors.Join(err, reach.ValidateArrivals(ctx, p.Graph(), o, all), r.Close())
		})},
	}
}
