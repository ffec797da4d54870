package bfs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestWay: the words say what searches on the host do, and name the values that decide.
func TestWay(t *testing.T) {
	uniform := testgraph.Uniform(5_000, 8, testgraph.Undirected).Graph(1)
	pulls := dobfs.Options{}.Explain(func(dobfs.Choice) {})
	for _, c := range []struct {
		g        *graph.Graph
		workers  int
		o        bfs.Options
		way, why string
	}{
		{testgraph.Path(100).Graph(1), 1, bfs.Options{}, "strategy queue; the result's own array marks", "few vertices have more than 4 edges, and the mean is 1.98"},
		{uniform, 2, bfs.Options{}, "strategy queue; a bitmap marks", "the search only pushes"},
		{uniform, 2, bfs.Options{Tuning: bfs.Tuning{Strategy: "read"}}, "strategy read; ", "the options name it; "},
		{uniform, 1, pulls, "a push or a pull for each level; a bitmap", "dobfs chooses before each level; one worker shares no cache lines"},
		{uniform, 2, pulls, "the result's own array until the first pull", "is at most 4 times the mean, 1"},
		{testgraph.Skewed(5_000, 8, testgraph.Undirected).Graph(1), 2, pulls, "a bitmap", "is over 4 times the mean"},
		{testgraph.Uniform(300, 8, testgraph.Undirected).Graph(1), 2, pulls, "a bitmap", "fewer than 4,096 vertices"},
	} {
		way, why, err := c.o.Way(testgraph.Place(c.g, c.workers))
		if err != nil || !strings.Contains(way, c.way) || !strings.Contains(why, c.why) {
			t.Errorf("%q, %q, %v; want %q, %q", way, why, err, c.way, c.why)
		}
	}
	if _, _, err := (bfs.Options{Tuning: bfs.Tuning{Strategy: "none"}}).Way(testgraph.Place(uniform, 1)); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("a strategy that there isn't: %v", err)
	}
	p := testgraph.Place(uniform, 1)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := (bfs.Options{}).Way(p); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a closed graph: %v", err)
	}
}
