// This file holds runs with several personalizations.

package pagerank

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
)

// RunEach ranks the vertices once for each of up to 64 personalizations, in the order of the list. Each is as
// Options.Personalization, which must be nil. The results equal those of calls of Run, bit for bit, and the caller closes each. The
// runs follow one another in the same memory, so it takes as long as so many runs of Run. Every result holds 8 bytes a vertex.
// It returns the same errors as Run; after one there is no result.
func RunEach(ctx context.Context, p *graph.Placed, o Options, personalizations [][]float64) (results []*Result, err error) {
	if err := callctx.Check(ctx, "pagerank"); err != nil {
		return nil, err
	}
	switch k := len(personalizations); {
	case o.Personalization != nil:
		return nil, fmt.Errorf("pagerank: %w: Personalization is set; pass it in the list alone", graph.ErrOptions)
	case k == 0 || k > mostEach:
		return nil, fmt.Errorf("pagerank: %w: the list has %d personalizations; want 1 to %d", graph.ErrOptions, k, mostEach)
	}
	for i, jumps := range personalizations { // before the first of many runs
		o.Personalization = jumps
		if _, err := o.sum(); err != nil || jumps == nil {
			return nil, fmt.Errorf("personalization %d: %w", i+1, errors.Join(err, missing(jumps)))
		}
	}
	for i, jumps := range personalizations {
		o.Personalization = jumps
		r, err := Run(ctx, p, o)
		if err != nil {
			for _, r := range results {
				err = errors.Join(err, r.Close())
			}
			return nil, fmt.Errorf("personalization %d: %w", i+1, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// missing is the error of a personalization that is nil.
func missing(jumps []float64) error {
	if jumps == nil {
		return fmt.Errorf("pagerank: %w: it is nil; give a number for each vertex", graph.ErrOptions)
	}
	return nil
}
