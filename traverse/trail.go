// This file holds Trail, which keeps the frontiers of a search for the way back.

package traverse

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/step"
	"github.com/foray-graph/foray/operators"
)

// Trail keeps frontiers, one behind the other in one array on the device, for algorithms that go
// through the levels of a search again, from the last one to the first. It has room for every
// vertex once, which is what all levels of a search have together; however many levels there are,
// it takes 4 bytes a vertex.
type Trail struct {
	vertices *device.Buffer[uint32]
	ends     []int // of the frontiers
}

// NewTrail returns an empty trail. It is the traversal's. After an error it is nil.
func NewTrail(t *Traversal) *Trail {
	b := Array[uint32](t, 0)
	if b == nil {
		return nil
	}
	return &Trail{vertices: b}
}

// Len returns how many frontiers there are.
func (r *Trail) Len() int { return len(r.ends) }

// Keep returns the step that appends the frontier to the trail; the frontier stays. One that the
// trail has no room for is graph.ErrOptions.
func (r *Trail) Keep() operators.Step { return keepTrail{r} }

// Back returns the step that takes the last frontier of the trail off and makes it the frontier.
// Without one the frontier is empty then.
func (r *Trail) Back() operators.Step { return backTrail{r} }

// last returns where the last frontier is.
func (r *Trail) last() (first, end int) {
	k := len(r.ends)
	if k == 0 {
		return 0, 0
	}
	if k > 1 {
		first = r.ends[k-2]
	}
	return first, r.ends[k-1]
}

type keepTrail struct{ *Trail }

func (keepTrail) Name() string { return "trail" }

// add finds room for the frontier, which is a queue then.
func (s keepTrail) add(x *step.Env) (at, n int, err error) {
	if s.Trail == nil {
		return 0, 0, fmt.Errorf("trail: %w: it is nil; traverse.NewTrail makes one", graph.ErrOptions)
	}
	if x.Cur.Form() == frontier.All {
		err = x.Cur.Convert(x.Stream, frontier.Queue)
	} else {
		err = x.Cur.List(x.Stream)
	}
	if err != nil {
		return 0, 0, err
	}
	_, at = s.last()
	if n = x.Cur.Len(); n > s.vertices.Len()-at {
		return 0, 0, fmt.Errorf("trail: %w: %d vertices, with room for %d; keep frontiers that have no vertex in common", graph.ErrOptions, n, s.vertices.Len()-at)
	}
	s.ends = append(s.ends, at+n)
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

// Compile refuses: the host counts the levels.
func (keepTrail) Compile(*step.Program) error {
	return fmt.Errorf("%w: a Trail", step.ErrNotCompiled)
}

type backTrail struct{ *Trail }

func (backTrail) Name() string { return "back" }
func (backTrail) Moves()       {}

// take empties the frontier and returns what is to be copied there.
func (s backTrail) take(x *step.Env) (first, end int, err error) {
	if s.Trail == nil {
		return 0, 0, fmt.Errorf("trail: %w: it is nil; traverse.NewTrail makes one", graph.ErrOptions)
	}
	if err := x.Cur.Reset(frontier.Queue); err != nil {
		return 0, 0, err
	}
	if first, end = s.last(); len(s.ends) > 0 {
		s.ends = s.ends[:len(s.ends)-1]
	}
	return first, end, nil
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

// Compile refuses: the host counts the levels.
func (backTrail) Compile(*step.Program) error {
	return fmt.Errorf("%w: a Trail", step.ErrNotCompiled)
}
