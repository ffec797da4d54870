package bfs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// ladder is an undirected graph: 0-1-2-3-4, 0-5-6-3, 7-8 apart, 9 isolated.
func ladder(t *testing.T) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(graph.Options{Order: graph.OrderGiven})
	src := []int64{0, 1, 2, 3, 0, 5, 6, 7, 9}
	dst := []int64{1, 2, 3, 4, 5, 6, 3, 8, 9}
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestValidateCatches spoils a right result in each way that the five rules
// speak of.
func TestValidateCatches(t *testing.T) {
	g := ladder(t)
	dg, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	both, depths := bfs.Options{Parents: true}, bfs.Options{}
	parents := bfs.Options{Parents: true, NoDepths: true}
	cases := []struct {
		name  string
		o     bfs.Options
		spoil func(r *bfs.Result)
		want  string
	}{
		{"right", both, func(*bfs.Result) {}, ""},
		{"right depths", depths, func(*bfs.Result) {}, ""},
		{"right parents", parents, func(*bfs.Result) {}, ""},
		{"the other parent of 3", both, func(r *bfs.Result) { r.Parents()[3] = 2 + 6 - r.Parents()[3] }, ""},
		{"cycle", both, func(r *bfs.Result) { r.Parents()[1], r.Parents()[2] = 2, 1 }, "rule 1"},
		{"cycle of parents only", parents, func(r *bfs.Result) { r.Parents()[1], r.Parents()[2] = 2, 1 }, "rule 1"},
		{"a second root", both, func(r *bfs.Result) { r.Parents()[2] = 2 }, "rule 1"},
		{"a source with a parent", both, func(r *bfs.Result) { r.Parents()[0] = 1 }, "rule 1"},
		{"a parent outside", both, func(r *bfs.Result) { r.Parents()[4] = 77 }, "rule 1"},
		{"a parent not reached", parents, func(r *bfs.Result) { r.Parents()[4] = 8 }, "rule 1"},
		{"a depth too large", both, func(r *bfs.Result) { r.Depths()[4]++ }, "rule 2"},
		{"a depth too large, no parents", depths, func(r *bfs.Result) { r.Depths()[3]++; r.Depths()[4]++ }, "rule"},
		{"a depth of 0", depths, func(r *bfs.Result) { r.Depths()[4] = 0 }, "rule 2"},
		{"a negative depth", depths, func(r *bfs.Result) { r.Depths()[9] = -5 }, "rule 2"},
		{"an edge across two levels", parents, func(r *bfs.Result) {
			r.Parents()[6] = 3 // 3 is at depth 3 by way of 2: 6 comes to depth 4, its neighbour 5 is at 1
			r.Parents()[3] = 2
			r.Levels = 5
		}, "rule 3"},
		{"one not reached", depths, func(r *bfs.Result) { r.Depths()[4] = -1; r.Reached--; r.Levels-- }, "rule 4"},
		{"one reached by nothing", depths, func(r *bfs.Result) { r.Depths()[9] = 2; r.Reached++ }, "rule 2"},
		{"arrays at odds", both, func(r *bfs.Result) { r.Depths()[4] = -1 }, "rule 4"},
		{"a count", both, func(r *bfs.Result) { r.Reached++ }, "rule 4"},
		{"levels", both, func(r *bfs.Result) { r.Levels++ }, "rule 4"},
		{"no such edge", parents, func(r *bfs.Result) { r.Parents()[2] = 5 }, "rule 5"},
		{"nothing to check", both, func(r *bfs.Result) { r.Free() }, "neither"},
	}
	for _, c := range cases {
		r, err := bfs.Run(context.Background(), dg, 0, c.o)
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(r)
		err = bfs.Validate(g, r)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, bfs.ErrInvalid)):
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestValidateLimited: the lowest level of a limited search may have neighbours
// that weren't reached, a higher one may not.
func TestValidateLimited(t *testing.T) {
	g := ladder(t)
	dg, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	r, err := bfs.Run(context.Background(), dg, 0, bfs.Options{DepthLimit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Limited || r.Reached != 5 {
		t.Fatalf("limited %v, reached %d", r.Limited, r.Reached)
	}
	if err := bfs.Validate(g, r); err != nil {
		t.Error(err)
	}
	r.Depths()[5] = -1
	r.Depths()[6] = -1
	r.Reached -= 2
	if err := bfs.Validate(g, r); !errors.Is(err, bfs.ErrInvalid) {
		t.Errorf("a hole in level 1: %v", err)
	}
}
