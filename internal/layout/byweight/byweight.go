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
	first, _           uint32
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
	w := &work{p: p, dev: dev, s: s, n: uint64(p.NumVertices()), edges: [2]uint64{p.Graph().NumDirectedEdges(), p.Graph().NumDirectedEdges()}}
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

	n     uint64    // rows
	first uint32    // the number of the first row among those that targets have
	edges [2]uint64 // of the rows, and of those of the reverse
	room  device.Memory
}

func (w *work) free() error {
	var errs []error
	for _, x := range w.spare {
		errs = append(errs, x.Close())
	}
	return errors.Join(errs...)
}

// Sorted are the rows of one direction, by weight. They have the offsets of the graph.
type Sorted struct {
	Targets device.Memory
	Weights *device.Buffer[float32]
}

// both returns 2 if the two directions have different rows, else 1.
func (w *work) both() int {
	if w.p.Graph().Directed() {
		return 2
	}
	return 1
}

func (w *work) run() (*Rows, error) {
	g, r := w.p.Graph(), w.p.Remote()
	all, light, err := w.begin()
	if err != nil {
		return nil, err
	}
	sums, err := w.sums()
	if err != nil {
		return nil, err
	}
	if sums[0] != sums[1] {
		return nil, ErrTurned
	}
	both := w.both()
	parts := placed.Parts{Offsets: at(r.Offsets), Targets: all[0].Targets}
	if both == 2 {
		parts.InOffsets, parts.InTargets = at(r.InOffsets), all[1].Targets
	}
	w.spare = w.spare[:1]
	x := &Rows{Light: light}
	if x.Placed, err = g.On(&placed.Loaded{Device: w.dev, Parts: parts}); err != nil {
		return nil, errors.Join(err, light.Close(), all[0].Weights.Close(), all[1].Weights.Close())
	}
	for i := range both {
		placed.Put(x.Placed.State(), placed.Weights+placed.Array[float32](i), all[i].Weights)
		placed.Put(x.Placed.State(), placed.Ascending(i), true)
	}
	if both == 1 {
		placed.Put(x.Placed.State(), placed.Ascending(1), true)
	}
	return x, nil
}

// begin enqueues the sorting of all rows. spare has all memory that it returns, behind the room, which is freed in any case.
func (w *work) begin() (all [2]Sorted, light *device.Buffer[float32], err error) {
	p, r := w.p, w.p.Remote()
	width := uintptr(4)
	if r.Wide {
		width = 8
	}
	offset := width * uintptr(w.first)
	// Two lists of vertices, four counters, two sums of each direction.
	if w.room, err = w.dev.Alloc(8*w.n + 16 + 32); err != nil {
		return all, nil, err
	}
	w.spare = append(w.spare, w.room)
	lists := uint64(w.room.Pointer()) + 48
	if light, err = device.NewBuffer[float32](w.dev, int(w.n)); err != nil {
		return all, nil, err
	}
	w.spare = append(w.spare, light)
	a := args{from: csrArgs{n: uint32(w.n)}, lists: [2]uint64{lists, lists + 4*w.n}, counts: uint64(w.room.Pointer()), first: w.first}
	if err := w.s.Fill(w.room.Pointer(), 0, 12); err != nil {
		return all, nil, err
	}
	both := w.both()
	for i := range both {
		a.from.offsets, a.from.targets, a.light, a.sums = uint64(r.Offsets+offset), uint64(r.Targets), uint64(light.Pointer()), a.counts+16
		weights, err := p.State().Weights()
		if both == 2 && i == 0 {
			a.light = 0
		}
		if i == 1 {
			a.from.offsets, a.from.targets, a.sums = uint64(r.InOffsets+offset), uint64(r.InTargets), a.counts+32
			weights, err = p.InWeights()
		}
		if err != nil {
			return all, nil, err
		}
		a.weights = uint64(weights.Pointer())
		if all[i], err = w.sort(a, w.edges[i]); err != nil {
			return all, nil, err
		}
	}
	return all, light, nil
}

// sums waits for the rows, and returns the sums of their edges: they are equal if the reverse has the same weights.
func (w *work) sums() (sums [2]uint64, err error) {
	var words [6]uint64
	if err := errors.Join(w.s.Sync(), discrete.Read(w.dev, words[:], w.room)); err != nil {
		return sums, err
	}
	return [2]uint64{words[2], words[2*w.both()+1]}, nil
}

// sort sorts the rows of one direction, which have so many edges.
func (w *work) sort(a args, m uint64) (r Sorted, err error) {
	if r.Targets, err = w.dev.Alloc(max(4*m, 16)); err != nil {
		return r, err
	}
	w.spare = append(w.spare, r.Targets)
	if r.Weights, err = device.NewBuffer[float32](w.dev, int(m)); err != nil {
		return r, err
	}
	w.spare = append(w.spare, r.Weights)
	a.targets, a.ascending = uint64(r.Targets.Pointer()), uint64(r.Weights.Pointer())
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
