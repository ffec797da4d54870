// This file holds Trail, which keeps the frontiers of a search for the way back.

package traverse

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators"
)

// Trail stores frontiers, one after the other in one array on the device, for algorithms that
// process the levels of a search again, from the last one to the first. It has room for every
// vertex once, as many as all levels of a search have together. It takes 4 bytes a vertex, for any
// number of levels.
type Trail struct {
	vertices *device.Buffer[uint32]
	n        int   // frontiers
	ends     []int // of the frontiers, as far as the host knows
	// On a GPU the persistent engine keeps the ends in the device's memory; the first known
	// of them are current.
	remote *device.Buffer[uint32]
	known  int
	p      *graph.Placed
}

// NewTrail returns an empty trail. It belongs to the traversal. After an error it is nil: a nil trail
// has no frontiers, and its steps are errors.
func NewTrail(t *Traversal) *Trail {
	r := &Trail{vertices: Uninitialized[uint32](t), p: t.p}
	if t.err == nil {
		r.remote = t.space.on.ends(t)
	}
	if t.err != nil {
		return nil
	}
	t.arrays = append(t.arrays, owned{keep: func() error { return nil }, renew: func() error { r.cut(0); return nil }})
	return r
}

// Len returns the number of frontiers.
func (r *Trail) Len() int {
	if r == nil {
		return 0
	}
	return r.n
}

// Keep returns the step that appends the frontier to the trail; the frontier is unchanged. A
// frontier that exceeds the trail's room is graph.ErrOptions.
func (r *Trail) Keep() operators.Step { return keepTrail{r} }

// Back returns the step that removes the last frontier of the trail and makes it the current
// frontier. If the trail is empty, so is the frontier.
func (r *Trail) Back() operators.Step { return backTrail{r} }

// last returns where the last frontier is.
func (r *Trail) last() (first, end int, err error) {
	if len(r.ends) < r.n { // what the persistent engine added
		more := make([]uint32, r.n-len(r.ends))
		if err := r.remote.Read(r.p.Device(), len(r.ends), more); err != nil {
			return 0, 0, fmt.Errorf("trail: %w", err)
		}
		for _, end := range more {
			r.ends = append(r.ends, int(end))
		}
	}
	switch r.n {
	case 0:
		return 0, 0, nil
	case 1:
		return 0, r.ends[0], nil
	}
	return r.ends[r.n-2], r.ends[r.n-1], nil
}

// begin uploads the ends that the device doesn't have.
func (r *Trail) begin() (int, error) {
	if r.n > r.remote.Len() {
		return 0, fmt.Errorf("trail: %w: %d frontiers on a graph of %d vertices", graph.ErrOptions, r.n, r.p.NumVertices())
	}
	if r.known < r.n {
		more := make([]uint32, 0, r.n-r.known)
		for _, end := range r.ends[r.known:r.n] {
			more = append(more, uint32(end))
		}
		if err := r.remote.Write(r.p.Device(), r.known, more); err != nil {
			return 0, fmt.Errorf("trail: %w", err)
		}
		r.known = r.n
	}
	return r.n, nil
}

// cut shortens the trail to n frontiers.
func (r *Trail) cut(n int) {
	r.n, r.known, r.ends = n, min(r.known, n), r.ends[:min(len(r.ends), n)]
}

// recorder is a trail as the persistent engine knows it.
type recorder struct{ *Trail }

func (r recorder) Begin() (int, error) { return r.begin() }

func (r recorder) Ended(frontiers int) {
	r.cut(min(r.n, frontiers))
	r.n, r.known = frontiers, frontiers
}

// compile appends an operation on the trail to a program.
func (r *Trail) compile(p *step.Program, code uint32) error {
	switch {
	case r == nil:
		return errNoTrail()
	case p.Trail != nil:
		return fmt.Errorf("%w: two steps of trails", step.ErrNotCompiled)
	}
	p.Trail = recorder{r}
	return p.Add(nil, step.Op{Code: code, Seen: uint64(r.vertices.Pointer()), Bound: uint64(r.remote.Pointer())})
}

func errNoTrail() error {
	return fmt.Errorf("trail: %w: it is nil; traverse.NewTrail makes one", graph.ErrOptions)
}

func errNoRoom(n int) error {
	return fmt.Errorf("trail: %w: no room for %d vertices; keep frontiers that have no vertex in common", graph.ErrOptions, n)
}

type keepTrail struct{ *Trail }

func (keepTrail) Name() string { return "trail" }

// add finds room for the frontier, which is a queue then.
func (s keepTrail) add(x *step.Env) (at, n int, err error) {
	if s.Trail == nil {
		return 0, 0, errNoTrail()
	}
	if x.Cur.Form() == frontier.All {
		err = x.Cur.Convert(x.Stream, frontier.Queue)
	} else {
		err = x.Cur.List(x.Stream)
	}
	if err != nil {
		return 0, 0, err
	}
	if _, at, err = s.last(); err != nil {
		return 0, 0, err
	}
	n = x.Cur.Len()
	if err := x.Cur.ReadErr(); err != nil {
		return 0, 0, err
	}
	if n > s.vertices.Len()-at {
		return 0, 0, errNoRoom(n)
	}
	s.ends = append(s.ends, at+n)
	s.n++
	return at, n, nil
}

// Host copies the queue.
func (s keepTrail) Host(x *step.Env) error {
	at, _, err := s.add(x)
	if err == nil {
		copy(s.vertices.Host()[at:], x.Cur.Queue())
	}
	return err
}

// GPU does so on the device.
func (s keepTrail) GPU(x *step.Env) error {
	at, n, err := s.add(x)
	if err != nil || n == 0 {
		return err
	}
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	return gs.Copy(s.vertices.Pointer()+4*uintptr(at), uintptr(x.Cur.Remote().Queue().Items), 4*uint64(n))
}

// Compile appends the operation.
func (s keepTrail) Compile(p *step.Program) error { return s.compile(p, step.OpRecord) }

type backTrail struct{ *Trail }

func (backTrail) Name() string { return "back" }
func (backTrail) Moves()       {}

// take empties the frontier and returns the entries to copy there.
func (s backTrail) take(x *step.Env) (first, end int, err error) {
	if s.Trail == nil {
		return 0, 0, errNoTrail()
	}
	if err := x.Cur.Reset(frontier.Queue); err != nil {
		return 0, 0, err
	}
	if first, end, err = s.last(); err == nil && s.n > 0 {
		s.cut(s.n - 1)
	}
	return first, end, err
}

// Host copies the queue.
func (s backTrail) Host(x *step.Env) error {
	first, end, err := s.take(x)
	if err == nil {
		copy(x.Cur.Room(), s.vertices.Host()[first:end])
		x.Cur.SetLen(end - first)
	}
	return err
}

// GPU does so on the device.
func (s backTrail) GPU(x *step.Env) error {
	first, end, err := s.take(x)
	if err != nil || first == end {
		return err
	}
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	r := x.Cur.Remote()
	r.SetUnmeasured(end - first)
	return gs.Copy(uintptr(r.Queue().Items), s.vertices.Pointer()+4*uintptr(first), 4*uint64(end-first))
}

// Compile appends the operation.
func (s backTrail) Compile(p *step.Program) error {
	p.Moves, p.Back = true, true
	return s.compile(p, step.OpBack)
}
