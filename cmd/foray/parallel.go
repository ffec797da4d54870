// This file holds the flags of self-loops and parallel edges.

package main

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// addParallel adds the flags.
func (f *inputFlags) addParallel(g flagGroup) {
	f.combine = newEnum("auto|min|max|sum|first", "auto", "min", "max", "sum", "first")
	g.flags.BoolVar(&f.loops, "keep-self-loops", false, "keep edges from a vertex to itself; pagerank, lpa, louvain, leiden, degree, eigenvector, hits, katz, topo and walks do so by default, and --keep-self-loops=false drops them")
	g.flags.Var(f.combine, "combine", "weight of repeated edges: min, max, their sum, or that of the first row (of the least edge id, with --edge-id); auto is sum for --weighted of pagerank, louvain, leiden, degree, eigenvector, hits, katz, similar and walks, max of topo, else min")
}

// combined returns what the flag says, and whether it says something.
func (f *inputFlags) combined() (graph.Combine, bool) {
	if f.combine == nil || f.combine.value == "auto" {
		return graph.CombineMin, false
	}
	by, _ := graph.Parse[graph.Combine](f.combine.value) // the flag allows no other
	return by, true
}

// wanted makes options those of a graph for algorithms with these needs.
func (f *inputFlags) wanted(o *graph.Options, needs ...graph.Options) {
	by := graph.CombineMin
	f.searches = true
	for _, n := range needs {
		o.Reverse = o.Reverse || n.Reverse
		o.KeepSelfLoops = o.KeepSelfLoops || n.KeepSelfLoops && !f.given("keep-self-loops")
		if n.Weights {
			by = n.Combine
		}
		// A condition on columns leaves edges out after they were loaded.
		o.NonNegative = o.NonNegative || n.NonNegative && f.edgeWhere == ""
	}
	if _, given := f.combined(); !given && !differ(needs) {
		o.Combine = by
	}
}

// differ reports whether algorithms want other weights of repeated edges.
func differ(needs []graph.Options) bool {
	weighted := slices.DeleteFunc(slices.Clone(needs), func(o graph.Options) bool { return !o.Weights })
	return slices.ContainsFunc(weighted, func(o graph.Options) bool { return o.Combine != weighted[0].Combine })
}

// checkCombined refuses repeated edges whose weights algorithms want combined in different ways.
func (g *loaded) checkCombined(needs []graph.Options) error {
	f := g.in.flags
	if _, given := f.combined(); given || g.Stats().Duplicates == 0 || g.in.parts[0].prepared != "" || !differ(needs) {
		return nil
	}
	return usagef("%s has repeated edges, of which shortest paths and minimum spanning forests take the smallest weight, longest paths and maximum spanning forests the largest, and PageRank, degrees and centralities the sum; set one for all with --combine, or run them separately", g.in.name)
}

// checkParallel refuses a flag that has nothing to say.
func (f *inputFlags) checkParallel() error {
	if _, given := f.combined(); given && !f.weights && f.weightCol == "" {
		return usagef("--combine is for the weights of repeated edges, and none are read")
	}
	return nil
}

// checkEdges refuses flags of a graph where edges are written as they come.
func (f *convertFlags) checkEdges(serialized bool) error {
	if f.simple || f.prepares() || serialized {
		return nil
	}
	if _, given := f.combined(); given {
		return usagef("--combine is for a graph's edges, and these are written as they come; --simple makes a graph of them")
	}
	if f.given("keep-self-loops") {
		return usagef("--keep-self-loops is for a graph's edges, and these are written as they come, with self-loops; --simple drops them")
	}
	return nil
}

// checkPreparedParallel refuses flags that ask for another graph than the prepared one.
func (in *input) checkPreparedParallel(path string, g *graph.Graph) error {
	f := in.flags
	if f.appendTo != "" {
		return nil // the flags concern the added edges
	}
	by, given := f.combined()
	switch st := g.Stats(); {
	case given && by != st.Combined && st.Duplicates > 0:
		return usagef("--combine %s: the graph in %s was prepared with --combine %s; prepare another graph from its edges", by, path, st.Combined)
	case f.loops && st.SelfLoops > 0:
		return usagef("--keep-self-loops: the graph in %s was prepared without its %s; prepare another graph from its edges with --keep-self-loops", path, text.Plural(st.SelfLoops, "self-loop"))
	case !f.loops && f.given("keep-self-loops") && hasLoop(g):
		return usagef("--keep-self-loops=false: the graph in %s was prepared with self-loops; prepare another graph from its edges", path)
	}
	return nil
}

// preparedDoubts warns if a prepared graph lacks what an algorithm uses by default.
func (in *input) preparedDoubts(g *graph.Graph) (doubts []string) {
	f, st := in.flags, g.Stats()
	if len(in.parts) == 0 || in.parts[0].prepared == "" || !f.searches {
		return nil
	}
	path := in.parts[0].prepared
	if in.o.KeepSelfLoops && !f.given("keep-self-loops") && st.SelfLoops > 0 {
		doubts = append(doubts, fmt.Sprintf("%s was prepared without self-loops, %s of which its edges had and this algorithm counts; prepare it with --keep-self-loops, or pass --keep-self-loops=false", path, text.Count(st.SelfLoops)))
	}
	if _, given := f.combined(); in.o.Weights && in.o.Combine != st.Combined && !given && st.Duplicates > 0 {
		doubts = append(doubts, fmt.Sprintf("%s was prepared with --combine %s, and %s is what this algorithm takes by default; prepare it with --combine %[3]s, or pass --combine %[2]s", path, st.Combined, in.o.Combine))
	}
	return doubts
}

func hasLoop(g *graph.Graph) bool {
	for v := range uint32(g.NumVertices()) {
		if slices.Contains(g.Out().Neighbors(v), v) {
			return true
		}
	}
	return false
}
