// This file holds frontiers in a GPU's memory, by front.Remote.

package frontier

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/gpu"
)

type onGPU struct{ *Frontier }

func (f onGPU) count() int {
	n, _, err := f.R.Count()
	f.unread = err
	return n
}

func (f onGPU) vertices() []uint32 {
	vs, err := f.R.Read()
	f.unread = err
	return vs
}

func (f onGPU) reset()         { f.R.Reset() }
func (f onGPU) zero() error    { return f.R.Zero() }
func (f onGPU) release() error { return f.R.Release() }

func (f onGPU) fill()       { f.R.Fill() }
func (f onGPU) bits() error { return f.S.NeedBits() }

func (f onGPU) grow(capacity, keep int) error {
	if keep == 0 {
		return f.R.Grow(capacity)
	}
	return f.R.Keep(capacity)
}

func (f onGPU) add(vs []uint32) error {
	if err := f.enter(); err != nil {
		return err
	}
	defer f.S.P.State().Leave()
	return f.R.Add(vs)
}

func (f onGPU) convert(s device.Stream, form Form) error {
	gs, err := gpu.StreamOf(s)
	if err != nil {
		return fmt.Errorf("frontier: convert: %w", err)
	}
	if err := f.enter(); err != nil {
		return err
	}
	defer f.S.P.State().Leave()
	return f.R.Convert(gs, front.Form(form), true)
}

func (f onGPU) list(s device.Stream) error {
	gs, err := gpu.StreamOf(s)
	if err != nil {
		return f.Convert(s, Queue) // which returns the error, if there is something to do
	}
	if f.Form() == Queue {
		return nil
	}
	if err := f.enter(); err != nil {
		return err
	}
	defer f.S.P.State().Leave()
	return f.R.Convert(gs, front.Queue, false)
}

// enter begins what looks at the graph, which Leave of the graph's state ends.
func (f *Frontier) enter() error {
	if err := f.S.P.State().Enter(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}
