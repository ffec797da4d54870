package pagerank

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// Sequential ranks vertices by the definition, with the options of a run.
func Sequential(g *graph.Graph, o Options) ([]float64, int, error) {
	if err := o.check(); err != nil {
		return nil, 0, err
	}
	o = o.resolved()
	to, err := o.jumps(g.NumVertices())
	if err != nil {
		return nil, 0, err
	}
	w := oracle.Walk{Damping: o.Damping, Tolerance: o.Tolerance, Iterations: o.Iterations, Weighted: o.Weighted, Jumps: to}
	if o.Start != nil {
		w.Start = o.start()
	}
	return oracle.Ranks(g, w)
}
