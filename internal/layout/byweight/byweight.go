// Package byweight sorts the rows of a placed graph by weight, on a GPU. Pushes and reductions
// that stop at the first edge that is too heavy use these rows.
package byweight

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
)

// most is as many blocks as run at once, on any GPU.
const most = 1 << 20

// ErrTurned: an edge and its reverse have different weights.
var ErrTurned = errors.New("weights differ from those of the reverse")

// Rows are the rows of a graph, sorted by weight.
type Rows struct {
	// Placed has the sorted rows on the GPU. Its Graph is the original graph, whose rows on the host keep
	// their order: the edges of a row have other numbers there.
	Placed *graph.Placed
	// Light is the weight of the lightest edge into each vertex, +Inf if there is no edge.
	Light *device.Buffer[float32]
}

// Close frees them, before the graph that they were made for.
func (r *Rows) Close() error { return errors.Join(r.Placed.Close(), r.Light.Close()) }

// Bytes returns the GPU memory that the rows keep, and the memory that building them needs in addition.
func Bytes(g *graph.Graph) (kept, beside uint64) {
	n, m := uint64(g.NumVertices()), g.NumDirectedEdges()
	kept = 8*m + 4*n
	if g.Directed() {
		kept += 8 * m
	}
	return kept, 8*n + 64
}

// args are the arguments of the kernels (AscendArgs of rows.cuh).
type args struct {
	from               csrArgs
	weights            uint64
	targets, ascending uint64
	light              uint64
	lists              [2]uint64
	counts, sums       uint64
}

type csrArgs struct {
	offsets, targets uint64
	n, _             uint32
}

// at is memory of another owner.
type at uintptr

func (at) Host() []byte       { return nil }
func (p at) Pointer() uintptr { return uintptr(p) }
func (at) Close() error       { return nil }

// Of sorts copies of the rows of a graph with its reverse, on its GPU. The error is ErrTurned
// if an edge has different weights in the two directions, or the device's or the context's.
func Of(ctx context.Context, p *graph.Placed) (*Rows, error) {
	dev, ok := p.Device().(*gpu.Device)
	if !ok {
		return nil, fmt.Errorf("rows by weight: %w: the graph isn't on a GPU", device.ErrNotSupported)
	}
	s, err := dev.Stream(ctx)
	if err != nil {
		return nil, err
	}
	w := &work{p: p, dev: dev, s: s}
	r, err := w.run()
	err = errors.Join(err, w.free(), s.Close())
	if err != nil {
		if r != nil {
			err = errors.Join(err, r.Close())
		}
		return nil, err
	}
	return r, nil
}

// work is one run. Buffers in spare are freed at the end of the run.
type work struct {
	p     *graph.Placed
	dev   *gpu.Device
	s     *gpu.Stream
	args  gpu.Args
	spare []interface{ Close() error }
}

func (w *work) free() error {
	var errs []error
	for _, x := range w.spare {
		errs = append(errs, x.Close())
	}
	return errors.Join(errs...)
}

// rows is one direction, by weight.
type rows struct {
	targets device.Memory
	weights *device.Buffer[float32]
}

func (w *work) run() (*Rows, error) {
	p, g, r := w.p, w.p.Graph(), w.p.Remote()
	n := uint64(g.NumVertices())
	// Two lists of vertices, four counters, two sums of each direction.
	room, err := w.dev.Alloc(8*n + 16 + 32)
	if err != nil {
		return nil, err
	}
	w.spare = append(w.spare, room)
	lists := uint64(room.Pointer()) + 48
	light, err := device.NewBuffer[float32](w.dev, int(n))
	if err != nil {
		return nil, err
	}
	w.spare = append(w.spare, light)
	a := args{from: csrArgs{n: uint32(n)}, lists: [2]uint64{lists, lists + 4*n}, counts: uint64(room.Pointer())}
	var all [2]rows
	both := 1
	if g.Directed() {
		both = 2
	}
	if err := w.s.Fill(room.Pointer(), 0, 12); err != nil {
		return nil, err
	}
	for i := range both {
		a.from.offsets, a.from.targets, a.light, a.sums = uint64(r.Offsets), uint64(r.Targets), uint64(light.Pointer()), a.counts+16
		weights, err := p.State().Weights()
		if both == 2 && i == 0 {
			a.light = 0
		}
		if i == 1 {
			a.from.offsets, a.from.targets, a.sums = uint64(r.InOffsets), uint64(r.InTargets), a.counts+32
			weights, err = p.InWeights()
		}
		if err != nil {
			return nil, err
		}
		a.weights = uint64(weights.Pointer())
		if all[i], err = w.sort(a); err != nil {
			return nil, err
		}
	}
	var sums [6]uint64
	if err := errors.Join(w.s.Sync(), discrete.Read(w.dev, sums[:], room)); err != nil {
		return nil, err
	}
	if back := 2 * both; sums[2] != sums[back+1] {
		return nil, ErrTurned
	}
	parts := placed.Parts{Offsets: at(r.Offsets), Targets: all[0].targets}
	if both == 2 {
		parts.InOffsets, parts.InTargets = at(r.InOffsets), all[1].targets
	}
	w.spare = w.spare[:1]
	x := &Rows{Light: light}
	if x.Placed, err = g.On(&placed.Loaded{Device: w.dev, Parts: parts}); err != nil {
		return nil, errors.Join(err, light.Close(), all[0].weights.Close(), all[1].weights.Close())
	}
	for i := range both {
		placed.Put(x.Placed.State(), placed.Weights+placed.Array[float32](i), all[i].weights)
		placed.Put(x.Placed.State(), placed.Ascending(i), true)
	}
	if both == 1 {
		placed.Put(x.Placed.State(), placed.Ascending(1), true)
	}
	return x, nil
}

// sort sorts the rows of one direction.
func (w *work) sort(a args) (r rows, err error) {
	m := w.p.Graph().NumDirectedEdges()
	if r.targets, err = w.dev.Alloc(max(4*m, 16)); err != nil {
		return r, err
	}
	w.spare = append(w.spare, r.targets)
	if r.weights, err = device.NewBuffer[float32](w.dev, int(m)); err != nil {
		return r, err
	}
	w.spare = append(w.spare, r.weights)
	a.targets, a.ascending = uint64(r.targets.Pointer()), uint64(r.weights.Pointer())
	if err := w.s.Fill(uintptr(a.counts), 0, 4); err != nil {
		return r, err
	}
	for _, k := range []struct {
		name   string
		blocks int
	}{{"ascend_short", int((a.from.n + gpu.Block - 1) / gpu.Block)}, {"ascend_middle", most}, {"ascend_long", most}} {
		kernel, err := w.s.Kernel(image, k.name+w.p.Remote().Width())
		if err != nil {
			return r, err
		}
		w.args.Reset()
		gpu.Struct(&w.args, &a)
		if err := w.s.Launch(kernel, k.blocks, &w.args); err != nil {
			return r, err
		}
	}
	return r, nil
}
