// This file holds the couplings of expansion and contraction on a GPU
// (Merrill, Garland, Grimshaw, PPoPP 2012, 5).

package search

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/front"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/step"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Coupling says how a GPU divides a level into kernels: what is expanded and
// what is contracted in one, and thus which frontiers go through memory.
type Coupling uint8

// The couplings. bench/RESULTS.md has what each costs.
const (
	// AutoCoupling is the fastest known for the graph and the options. On meshes
	// and roads, whose levels are many and small, that is Fused, or ContractExpand
	// with options that Fused doesn't take; ExpandContract elsewhere. For dobfs it
	// is Fused, unless Progress is set or there are more Targets than FusedTargets. Where a GPU doesn't run
	// all blocks of that kernel at once, the search goes level by level, after about 18 s,
	// and later ones of the placed graph do so at once; a warning is logged.
	AutoCoupling Coupling = iota
	// ExpandContract goes from a vertex frontier to the next in one kernel:
	// neighbours are gathered, looked up and compacted.
	ExpandContract
	// ContractExpand goes from an edge frontier to the next in one kernel: edges
	// are culled, and those of the vertices that are left are listed.
	ContractExpand
	// TwoPhase has a kernel for each half, with an edge frontier and a vertex
	// frontier.
	TwoPhase
	// HybridCoupling is ContractExpand while the edge frontier is small and
	// TwoPhase while it is large.
	HybridCoupling
	// Fused is the whole search in one kernel that stays on the GPU until it
	// ends: a level costs a barrier there, and nothing on the host. It can't
	// report on levels while it runs, so that it takes no Progress; it takes
	// FusedTargets targets at most, and shares out and culls in its own way, without
	// Balance, Culls and CountCulls. Stats has no edges of pulls. Where a GPU doesn't
	// run all of its blocks at once, after about 18 s, it is
	// device.ErrNotSupported. A Query with more targets goes level by level.
	Fused
	// Quadratic looks at every vertex of the graph in each level (Strategy
	// ThreadMapped or TWC), or at every edge (EdgeParallel). It is there for
	// comparison and needs depths.
	Quadratic
	// QuadraticPull has every vertex that wasn't reached look for a parent in
	// the level before, a thread each, in each level. It is there for comparison
	// and needs depths and the reverse graph.
	QuadraticPull
)

var couplingNames = [...]string{"auto", "expand-contract", "contract-expand", "two-phase", "hybrid", "fused", "quadratic", "quadratic-pull"}

func (c Coupling) String() string {
	if int(c) < len(couplingNames) {
		return couplingNames[c]
	}
	return fmt.Sprintf("Coupling(%d)", uint8(c))
}

// ParseCoupling returns the coupling of that name: auto, expand-contract,
// contract-expand, two-phase, hybrid, fused, quadratic or quadratic-pull. Another name is
// graph.ErrOptions.
func ParseCoupling(name string) (Coupling, error) {
	for i, n := range couplingNames {
		if n == name {
			return Coupling(i), nil
		}
	}
	return 0, fmt.Errorf("bfs: %w: unknown coupling %q (auto, expand-contract, contract-expand, two-phase, hybrid, fused, quadratic or quadratic-pull)", graph.ErrOptions, name)
}

