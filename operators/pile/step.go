// This file holds Refill, the step that advances to the next stage.

package pile

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// errFunctor is operators.ErrFunctor as errors of this package have it.
var errFunctor = fmt.Errorf("pile: %w", operators.ErrFunctor)

// Functor says when vertices are due. On a GPU it is written in Go (foray generate),
// or an operators.KernelFunctor whose device side is a foray::VertexFunctor<> whose vertex
// returns the stage (pile.cuh).
type Functor interface {
	// Due sets due[i] to the stage at which to expand vs[i]; Never drops it. It must return the
	// stage that the push's functor returned when it put the vertex there, or an earlier one. It
	// is called up to twice for a vertex. Both slices are valid during the call only. After a push with
	// advance.NearOptions.AnyRound the host calls it while the push's functor runs on other workers: what
	// that one writes has to be read atomically. Functors that were generated do so.
	Due(w operators.Worker, vs, due []uint32)
}

// Refill returns the step that, if the frontier is empty, advances to the next stage: the vertices
// of the pile that are due then become the frontier. If the pile is empty, the frontier stays
// empty. A nonempty frontier is unchanged.
func Refill(far *Pile, f Functor) operators.Step {
	return &refill{far: (*farpile.Pile)(far), f: f}
}

type refill struct {
	far *farpile.Pile
	f   Functor
	job refillHost
}

func (*refill) Name() string { return "refill" }
func (*refill) Moves()       {}

// Far is the pile, which other steps of a Repeat have as well.
func (s *refill) Far() *farpile.Pile { return s.far }

// Asks is the functor that says when vertices are due.
func (s *refill) Asks() Functor { return s.f }

func (s *refill) check() error {
	if s.f == nil {
		return fmt.Errorf("%w: refill: the functor is nil", errFunctor)
	}
	return nil
}

// idle checks the step, and reports whether it has nothing to do.
func (s *refill) idle(x *step.Env) (bool, error) {
	if err := errors.Join(s.check(), s.far.Check(x.Placed)); err != nil {
		return true, err
	}
	return x.Cur.Len() > 0, x.Cur.ReadErr()
}

// Host looks for the earliest stage, then sends the vertices that are due to the frontier.
func (s *refill) Host(x *step.Env) error {
	if idle, err := s.idle(x); idle || err != nil {
		return err
	}
	hs, err := host.StreamOf(x.Stream)
	if err != nil {
		return fmt.Errorf("pile: %w", err)
	}
	if err := hs.Err(); err != nil {
		return err
	}
	if len(s.far.Host.List) == 0 {
		return nil
	}
	if err := x.Spare.Reset(frontier.Queue); err != nil {
		return err
	}
	j := &s.job
	j.begin(hs, s.far, s.f, x)
	defer j.end()
	if err := step.OnHost(s.f, step.Vertices, x, link.Use{Due: true}, func() error {
		j.run(askPhase)
		return nil
	}); err != nil {
		return err
	}
	if err := hs.Err(); err != nil {
		return err
	}
	j.settle()
	j.run(sendPhase)
	j.pack()
	x.Swap()
	return hs.Err()
}

// Begin returns the step that empties a pile and puts the frontier's vertices into it, at stage 0.
// The frontier is empty then.
func Begin(far *Pile) operators.Step { return &begin{far: (*farpile.Pile)(far)} }

type begin struct{ far *farpile.Pile }

func (*begin) Name() string { return "begin pile" }
func (*begin) Moves()       {}

// Far is the pile.
func (s *begin) Far() *farpile.Pile { return s.far }

// ready empties the pile.
func (s *begin) ready(x *step.Env) error {
	if err := s.far.Check(x.Placed); err != nil {
		return err
	}
	return s.far.Clear(x.Stream)
}

// listed makes the frontier a queue, and returns its length.
func listed(x *step.Env) (int, error) {
	var err error
	if x.Cur.Form() == frontier.All {
		err = x.Cur.Convert(x.Stream, frontier.Queue)
	} else {
		err = x.Cur.List(x.Stream)
	}
	n := x.Cur.Len()
	return n, cmp.Or(err, x.Cur.ReadErr())
}

