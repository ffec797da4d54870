// This file holds arrays of the graph on a device: weights and ids of edges, and the rows.

package graph

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// Weights returns the weights of the edges of Graph.Out, on the device: entry e is the weight of edge
// e. On a GPU they are uploaded on the first call and take 4 bytes an edge, which RemoteBytes doesn't
// count. They belong to the placed graph. The error is ErrNoWeights for a graph without weights, unless
// it has no edges, or the device's.
func (p *Placed) Weights() (*device.Buffer[float32], error) { return p.weights(false) }

// InWeights is Weights of the edges of Graph.In. A graph without its reverse is ErrNoReverse.
func (p *Placed) InWeights() (*device.Buffer[float32], error) { return p.weights(true) }

func (p *Placed) weights(in bool) (*device.Buffer[float32], error) {
	c, in, err := p.edges(in)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if !p.g.weighted() && c.NumEdges() > 0 {
		return nil, fmt.Errorf("%w: build the graph with Options.Weights, or load it with the column that has them", ErrNoWeights)
	}
	return kept(p, rev(placed.Weights, in), func() (*device.Buffer[float32], error) {
		if err := p.g.Fetch(); err != nil {
			return nil, err
		}
		return p.at.weights(c.Weights)
	})
}

// FloatWeights is Weights in float64, without the rounding of Weights (see CSR.FloatWeights and
// CSR.IntWeights; integers of more than 53 bits are rounded). It takes 8 bytes an edge, on the host too
// unless the graph has CSR.FloatWeights. On several GPUs the error is device.ErrNotSupported.
func (p *Placed) FloatWeights() (*device.Buffer[float64], error) { return p.floatWeights() }

func (p *Placed) floatWeights() (*device.Buffer[float64], error) {
	c, _, err := p.edges(false)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if !p.g.weighted() && c.NumEdges() > 0 {
		return nil, fmt.Errorf("%w: build the graph with Options.Weights, or load it with the column that has them", ErrNoWeights)
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

// EdgeIDs returns the ids of the edges of Graph.Out, on the device, as Weights does. They take 8
// bytes an edge. A graph without edge ids is ErrNoEdgeIDs.
func (p *Placed) EdgeIDs() (*device.Buffer[uint64], error) { return p.edgeIDs(false) }

// InEdgeIDs is EdgeIDs of the edges of Graph.In.
func (p *Placed) InEdgeIDs() (*device.Buffer[uint64], error) { return p.edgeIDs(true) }

func (p *Placed) edgeIDs(in bool) (*device.Buffer[uint64], error) {
	c, in, err := p.edges(in)
	if err != nil {
		return nil, fmt.Errorf("edge ids: %w", err)
	}
	if !p.g.identified() && c.NumEdges() > 0 {
		return nil, fmt.Errorf("%w: build the graph with Options.EdgeIDs", ErrNoEdgeIDs)
	}
	return kept(p, rev(placed.EdgeIDs, in), func() (*device.Buffer[uint64], error) {
		if err := p.g.Fetch(); err != nil {
			return nil, err
		}
		return p.at.ids(c.EdgeIDs)
	})
}

// Offsets returns the NumVertices+1 offsets of the rows of Graph.Out, on the device: row v has the
// edges from entry v to before entry v+1. On a GPU it may be a copy, of 8 bytes a vertex, which is
// made on the first call. It belongs to the placed graph.
func (p *Placed) Offsets() (*device.Buffer[uint64], error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("offsets: %w", err)
	}
	return kept(p, placed.Offsets, func() (*device.Buffer[uint64], error) { return p.at.offsets(p.g.out) })
}

// Targets returns the targets of the edges of Graph.Out, on the device. It belongs to the placed
// graph.
func (p *Placed) Targets() (*device.Buffer[uint32], error) {
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
