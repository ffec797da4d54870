// This file holds Visit, the push that nothing comes of: a functor sees every edge of a
// frontier, and no frontier is made.

package advance

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/chunks"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// Visitor is what happens at the edges of a Visit. On a GPU it is written in Go
// (foray generate), or an operators.KernelFunctor whose device side is a foray::EdgeFunctor
// whose edge returns nothing.
type Visitor interface {
	// Visit looks at a tile of edges of one vertex, as Functor.Visit does: targets[i] is
	// the head of edge firstEdge+i out of source. Tiles come on several workers at once.
	Visit(w operators.Worker, source uint32, firstEdge uint64, targets []uint32)
}

// Visit returns the step that shows the visitor every out-edge of the frontier's
// vertices. The frontier stays as it is.
func Visit(v Visitor) operators.Step { return &visitStep{v: v} }

// VisitAll is Visit of all edges of the graph, whatever the frontier is.
func VisitAll(v Visitor) operators.Step { return &visitStep{v: v, all: true} }

type visitStep struct {
	v      Visitor
	all    bool
	host   visiting
	remote fusedFunctor
}

func (s *visitStep) Name() string { return "visit" }

func (s *visitStep) check() error {
	if s.v == nil {
		return fmt.Errorf("%w: visit: the functor is nil", errFunctor)
	}
	return nil
}

// Host visits tile by tile.
func (s *visitStep) Host(x *step.Env) error {
	if err := s.check(); err != nil {
		return err
	}
	a, err := hostTool(x)
	if err != nil {
		return err
	}
	s.host.v = s.v
	return step.OnHost(s.v, step.Visits, x, link.Use{}, func() error { return s.run(x, a.Advancer, &s.host) })
}

// GPU launches the kernel of a strategy.
func (s *visitStep) GPU(x *step.Env) error {
	if err := s.check(); err != nil {
		return err
	}
	a, err := gpuTool(x)
	if err != nil {
		return err
	}
	if err := s.remote.of(&x.Codes, step.Visits, s.v, x.Level); err != nil {
		return fmt.Errorf("advance: visit: %w", err)
	}
	if a.chunks, err = chunks.Of(x); err != nil {
		return err
	}
	return s.remote.code.Launched(x, s.run(x, a.Advancer, &s.remote))
}

// run visits the edges of the frontier, or all.
func (s *visitStep) run(x *step.Env, a *Advancer, f Functor) error {
	from := x.Cur
	if s.all && from.Form() != frontier.All {
		var err error
		if from, err = step.Tool(x, "advance.all", func() (*frontier.Frontier, error) {
			f := frontier.New(x.Placed)
			return f, f.Fill()
		}); err != nil {
			return err
		}
	} else if err := listed(x); err != nil {
		return err
	}
	if err := a.enter("visit"); err != nil {
		return err
	}
	defer a.leave()
	if err := errors.Join(a.ready("visit"), a.fits("visit", "input", from, frontier.Queue, frontier.All)); err != nil {
		return err
	}
	edges, err := a.on.runVisit(from, f)
	x.Edges += edges
	return err
}

// Compile appends the visit to a program.
func (s *visitStep) Compile(p *step.Program) error {
	if err := s.check(); err != nil {
		return err
	}
	op, code, err := edgeOp(p.Codes, step.Visits, s.v)
	if err != nil {
		return err
	}
	if (s.all || p.All) && !p.Must && chunks.Streams(p.Placed) {
		return fmt.Errorf("%w: a visit of rows in the host's memory is a kernel for each chunk of them", step.ErrNotCompiled)
	}
	op.Code = step.OpVisit
	if s.all {
		op.Flags = step.AllVertices
	}
	return p.Add(code, op)
}

// edgeOp returns the operation that calls a functor at edges.
func edgeOp(kept *step.Codes, kind step.Kind, f any) (step.Op, *step.Code, error) {
	if !step.OnGPU(f) {
		return step.Op{}, nil, fmt.Errorf("%w: the functor %T has no kernels (see operators.KernelFunctor)", step.ErrNotCompiled, f)
	}
	code, err := step.CodeOf(kept, f, kind, link.Use{})
	if err != nil {
		return step.Op{}, nil, fmt.Errorf("advance: %w", err)
	}
	return step.Op{Code: step.OpPush}, code, nil
}

// visiting is a visitor as a functor that lets nothing through.
type visiting struct{ v Visitor }

func (f *visiting) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, _ []uint32) int {
	f.v.Visit(w, source, firstEdge, targets)
	return 0
}

// runVisit enqueues a visit.
func (a *onGPU) runVisit(in *frontier.Frontier, f Functor) (uint64, error) {
	kf, err := a.functor(f)
	if err != nil {
		return 0, err
	}
	count, edges, err := in.Remote().Measured(a.s, false)
	if err != nil || count == 0 {
		return 0, err
	}
	kf.Params(&a.params)
	if in.Form() == frontier.All {
		if done, err := a.visitChunks(kf); err != nil || done {
			return edges, err
		}
	}
	strategy, err := a.settle(in, a.Strategy, count, edges)
	if err != nil {
		return 0, err
	}
	op, blocks, err := shape(strategy, count, edges)
	if err != nil {
		return 0, err
	}
	a.push = pushArgs{g: a.out(), in: inputOf(in, count, edges)}
	return edges, a.runRows(op, blocks, &a.tick, kf)
}