// checkOn says whether options that are for one kind of device fit this one, and one
// another.
func (o Options) checkOn(dev device.Device) error {
	if _, remote := dev.(device.Uploader); !remote {
		if o.Coupling != AutoCoupling || o.Balance != advance.AutoBalance || o.Culls != 0 || o.CountCulls {
			return fmt.Errorf("bfs: %w: Coupling, Balance, Culls and CountCulls are for GPUs; the graph is on %s", graph.ErrOptions, dev.Info().Name)
		}
		return nil
	}
	if o.Strategy != Auto {
		return fmt.Errorf("bfs: %w: strategy %s is for the host; the graph is on %s; take Auto, or place the graph on the host", graph.ErrOptions, o.Strategy, dev.Info().Name)
	}
	if int(o.Coupling) >= len(couplingNames) {
		return fmt.Errorf("bfs: %w: unknown coupling %d", graph.ErrOptions, o.Coupling)
	}
	if o.Coupling >= Quadratic && o.NoDepths {
		return fmt.Errorf("bfs: %w: coupling %s needs depths", graph.ErrOptions, o.Coupling)
	}
	if o.Coupling == Fused && (!o.fusable() || o.Balance != advance.AutoBalance || o.Culls != 0 || o.CountCulls) {
		return fmt.Errorf("bfs: %w: coupling fused takes no Progress, %d Targets at most, and neither Balance, Culls nor CountCulls", graph.ErrOptions, FusedTargets)
	}
	if culls := o.Culls; culls != 0 {
		if culls&(filter.Exactly|filter.ByLabel) == 0 {
			return fmt.Errorf("bfs: %w: culls %s would let a vertex through for ever; add label or exact", graph.ErrOptions, culls)
		}
		if culls&filter.ByLabel != 0 && o.NoDepths && !o.Parents {
			return fmt.Errorf("bfs: %w: culling by label needs depths or parents", graph.ErrOptions)
		}
		if culls&filter.Exactly != 0 && culls&filter.ByBitmask != 0 {
			return fmt.Errorf("bfs: %w: exact culling uses the bitmask itself; take one of the two", graph.ErrOptions)
		}
		if culls&filter.Exactly == 0 && (o.Coupling == ContractExpand || o.Coupling == HybridCoupling) {
			return fmt.Errorf("bfs: %w: coupling %s needs exact culling, so that its edge frontier can't overflow", graph.ErrOptions, o.Coupling)
		}
	}
	return nil
}

// loopGPU is the loop of a plain search on a GPU.
func loopGPU(s *Space, l *Loop, o Options) error {
	s.Advance.Strategy = o.Balance
	defer func() { s.Advance.Strategy = advance.AutoBalance }()
	if o.Culls != 0 {
		s.Visitor.culls = o.Culls
	}
	s.Visitor.counts = o.CountCulls
	if o.Coupling == AutoCoupling && o.Balance == advance.AutoBalance && s.Visitor.Unique() && s.Placed.MaxDegree() <= lowDegree && figuresOf(s.Placed).mesh() {
		o.Coupling = ContractExpand
	}
	if s.oneKernel {
		return s.Fused(l, nil, 0, 0) // which learns
	}
	var err error
	switch o.Coupling {
	case AutoCoupling, ExpandContract, Fused:
		err = queueLoop(s, l)
	case Quadratic:
		err = quadraticLoop(s, l)
	case QuadraticPull:
		err = quadraticPullLoop(s, l)
	default:
		err = edgeLoop(s, l, o)
	}
	if err == nil {
		figuresOf(s.Placed).learn(l.Result)
	}
	return err
}

// quadraticLoop looks at all vertices, or edges, in each level.
func quadraticLoop(s *Space, l *Loop) error {
	for {
		n, edges, err := s.Cur.Remote().Count()
		if err != nil {
			return err
		}
		if !l.Next(n) {
			return s.Err()
		}
		s.Visitor.Level = l.Level
		if err := s.Advance.PushDepths(s.depths, l.Level-1, s.Cur, &s.Visitor); err != nil {
			return err
		}
		l.Done(Push, "levels", edges)
		if err := l.culled(s, s.Cur.Remote()); err != nil {
			return err
		}
	}
}

// quadraticArgs are the arguments of the kernel (search.cuh).
type quadraticArgs struct {
	in              step.CsrArgs
	depths, parents uint64
	post            gpu.Post
	level           int32
	shift           uint32
}

// quadraticPullLoop has every vertex without a depth look for a parent.
func quadraticPullLoop(s *Space, l *Loop) error {
	g, r := s.gpu, s.Placed.Remote()
	k, err := g.kernelOf(extraImage, "bfs_quadratic")
	if err != nil {
		return err
	}
	args := &quadraticArgs{
		in:     step.CsrArgs{Offsets: uint64(r.InOffsets), Targets: uint64(r.InTargets), N: g.start.n},
		depths: g.start.depths, parents: g.start.parents, shift: front.Shift(s.Placed),
	}
	n := int(g.start.count)
	for l.Next(n) {
		args.level = l.Level
		if args.post, err = g.s.Post(&g.tick); err != nil {
			return err
		}
		g.args.Reset()
		gpu.Struct(&g.args, args)
		if err := g.s.Launch(k, (int(g.start.n)+gpu.Block-1)/gpu.Block, &g.args); err != nil {
			return err
		}
		mail, err := g.tick.Wait()
		if err != nil {
			return err
		}
		n = int(mail.Tail >> args.shift)
		l.Done(Pull, "levels", mail.Visited)
	}
	return s.Err()
}

