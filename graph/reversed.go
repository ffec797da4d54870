// This file holds the placed graph with reversed edges.

package graph

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/internal/engine/placed"
)

type reversedKey struct{ placed.Of[*Placed] }

// Reversed returns the placed graph with reversed edges: its out-edges are the in-edges of p.
// Vertices, ids, weights and edge ids are the same. It shares the arrays of p; only traversals of
// it take more memory of the device, and edge columns are brought into the order of the in-edges. p owns and frees it. For an undirected graph it is p itself.
// The error is ErrNoReverse for a directed graph without its reverse.
func (p *Placed) Reversed() (*Placed, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("reversed: %w", err)
	}
	if p.g.in == p.g.out {
		return p, nil
	}
	if p.g.in == nil {
		return nil, fmt.Errorf("reversed: %w: build the graph with its reverse (graph.Options.Reverse)", ErrNoReverse)
	}
	return placed.LoadOrMake(p.State(), reversedKey{}, func() (*Placed, error) {
		g := &Graph{out: p.g.in, in: p.g.out, ids: p.g.ids, directed: true, order: p.g.order, stats: p.g.stats, away: p.g.away, weights: p.g.weights}
		g.hold.mapped = p.g.hold.mapped
		for i := range p.g.columns {
			c := p.g.columns[i]
			var err error
			if c.Values, err = p.g.inColumn(context.Background(), &c); err != nil {
				return nil, err
			}
			g.columns = append(g.columns, c)
		}
		g.vertices.Store(p.g.vertices.Load())
		if err := g.enter(); err != nil {
			return nil, err
		}
		q := newPlaced(g, p.dev)
		p.at.reverse(q)
		return q, nil
	})
}

func (onHost) reverse(*Placed) {}

func (d *onDevice) reverse(q *Placed) {
	r := d.p.R
	q.hold(d.dev, &placed.Remote{Wide: r.Wide, Simple: r.Simple, Offsets: r.InOffsets, Targets: r.InTargets, InOffsets: r.Offsets, InTargets: r.Targets,
		Tiers: r.Tiers.Reversed()})
}
