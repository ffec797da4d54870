// This file holds the search on several GPUs as one kernel on each (across.cuh).

package sssp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/windows"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators"
)

// togetherArgs are the arguments of the kernel (PathsArgs of across_args.cuh).
type togetherArgs struct {
	engine                       gpu.PersistentArgs
	peers                        peersArgs
	out, in                      step.CsrArgs
	weights, inWeights, light    uint64
	dist, board                  [gpu.MostPeers]uint64
	inbox, from                  [2][gpu.MostPeers]uint64
	items                        [2]uint64
	found                        uint64
	marks                        [2]uint64
	window, notes, aside, edges  uint64
	base, stride, count, sources uint32
	source                       uint64
	width, most, full, cost      float32
	sweeps, only                 uint32
	whole, own                   uint32
	ints                         uint64
}

// peersArgs are the arguments of the barrier (frontier/peers.cuh).
type peersArgs struct {
	state                  [gpu.MostPeers]uint64
	stop                   uint64
	count, me, patience, _ uint32
}

// Sizes of PeerState and Board.
const (
	peerStateBytes = 1120
	boardBytes     = 832
)

// searchTogether searches over the rows by weight, or, if there are none, over those of the graph.
func searchTogether(a *attempt[float32], o Options, b *byWeight, q Query) {
	s := &togetherStep{a: a, b: b, sources: q.Sources}
	if o.ints(a.w) {
		s.ints = ints(a.t)
	}
	a.t.Do(a.all, operators.Step(s))
	a.reached, a.farthest, a.measured, a.byWeight = s.reached, s.farthest, true, b != nil
}

// togetherStep is a whole search, as a step.
type togetherStep struct {
	step.NoWork
	a        *attempt[float32]
	b        *byWeight             // or nil
	ints     *device.Buffer[int64] // distances as the result has them; or nil
	sources  []uint32
	reached  int
	farthest float64
}

func (*togetherStep) Name() string { return "windows" }

func (*togetherStep) Compile(*step.Program) error { return step.ErrNotCompiled }

// Reach implements step.Sharded.
func (s *togetherStep) Reach(*step.Env) (*step.Reach, error) {
	d := link.Array{Name: "dist", At: s.a.dist.Pointer(), Len: s.a.dist.Len(), Width: 4}
	r := &step.Reach{Far: []uintptr{d.At}, Written: []link.Array{d}, All: true}
	if s.ints != nil {
		r.Written = append(r.Written, link.Array{Name: "ints", At: s.ints.Pointer(), Len: s.ints.Len(), Width: 8})
	}
	return r, nil
}

// Together implements step.Together.
func (s *togetherStep) Together(parts []*step.Env, turn func() (func(), error)) (rounds int, err error) {
	w, err := step.Tool(parts[0], "sssp over several GPUs", func() (*together, error) { return newTogether(parts) })
	if err != nil {
		return 0, err
	}
	if err := w.ready(parts, s); err != nil {
		return 0, err
	}
	done, err := turn()
	if err != nil {
		return 0, err
	}
	defer done()
	return w.run(s)
}

// together is what searches over several GPUs work in.
type together struct {
	parts   []*togetherPart
	kernels []*gpu.Persistent // of the parts
	broken  bool              // the last search left something behind
	mails   []gpu.Mail
}

// togetherPart is what one GPU works in.
type togetherPart struct {
	dev     *gpu.Device
	s       *gpu.Stream
	kernel  *gpu.Kernel
	mem     []device.Memory
	zero    []gpu.ZeroSpan // zero between searches
	persist gpu.Persistent
	list    device.Memory // several sources
	listed  int           // for how many there is room
	a       togetherArgs
	args    gpu.Args
}

