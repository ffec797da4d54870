// Package shortrows stores the short rows of a placed graph by vertex, on a GPU, for pushes of
// small frontiers (operators/advance/inbox.cuh). They take 16 bytes a vertex, are built when a
// kernel first needs them, and are shared by all traversals of the graph.
package shortrows

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// perVertex is the size of one (uint4).
const perVertex = 16

// Key is what a placed graph keeps them under (placed.LoadOrMake).
type Key struct{ placed.Of[*heads] }

type heads struct{ mem device.Memory }

// Close gives them back.
func (h *heads) Close() error { return h.mem.Close() }

// Bytes is the memory of the rows of n vertices.
func Bytes(n int) uint64 { return perVertex * uint64(max(n, 1)) }

// Of returns where they are. The stream has made them when it returns.
func Of(p *graph.Placed, s *gpu.Stream) (uint64, error) {
	h, err := placed.LoadOrMake(p.State(), Key{}, func() (*heads, error) {
		k, err := s.Kernel(image, "heads"+p.Remote().Width())
		if err != nil {
			return nil, err
		}
		mem, err := p.Device().Alloc(Bytes(p.NumVertices()))
		if err != nil {
			return nil, err
		}
		out, to := step.Out(p), uint64(mem.Pointer())
		var args gpu.Args
		args.Reset()
		gpu.Struct(&args, &out)
		gpu.Struct(&args, &to)
		if err := errors.Join(s.Launch(k, p.NumVertices()/gpu.Block+1, &args), s.Sync()); err != nil {
			return nil, errors.Join(err, mem.Close())
		}
		return &heads{mem}, nil
	})
	if err != nil {
		return 0, err
	}
	return uint64(h.mem.Pointer()), nil
}
