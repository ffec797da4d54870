// This file holds arrays of the graph on a device: weights and ids of edges, and the rows.

package graph

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
)

func (a *arrays) Weights() (*device.Buffer[float32], error) { return (*Placed)(a).weights(false) }

// InWeights returns the weights of the edges of Graph.In, on the device, for steps over in-edges: entry e is the weight
// of edge e. On a GPU they are uploaded on the first call and take 4 bytes an edge, which RemoteBytes doesn't
// count. They belong to the placed graph. The error is ErrNoReverse for a graph without its reverse, ErrNoWeights for
// a graph without weights, unless it has no edges, or the device's. traverse.Weights returns those of Graph.Out.
func (p *Placed) InWeights() (*device.Buffer[float32], error) { return p.weights(true) }

func (p *Placed) weights(in bool) (*device.Buffer[float32], error) {
	c, in, err := p.edges(in)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if !p.g.weighted() && c.NumEdges() > 0 {
		return nil, fmt.Errorf("%w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", ErrNoWeights)
	}
	return kept(p, rev(placed.Weights, in), func() (*device.Buffer[float32], error) {
		if err := p.g.Fetch(); err != nil {
			return nil, err
		}
		return p.at.weights(c.Weights)
	})
}

func (a *arrays) FloatWeights() (*device.Buffer[float64], error) { return (*Placed)(a).floatWeights() }

func (p *Placed) floatWeights() (*device.Buffer[float64], error) {
	c, _, err := p.edges(false)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if !p.g.weighted() && c.NumEdges() > 0 {
		return nil, fmt.Errorf("%w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", ErrNoWeights)
	}
	return kept(p, placed.FloatWeights, func() (*device.Buffer[float64], error) {
		if err := p.g.Fetch(); err != nil {
			return nil, err
		}
		a := c.FloatWeights
		if a == nil {
			a = make([]float64, len(c.Weights))
			for e := range a {
				a[e] = c.FloatWeight(uint64(e))
			}
		}
		return p.at.floats(a)
	})
}

func (a *arrays) EdgeIDs() (*device.Buffer[uint64], error)   { return (*Placed)(a).edgeIDs(false) }
func (a *arrays) InEdgeIDs() (*device.Buffer[uint64], error) { return (*Placed)(a).edgeIDs(true) }

func (p *Placed) edgeIDs(in bool) (*device.Buffer[uint64], error) {
	c, in, err := p.edges(in)
	if err != nil {
		return nil, fmt.Errorf("edge ids: %w", err)
	}
	if !p.g.identified() && c.NumEdges() > 0 {
		return nil, fmt.Errorf("%w: build the graph with Options.EdgeIDs", errNoEdgeIDs)
	}
	return kept(p, rev(placed.EdgeIDs, in), func() (*device.Buffer[uint64], error) {
		if err := p.g.Fetch(); err != nil {
			return nil, err
		}
		return p.at.ids(c.EdgeIDs)
	})
}

func (a *arrays) EdgeColumn(ctx context.Context, name string, in bool) (any, error) {
	p := (*Placed)(a)
	_, in, err := p.edges(in)
	if err != nil {
		return nil, fmt.Errorf("column %.100q: %w", name, err)
	}
	c, err := p.g.column(name)
	if err != nil {
		return nil, err
	}
	return placed.LoadOrMakeIn(ctx, p.State(), placed.ColumnKey{Name: name, In: in}, func() (any, error) {
		values := c.Values
		if in {
			if values, err = p.g.inColumn(ctx, c); err != nil {
				return nil, err
			}
		}
		return p.at.values(values, in)
	})
}

func (a *arrays) Offsets() (*device.Buffer[uint64], error) {
	p := (*Placed)(a)
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("offsets: %w", err)
	}
	return kept(p, placed.Offsets, func() (*device.Buffer[uint64], error) { return p.at.offsets(p.g.out) })
}

func (a *arrays) Targets() (*device.Buffer[uint32], error) {
	p := (*Placed)(a)
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("targets: %w", err)
	}
	return kept(p, placed.Targets, func() (*device.Buffer[uint32], error) { return p.at.targets(p.g.out) })
}

// edges returns the rows in a direction, and whether they differ from Graph.Out.
func (p *Placed) edges(in bool) (*CSR, bool, error) {
	if err := p.Err(); err != nil {
		return nil, false, err
	}
	if !in || p.g.in == p.g.out {
		return p.g.out, false, nil
	}
	if p.g.in == nil {
		return nil, false, fmt.Errorf("%w: build the graph with its reverse (graph.Options.Reverse)", ErrNoReverse)
	}
	return p.g.in, true, nil
}

// rev returns an array's key, or the key of the corresponding array of in-edges.
func rev[T device.Elem](a placed.Array[T], in bool) placed.Array[T] {
	if in {
		a++
	}
	return a
}

// kept returns an array of the placed graph, which place makes on the first call.
func kept[T device.Elem](p *Placed, key placed.Array[T], place func() (*device.Buffer[T], error)) (*device.Buffer[T], error) {
	return placed.LoadOrMake(p.State(), key, place)
}
