// This file holds the property test of traversals that one cluster of blocks takes over:
// pushes over graphs of short rows.

package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/functors"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Clusters compares pushes with a naive interpreter: each edge is visited once, also where
// inboxes overflow, and the whole grid and the cluster take turns.
func (s Suite) Clusters(t *testing.T) {
	notes := tuning.RepeatNotes
	defer func() { tuning.RepeatNotes = notes }()
	for i, spec := range []string{"grid2d:3x3", "grid2d:160x50", "path:700", "road:130x90", "smallworld:n=4096,k=4,p=0.01"} {
		for _, directed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,directed=%t", spec, directed), func(t *testing.T) {
				parsed, err := gen.Parse(spec)
				if err != nil {
					t.Fatal(err)
				}
				g, err := gen.Build(t.Context(), parsed, graph.Options{Directed: directed})
				if err != nil {
					t.Fatal(err)
				}
				tuning.RepeatNotes = []uint32{notes, 7}[i%2] // which are fewer than most traversals have levels
				p, err := g.On(s.Device)
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				r := rand.New(rand.NewPCG(89, uint64(g.NumVertices())))
				for range s.times(24, 8) {
					s.clusters(t, p, r)
				}
			})
		}
	}
}

// clusters runs a program by every engine.
func (s Suite) clusters(t *testing.T, p *graph.Placed, r *rand.Rand) {
	salt, share := r.Uint32(), []uint32{16, 16, 13, 9}[r.IntN(4)]
	code := []instruction{{"push", func(x *actual) operators.Step {
		return advance.Push(&functors.Count{Counts: x.tally, Salt: salt, Share: share})
	}, func(m *machine) {
		m.edges(m.cur, func(s, t uint32, e uint64) { m.tally[t] += (&functors.Tally{Salt: salt}).Of(s, e, m.level) })
		m.push(func(s, t uint32) bool { return (&functors.Some{Salt: salt, Share: share}).Crosses(s, t, m.level) })
	}, false}}
	rounds := 1 + r.IntN(40)
	if r.IntN(3) == 0 {
		code = append(code, instruction{"unique", func(*actual) operators.Step { return filter.Unique() }, func(m *machine) { m.cur = unique(m.cur) }, false})
	} else {
		rounds *= 20
		code = append(code, instruction{"unvisited", func(x *actual) operators.Step { return filter.Unvisited(x.seen) }, (*machine).unvisited, false})
	}
	// Sources that few blocks own overflow their inboxes.
	n := uint32(p.NumVertices())
	source := []uint32{r.Uint32N(n)}
	if own := r.Uint32N(16); r.IntN(2) == 0 {
		for v := range n {
			if v>>5&15 == own && len(source) < 4000 {
				source = append(source, v)
			}
		}
	} else if r.IntN(2) == 0 {
		for range r.IntN(3000) {
			source = append(source, r.Uint32N(n))
		}
	}
	m := interpret(p.Graph(), code, source, rounds, math.MaxInt)
	m.sets = true
	for _, e := range s.engines() {
		if err := m.compare(t, p, code, source, rounds, e); err != nil {
			var names []string
			for _, c := range code {
				names = append(names, c.name)
			}
			t.Fatalf("%s: from %d vertices, %d rounds of %s: %v", e, len(source), rounds, strings.Join(names, ", "), err)
		}
	}
}
