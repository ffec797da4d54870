// This file says in words how a search runs where the options leave that open.

package bfs

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/text"
)

// Way returns, for people, how searches with these options run on a placed graph, and why, with the values of the
// graph that decide. The choice may depend on earlier searches of the placed graph. It returns the errors of Run.
func (o Options) Way(p *graph.Placed) (way, why string, err error) {
	a, err := o.algorithm(p)
	if err != nil {
		return "", "", err
	}
	way, why = platformOf(p.Device()).way(a, p, &o)
	return way, why, nil
}

func (onHost) way(a *algorithm, p *graph.Placed, o *Options) (way, why string) {
	switch {
	case a.variant != nil:
		way, why = "a push or a pull for each level", a.name+" chooses before each level"
	case o.Tuning.Strategy != strategyAuto:
		way, why = "strategy "+o.Tuning.Strategy, "the options name it"
	default:
		way, why = "strategy "+strategyQueue, "the fastest on the host on every class of graphs that was measured"
	}
	workers := 1
	if d, ok := p.Device().(interface{ Workers() int }); ok {
		workers = d.Workers()
	}
	marks, because := "a bitmap", ""
	n, most := uint64(p.NumVertices()), p.State().MaxDegree()
	mean := float64(p.Graph().NumDirectedEdges()) / float64(max(n, 1))
	switch claims := chooseClaims(p, workers, a.space); {
	case claims == byArray && p.State().Ell4() != nil:
		marks, because = "the result's own array", fmt.Sprintf("few vertices have more than 4 edges, and the mean is %.3g", mean)
	case claims == byArray:
		marks, because = "the result's own array until the first pull", fmt.Sprintf("the largest degree, %s, is at most %d times the mean, %.3g, and %d workers would share a bitmap's cache lines", text.Count(most), evenDegree, mean, workers)
	case !a.space.Pulls:
		because = "degrees aren't low, and the search only pushes"
	case workers == 1:
		because = "one worker shares no cache lines"
	case n < evenVertices:
		because = fmt.Sprintf("the graph has fewer than %s vertices", text.Count(evenVertices))
	default:
		because = fmt.Sprintf("the largest degree, %s, is over %d times the mean, %.3g", text.Count(most), evenDegree, mean)
	}
	return way + "; " + marks + " marks visited vertices", why + "; " + because
}

func (onGPUs) way(*algorithm, *graph.Placed, *Options) (way, why string) {
	return "one kernel on each GPU", "several GPUs have no other way"
}

func (onGPU) way(a *algorithm, p *graph.Placed, o *Options) (way, why string) {
	f := figuresOf(p)
	named := "the options name the coupling"
	switch {
	case a.fuses(p) && o.Tuning.Coupling != couplingAuto:
		return "one kernel (coupling fused)", named
	case a.fuses(p) && a.variant != nil:
		return "one kernel (coupling fused)", a.name + " is one kernel where the GPU runs all of its blocks at once"
	case a.fuses(p) && f.long.Load():
		return "one kernel (coupling fused)", "an earlier search had many small levels"
	case a.fuses(p) && f.small():
		return "one kernel (coupling fused)", fmt.Sprintf("a level of the last search had about %s edges, at most %s", text.Count(f.levelEdges.Load()), text.Count(f.fusedEdges))
	case a.fuses(p):
		return "one kernel (coupling fused)", fmt.Sprintf("levels are likely to be many and small: edges lead to vertices of %.3g edges in the mean, at most %.3g", f.growth, tuning.MeshGrowth)
	case f.notTogether.Load():
		return "a kernel for each level", "the GPU didn't run all blocks of one kernel at once in an earlier search"
	case o.Tuning.Coupling != couplingAuto:
		return "coupling " + o.Tuning.Coupling, named
	case a.variant != nil:
		return "a kernel for each level", "the options have more targets than one kernel takes"
	case f.mesh() && p.State().MaxDegree() <= lowDegree:
		return "coupling " + couplingContractExpand, fmt.Sprintf("the largest degree, %d, is at most %d, and levels are likely to be small", p.State().MaxDegree(), lowDegree)
	case f.levelEdges.Load() > f.fusedEdges:
		return "coupling " + couplingExpandContract, fmt.Sprintf("a level of the last search had about %s edges, over %s", text.Count(f.levelEdges.Load()), text.Count(f.fusedEdges))
	}
	return "coupling " + couplingExpandContract, fmt.Sprintf("levels are likely to be large: edges lead to vertices of %.3g edges in the mean, over %.3g", f.growth, tuning.MeshGrowth)
}
