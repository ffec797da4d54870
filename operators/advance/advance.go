// This file holds what an algorithm calls: the operators of every device, and
// what they take.

package advance

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// errFunctor is operators.ErrFunctor as errors of this package have it.
var errFunctor = fmt.Errorf("advance: %w", operators.ErrFunctor)

// Functor is what happens at the edges of a push: one written in Go (foray generate), All, Claim, or
// an operators.KernelFunctor, on a GPU too; and on the host any other. A functor that lets no vertex enter
// the next frontier twice should have a method Unique() bool that returns true: the frontier then needs no more
// room than the graph has vertices.
type Functor interface {
	// Visit processes a tile of edges of one vertex: targets[i] is the head of edge
	// firstEdge+i out of source. This number is the edge's index in Out().Weights and
	// Out().EdgeIDs, and in traverse.Weights, which functors that a GPU runs
	// too take as a field. It writes the vertices that enter the next frontier, which must be
	// vertices of the graph, to the front of out, which is at least as long as targets, and
	// returns how many: 0 to len(targets). A long row comes in several tiles, perhaps on
	// several workers at once; different vertices may come at the same time too. Both slices
	// are valid during the call only, and targets must not be written. A panic propagates to
	// the caller of Push.
	Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int
}

// Func makes a Functor of a function, for the host.
func Func(f func(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int) Functor {
	return hostFunc(f)
}

type hostFunc func(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int

func (f hostFunc) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	return f(w, source, firstEdge, targets, out)
}

// Push visits the out-edges of every vertex in the frontier in (in queue
// form, or all vertices) and leaves in out, in queue form, what the functor lets through. It
// returns the number of edges visited (but see CountExactly). in and out must
// not be the same.
//
// Unless the functor is unique, out may get as many entries as in has out-edges; a degree scan
// before the first visit determines the room for them.
//
// On the host, every worker has an equal part of the frontier, of which it claims small
// groups; a worker that is done takes groups from the others' parts. Groups are passed on in
// tiles of at most 2,048 edges, and a much longer row is split among all workers.
//
// On a GPU Strategy selects the
// load balancing, and the entries of in aren't checked.
//
// The error is the context's, where the stream has one that is done (out is then incomplete);
// device.ErrNotSupported on a GPU for a functor without kernels, or without those of the
// Strategy, or a Strategy that is PushLevel's; device.ErrClosed for a stream, placed graph or
// frontier that was closed; frontier.ErrForm, ErrForeign or ErrAliased for frontiers
// that don't fit; on the host graph.ErrNoVertex for an entry of in that isn't a vertex; or
// operators.ErrFunctor, with graph.ErrNoVertex if the functor lets through a number that is no vertex.
func (a *Advancer) Push(in, out *frontier.Frontier, f Functor) (uint64, error) {
	return a.pushed(in, out, f, false)
}

// pushed is Push, of a step that has readied a functor written in Go or of a caller.
func (a *Advancer) pushed(in, out *frontier.Frontier, f Functor, ready bool) (edges uint64, err error) {
	if err := a.enter("push"); err != nil {
		return 0, err
	}
	defer a.leave()
	if err := a.checkPush(in, out, f); err != nil {
		return 0, err
	}
	if !ready {
		if err := stepless(f); err != nil {
			return 0, fmt.Errorf("advance: push: %w", err)
		}
	}
	if m, ok := link.Of(f); ok && !ready && !a.on.remote() {
		if err := link.Begin(m, a.p, 1, a.on.stop(), false, 0, nil); err != nil {
			return 0, fmt.Errorf("advance: push: %w", err)
		}
		defer func() { err = errors.Join(err, link.End(m)) }() // after a panic too
	}
	return a.on.runPush(in, out, f)
}

// stepless returns why a functor must be in a step of a traversal: accumulators are folded by
// steps.
func stepless(f any) error {
	if m, ok := link.Of(f); ok && m.Code().Accumulators > 0 {
		return fmt.Errorf("%w: functor %s has accumulators; give it to a step of a traversal, such as advance.Push", graph.ErrOptions, m.Code().Name)
	}
	return nil
}

// checkPush returns why there can be no push.
func (a *Advancer) checkPush(in, out *frontier.Frontier, f Functor) error {
	if err := a.ready("push"); err != nil {
		return err
	}
	if err := a.fits("push", "input", in, frontier.Queue, frontier.All); err != nil {
		return err
	}
	if err := a.fits("push", "output", out); err != nil {
		return err
	}
	if in == out {
		return fmt.Errorf("advance: push: %w: as input and output; use two and swap them", frontier.ErrAliased)
	}
	return checkFunctor("push", f, a.p, out)
}

// PushLevel is Push over the vertices v with levels[v] == level, which it
// finds by reading levels in order (Hong et al., PACT 2011, "read-based"): a
// queue isn't needed. levels has an entry per vertex (graph.ErrMalformed otherwise), in the memory
// of the graph's device (device.ErrNotSupported otherwise), and may be written during the call, by
// atomic operations.
//
// The vertices that the functor lets through enter out, a queue. On the host out may be nil:
// then they are only counted. There PushLevel returns the edges visited and the count. On a
// GPU both are 0, since the call doesn't wait for the kernel; Strategy ThreadMapped has a
// thread for every vertex of the graph, which walks its row (the quadratic search);
// "edges" (ParseStrategy) one for every edge; TWC and AutoBalance distribute the rows of a block's
// vertices among its threads; others are device.ErrNotSupported. Other errors are the same as
// for Push.
func (a *Advancer) PushLevel(levels *device.Buffer[int32], level int32, out *frontier.Frontier, f Functor) (edges uint64, found int, err error) {
	if err := a.enter("push by level"); err != nil {
		return 0, 0, err
	}
	defer a.leave()
	if err := a.ready("push by level"); err != nil {
		return 0, 0, err
	}
	if out != nil || a.on.remote() {
		if err := a.fits("push by level", "output", out); err != nil {
			return 0, 0, err
		}
	}
	if err := checkFunctor("push by level", f, a.p, out); err != nil {
		return 0, 0, err
	}
	if err := stepless(f); err != nil {
		return 0, 0, fmt.Errorf("advance: push by level: %w", err)
	}
	if err := link.CheckBuffer("the array of levels", levels, a.on.remote()); err != nil {
		return 0, 0, fmt.Errorf("advance: push by level: %w", err)
	}
	if n := a.p.NumVertices(); levels.Len() != n {
		return 0, 0, fmt.Errorf("advance: push by level: %w: %d levels for %d vertices", graph.ErrMalformed, levels.Len(), n)
	}
	if m, ok := link.Of(f); ok && !a.on.remote() {
		if err := link.Begin(m, a.p, 1, a.on.stop(), false, 0, nil); err != nil {
			return 0, 0, fmt.Errorf("advance: push by level: %w", err)
		}
		defer func() { err = errors.Join(err, link.End(m)) }() // after a panic too
	}
	return a.on.runLevel(levels, level, out, f)
}

// Pull looks at every candidate (a vertex that isn't in seen) for an
// in-neighbor in the frontier in, stops at the first, and tells the sink. The sink may be
// a functor written in Go with a method Hit: then it stops at the first in-neighbor that Hit accepts.
// On a GPU the sink is such a functor, Parents or InEdges. out becomes a bitmap of the candidates that
// found one; seen and in are bitmaps that are only read, and may be the same. It returns the number of
// edges looked at; on a GPU 0 unless CountExactly is set, which waits for the kernel.
//
// A breadth-first search passes the vertices seen so far for both seen and in:
// an in-neighbor that was seen earlier than in the last level would have had
// the candidate found by now.
//
// The error is graph.ErrNoReverse for a directed graph without its reverse,
// device.ErrNotSupported on a GPU for a sink without kernels, or one of those of
// Push.
func (a *Advancer) Pull(in, seen, out *frontier.Frontier, sink Sink) (edges uint64, err error) {
	if err := a.enter("pull"); err != nil {
		return 0, err
	}
	defer a.leave()
	if err := a.checkPull(in, seen, out, sink, frontier.Bitmap); err != nil {
		return 0, err
	}
	if err := stepless(sink); err != nil {
		return 0, fmt.Errorf("advance: pull: %w", err)
	}
	if m, ok := link.Of(sink); ok && !a.on.remote() {
		if err := link.Begin(m, a.p, 1, a.on.stop(), true, 0, nil); err != nil {
			return 0, fmt.Errorf("advance: pull: %w", err)
		}
		defer func() { err = errors.Join(err, link.End(m)) }() // after a panic too
	}
	return a.on.runPull(in, seen, out, sink)
}

// checkPull returns why there can be no pull. forms are those that the input may have.
func (a *Advancer) checkPull(in, seen, out *frontier.Frontier, sink Sink, forms ...frontier.Form) error {
	if err := a.ready("pull"); err != nil {
		return err
	}
	if !a.p.Graph().HasReverse() {
		return fmt.Errorf("advance: pull: %w: build the graph with its reverse, or push only", graph.ErrNoReverse)
	}
	if err := a.fits("pull", "input", in, forms...); err != nil {
		return err
	}
	if err := a.fits("pull", "seen", seen, frontier.Bitmap); err != nil {
		return err
	}
	if err := a.fits("pull", "output", out); err != nil {
		return err
	}
	if out == in || out == seen {
		return fmt.Errorf("advance: pull: %w: the output is one of the inputs; use another", frontier.ErrAliased)
	}
	return a.checkSink("pull", sink)
}
