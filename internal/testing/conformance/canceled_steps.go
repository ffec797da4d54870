// This file tests traversals made of steps that are canceled while they run.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/foray-graph/foray/examples/khop"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/traverse"
)

// CanceledSteps gives traversals up at any time, also where one cluster of blocks is at
// work: the error is the context's, and what runs in the same memory afterwards is right.
func (s Suite) CanceledSteps(t *testing.T) {
	deep := "path:30000"
	if s.Small { // a step takes a hundred times as long there, and these are twice as many levels as a GPU's ring has slots
		deep = "path:5000"
	}
	for _, spec := range []string{deep, "grid2d:120x90", "kron12"} {
		t.Run(spec, func(t *testing.T) {
			parsed, err := gen.Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			g, err := gen.Build(t.Context(), parsed, graph.Options{})
			if err != nil {
				t.Fatal(err)
			}
			bare, err := g.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			defer bare.Close()
			r := rand.New(rand.NewPCG(97, 1))
			p := weighted(t, bare, r)
			for _, e := range s.engines() {
				o := traverse.Options{Engine: e}
				began := time.Now()
				res, err := khop.Run(t.Context(), p, 0, 1<<20, 100, o)
				if err != nil {
					t.Fatal(err)
				}
				most := time.Since(began) // shorter until one is canceled, since others take less
				if err := res.Close(); err != nil {
					t.Fatal(err)
				}
				canceled := 0
				for i, n := 0, s.times(20, 4); i < n || canceled == 0; i++ {
					if i >= n {
						most /= 2
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.Int64N(int64(most)+1)))
					res, err := khop.Run(ctx, p, uint32(r.IntN(p.NumVertices())), 1<<20, 100, o)
					cancel()
					switch {
					case err == nil:
						err = res.Close()
					case errors.Is(err, context.DeadlineExceeded):
						canceled++
						err = nil
					}
					if err != nil {
						t.Fatalf("%s: %v", e, err)
					}
					if err := s.khop(p, r, o); err != nil {
						t.Fatalf("%s, after one that was canceled: %v", e, err)
					}
				}
			}
		})
	}
}
