// This file holds the entry of the operators to a GPU.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// Tuning, see bench/NOTES.md.
const (
	// wideSpread is the mean degree of a frontier from which on MergePath is
	// chosen.
	wideSpread = 16
	// mergeShare is the share of a block at a time (kMerge of merge.cuh).
	mergeShare = 4 * gpu.Block
)

func newRemote(p *graph.Placed, s *gpu.Stream) *remote {
	return &remote{p: p, s: s, r: p.Remote(), loaded: map[kernelKey]*gpu.Kernel{}}
}

// onGPU returns the part that launches kernels, or an error for an operator
// that only a GPU has.
func (a *Advancer) onGPU(op string) (*remote, error) {
	if a.gpu == nil {
		return nil, fmt.Errorf("advance: %s: %w: only a GPU has edge frontiers", op, device.ErrNotSupported)
	}
	return a.gpu, a.gpu.s.Err()
}

func (a *Advancer) pushGPU(in, out *frontier.Frontier, f Functor) (Edges, error) {
	if err := a.gpu.s.Err(); err != nil {
		return 0, err
	}
	if err := a.belong(in, out); err != nil {
		return 0, err
	}
	if in == out || in.Form() != frontier.Queue {
		return 0, fmt.Errorf("advance: push: want a queue and another frontier for the output")
	}
	return a.gpu.runPush(in, out, f, a.Strategy)
}

func (a *Advancer) pullGPU(in, seen, out *frontier.Frontier, sink Sink) (Edges, error) {
	if err := a.gpu.s.Err(); err != nil {
		return 0, err
	}
	if err := a.belong(in, seen, out); err != nil {
		return 0, err
	}
	if in.Form() != frontier.Bitmap || seen.Form() != frontier.Bitmap {
		return 0, fmt.Errorf("advance: pull: want bitmaps, got %s and %s", in.Form(), seen.Form())
	}
	if out == in || out == seen {
		return 0, fmt.Errorf("advance: pull: the output is one of the inputs")
	}
	if err := a.gpu.runPull(in, seen, out, sink); err != nil || !a.CountExactly {
		return 0, err
	}
	mail, err := out.Remote().Mail()
	return mail.Visited, err
}