// newTogether takes the memory that searches work in.
func newTogether(parts []*step.Env) (_ *together, err error) {
	w := &together{}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	p := parts[0].Placed
	of := p.Remote().Shard.Of
	n, own, words := len(parts), uint64(of.Stride), uint64(of.Numbers())/32
	name := "sssp_across" + p.Remote().Width()
	for i, x := range parts {
		s := x.Stream.(*gpu.Stream)
		r := x.Placed.Remote()
		d := r.Shard
		y := &togetherPart{dev: s.GPU()}
		w.parts, w.kernels = append(w.parts, y), append(w.kernels, &y.persist)
		alloc := func(bytes uint64) uint64 {
			if err != nil {
				return 0
			}
			var m device.Memory
			if m, err = y.dev.Alloc(bytes); err != nil {
				return 0
			}
			y.mem = append(y.mem, m)
			return uint64(m.Pointer())
		}
		zero := func(bytes uint64) uint64 {
			at := alloc(bytes)
			if err == nil {
				y.zero = append(y.zero, gpu.ZeroSpan{Mem: y.mem[len(y.mem)-1], Words: bytes / 4})
			}
			return at
		}
		a := &y.a
		*a = togetherArgs{
			peers: peersArgs{count: uint32(n), me: uint32(i), patience: gpu.Patience},
			edges: p.Graph().NumDirectedEdges(), base: d.First, stride: of.Stride, own: d.Count, cost: pullCost, sweeps: sweeps,
		}
		a.peers.state[i], a.board[i] = zero(peerStateBytes), zero(boardBytes)
		a.marks = [2]uint64{zero(4 * words), zero(4 * words)}
		a.items = [2]uint64{alloc(4 * (own + front.Slack)), alloc(4 * (own + front.Slack))}
		a.found = alloc(4 * (uint64(of.Numbers()) + front.Slack))
		a.notes = alloc(8 * own)
		a.window = alloc(uint64(unsafe.Sizeof(windows.Header{})))
		if p.State().MaxDegree() > windows.LightRow {
			a.aside = alloc(windows.PartBytes * (2*d.Edges[0]/windows.LightPart + 1))
		}
		for j := range n {
			for k := range 2 {
				if j != i {
					a.from[k][j] = alloc(8 * own)
				}
			}
		}
		if err == nil {
			err = y.persist.Ready(y.dev, false, 0)
		}
		if err != nil {
			return w, err
		}
		a.peers.stop = uint64(y.persist.Stop.Ptr())
		if y.kernel, err = s.Kernel(image, name); err != nil {
			return w, err
		}
	}
	for i, y := range w.parts {
		for j, z := range w.parts {
			y.a.peers.state[j], y.a.board[j] = z.a.peers.state[j], z.a.board[j]
			for k := range 2 {
				y.a.inbox[k][j] = z.a.from[k][i]
			}
		}
	}
	w.broken = true // memory isn't zero yet
	return w, nil
}

