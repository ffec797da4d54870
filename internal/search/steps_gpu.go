// This file holds the steps of a search on a GPU beside Push and Pull: those of the
// couplings (Merrill, Garland, Grimshaw, PPoPP 2012, 5).

package search

import (
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/front"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/step"
	"github.com/foray-graph/foray/operators/advance"
)

// OnGPU reports whether the search is on a GPU.
func (s *Space) OnGPU() bool { return s.gpu != nil }

// Tune has a search on a GPU share out and cull as it is told, and returns the coupling,
// which AutoCoupling leaves to the graph.
func (s *Space) Tune(t Tuning) Coupling {
	s.Advance.Strategy = t.Balance
	if t.Culls != 0 {
		s.Visitor.culls = t.Culls
	}
	s.Visitor.counts = t.CountCulls
	if t.Coupling != AutoCoupling {
		return t.Coupling
	}
	if t.Balance == advance.AutoBalance && s.Visitor.Unique() && s.Placed.MaxDegree() <= lowDegree && figuresOf(s.Placed).mesh() {
		return ContractExpand
	}
	return ExpandContract
}

// Learn notes how large the levels of a search were, for the choices of later ones.
func (s *Space) Learn(r *Result) { figuresOf(s.Placed).learn(r) }

// PushQuadratic finds the frontier Cur by looking at the depth of every vertex, or at
// every edge. The depths of the new frontier are level.
func (s *Space) PushQuadratic(level int32) error {
	s.Visitor.Level = level
	_, _, err := s.Advance.PushLevel(s.depths, level-1, s.Cur, &s.Visitor)
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

// PullQuadratic has every vertex without a depth look for a parent in the level before. It
// returns how many found one, and the edges looked at.
func (s *Space) PullQuadratic(level int32) (found int, edges uint64, err error) {
	g, r := s.gpu, s.Placed.Remote()
	k, err := g.kernelOf(extraImage, "bfs_quadratic")
	if err != nil {
		return 0, 0, err
	}
	args := &quadraticArgs{
		in:     step.CsrArgs{Offsets: uint64(r.InOffsets), Targets: uint64(r.InTargets), N: g.start.n},
		depths: g.start.depths, parents: g.start.parents, shift: front.Shift(s.Placed), level: level,
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

// SmallEdges is how many edges an edge frontier has at most for the hybrid to
// contract and expand it in one kernel: as many as threads are resident.
func (s *Space) SmallEdges() uint64 {
	if s.Placed.MaxDegree() > longRow {
		return 0
	}
	return uint64(s.gpu.s.Threads())
}

// Dedupe drops the duplicates from a frontier that best-effort culling let
// through where they have made it larger than any set of vertices could be, so
// that what comes after needs no more room than the graph's edges.
func (s *Space) Dedupe(f *frontier.Frontier) error {
	if s.Visitor.Unique() {
		return nil
	}
	n, edges, err := f.Remote().Count()
	if err != nil || n <= s.Placed.NumVertices() && edges <= s.Placed.Graph().NumDirectedEdges() {
		return err
	}
	return s.Filter.Unique(f)
}

// EdgeFrontiers returns the two edge frontiers of a search on a GPU, with the sources of
// edges or without.
func (s *Space) EdgeFrontiers(sources bool) (in, out *frontier.Edges, err error) {
	g := s.gpu
	if g.expanded == nil || g.expanded.HasSources() != sources {
		for _, e := range []*frontier.Edges{g.expanded, g.contracted} {
			if err := e.Free(); err != nil {
				return nil, nil, err
			}
		}
		if g.expanded, err = frontier.NewEdges(s.Placed, sources); err != nil {
			return nil, nil, err
		}
		if g.contracted, err = frontier.NewEdges(s.Placed, sources); err != nil {
			return nil, nil, err
		}
	}
	return g.expanded, g.contracted, nil
}

// Unlabel makes the sources unvisited again.
func (s *Space) Unlabel() error {
	g := s.gpu
	k, err := g.kernel("bfs_fill")
	if err != nil {
		return err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &g.start)
	return g.s.Launch(k, g.fillBlocks(), &g.args)
}

// Culled adds up what culling counted in a level on a GPU, which ended with this frontier.
func (l *Loop) Culled(f *frontier.Frontier) error {
	if !l.s.Visitor.counts {
		return nil
	}
	mail, err := f.Remote().Mail()
	if err != nil {
		return err
	}
	c := &l.Result.Culled
	c.Edges += mail.Counts[0]
	c.Bitmask += mail.Counts[1]
	c.Label += mail.Counts[2]
	c.Warp += mail.Counts[3]
	c.History += mail.Counts[4]
	c.Exact += mail.Counts[5]
	return nil
}

// Culled says how many targets each way of culling dropped (Tuning.CountCulls).
// The ways are asked in the order of the fields; what is left is what entered
// a frontier. What the label dropped after the bitmask let it through are the
// bitmask's false negatives.
type Culled struct {
	Edges                                uint64 // targets looked at
	Bitmask, Warp, History, Exact, Label uint64 // dropped by each
}

// Kept returns how many targets entered a frontier.
func (c Culled) Kept() uint64 {
	return c.Edges - c.Bitmask - c.Warp - c.History - c.Exact - c.Label
}
