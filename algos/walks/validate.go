// This file holds Validate.

package walks

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: walks that the graph doesn't have.
var errInvalid = text.Named("walks: not valid walks", graph.ErrInvalid)

// Validate checks a batch of walks: each begins at its start, each step follows an edge, with Weighted one of a weight above 0, and a walk is
// shorter than Options.Length only if no edge leads on. It doesn't check that walks are random.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, b Batch, o Options) error {
	if g == nil {
		return fmt.Errorf("walks: validate: %w", graph.ErrNoGraph)
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("walks: validate: %w", err)
	}
	o = o.resolved()
	if len(b.Offsets) != len(b.Starts)+1 || b.Offsets[0] != 0 || b.Offsets[len(b.Starts)] != len(b.Vertices) {
		return fmt.Errorf("%w: %d starts have %d offsets", errInvalid, len(b.Starts), len(b.Offsets))
	}
	c, ended := g.Out(), 0
	usable := func(e uint64) bool { return !o.Weighted || c.FloatWeight(e) > 0 }
	for i, start := range b.Starts {
		lo, hi := b.Offsets[i], b.Offsets[i+1]
		if lo < 0 || hi <= lo || hi > len(b.Vertices) || hi-lo > o.Length+1 || b.Vertices[lo] != start {
			return fmt.Errorf("%w: walk %d, from vertex %d to %d, doesn't begin at %d, or has more than %d steps", errInvalid, i, lo, hi, start, o.Length)
		}
		path := b.Vertices[lo:hi]
		for k, v := range path {
			if int64(v) >= int64(g.NumVertices()) {
				return fmt.Errorf("%w: walk %d is at vertex %d of %d", errInvalid, i, v, g.NumVertices())
			}
			if k == o.Length {
				break
			}
			found := false
			for e := c.Offsets[v]; e < c.Offsets[v+1] && !found; e++ {
				found = usable(e) && (k == len(path)-1 || c.Targets[e] == path[k+1])
			}
			if k < len(path)-1 && !found {
				return fmt.Errorf("%w: walk %d goes from vertex %d to %d, but no edge does", errInvalid, i, v, path[k+1])
			}
			if k == len(path)-1 {
				if ended++; found {
					return fmt.Errorf("%w: walk %d ends at vertex %d after %s, but an edge leads on", errInvalid, i, v, text.Plural(k, "step"))
				}
			}
		}
	}
	if ended != b.Ended {
		return fmt.Errorf("%w: %d walks ended early, not %d", errInvalid, ended, b.Ended)
	}
	return nil
}
