// This file holds CSR, the compressed sparse row form in which a graph is
// kept on the host and uploaded to a device.

package graph

import (
	"context"
	"fmt"
)

// NoVertex is the vertex id that stands for "none": the parent of a vertex
// that was not reached. A graph has at most NoVertex vertices.
const NoVertex = ^uint32(0)

// CSR is a graph as compressed sparse rows. Row v holds the neighbors of vertex
// v: Targets[Offsets[v]:Offsets[v+1]]. Rows that this package builds ascend;
// FromCSR keeps the order of its caller's rows. A CSR is immutable once it
// belongs to a Graph.
type CSR struct {
	Offsets []uint64  // one per vertex and one more; Offsets[0] is 0
	Targets []uint32  // one per directed edge
	Weights []float32 // one per directed edge, or nil
	// IntWeights or FloatWeights are the weights if float32 can't represent all of them; Weights are then
	// rounded to the nearest float32. Both are nil if Weights are exact. See Graph.WeightType.
	IntWeights   []int64
	FloatWeights []float64
	// EdgeIDs has the id of each directed edge, or is nil. Both directions of an
	// undirected edge have the same id, and so has the entry in the reverse
	// graph.
	EdgeIDs []uint64
}

// NumVertices returns the number of rows.
func (c *CSR) NumVertices() int {
	if len(c.Offsets) == 0 {
		return 0
	}
	return len(c.Offsets) - 1
}

// NumEdges returns the number of directed edges.
func (c *CSR) NumEdges() uint64 {
	if len(c.Offsets) == 0 {
		return 0
	}
	return c.Offsets[len(c.Offsets)-1]
}

// Degree returns the length of row v, which must be a vertex.
func (c *CSR) Degree(v uint32) uint64 { return c.Offsets[v+1] - c.Offsets[v] }

// Neighbors returns row v, which must be a vertex. The slice aliases the graph
// and must not be written to.
func (c *CSR) Neighbors(v uint32) []uint32 {
	return c.Targets[c.Offsets[v]:c.Offsets[v+1]]
}

// Check returns ErrMalformed (or ErrTooManyVertices) for the first violation of the form: offsets that don't start at
// zero, don't ascend or don't end at len(Targets), a target that isn't a vertex,
// weights or edge ids of another length. It takes one pass over the arrays.
func (c *CSR) Check() error {
	if len(c.Offsets) == 0 {
		if len(c.Targets) != 0 {
			return fmt.Errorf("%w: %d targets but no offsets", ErrMalformed, len(c.Targets))
		}
		return nil
	}
	n := uint64(len(c.Offsets) - 1)
	if n > uint64(NoVertex) {
		return fmt.Errorf("%w: %d vertices", ErrTooManyVertices, n)
	}
	if c.Offsets[0] != 0 {
		return fmt.Errorf("%w: the first offset is %d, want 0", ErrMalformed, c.Offsets[0])
	}
	for v := uint64(0); v < n; v++ {
		if c.Offsets[v] > c.Offsets[v+1] {
			return fmt.Errorf("%w: offsets descend at vertex %d", ErrMalformed, v)
		}
	}
	if c.Offsets[n] != uint64(len(c.Targets)) {
		return fmt.Errorf("%w: the last offset is %d, but there are %d targets", ErrMalformed, c.Offsets[n], len(c.Targets))
	}
	for e, t := range c.Targets {
		if uint64(t) >= n {
			return fmt.Errorf("%w: edge %d leads to vertex %d of %d", ErrMalformed, e, t, n)
		}
	}
	if c.Weights != nil && len(c.Weights) != len(c.Targets) {
		return fmt.Errorf("%w: %d weights for %d targets", ErrMalformed, len(c.Weights), len(c.Targets))
	}
	if err := c.checkWeights(); err != nil {
		return err
	}
	if c.EdgeIDs != nil && len(c.EdgeIDs) != len(c.Targets) {
		return fmt.Errorf("%w: %d edge ids for %d targets", ErrMalformed, len(c.EdgeIDs), len(c.Targets))
	}
	return nil
}

// Transpose returns the graph with every edge reversed, in new arrays, with rows in ascending order. It runs on one
// goroutine.
func (c *CSR) Transpose() CSR {
	t, _ := newCrew(context.Background(), Options{}).transpose(c) // nothing but the context makes it fail
	return t
}

// transpose is CSR.Transpose with cancellation.
func (w *crew) transpose(c *CSR) (CSR, error) {
	n := c.NumVertices()
	t := CSR{Offsets: make([]uint64, n+1), Targets: make([]uint32, len(c.Targets))}
	if c.Weights != nil {
		t.Weights = make([]float32, len(c.Weights))
	}
	if c.IntWeights != nil {
		t.IntWeights = make([]int64, len(c.IntWeights))
	}
	if c.FloatWeights != nil {
		t.FloatWeights = make([]float64, len(c.FloatWeights))
	}
	if c.EdgeIDs != nil {
		t.EdgeIDs = make([]uint64, len(c.EdgeIDs))
	}
	for e, v := range c.Targets {
		if w.stopped(e) {
			return CSR{}, w.ctx.Err()
		}
		t.Offsets[v+1]++
	}
	for v := 0; v < n; v++ {
		t.Offsets[v+1] += t.Offsets[v]
	}
	at := make([]uint64, n)
	copy(at, t.Offsets)
	for u := 0; u < n; u++ {
		if w.stopped(u) {
			return CSR{}, w.ctx.Err()
		}
		for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
			v := c.Targets[e]
			t.Targets[at[v]] = uint32(u)
			if c.Weights != nil {
				t.Weights[at[v]] = c.Weights[e]
			}
			if c.IntWeights != nil {
				t.IntWeights[at[v]] = c.IntWeights[e]
			}
			if c.FloatWeights != nil {
				t.FloatWeights[at[v]] = c.FloatWeights[e]
			}
			if c.EdgeIDs != nil {
				t.EdgeIDs[at[v]] = c.EdgeIDs[e]
			}
			at[v]++
		}
	}
	return t, nil
}
