// This file holds the entry of the operators to a GPU.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
)

func newRemote(p *graph.Placed, s *gpu.Stream) *remote {
	return &remote{p: p, s: s, r: p.Remote(), loaded: map[kernelKey]*gpu.Kernel{}}
}

// onGPU returns the part that launches kernels, or an error for an operator
// that only a GPU has; instead says what the host has.
func (a *Advancer) onGPU(op, instead string) (*remote, error) {
	if a == nil || a.gpu == nil {
		return nil, fmt.Errorf("advance: %s: %w: %s", op, device.ErrNotSupported, instead)
	}
	return a.gpu, a.gpu.s.Err()
}

func (a *Advancer) pushGPU(in, out *frontier.Frontier, f Functor) (Edges, error) {
	if err := a.push.check(in, out, f); err != nil {
		return 0, err
	}
	a.gpu.at = a.Level
	return a.gpu.runPush(in, out, f, a.Strategy)
}

func (a *Advancer) pullGPU(in, seen, out *frontier.Frontier, sink Sink) (Edges, error) {
	if err := a.pull.check(in, seen, out, sink); err != nil {
		return 0, err
	}
	if err := a.gpu.runPull(in, seen, out, sink); err != nil || !a.CountExactly {
		return 0, err
	}
	mail, err := out.Remote().Mail()
	return mail.Visited, err
}
