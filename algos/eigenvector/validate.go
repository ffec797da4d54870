// This file holds Validate.

package eigenvector

import (
	"fmt"

	"github.com/foray-graph/foray/algos/internal/matrix"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the centrality of its graph.
var errInvalid = text.Named("eigenvector: not a valid result", graph.ErrInvalid)

// Validate makes as many rounds again by the definition, on one goroutine, and compares: no value may differ by more than
// rounding. It also checks that Converged is right. Pass the options of the run. It takes much longer
// than Run.
//
// The error wraps graph.ErrInvalid, or reports options that don't fit; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("eigenvector: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Centrality == nil {
		return fmt.Errorf("%w: there are no values", errInvalid)
	}
	if err := matrix.Tolerable("eigenvector", o.Tolerance, o.Iterations); err != nil {
		return err
	}
	o = o.resolved()
	x, err := r.Centrality.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if err := matrix.Ended(g, r.Iterations, o.Iterations, r.Change, o.Tolerance*float64(g.NumVertices()), r.Converged); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	want, _, change := oracle.Eigenvector(g, oracle.Powers{Iterations: r.Iterations, Weighted: o.Weighted})
	if err := matrix.Near(x, want, r.Change, change); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return nil
}
