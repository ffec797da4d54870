// This file holds PushBits, the push whose output is a bitmap.

package advance

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// PushBits is Push with a bitmap as output: the frontier has each vertex once, in
// order, and takes a bit for each vertex of the graph, however many edges lead to
// it. It is for large frontiers, and for those that a filter goes through next; a
// push after it lists the vertices first.
//
// The persistent engine keeps a queue in its place, without duplicates too; so does
// a GPU level by level where the functor's image lacks FORAY_TRAVERSAL_BITS.
func PushBits(f Functor) operators.Step { return &bitsStep{f: f} }

type bitsStep struct {
	f      Functor
	seen   *frontier.Frontier // of a filter.Unvisited after it
	host   culled
	remote fusedFunctor
}

func (s *bitsStep) Name() string {
	if s.seen != nil {
		return "push to bits and unvisited"
	}
	return "push to bits"
}

func (s *bitsStep) Moves() {}

// Cull fuses the push with a filter. Duplicates are none.
func (s *bitsStep) Cull(seen *frontier.Frontier) step.Step { return &bitsStep{f: s.f, seen: seen} }

// Host pushes tile by tile. It counts the vertices let through; the functor sets the bits.
func (s *bitsStep) Host(x *step.Env) error {
	a, err := hostTool(x)
	if err != nil {
		return err
	}
	if err := s.ready(x, a.Advancer); err != nil {
		return err
	}
	if err := x.Spare.Clear(frontier.Bitmap); err != nil {
		return err
	}
	s.host = culled{Functor: s.f, words: x.Spare.Bits()}
	s.host.rows, _ = s.f.(rowsFunctor)
	if err := step.OnHost(s.f, step.Pushes, x, link.Use{}, func() error { return pushBits(x, a.Advancer, &s.host) }); err != nil || s.seen == nil {
		return err
	}
	return filter.Unvisited(s.seen).(step.Step).Host(x)
}

// GPU launches one kernel.
func (s *bitsStep) GPU(x *step.Env) error {
	a, err := gpuTool(x)
	if err != nil {
		return err
	}
	if err := s.ready(x, a.Advancer); err != nil {
		return err
	}
	if err := s.remote.of(&x.Codes, step.Pushes, s.f, x.Level); err != nil {
		return fmt.Errorf("advance: push to bits: %w", err)
	}
	if _, err := a.kernelOf(&s.remote, "bits"); errors.Is(err, device.ErrNotSupported) {
		return s.push().GPU(x)
	}
	if err := clearRemote(x, x.Spare); err != nil {
		return err
	}
	s.remote.seen = x.Spare
	if err := s.remote.code.Launched(x, pushBits(x, a.Advancer, &s.remote)); err != nil || s.seen == nil {
		return err
	}
	return filter.Unvisited(s.seen).(step.Step).GPU(x)
}

// ready checks the step and makes the frontier a list.
func (s *bitsStep) ready(x *step.Env, a *Advancer) error {
	if err := listed(x); err != nil {
		return err
	}
	return errors.Join(a.ready("push to bits"), checkFunctor("push to bits", s.f, x.Placed, x.Spare))
}

// pushBits pushes into the spare frontier, which takes its turn.
func pushBits(x *step.Env, a *Advancer, f Functor) error {
	if err := a.enter("push to bits"); err != nil {
		return err
	}
	defer a.leave()
	if err := a.fits("push to bits", "input", x.Cur, frontier.Queue, frontier.All); err != nil {
		return err
	}
	edges, err := a.on.runBits(x.Cur, x.Spare, f)
	if err != nil {
		return err
	}
	x.Edges += edges
	x.Swap()
	return nil
}

// push is the step whose output is a queue.
func (s *bitsStep) push() *pushStep { return &pushStep{f: s.f, seen: s.seen, once: s.seen == nil} }

// Compile appends the push to a program, whose frontiers are queues.
func (s *bitsStep) Compile(p *step.Program) error {
	return s.push().Compile(p)
}

func (a *onHost) runBits(in, out *frontier.Frontier, f Functor) (uint64, error) {
	j := &a.push
	j.begin(in)
	j.call(f)
	j.bits = true
	defer func() { j.bits = false }()
	edges := j.runRows(in.Queue())
	if err := j.end(); err != nil {
		return 0, errors.Join(err, out.Clear(frontier.Bitmap))
	}
	_, found := a.totals()
	out.SetLen(found)
	return edges, a.s.Err()
}

// runBits enqueues the push.
func (a *onGPU) runBits(in, out *frontier.Frontier, f Functor) (uint64, error) {
	kf, err := a.functor(f)
	if err != nil {
		return 0, err
	}
	count, edges, err := in.Remote().Measured(a.s, false)
	if err != nil || count == 0 {
		return 0, err
	}
	kf.Params(&a.params)
	a.push = pushArgs{g: a.out(), in: inputOf(in, count, edges), out: out.Remote().Queue()}
	if err := a.runRows("bits", rowBlocks(count, edges), out.Remote().Ticket(), kf); err != nil {
		return 0, err
	}
	out.Remote().Expect()
	return edges, nil
}
