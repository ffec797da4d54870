// This file holds the entry of the operators to a GPU.

package advance

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

func newOnGPU(s device.Stream, p *graph.Placed) (*onGPU, error) {
	gs, err := gpu.StreamOf(s)
	if err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	a := &onGPU{Advancer: &Advancer{p: p}, s: gs, r: p.Remote(), loaded: map[kernelKey]*gpu.Kernel{}}
	a.on = a
	return a, nil
}

// gpuTool returns the Advancer of an environment on a GPU.
func gpuTool(x *step.Env) (*onGPU, error) {
	a, err := step.Tool(x, "advance", func() (*onGPU, error) { return newOnGPU(x.Stream, x.Placed) })
	if err != nil {
		return nil, err
	}
	a.Level = x.Level
	return a, nil
}

func (a *onGPU) bind(s device.Stream) bool {
	gs, err := gpu.StreamOf(s)
	if err != nil || gs.Device() != a.p.Device() {
		return false
	}
	a.s = gs
	return true
}

func (a *onGPU) err() error       { return a.s.Err() }
func (*onGPU) stop() *atomic.Bool { return nil }
func (*onGPU) remote() bool       { return true }

func (a *onGPU) close() error {
	var errs []error
	for _, f := range a.aside {
		errs = append(errs, f.Close())
	}
	if a.sources != nil {
		errs = append(errs, a.sources.Close())
	}
	a.aside, a.sources = nil, nil
	return errors.Join(errs...)
}
