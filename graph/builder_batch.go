// This file holds Batch, a batch of edges or of vertices.

package graph

import "fmt"

// Batch is a batch of edges. Edge i leads from the i-th source to the i-th target. One of the id
// pairs is set: Src and Dst, or SrcStrings and DstStrings. Or, with Vertices, it is a batch of
// vertices, whose ids are in Src or SrcStrings. The caller owns it, and may reuse its slices when
// the call that it was passed to returns.
type Batch struct {
	Type                   IDType    // of integer ids; strings have their own type
	Src, Dst               []int64   // integers of any type, widened (a Uint64 bit for bit)
	SrcStrings, DstStrings *Strings  // or strings
	Weights                []float32 // one per edge, or nil
	IntWeights             []int64   // or integers, of any type that int64 holds
	FloatWeights           []float64 // or floats of 64 bits
	EdgeIDs                []uint64  // one per edge, or nil
	// Columns are the values of Options.EdgeColumns, in that order. Those of a batch without edges set the types of the
	// columns of a graph without edges. A Builder ignores columns of vertices.
	Columns []Column
	// Rows has the number of each edge's row in the input, which orders parallel edges that have columns. Rows ascend in
	// a batch, and the ranges of batches don't overlap. nil means the order in which batches are added.
	Rows []uint64

	// Logical is the logical type of the ids, as in IDs.Logical. It is part of
	// their type: all batches must have the same.
	Logical string
	// Vertices means that Src (or SrcStrings) are vertices, which need not have
	// edges. Dst, DstStrings, all weights and EdgeIDs are then nil.
	Vertices bool
	// Side is the side of those vertices, with Options.Bipartite.
	Side Side
}

func (e *Batch) extras() extras {
	return extras{weights: e.Weights, ints: e.IntWeights, floats: e.FloatWeights, edgeIDs: e.EdgeIDs}
}

// Weighted reports whether the batch has weights, of any type.
func (e *Batch) Weighted() bool {
	return e.Weights != nil || e.IntWeights != nil || e.FloatWeights != nil
}

// FloatWeight returns the weight of edge i as a float64. An integer of more than 53 bits is rounded.
func (e *Batch) FloatWeight(i int) float64 {
	switch {
	case e.IntWeights != nil:
		return float64(e.IntWeights[i])
	case e.FloatWeights != nil:
		return e.FloatWeights[i]
	}
	return float64(e.Weights[i])
}

// checkForm returns an error for a batch of strings that has other fields too, or
// lacks a field.
func (e *Batch) checkForm() error {
	if e.Vertices {
		return e.checkVertexForm()
	}
	if e.SrcStrings == nil || e.DstStrings == nil || e.Src != nil || e.Dst != nil {
		return fmt.Errorf("%w: a batch needs Src and Dst, or SrcStrings and DstStrings, and no others", ErrMalformed)
	}
	return nil
}
