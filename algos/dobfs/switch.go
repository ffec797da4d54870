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
	// Stay is the number of vertices from which on a frontier after a pull is pulled again.
	Stay float64
}

// Explain returns options of package bfs for the same search. The search calls each before each level, from the
// goroutine that called Run. A search in one kernel on a GPU chooses there and calls nothing.
func (o Options) Explain(each func(Choice)) bfs.Options {
	v := variant
	v.Pulls = func(t *bfs.Turn) bool {
		c := choose(t)
		each(c)
		return c.Pull
	}
	o.Variant = &v
	return bfs.Options(o)
}

// pulls reports whether the next level is pulled.
func pulls(t *bfs.Turn) bool { return choose(t).Pull }

// choose applies the rule. Unpushed of the turn are edges out of vertices that weren't in a frontier yet.
func choose(t *bfs.Turn) Choice {
	size := float64(t.Frontier)
	left := float64(max(t.Candidates-t.Reached, 0))
	mean := float64(t.Edges) / float64(max(t.Candidates, 1))
	// What a pull costs at least, in edges of a push.
	floor := left/probesPerEdge + float64(t.Vertices)/wordsPerEdge
	c := Choice{Pulling: t.Pulling, Frontier: t.Frontier, Left: int(left), Alpha: t.Alpha, Stay: float64(t.Vertices) / t.Beta}
	if t.Pulling {
		c.Edges, c.Least = size*mean, floor
		c.Pull = size >= c.Stay || c.Edges >= floor
		if !c.Pull {
			t.Unpushed = left * mean
		}
		c.Unpushed = t.Unpushed
		return c
	}
	if t.Builds { // going over to pulls costs that once, in edges
		floor += float64(t.Vertices) / 2
	}
	c.Least, c.Unpushed = floor, t.Unpushed
	need := max(t.Unpushed/t.Alpha, floor)
	// A frontier without a chance isn't counted.
	if c.Edges = size * float64(t.MaxDegree); c.Edges >= need {
		c.Edges, c.Counted = t.OutEdges(sampleVertices), true
		c.Pull = c.Edges > need
	}
	return c
}
