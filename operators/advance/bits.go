// This file holds PushBits, the push whose output is a bitmap.

package advance

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/step"
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

// Do pushes level by level.
func (s *bitsStep) Do(x *step.Env) error {
	a, err := tool(x)
	if err != nil {
		return err
	}
	if x.Cur.Form() == frontier.Bitmap {
		if err := x.Cur.List(x.Stream); err != nil {
			return err
		}
	}
	if err := errors.Join(a.ready("push to bits"), checkFunctor("push to bits", s.f, x.Placed, x.Spare)); err != nil {
		return err
	}
	var edges Edges
	if a.gpu == nil {
		if err := clearMask(x, x.Spare); err != nil {
			return err
		}
		s.host = culled{Functor: s.f, words: x.Spare.Bits()}
		s.host.rows, _ = s.f.(RowsFunctor)
		edges, err = a.pushBits(x.Cur, x.Spare, &s.host)
	} else {
		if err := s.remote.of(s.f, x.Level); err != nil {
			return fmt.Errorf("advance: push to bits: %w", err)
		}
		if _, err := a.gpu.kernelOf(&s.remote, "bits"); errors.Is(err, device.ErrNotSupported) {
			return (&pushStep{f: s.f, seen: s.seen, once: s.seen == nil}).Do(x)
		}
		if err := clearMask(x, x.Spare); err != nil {
			return err
		}
		s.remote.seen = x.Spare
		edges, err = a.pushBitsGPU(x.Cur, x.Spare, &s.remote)
	}
	if err != nil {
		return err
	}
	x.Edges += edges
	x.Swap()
	if s.seen == nil {
		return nil
	}
	return filter.Unvisited(s.seen).Do(x)
}

// Compile appends the push to a program, whose frontiers are queues.
func (s *bitsStep) Compile(p *step.Program) error {
	return (&pushStep{f: s.f, seen: s.seen, once: s.seen == nil}).Compile(p)
}

// pushBits pushes on the host: what is let through is counted, the functor sets the bits.
func (a *Advancer) pushBits(in, out *frontier.Frontier, f Functor) (Edges, error) {
	if err := a.enter("push to bits"); err != nil {
		return 0, err
	}
	defer a.leave()
	if err := a.fits("push to bits", "input", in, frontier.Queue, frontier.All); err != nil {
		return 0, err
	}
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

// pushBitsGPU enqueues the push.
func (a *Advancer) pushBitsGPU(in, out *frontier.Frontier, kf KernelFunctor) (Edges, error) {
	if err := a.enter("push to bits"); err != nil {
		return 0, err
	}
	defer a.leave()
	if err := a.fits("push to bits", "input", in, frontier.Queue, frontier.All); err != nil {
		return 0, err
	}
	r := a.gpu
	count, edges, err := in.Remote().Measured(r.s, false)
	if err != nil || count == 0 {
		return 0, err
	}
	kf.Params(&r.params)
	r.push = pushArgs{g: r.out(), in: listed(in, count, edges), out: out.Remote().Queue()}
	if err := r.runRows("bits", rowBlocks(count, edges), out.Remote().Ticket(), kf); err != nil {
		return 0, err
	}
	out.Remote().Expect()
	return edges, nil
}
