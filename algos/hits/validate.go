// This file holds Validate.

package hits

import (
	"fmt"

	"github.com/foray-graph/foray/algos/internal/matrix"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the hubs and authorities of its graph.
var errInvalid = text.Named("hits: not a valid result", graph.ErrInvalid)

// Validate makes as many rounds again by the definition, on one goroutine, and compares: no value may differ by more than
// rounding. It also checks that Converged is right. Pass the options of the run. It takes much longer
// than Run.
//
// The error wraps graph.ErrInvalid, or reports options that don't fit; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("hits: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Hubs == nil || r.Authorities == nil {
		return fmt.Errorf("%w: there are no values", errInvalid)
	}
	if err := matrix.Tolerable("hits", o.Tolerance, o.Iterations); err != nil {
		return err
	}
	o = o.resolved()
	hubs, err := r.Hubs.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	authorities, err := r.Authorities.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if err := matrix.Ended(g, r.Iterations, o.Iterations, r.Change, o.Tolerance, r.Converged); err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	wantHubs, want, _, change := oracle.Hits(g, oracle.Powers{Iterations: r.Iterations, Weighted: o.Weighted})
	if err := matrix.Near(hubs, wantHubs, r.Change, change); err != nil {
		return fmt.Errorf("%w: hubs: %w", errInvalid, err)
	}
	if err := matrix.Near(authorities, want, change, change); err != nil {
		return fmt.Errorf("%w: authorities: %w", errInvalid, err)
	}
	return nil
}