// ready readies the arguments for a search.
func (w *together) ready(parts []*step.Env, s *togetherStep) error {
	of, dist := parts[0].Placed.Remote().Shard.Of, s.a.dist.Pointer()
	numbers := make([]uint32, len(s.sources))
	for i, v := range s.sources {
		numbers[i] = of.Number(v)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	bound := uint32(0) // no own vertex from there on is reached
	for i := range of.Parts {
		bound = max(bound, 32*of.Parts[i].Words)
	}
	for _, v := range numbers {
		bound = max(bound, v%of.Stride+1)
	}
	if !of.Reverse { // anything may be
		bound = of.Stride
	}
	for i, y := range w.parts {
		y.s = parts[i].Stream.(*gpu.Stream)
		if w.broken {
			for _, m := range y.zero {
				if err := y.s.Fill(m.Mem.Pointer(), 0, m.Words); err != nil {
					return err
				}
			}
		}
		a := &y.a
		if err := a.over(parts[i].Placed, i, s.b); err != nil {
			return err
		}
		for j := range w.parts {
			a.dist[j] = uint64(parts[j].Placed.Remote().Shard.At(dist))
		}
		a.count = min(bound, parts[i].Placed.Remote().Shard.Count)
		if a.ints = 0; s.ints != nil {
			a.ints = uint64(parts[i].Placed.Remote().Shard.At(s.ints.Pointer())) + 8*uint64(a.base)
		}
		a.width, a.most, a.full = s.a.width, s.a.most(), float32(2*s.a.w.mean)
		a.sources, a.only, a.source = uint32(len(numbers)), numbers[0], 0
		if len(numbers) > 1 {
			if y.listed < len(numbers) {
				if y.list != nil {
					if err := y.list.Close(); err != nil {
						return err
					}
				}
				y.list, y.listed = nil, 0
				m, err := y.dev.Alloc(4 * uint64(len(numbers)))
				if err != nil {
					return err
				}
				y.list, y.listed = m, len(numbers)
			}
			if err := discrete.Write(y.dev, y.list, numbers); err != nil {
				return err
			}
			a.source = uint64(y.list.Pointer())
		}
		y.persist.Begin(y.s, &a.engine)
	}
	if w.broken { // before a kernel writes to another GPU
		for _, y := range w.parts {
			if err := y.s.Sync(); err != nil {
				return err
			}
		}
		w.broken = false
	}
	return nil
}

// over gives the arguments the rows of a part of the graph.
func (a *togetherArgs) over(p *graph.Placed, i int, b *byWeight) error {
	r := p.Remote()
	a.out, a.in = step.CsrArgs{Offsets: uint64(r.Offsets), Targets: uint64(r.Targets), N: r.Shard.Count}, step.CsrArgs{}
	a.inWeights, a.light, a.whole = 0, 0, 1
	if b == nil {
		weights, err := p.State().Weights()
		if err == nil {
			a.weights = uint64(weights.Pointer())
		}
		return err
	}
	x := &b.shards[i]
	a.out.Targets, a.weights = uint64(x.Out.Targets.Pointer()), uint64(x.Out.Weights.Pointer())
	a.in = step.CsrArgs{Offsets: uint64(r.InOffsets), Targets: uint64(x.In.Targets.Pointer()), N: r.Shard.Count}
	a.inWeights, a.light, a.whole = uint64(x.In.Weights.Pointer()), uint64(x.Light.Pointer()), 0
	return nil
}

// run launches the kernels and waits for them.
func (w *together) run(s *togetherStep) (rounds int, err error) {
	for _, y := range w.parts { // before one GPU waits for another
		if err := y.s.Err(); err != nil {
			return 0, err
		}
	}
	w.broken = true // until all have ended well
	var late bool
	w.mails, late, err = gpu.RunTogether(w.kernels, w.launch, w.mails[:0])
	if err == nil && late {
		err = fmt.Errorf("%w: the kernels of a search on several GPUs didn't all run at once", device.ErrNotSupported)
	}
	if err != nil {
		for _, y := range w.parts {
			err = errors.Join(err, y.s.Wait())
		}
		return 0, err
	}
	w.broken = false
	s.reached, s.farthest = 0, 0
	for _, m := range w.mails {
		s.reached += int(m.Tail)
		s.farthest = max(s.farthest, float64(math.Float32frombits(uint32(m.Counts[2]))))
	}
	return int(w.mails[0].Counts[0]), nil
}

// launch enqueues the kernel of a GPU.
func (w *together) launch(i int) error {
	y := w.parts[i]
	y.args.Reset()
	gpu.Struct(&y.args, &y.a)
	return y.s.LaunchTogether(y.kernel, &y.args)
}

// Close frees the memory.
func (w *together) Close() (err error) {
	for _, y := range w.parts {
		for _, m := range append(y.mem, y.list) {
			if m != nil {
				err = errors.Join(err, m.Close())
			}
		}
		err = errors.Join(err, y.persist.Close())
	}
	w.parts, w.kernels = nil, nil
	return err
}
