// This file holds the making of rows by degree on a GPU, of a graph whose vertices are in another
// order.

package intersect

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
)

// rankArgs are the arguments of the kernels (ranked.cuh).
type rankArgs struct {
	t                                 triangleArgs
	degrees, rank, order, loose, rows uint64
}

// rank makes rows by degree, whose bounds and tasks take the place of the others.
func (o *orientedGPU) rank(p *graph.Placed, s *gpu.Stream) (err error) {
	d, n := p.Device(), p.NumVertices()
	var degrees, rank, loose *device.Buffer[uint32]
	// Kernels may still be at work where something fails.
	defer func() { err = errors.Join(err, s.Wait(), degrees.Close(), rank.Close(), loose.Close()) }()
	for _, b := range []struct {
		to *(*device.Buffer[uint32])
		n  int
	}{{&degrees, degreeClasses}, {&rank, n}, {&o.order, n}, {&loose, int(o.edges)}, {&o.rows, int(o.edges)}} {
		if *b.to, err = device.NewBuffer[uint32](d, b.n); err != nil {
			return err
		}
	}
	a := rankArgs{
		t: o.args, degrees: uint64(degrees.Pointer()), rank: uint64(rank.Pointer()), order: uint64(o.order.Pointer()),
		loose: uint64(loose.Pointer()), rows: uint64(o.rows.Pointer()),
	}
	var args gpu.Args
	launch := func(name string, blocks uint64) error {
		k, err := s.KernelOf(trianglesImage, name+o.width, triangleBlock)
		if err != nil {
			return err
		}
		args.Reset()
		gpu.Struct(&args, &a)
		return s.Launch(k, int(min(blocks, 1<<30)), &args)
	}
	groups := uint64(n)/triangleBlock + 1
	var t gpu.Ticket
	if a.t.post, err = s.Post(&t); err != nil {
		return err
	}
	if err := errors.Join(launch("count_degrees", groups), launch("first_ranks", 1), launch("assign_ranks", groups), launch("size_rows", groups)); err != nil {
		return err
	}
	mail, err := t.Wait()
	if err != nil {
		return err
	}
	a.t.count = mail.Counts[6]
	if err := errors.Join(launch("fill_rows", groups), launch("sort_short", groups), launch("sort_parts", a.t.count), launch("merge_parts", a.t.count)); err != nil {
		return err
	}
	o.args.count, o.args.order, o.args.g.Targets = a.t.count, a.order, a.rows
	return s.Sync()
}