// smallEdges is how many edges an edge frontier has at most for the hybrid to
// contract and expand it in one kernel: as many as threads are resident.
func smallEdges(s *Space) uint64 {
	if s.Placed.MaxDegree() > longRow {
		return 0
	}
	return uint64(s.gpu.s.Threads())
}

// edgeLoop goes from edge frontier to edge frontier. The first holds the
// sources, as edges from themselves.
func edgeLoop(s *Space, l *Loop, o Options) error {
	g := s.gpu
	in, out, err := g.edges(o.Parents)
	if err != nil {
		return err
	}
	sources := s.Cur.Vertices()
	if err := s.Err(); err != nil {
		return err
	}
	if err := g.unlabel(); err != nil { // the first contraction labels them
		return err
	}
	if err := in.Set(sources, sources); err != nil {
		return err
	}
	small := ^uint64(0) // ContractExpand
	switch o.Coupling {
	case TwoPhase:
		small = 0
	case HybridCoupling:
		small = smallEdges(s)
	}
	for {
		count, _, err := in.Count()
		if err != nil || count == 0 {
			return err
		}
		s.Visitor.Level = l.Level
		size, fused := 0, count <= small
		if fused {
			if err := s.Advance.ContractExpand(in, out, &s.Visitor); err != nil {
				return err
			}
			_, vertices, err := out.Count()
			if err != nil {
				return err
			}
			size = int(vertices)
			in, out = out, in
		} else {
			if err := s.Advance.Contract(in, s.Cur, &s.Visitor); err != nil {
				return err
			}
			if size, _, err = s.Cur.Remote().Count(); err != nil {
				return err
			}
			if err := l.culled(s, s.Cur.Remote()); err != nil {
				return err
			}
			if err := s.dedupe(s.Cur); err != nil {
				return err
			}
		}
		if !l.Next(size) {
			return s.Err()
		}
		if !fused {
			if err := s.Advance.Expand(s.Cur, in, o.Balance); err != nil {
				return err
			}
		}
		edges, _, err := in.Count()
		if err != nil {
			return err
		}
		l.Done(Push, "edges", edges)
	}
}

// dedupe drops the duplicates from a frontier that best-effort culling let
// through where they have made it larger than any set of vertices could be, so
// that what comes after needs no more room than the graph's edges.
func (s *Space) dedupe(f *frontier.Frontier) error {
	if s.Visitor.Unique() {
		return nil
	}
	n, edges, err := f.Remote().Count()
	if err != nil || n <= s.Placed.NumVertices() && edges <= s.Placed.Graph().NumDirectedEdges() {
		return err
	}
	return s.Filter.Unique(f)
}

// edges returns the two edge frontiers of a search.
func (g *onGPU) edges(sources bool) (in, out *frontier.Edges, err error) {
	if g.expanded == nil || g.expanded.HasSources() != sources {
		for _, e := range []*frontier.Edges{g.expanded, g.contracted} {
			if err := e.Free(); err != nil {
				return nil, nil, err
			}
		}
		if g.expanded, err = frontier.NewEdges(g.space.Placed, sources); err != nil {
			return nil, nil, err
		}
		if g.contracted, err = frontier.NewEdges(g.space.Placed, sources); err != nil {
			return nil, nil, err
		}
	}
	return g.expanded, g.contracted, nil
}

// unlabel makes the sources unvisited again.
func (g *onGPU) unlabel() error {
	k, err := g.kernel("bfs_fill")
	if err != nil {
		return err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &g.start)
	return g.s.Launch(k, g.fillBlocks(), &g.args)
}

// culled adds up what culling counted in a level.
func (l *Loop) culled(s *Space, r *front.Remote) error {
	if !s.Visitor.counts {
		return nil
	}
	mail, err := r.Mail()
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

// Culled says how many targets each way of culling dropped (Options.CountCulls).
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
