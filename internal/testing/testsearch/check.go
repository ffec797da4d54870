// This file holds Check, which compares a result with the definition.

package testsearch

import (
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// expected is what a search must find, by oracle.Depths.
type expected struct {
	depths  []int32
	sizes   []int // vertices by depth
	limited bool  // it ends before all are expanded
}

func expect(g *graph.Graph, sources []uint32, o bfs.Options) expected {
	x := expected{depths: oracle.Depths(g.Out(), sources...)}
	last := int32(math.MaxInt32) // the deepest level
	if o.DepthLimit > 0 {
		last = int32(min(o.DepthLimit, math.MaxInt32))
	}
	if len(o.Targets) > 0 {
		deepest, all := int32(0), true
		for _, t := range o.Targets {
			deepest = max(deepest, x.depths[t])
			all = all && x.depths[t] >= 0
		}
		if all {
			last = min(last, deepest)
		}
	}
	for v, d := range x.depths {
		if d > last {
			x.depths[v] = -1
			continue
		}
		if d < 0 {
			continue
		}
		for int(d) >= len(x.sizes) {
			x.sizes = append(x.sizes, 0)
		}
		x.sizes[d]++
		x.limited = x.limited || d == last
	}
	return x
}

// Check compares everything that a result returns, except for the device, with the
// expected values.
func Check(g *graph.Graph, sources []uint32, o bfs.Options, r *bfs.Result) error {
	x := expect(g, sources, o)
	reached := 0
	for _, k := range x.sizes {
		reached += k
	}
	if r.Reached != reached || r.Levels != len(x.sizes) || r.Limited != x.limited {
		return fmt.Errorf("%d reached in %d levels, limited %v; want %d, %d, %v",
			r.Reached, r.Levels, r.Limited, reached, len(x.sizes), x.limited)
	}
	if !slices.Equal(r.Sources, sources) || r.Elapsed <= 0 {
		return fmt.Errorf("sources %v on %q in %v", r.Sources, r.Device, r.Elapsed)
	}
	if (testgraph.Array(r.Depths()) == nil) != !o.Outputs.Has(bfs.Depths) || (testgraph.Array(r.Parents()) == nil) != !o.Outputs.Has(bfs.Parents) {
		return fmt.Errorf("depths %v, parents %v; want %v, %v", testgraph.Array(r.Depths()) != nil, testgraph.Array(r.Parents()) != nil, o.Outputs.Has(bfs.Depths), o.Outputs.Has(bfs.Parents))
	}
	if o.Outputs.Has(bfs.Depths) {
		if v := firstDifference(testgraph.Array(r.Depths()), x.depths); v >= 0 {
			return fmt.Errorf("depth of vertex %d", v)
		}
	}
	if o.Outputs.Has(bfs.Parents) {
		if err := checkParents(g, x.depths, testgraph.Array(r.Parents())); err != nil {
			return err
		}
	}
	if o.Outputs.Has(bfs.Depths) || o.Outputs.Has(bfs.Parents) {
		if err := bfs.Validate(g, r); err != nil {
			return err
		}
		if got, want := r.TraversedEdges(), traversed(g, x.depths); got != want {
			return fmt.Errorf("%d edges traversed, want %d", got, want)
		}
	}
	if o.Stats {
		return checkStats(g, x, r)
	}
	if r.Stats != nil || r.Edges != 0 {
		return fmt.Errorf("statistics that weren't asked for: %d levels, %d edges", len(r.Stats), r.Edges)
	}
	return nil
}

func firstDifference(got, want []int32) int {
	if len(got) != len(want) {
		return min(len(got), len(want))
	}
	for v := range got {
		if got[v] != want[v] {
			return v
		}
	}
	return -1
}

// checkParents checks what makes a tree: its edges are the graph's and go down
// one level each.
func checkParents(g *graph.Graph, depths []int32, parents []uint32) error {
	if len(parents) != len(depths) {
		return fmt.Errorf("%d parents for %d vertices", len(parents), len(depths))
	}
	for v, p := range parents {
		switch d := depths[v]; {
		case d < 0 && p != graph.NoVertex:
			return fmt.Errorf("vertex %d wasn't reached, its parent is %d", v, p)
		case d < 0:
		case d == 0 && p != uint32(v):
			return fmt.Errorf("the parent of source %d is %d", v, p)
		case d == 0:
		case int64(p) >= int64(len(parents)):
			return fmt.Errorf("the parent of vertex %d is %d", v, p)
		case depths[p]+1 != d:
			return fmt.Errorf("vertex %d at depth %d, its parent %d at %d", v, d, p, depths[p])
		case !joined(g, p, uint32(v)):
			return fmt.Errorf("no edge from parent %d to vertex %d", p, v)
		}
	}
	return nil
}

// traversed counts the edges of the part that was reached.
func traversed(g *graph.Graph, depths []int32) (sum uint64) {
	for v, d := range depths {
		if d >= 0 {
			sum += g.Degree(uint32(v))
		}
	}
	if !g.Directed() {
		sum /= 2
	}
	return sum
}

// What Result.Stats promises.
const (
	singleLevels = 2048
	mostLevels   = 4096
)

// checkStats checks the levels that were expanded, one after another.
func checkStats(g *graph.Graph, x expected, r *bfs.Result) error {
	expanded := len(x.sizes)
	if x.limited {
		expanded-- // the last one wasn't
	}
	edges := make([]uint64, len(x.sizes)) // out of each level
	for v, d := range x.depths {
		if d >= 0 {
			edges[d] += g.Degree(uint32(v))
		}
	}
	sum, at := uint64(0), 0
	for i, l := range r.Stats {
		sum += l.Edges
		if l.Level != at+1 || l.Levels < 1 || l.Levels > 1 && i < min(singleLevels, int(tuning.FusedNotes)-1) || at+l.Levels > expanded {
			return fmt.Errorf("entry %d of the statistics is of %d levels from level %d, want them from %d on, of %d", i, l.Levels, l.Level, at+1, expanded)
		}
		frontier, out := 0, uint64(0)
		for range l.Levels {
			frontier += x.sizes[at]
			out += edges[at]
			at++
		}
		if l.Frontier != frontier || l.Took < 0 {
			return fmt.Errorf("level %d: %+v, want a frontier of %d", at, l, frontier)
		}
		switch {
		case l.Levels > 1 && l.Direction == "pull": // others of them may be pushes
		case l.Direction == "push" && (l.Form == "queue" || l.Form == "levels" || l.Form == "edges"):
			if l.Edges != out {
				return fmt.Errorf("level %d: %d edges pushed, want %d", i, l.Edges, out)
			}
		case l.Direction == "pull" && (l.Form == "bitmap" || l.Form == "levels"):
			if l.Edges > g.NumDirectedEdges() {
				return fmt.Errorf("level %d: %d edges pulled of %d", i, l.Edges, g.NumDirectedEdges())
			}
		default:
			return fmt.Errorf("level %d: %s by %q", i, l.Direction, l.Form)
		}
	}
	if at != expanded || len(r.Stats) > mostLevels {
		return fmt.Errorf("statistics of %d levels in %d entries, want %d levels", at, len(r.Stats), expanded)
	}
	if sum != r.Edges {
		return fmt.Errorf("%d edges, %d by level", r.Edges, sum)
	}
	return nil
}

// joined reports whether there is an edge from p to v. It looks through the
// shorter of the two rows where it can.
func joined(g *graph.Graph, p, v uint32) bool {
	row, x := g.Out().Neighbors(p), v
	if in := g.In(); in != nil && int(in.Degree(v)) < len(row) {
		row, x = in.Neighbors(v), p
	}
	return slices.Contains(row, x)
}

// Outputs returns the outputs of a search with these arrays.
func Outputs(depths, parents bool) bfs.Outputs {
	o := bfs.Counts
	if depths {
		o |= bfs.Depths
	}
	if parents {
		o |= bfs.Parents
	}
	return o
}
