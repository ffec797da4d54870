// This file holds the choice of direction.

package dobfs

import "github.com/foray-graph/foray/algos/bfs"

// Choice is a choice of direction before a level of a search that goes level by level, with the numbers that the rule compared.
// Numbers of edges of a frontier of more than 1,024 vertices are estimates.
type Choice struct {
	Pull bool // the level is pulled
	// Pulling says that the level before was pulled.
	Pulling bool
	// Frontier is the number of vertices that the level expands, Left the number of vertices not yet visited that
	// have in-edges.
	Frontier, Left int
	// Edges is the number of edges out of the frontier. Counted is false where an upper bound was enough for
	// the rule, or, after a pull, an estimate from the mean degree: Edges is that.
	Edges   float64
	Counted bool
	// Unpushed is the number of edges that no push has looked at, of which the frontier has to have a share of 1/Alpha.
	Unpushed, Alpha float64
	// Least is the cost of a pull at least, in edges of a push, which the frontier has to have too.
	Least float64
	// Stay is the number of vertices from which on a frontier after a pull is pulled again. It is 0 after a push.
	Stay float64
}

// Explain returns options of package bfs for the same search. The search calls each before each level, from the
// goroutine that called Run. A search in one kernel on a GPU chooses there and calls nothing.
func (o Options) Explain(each func(Choice)) bfs.Options {
	v := variant
	v.Pulls = func(t *bfs.Turn) bool {
		pull, counted, edges, least := choose(t)
		c := Choice{Pull: pull, Pulling: t.Pulling, Frontier: t.Frontier, Left: left(t), Edges: edges, Counted: counted, Unpushed: t.Unpushed, Alpha: t.Alpha, Least: least}
		if t.Pulling {
			c.Stay = stay(t)
		}
		each(c)
		return pull
	}
	o.Variant = &v
	return bfs.Options(o)
}

// pulls reports whether the next level is pulled.
func pulls(t *bfs.Turn) bool {
	pull, _, _, _ := choose(t)
	return pull
}

// left returns the number of vertices that a pull can find.
func left(t *bfs.Turn) int { return max(t.Candidates-t.Reached, 0) }

// stay returns from which size on a frontier after a pull is pulled.
func stay(t *bfs.Turn) float64 { return float64(t.Vertices) / t.Beta }

// choose applies the rule. It returns what it compared as Choice has it, in registers: deep searches have a level every
// 200 ns. Unpushed of the turn are edges out of vertices that weren't in a frontier yet.
func choose(t *bfs.Turn) (pull, counted bool, edges, least float64) {
	size, left := float64(t.Frontier), float64(left(t))
	// What a pull costs at least, in edges of a push.
	least = left/probesPerEdge + float64(t.Vertices)/wordsPerEdge
	if t.Pulling {
		mean := float64(t.Edges) / float64(max(t.Candidates, 1))
		edges = size * mean
		if pull = size >= stay(t) || edges >= least; !pull {
			t.Unpushed = left * mean
		}
		return pull, false, edges, least
	}
	if t.Builds { // going over to pulls costs that once, in edges
		least += float64(t.Vertices) / 2
	}
	need := max(t.Unpushed/t.Alpha, least)
	// A frontier without a chance isn't counted.
	if edges = size * float64(t.MaxDegree); edges >= need {
		edges, counted = t.OutEdges(sampleVertices), true
		pull = edges > need
	}
	return pull, counted, edges, least
}