// Host copies the queue.
func (s *begin) Host(x *step.Env) error {
	if err := s.ready(x); err != nil {
		return err
	}
	if _, err := listed(x); err != nil {
		return err
	}
	p := &s.far.Host
	for _, v := range x.Cur.Queue() {
		if bit := uint64(1) << (v & 63); p.Far[v>>6]&bit == 0 { // it may be there twice
			p.Far[v>>6] |= bit
			p.List = append(p.List, v)
		}
	}
	return x.Cur.Reset(frontier.Queue)
}

// GPU does so on the device.
func (s *begin) GPU(x *step.Env) error {
	if err := s.ready(x); err != nil {
		return err
	}
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return fmt.Errorf("pile: %w", err)
	}
	if n := x.Placed.NumVertices(); x.Cur.Form() == frontier.All && n > 0 {
		return errors.Join(s.far.GPU.All(gs, n), x.Cur.Reset(frontier.Queue))
	}
	n, err := listed(x)
	if err != nil || n == 0 {
		return err
	}
	if x.Cur.Remote().IsList() { // which has vertices twice
		if err := x.Cur.Convert(x.Stream, frontier.Bitmap); err != nil {
			return err
		}
		if err := x.Cur.Convert(x.Stream, frontier.Queue); err != nil {
			return err
		}
		if n = x.Cur.Len(); x.Cur.ReadErr() != nil {
			return x.Cur.ReadErr()
		}
	}
	queue := uintptr(x.Cur.Remote().Queue().Items)
	if err := s.far.GPU.List(gs, queue, n); err != nil {
		return err
	}
	if err := x.Cur.Convert(x.Stream, frontier.Bitmap); err != nil {
		return err
	}
	return errors.Join(s.far.GPU.Mark(gs, uintptr(x.Cur.Remote().Words())), x.Cur.Reset(frontier.Queue))
}

// Compile refuses: a pile begins before a Repeat.
func (*begin) Compile(*step.Program) error {
	return fmt.Errorf("%w: the beginning of a pile", step.ErrNotCompiled)
}

// op returns the operation that refills.
func (s *refill) op(kept *step.Codes) (step.Op, *step.Code, error) {
	code, err := step.CodeOf(kept, s.f, step.Vertices, link.Use{Due: true})
	if err != nil {
		return step.Op{}, nil, fmt.Errorf("pile: refill: %w", err)
	}
	at, _, _ := s.far.Remote()
	return step.Op{Code: step.OpRefill, Seen: at}, code, nil
}

// GPU launches the three parts of a refill.
func (s *refill) GPU(x *step.Env) error {
	if idle, err := s.idle(x); idle || err != nil {
		return err
	}
	op, code, err := s.op(&x.Codes)
	if err != nil {
		return err
	}
	l, err := step.Launches(x)
	if err != nil {
		return err
	}
	if err := x.Spare.Reset(frontier.Queue); err != nil {
		return err
	}
	for _, part := range []struct {
		code    uint32
		to      *frontier.Frontier
		threads uint64
	}{{step.OpLeast, nil, 0}, {step.OpRefill, x.Spare, 0}, {step.OpTurn, nil, 1}} {
		op.Code = part.code
		o := &step.Operation{Code: code, Pile: true, Op: op, To: part.to, Level: x.Level, Threads: part.threads, Blocks: blocks}
		if err := l.Launch(o); err != nil {
			return err
		}
	}
	x.Swap()
	return nil
}

// Compile appends the refill to a program.
func (s *refill) Compile(p *step.Program) error {
	if err := errors.Join(s.check(), s.far.Check(p.Placed)); err != nil {
		return err
	}
	op, code, err := s.op(p.Codes)
	if err != nil {
		return fmt.Errorf("%w: %w", step.ErrNotCompiled, err)
	}
	p.Moves, p.Pushes = true, true
	return p.Add(code, op)
}
