// This file holds the flags of edge ids and of weights.

package main

import (
	"strings"

	"github.com/foray-graph/foray/graph"
)

// addEdgeIDs adds the flags, for commands that can use them.
func (f *inputFlags) addEdgeIDs(g flagGroup, what string) {
	g.flags.BoolVar(&f.edgeIDs, "edge-ids", false, "Parquet, Arrow and GraphAr: "+what+"; they are the row numbers of the edges, from 0, through all files and tables in order; rows that --where drops count")
	g.flags.StringVar(&f.edgeIDCol, "edge-id", "", "the same, with ids from this `COLUMN` of integers, or GraphAr edge property")
}

func (f *inputFlags) keepsEdgeIDs() bool { return f.edgeIDs || f.edgeIDCol != "" || f.firstStays() }

// firstStays reports whether of repeated edges the first one stays, which edge ids tell.
func (f *inputFlags) firstStays() bool {
	by, _ := f.combined()
	return by == graph.CombineFirst
}

// checkEdgeIDs refuses edge ids of inputs that have none.
func (in *input) checkEdgeIDs() error {
	if !in.flags.keepsEdgeIDs() {
		return nil
	}
	for _, p := range in.parts {
		switch to := in.flags.idsOf; {
		case (p.text != "" || p.gen != nil) && in.flags.firstStays():
			return usagef("--combine first goes by the numbers of rows, which Parquet, Arrow and GraphAr have: convert %s to .parquet first", in.name)
		case (p.text != "" || p.gen != nil) && to != "":
			return usagef("the graph in %s has edge ids, and %s has none; use Parquet, Arrow or GraphAr, with --edge-id COLUMN", to, in.name)
		case p.prepared == "" && to != "":
			return usagef("the graph in %s has edge ids; say which ones the edges of %s get: --edge-id COLUMN takes them from a column, and --edge-ids counts the added rows from 0, which may repeat ids of the graph", to, in.name)
		case p.text != "":
			return usagef("--edge-ids and --edge-id are for Parquet, Arrow and GraphAr, and %s is text; convert it to .parquet first", p.text)
		case p.gen != nil:
			return usagef("--edge-ids and --edge-id are for Parquet, Arrow and GraphAr, not for generated graphs; foray gen writes one as .parquet")
		case p.prepared != "" && in.flags.edgeIDCol != "":
			return usagef("--edge-id names a column of edges: %s is a prepared graph, whose edges keep their ids; pass --edge-ids to use them", p.prepared)
		}
	}
	return nil
}

// checkPreparedEdgeIDs refuses a prepared graph that lacks the edge ids that are
// asked for.
func (in *input) checkPreparedEdgeIDs(path string, g *graph.Graph) error {
	if in.flags.keepsEdgeIDs() && g.Out().EdgeIDs == nil {
		return usagef("--edge-ids: the graph in %s has none; prepare another graph from its edges with --edge-ids", path)
	}
	return nil
}

// addWeights adds the flag that names the weights, for commands that can use them.
func (f *inputFlags) addWeights(g flagGroup) {
	f.addWeightType(g)
	g.flags.StringVar(&f.weightCol, "weight", "", "`COLUMN` of the edges' weights (default weight; in a text without it the third)")
}

// addWeightType adds the flag for the type of weights.
func (f *inputFlags) addWeightType(g flagGroup) {
	f.weightType = newEnum("TYPE", "auto", "float64", "float32")
	g.flags.Var(f.weightType, "weight-type", "type of weights and their sums: auto keeps int64 for integers and float64 for everything else; float32 rounds them, which takes less memory, and less time if weights are fractions")
}

// noColumns returns why a generated or prepared graph has no column of weights, and a remedy.
func (p *part) noColumns() string {
	if p.gen != nil {
		return "gen:" + p.gen.Name() + " is generated: weights=MIN:MAX in the spec gives it weights"
	}
	return p.prepared + " is a prepared graph, whose edges have the weights that they have, if any; leave --weight out"
}

// checkWeights refuses generated graphs without the weights that are needed; why is put behind that.
func (f *inputFlags) checkWeights(paths []string, why string) error {
	if !f.weights || f.weightCol != "" {
		return nil
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "gen:") {
			continue
		}
		if g, _, err := named(p, true); err != nil {
			return err
		} else if g.WeightType() == graph.WeightsAuto {
			return usagef("%s: these edges have no weights%s: generate some, foray gen --weights 1:100, or as a PATH gen:%s", p, why, withWeights(p))
		}
	}
	return nil
}
