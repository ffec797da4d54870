// This file holds PushLevel on a GPU: the level array is read in order, or the edges
// are, in coordinate format.

package advance

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/gpu"
)

// runLevel enqueues a push of the vertices of a level. Nothing is counted.
func (a *onGPU) runLevel(levels *device.Buffer[int32], level int32, out *frontier.Frontier, f Functor) (uint64, int, error) {
	return 0, 0, a.pushLevel(levels, level, out, f)
}

func (a *onGPU) pushLevel(levels *device.Buffer[int32], level int32, out *frontier.Frontier, f Functor) error {
	kf, err := a.functor(f)
	if err != nil {
		return err
	}
	if err := out.Reset(frontier.Queue); err != nil {
		return err
	}
	unique := isUnique(f)
	if !unique {
		if err := out.Grow(int(a.p.Graph().NumDirectedEdges())); err != nil {
			return err
		}
	}
	n := a.p.NumVertices()
	if n == 0 {
		return nil
	}
	a.level = levelArgs{g: a.out(), levels: uint64(levels.Pointer()), out: queueOf(out, unique), level: level}
	op, items := "levels_twc", uint64(n)
	switch a.Strategy {
	case AutoBalance, TWC:
	case ThreadMapped:
		op = "levels_thread"
	case edgeParallel:
		op, items = "edges", a.p.Graph().NumDirectedEdges()
		if a.level.sources, err = a.coo(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("advance: push by level: %w: strategy %s (auto, thread, twc or edges)", device.ErrNotSupported, a.Strategy)
	}
	k, err := a.kernelOf(kf, op)
	if err != nil {
		return err
	}
	kf.Params(&a.params)
	if a.level.post, err = a.s.Post(out.Remote().Ticket()); err != nil {
		return err
	}
	a.args.Reset()
	gpu.Struct(&a.args, &a.level)
	gpu.Struct(&a.args, &a.params)
	if err := a.s.Launch(k, blocksFor(items), &a.args); err != nil {
		return err
	}
	expect(out, unique)
	return nil
}

// coo returns the source of every edge, listed on the first call.
func (a *onGPU) coo() (uint64, error) {
	if a.sources == nil {
		mem, err := a.p.Device().Alloc(4 * max(a.p.Graph().NumDirectedEdges(), 1))
		if err != nil {
			return 0, err
		}
		k, err := a.extra("sources")
		if err != nil {
			return 0, errors.Join(err, mem.Close())
		}
		g, to := a.out(), uint64(mem.Pointer())
		a.args.Reset()
		gpu.Struct(&a.args, &g)
		gpu.Struct(&a.args, &to)
		if err := a.s.Launch(k, blocksFor(uint64(a.p.NumVertices())), &a.args); err != nil {
			return 0, errors.Join(err, mem.Close())
		}
		a.sources = mem
	}
	return uint64(a.sources.Pointer()), nil
}
