// This file holds the steps of a search on a GPU beside Push and Pull: those of the
// couplings (Merrill, Garland, Grimshaw, PPoPP 2012, 5).

package bfs

import (
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

func (g *gpuSearch) loop(a *algorithm, l *loop) error {
	switch {
	case g.oneKernel:
		return g.searchFused(l, a.variant)
	case a.variant != nil:
		return variantLoop(a.variant, l)
	}
	return gpuLoop(g, l)
}

func (g *gpuSearch) push(level int32) (uint64, error) {
	g.visitor.Level = level
	return g.Advance.Push(g.Cur, g.Next, &g.visitor)
}

// pulls culls exactly, and counts nothing, which is for pushes.
func (g *gpuSearch) pulls(int32) { g.visitor.culls, g.visitor.counts = filter.Exactly, false }

func (g *gpuSearch) outEdges(f *frontier.Frontier, _ int) float64 {
	_, edges, _ := f.Remote().Count() // the error stays with the stream
	return float64(edges)
}

func (*gpuSearch) claimsByArray() bool { return false }

// Tune has a search on a GPU share out and cull as it is told, and returns the coupling,
// which couplingAuto leaves to the graph.
func (g *gpuSearch) tune(t Tuning) string {
	g.Advance.Strategy = t.Balance
	if t.Culls != 0 {
		g.visitor.culls = t.Culls
	}
	g.visitor.counts = t.CountCulls
	if t.Coupling != couplingAuto {
		return t.Coupling
	}
	if t.Balance == advance.AutoBalance && g.visitor.Unique() && g.Placed.State().MaxDegree() <= lowDegree && figuresOf(g.Placed).mesh() {
		return couplingContractExpand
	}
	return couplingExpandContract
}

// learn notes how large the levels of a search were, for the choices of later ones.
func (g *gpuSearch) learn(r *Result) { figuresOf(g.Placed).learn(g.Placed.Graph(), r) }

// pushQuadratic finds the frontier Cur by looking at the depth of every vertex, or at
// every edge. The depths of the new frontier are level.
func (g *gpuSearch) pushQuadratic(level int32) error {
	g.visitor.Level = level
	_, _, err := g.Advance.PushLevel(g.depths, level-1, g.Cur, &g.visitor)
	return err
}

// quadraticArgs are the arguments of the kernel (search.cuh).
type quadraticArgs struct {
	in              step.CsrArgs
	depths, parents uint64
	post            gpu.Post
	level           int32
	shift           uint32
}

// pullQuadratic has every vertex without a depth look for a parent in the level before. It
// returns how many found one, and the edges looked at.
func (g *gpuSearch) pullQuadratic(level int32) (found int, edges uint64, err error) {
	r := g.Placed.Remote()
	k, err := g.kernelOf(laboratory(), "bfs_quadratic")
	if err != nil {
		return 0, 0, err
	}
	args := &quadraticArgs{
		in:     step.CsrArgs{Offsets: uint64(r.InOffsets), Targets: uint64(r.InTargets), N: g.start.n},
		depths: g.start.depths, parents: g.start.parents, shift: front.Shift(g.Placed), level: level,
	}
	if args.post, err = g.s.Post(&g.tick); err != nil {
		return 0, 0, err
	}
	g.args.Reset()
	gpu.Struct(&g.args, args)
	if err := g.s.Launch(k, (int(g.start.n)+gpu.Block-1)/gpu.Block, &g.args); err != nil {
		return 0, 0, err
	}
	mail, err := g.tick.Wait()
	return int(mail.Tail >> args.shift), mail.Visited, err
}

// smallEdges is how many edges an edge frontier has at most for the hybrid to
// contract and expand it in one kernel: as many as threads are resident.
func (g *gpuSearch) smallEdges() uint64 {
	if g.Placed.State().MaxDegree() > longRow {
		return 0
	}
	return uint64(g.s.Threads())
}

func (*gpuSearch) note(*frontier.Frontier) {}
func (*gpuSearch) lists()                  {}

// settle adds up what culling counted in a level that ended with this frontier, and drops
// the duplicates that best-effort culling let through.
func (g *gpuSearch) settle(l *loop, f *frontier.Frontier) error {
	if err := g.culled(l, f); err != nil {
		return err
	}
	return g.dedupe(f)
}

// dedupe drops the duplicates from a frontier that best-effort culling let
// through where they have made it larger than any set of vertices could be, so
// that what comes after needs no more room than the graph's edges.
func (g *gpuSearch) dedupe(f *frontier.Frontier) error {
	if g.visitor.Unique() {
		return nil
	}
	n, edges, err := f.Remote().Count()
	if err != nil || n <= g.Placed.NumVertices() && edges <= g.Placed.Graph().NumDirectedEdges() {
		return err
	}
	return g.Filter.Unique(f)
}

// EdgeFrontiers returns the two edge frontiers of a search on a GPU, with the sources of
// edges or without.
func (g *gpuSearch) edgeFrontiers(sources bool) (in, out *frontier.Edges, err error) {
	if g.expanded == nil || (*front.Edges)(g.expanded).HasSources() != sources {
		for _, e := range []*frontier.Edges{g.expanded, g.contracted} {
			if err := e.Close(); err != nil {
				return nil, nil, err
			}
		}
		if g.expanded, err = frontier.NewEdges(g.Placed, sources); err != nil {
			return nil, nil, err
		}
		if g.contracted, err = frontier.NewEdges(g.Placed, sources); err != nil {
			return nil, nil, err
		}
	}
	return g.expanded, g.contracted, nil
}

// unlabel makes the sources unvisited again.
func (g *gpuSearch) unlabel() error {
	k, err := g.kernel("bfs_fill")
	if err != nil {
		return err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &g.start)
	return g.s.Launch(k, g.fillBlocks(), &g.args)
}

// Culled adds up what culling counted in a level, which ended with this frontier.
func (g *gpuSearch) culled(l *loop, f *frontier.Frontier) error {
	if !g.visitor.counts {
		return nil
	}
	mail, err := f.Remote().Mail()
	if err != nil {
		return err
	}
	c := &l.result.Culled
	c.Edges += mail.Counts[0]
	c.Bitmask += mail.Counts[1]
	c.Label += mail.Counts[2]
	c.Warp += mail.Counts[3]
	c.History += mail.Counts[4]
	c.Exact += mail.Counts[5]
	return nil
}

// Culled has the number of targets that each way of culling dropped (Tuning.CountCulls).
// The ways apply in the order of the fields; the remaining targets entered
// a frontier. What the label dropped after the bitmask let it through are the
// bitmask's false negatives.
type Culled struct {
	Edges                                uint64 // targets looked at
	Bitmask, Warp, History, Exact, Label uint64 // dropped by each
}
