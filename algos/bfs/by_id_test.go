// This file tests what results in the order of external ids leave behind on the
// host; internal/testing/conformance tests what is in them.

package bfs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// impatient is a context that is canceled once it was looked at so many times.
type impatient struct {
	context.Context
	left int
}

func (c *impatient) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// arrays are where the four arrays of a result are.
func arrays(r *bfs.Result) map[any]bool {
	return map[any]bool{&testgraph.Array(r.Depths())[0]: true, &testgraph.Array(r.DepthsByID())[0]: true, &testgraph.Array(r.Parents())[0]: true, &testgraph.Array(r.ParentsByID())[0]: true}
}

// TestByIDGivenUp gives searches up at each look at the context, the last of which
// is behind the gathering: their arrays serve the next search.
func TestByIDGivenUp(t *testing.T) {
	g, err := testgraph.ByName("skewed-undirected").Graph(61).Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(context.Context, *graph.Placed) (*bfs.Result, error){
		"bfs": func(ctx context.Context, p *graph.Placed) (*bfs.Result, error) {
			return bfs.Run(ctx, p, 3, bfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true})
		},
		"dobfs": func(ctx context.Context, p *graph.Placed) (*bfs.Result, error) {
			return dobfs.Run(ctx, p, 3, dobfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true})
		},
		"hybrid": func(ctx context.Context, p *graph.Placed) (*bfs.Result, error) {
			return bfs.Run(ctx, p, 3, bfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true, Tuning: bfs.Tuning{Strategy: "hybrid"}})
		},
	} {
		p := testgraph.Place(g, 2)
		r, err := run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		had := arrays(r)
		if len(had) != 4 {
			t.Fatalf("%s: arrays are shared", name)
		}
		r.Close()
		for k, ended := 0, false; !ended; k++ {
			switch r, err := run(&impatient{t.Context(), k}, p); {
			case err == nil && k < 4:
				t.Errorf("%s: looked at the context only %d times", name, k)
				fallthrough
			case err == nil:
				ended = true
				r.Close()
			case !errors.Is(err, context.Canceled) || r != nil:
				t.Fatalf("%s, look %d: %v", name, k, err)
			}
			r, err := run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			for a := range arrays(r) {
				if !had[a] {
					t.Fatalf("%s, look %d: an array was lost", name, k)
				}
			}
			r.Close()
		}
	}
}

// TestLeftOut: an array that wasn't asked for is an error that names the option, and Visited and
// TraversedEdges take what there is.
func TestLeftOut(t *testing.T) {
	p := testgraph.Place(testgraph.Path(10).Graph(1), 1)
	defer p.Close()
	for outputs, has := range map[bfs.Outputs][2]bool{0: {true, false}, bfs.Parents: {false, true}, bfs.Depths | bfs.Parents: {true, true}, bfs.Counts: {}} {
		for _, byID := range []bool{false, true} {
			r, err := bfs.Run(t.Context(), p, 0, bfs.Options{Outputs: outputs, ByID: byID})
			if err != nil {
				t.Fatal(err)
			}
			depths, errD := r.Depths()
			depthsByID, errDByID := r.DepthsByID()
			parents, errP := r.Parents()
			parentsByID, errPByID := r.ParentsByID()
			for _, c := range []struct {
				n    int
				err  error
				has  bool
				want string
			}{
				{len(depths), errD, has[0], "add bfs.Depths to Options.Outputs"}, {len(parents), errP, has[1], "add bfs.Parents to Options.Outputs"},
				{len(depthsByID), errDByID, has[0] && byID, "Options."}, {len(parentsByID), errPByID, has[1] && byID, "Options."},
			} {
				if c.has && (c.n != 10 || c.err != nil) || !c.has && (c.n != 0 || !errors.Is(c.err, graph.ErrOptions) || !strings.Contains(c.err.Error(), c.want)) {
					t.Errorf("outputs %d, by id %t: %d elements, error %v, want %t", outputs, byID, c.n, c.err, c.has)
				}
			}
			visited := 0
			for range r.Visited() {
				visited++
			}
			if want := has[0] || has[1]; (visited == 10) != want || (r.TraversedEdges() == 9) != want {
				t.Errorf("outputs %d: %d visited, %d edges", outputs, visited, r.TraversedEdges())
			}
			r.Close()
		}
	}
}
