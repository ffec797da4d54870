// This file holds pushes in windows: distances that are settled window by window, along rows that
// ascend by weight.

package advance

import (
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/windows"
	"github.com/foray-graph/foray/operators"
)

// Windows is where a traversal by PushWindow and NextWindow stands (traverse.Traversal.Windows).
type Windows windows.Windows

// Low returns an array of one element, the lower bound of the window under way, for functors of
// the steps behind NextWindow.
func (w *Windows) Low() *device.Buffer[float32] { return (*windows.Windows)(w).Low() }

// WindowOptions say how Windows go.
type WindowOptions struct {
	// Key has an entry per vertex, on the device of the graph: what is settled, distances for
	// example; +Inf is not reached. The functor of the push lowers the key of an edge's target, by
	// package atomics, to no less than that of its source plus the weight. Edges for which that isn't
	// less than the target's key may be left out.
	Key *device.Buffer[float32]
	// Width is how wide a window is, more than 0; Most the largest key that counts, finite.
	Width, Most float32
	// A pull costs less than the next window where the edges into vertices that aren't reached,
	// times PullCost, are fewer than those out of what is reached, of both those that are light
	// enough: about x/Full of all edges weigh less than x. A PullCost of +Inf never pulls.
	PullCost, Full float32
}

// PushWindow returns the step that pushes along the edges by which a key of the window under way
// may come, and makes what the functor lets through the frontier, each vertex once. It is for a
// Repeat with NextWindow behind it. A graph whose rows don't ascend by weight is graph.ErrOptions.
//
// On a GPU the functor must be written in Go, and the Repeat one kernel: level by level it is
// device.ErrNotSupported.
func PushWindow(f Functor, w *Windows) operators.Step {
	return &windowPush{f: f, w: (*windows.Windows)(w)}
}

// NextWindow returns the step that, if the frontier is empty, advances to the next window with an
// edge to visit: the vertices with such edges form the frontier. The Repeat ends if there is no
// such window, or if a pull costs less.
func NextWindow(w *Windows) operators.Step { return &windowNext{w: (*windows.Windows)(w)} }

var errWindows = fmt.Errorf("advance: windows: %w: level by level on a GPU; let a Repeat run in one kernel, or use the host", device.ErrNotSupported)

type windowPush struct {
	f    Functor
	w    *windows.Windows
	push pushStep
}

func (*windowPush) Name() string        { return "push window" }
func (*windowPush) Moves()              {}
func (*windowPush) GPU(*step.Env) error { return errWindows }

// Host is PushByWeight, each target once.
func (s *windowPush) Host(x *step.Env) error {
	if err := s.w.Check(x.Placed); err != nil {
		return fmt.Errorf("advance: push window: %w", err)
	}
	h := s.w.OnHost()
	s.push = pushStep{f: s.f, once: true, within: &Within{Key: s.w.Options().Key, Above: h.Above, Most: h.High}}
	return s.push.Host(x)
}

// Compile appends the push to a program.
func (s *windowPush) Compile(p *step.Program) error {
	if err := s.w.Check(p.Placed); err != nil {
		return fmt.Errorf("advance: push window: %w", err)
	}
	if err := errors.Join(checkFunctor("push window", s.f, p.Placed, nil), ascends("push window", p.Placed)); err != nil {
		return err
	}
	op, code, err := edgeOp(p.Codes, step.Pushes, s.f)
	if err != nil {
		return err
	}
	if code.Generated == nil {
		return fmt.Errorf("advance: push window: %w: the functor %T isn't written in Go", device.ErrNotSupported, s.f)
	}
	weights, err := p.Placed.State().Weights()
	if err != nil {
		return fmt.Errorf("advance: push window: %w", err)
	}
	op.Code, op.Flags = step.OpLight, step.Dedupe
	op.Words = [step.FieldWords]uint64{uint64(weights.Pointer()), uint64(s.w.Options().Key.Pointer()), s.w.Remote()}
	p.Moves, p.Pushes, p.Light = true, true, true
	return p.Add(code, op)
}

type windowNext struct{ w *windows.Windows }

func (*windowNext) Name() string        { return "next window" }
func (*windowNext) Moves()              {}
func (*windowNext) GPU(*step.Env) error { return errWindows }

// Host looks at all vertices, on one worker.
func (s *windowNext) Host(x *step.Env) error {
	if err := s.w.Check(x.Placed); err != nil {
		return fmt.Errorf("advance: next window: %w", err)
	}
	if x.Cur.Len() > 0 {
		return nil
	}
	c, keys, h := x.Placed.Graph().Out(), s.w.Options().Key.Host(), s.w.OnHost()
	// next is the least key beyond a limit that an edge leads to from a vertex whose key is within
	// that.
	next := func(v int, high float32) float32 {
		row := c.Weights[c.Offsets[v]:c.Offsets[v+1]]
		if keys[v] <= high {
			if i := beyond(row, keys[v], high); i < uint64(len(row)) {
				return keys[v] + row[i]
			}
		}
		return float32(math.Inf(1))
	}
	goes := h.Next(c.NumEdges(), settledBy(c.Offsets, keys, h.High), func(high float32) float32 {
		least := float32(math.Inf(1))
		for v := range c.NumVertices() {
			least = min(least, next(v, high))
		}
		return least
	})
	if err := x.Spare.Reset(frontier.Queue); err != nil {
		return err
	}
	n := 0
	if goes {
		out := x.Spare.Room()
		for v := range c.NumVertices() {
			if next(v, h.Above) <= h.High {
				out[n] = uint32(v)
				n++
			}
		}
	}
	x.Spare.SetLen(n)
	x.Swap()
	return nil
}

// settledBy returns how many edges lead out of vertices whose key is within a limit.
func settledBy(offsets []uint64, keys []float32, high float32) (sum uint64) {
	for v := range len(offsets) - 1 {
		if keys[v] <= high {
			sum += offsets[v+1] - offsets[v]
		}
	}
	return sum
}

// Compile appends it to a program.
func (s *windowNext) Compile(p *step.Program) error {
	if err := s.w.Check(p.Placed); err != nil {
		return fmt.Errorf("advance: next window: %w", err)
	}
	p.Moves, p.Light = true, true
	return p.Add(nil, step.Op{Code: step.OpWindow, Words: [step.FieldWords]uint64{s.w.Remote()}})
}
