// This file holds the filters as steps of a traversal.

package filter

import (
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// Unique returns the step that drops all but one of the vertices that are in the frontier
// several times. After a push the engines fuse the two: what was let through before in the
// round isn't let through again.
func Unique() operators.Step { return unique{} }

// Unvisited returns the step that drops the vertices of the frontier that are in the bitmap
// seen, and duplicates, and adds the rest to seen. After a push the engines fuse the two.
func Unvisited(seen *frontier.Frontier) operators.Step {
	if seen == nil {
		return noMask{} // a push takes none for Unique
	}
	return unvisited{seen}
}

// Keep returns the step that drops the vertices that the predicate rejects. On a GPU the
// predicate is a functor written in Go, or an operators.KernelFunctor, whose device side is a
// foray::VertexFunctor that returns 0 to drop a vertex. Both can run in one kernel with the
// other steps.
func Keep(p Predicate) operators.Step { return &keep{p: p} }

func tool(x *step.Env) (*Filterer, error) {
	f, err := step.Tool(x, "filter", func() (*Filterer, error) { return New(x.Stream, x.Placed) })
	if err != nil {
		return nil, err
	}
	f.Level = x.Level
	return f, nil
}

type unique struct{}

func (unique) Name() string             { return "unique" }
func (unique) Moves()                   {}
func (unique) Seen() *frontier.Frontier { return nil }

func (s unique) Host(x *step.Env) error { return s.run(x) }
func (s unique) GPU(x *step.Env) error  { return s.run(x) }

// run is the same on every device: the Filterer has one.
func (unique) run(x *step.Env) error {
	f, err := tool(x)
	if err != nil {
		return err
	}
	return f.Unique(x.Cur)
}

func (unique) Compile(*step.Program) error {
	return fmt.Errorf("%w: filter.Unique that doesn't follow a push", step.ErrNotCompiled)
}

type unvisited struct{ seen *frontier.Frontier }

func (unvisited) Name() string               { return "unvisited" }
func (unvisited) Moves()                     {}
func (s unvisited) Seen() *frontier.Frontier { return s.seen }

func (s unvisited) Host(x *step.Env) error { return s.run(x) }
func (s unvisited) GPU(x *step.Env) error  { return s.run(x) }

func (s unvisited) run(x *step.Env) error {
	f, err := tool(x)
	if err != nil {
		return err
	}
	return f.Unvisited(x.Cur, s.seen)
}

func (unvisited) Compile(*step.Program) error {
	return fmt.Errorf("%w: filter.Unvisited that doesn't follow a push", step.ErrNotCompiled)
}

// noMask is Unvisited of no bitmap, which is an error.
type noMask struct{}

func (noMask) Name() string { return "unvisited" }
func (noMask) Moves()       {}

func (noMask) Host(x *step.Env) error        { return noMask{}.err(x.Placed) }
func (noMask) GPU(x *step.Env) error         { return noMask{}.err(x.Placed) }
func (noMask) Compile(p *step.Program) error { return noMask{}.err(p.Placed) }

func (noMask) err(p *graph.Placed) error {
	var none *frontier.Frontier
	return fmt.Errorf("filter: unvisited: the mask: %w", none.Check(p))
}

type keep struct{ p Predicate }

func (*keep) Name() string { return "keep" }
func (*keep) Moves()       {}

// Sets is true of functors that foray generate wrote: they let no vertex through twice.
func (s *keep) Sets() bool {
	_, ok := link.Of(s.p)
	return ok
}

func (s *keep) check() error {
	if fn, ok := s.p.(hostFunc); s.p == nil || ok && fn == nil {
		return fmt.Errorf("%w: the predicate is nil", errFunctor)
	}
	return nil
}

func (s *keep) op(kept *step.Codes) (step.Op, *step.Code, error) {
	code, err := step.CodeOf(kept, s.p, step.Vertices, link.Use{Keep: true})
	if err != nil {
		return step.Op{}, nil, fmt.Errorf("filter: keep: %w", err)
	}
	return step.Op{Code: step.OpKeep}, code, nil
}

// Host keeps by the Filterer.
func (s *keep) Host(x *step.Env) error {
	if err := s.check(); err != nil {
		return err
	}
	f, err := tool(x)
	if err != nil {
		return err
	}
	return step.OnHost(s.p, step.Vertices, x, link.Use{Keep: true}, func() error { return f.keep(x.Cur, s.p) })
}

// GPU launches the predicate's kernel.
func (s *keep) GPU(x *step.Env) error {
	if err := s.check(); err != nil {
		return err
	}
	op, code, err := s.op(&x.Codes)
	if err != nil {
		return err
	}
	if x.Cur.Form() == frontier.Bitmap {
		if err := x.Cur.List(x.Stream); err != nil {
			return err
		}
	}
	l, err := step.Launches(x)
	if err != nil {
		return err
	}
	if err := x.Spare.Reset(frontier.Queue); err != nil {
		return err
	}
	if err := code.Launched(x, l.Launch(&step.Operation{Code: code, Op: op, From: x.Cur, To: x.Spare, Level: x.Level})); err != nil {
		return err
	}
	x.Swap()
	return nil
}

// Reach describes what the predicate does on several GPUs.
func (s *keep) Reach(x *step.Env) (*step.Reach, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	_, code, err := s.op(&x.Codes)
	if err != nil {
		return nil, err
	}
	return code.Reach(x.Placed, nil)
}

func (s *keep) Compile(p *step.Program) error {
	if err := s.check(); err != nil {
		return err
	}
	op, code, err := s.op(p.Codes)
	if err != nil {
		return fmt.Errorf("%w: %w", step.ErrNotCompiled, err)
	}
	p.Moves = true
	return p.Add(code, op)
}
