// This file holds the tests of traversals with two piles.

package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// Piles tests shortest paths by near and far piles, by every engine.
func (s Suite) Piles(t *testing.T) {
	s.shapes(t, 91, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		widths := []uint32{30 + r.Uint32N(200), math.MaxUint32}
		if !s.Small { // many stages of little work
			widths = append(widths, 1)
		}
		for _, width := range widths {
			source := uint32(r.IntN(p.NumVertices()))
			want := distances(p.Graph().Out(), source)
			for _, e := range s.engines() {
				for range s.times(2, 1) { // the second in the memory of the first
					if err := shortest(t, p, source, width, want, e); err != nil {
						t.Fatalf("%s, stages of %d from %d: %v", e, width, source, err)
					}
				}
			}
		}
	})
}

func shortest(t *testing.T, p *graph.Placed, source, width uint32, want []uint32, e traverse.Engine) error {
	x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
	defer x.Close()
	distance := traverse.Array[uint32](x, math.MaxUint32)
	traverse.Set(x, distance, source, 0)
	far := x.Pile()
	cur := x.From(source)
	x.Repeat(cur, advance.PushNear(&functors.Lower{Distance: distance, Width: width}, far), pile.Refill(far, &functors.When{Distance: distance, Width: width}))
	res, err := traverse.Result(x, distance)
	if err != nil {
		return err
	}
	defer res.Close()
	if err := compare(res, want); err != nil {
		return err
	}
	if n, err := far.Len(); err != nil || n != 0 || cur.Len() != 0 {
		return fmt.Errorf("%d vertices are left in the pile (%w), %d in the frontier", n, err, cur.Len())
	}
	// The last stage is at most the farthest vertex's: stages with no vertex due are skipped.
	most, reached := uint32(0), false
	for v, d := range want {
		if d != math.MaxUint32 && uint32(v) != source {
			most, reached = max(most, d), true
		}
	}
	if stage, err := far.Stage(); err != nil || reached && stage != most/width {
		return fmt.Errorf("ended at stage %d (%w), want %d", stage, err, most/width)
	}
	return nil
}

// distances are the lengths of the shortest paths, by relaxing edges until no distance changes.
func distances(g *graph.CSR, source uint32) []uint32 {
	d := make([]uint32, g.NumVertices())
	for v := range d {
		d[v] = math.MaxUint32
	}
	d[source] = 0
	for changed := true; changed; {
		changed = false
		for v := range d {
			if d[v] == math.MaxUint32 {
				continue
			}
			for _, u := range g.Neighbors(uint32(v)) {
				if x := d[v] + functors.Weight(uint32(v), u); x < d[u] {
					d[u], changed = x, true
				}
			}
		}
	}
	return d
}
