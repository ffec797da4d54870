// This file holds the search as one kernel on a GPU.

package bfs

import (
	"fmt"
	"math"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/cuda"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// fusedPlanes is kPlanes of fused.cuh, fusedThreads its FORAY_BLOCK.
const (
	fusedPlanes  = 15
	fusedThreads = 512
)

// csrArgs is a graph (gather.cuh).
type csrArgs struct {
	offsets, targets uint64
	n, _             uint32
}

// fusedArgs are the arguments of the kernel (fused.cuh).
type fusedArgs struct {
	out, in          csrArgs
	first, none      uint64
	planes, written  uint64
	items, prefix    [2]uint64
	grid             uint64
	depths, parents  uint64
	sources          uint64
	stop             uint64
	levels           uint64
	post             gpu.Post
	heavy            uint64
	growth, even     float32
	candidates       uint32
	words, stride    uint32
	source, count    uint32
	shift, ones      uint32
	limit, room, pad uint32
}

// fusedSpace is what the kernel works in beside the frontiers' queues.
type fusedSpace struct {
	planes, written, grid device.Memory
	stop                  *cuda.Host
	args                  fusedArgs
	kernel                *gpu.Kernel
}

// gridBytes is the size of GridState (frontier/grid.cuh).
const gridBytes = 4*8 + 4*128 + 128

func (f *fusedSpace) free() error {
	if f == nil {
		return nil
	}
	var first error
	for _, m := range []device.Memory{f.planes, f.written, f.grid} {
		if m == nil {
			continue
		}
		if err := m.Free(); first == nil {
			first = err
		}
	}
	if err := f.stop.Free(); first == nil {
		first = err
	}
	return first
}

// readyFused readies the part of a space that only this search needs.
func (g *onGPU) readyFused() error {
	s := g.space
	n := s.Placed.NumVertices()
	for _, f := range []*frontier.Frontier{s.Cur, s.Next} {
		if err := f.Grow(n); err != nil {
			return err
		}
	}
	if g.fused != nil {
		return nil
	}
	f, r := &fusedSpace{}, s.Placed.Remote()
	name := "bfs_fused_o32"
	if r.Wide {
		name = "bfs_fused_o64"
	}
	dev := g.s.Device()
	stride := (n + 1023) / 1024 * 32 // words; 128 bytes at a time
	var err error
	if f.kernel, err = g.s.KernelOf(fusedImage, name, fusedThreads); err == nil {
		if f.planes, err = dev.Alloc(uint64(stride) * 4 * fusedPlanes); err == nil {
			if f.written, err = dev.Alloc(uint64(stride) * 4); err == nil {
				if f.grid, err = dev.Alloc(gridBytes); err == nil {
					f.stop, err = s.Placed.Device().(*gpu.Device).Context().AllocHost(64)
				}
			}
		}
	}
	if err != nil {
		f.free()
		return fmt.Errorf("bfs: %w", err)
	}
	f.args = fusedArgs{
		out:    csrArgs{offsets: uint64(r.Offsets), targets: uint64(r.Targets), n: uint32(n)},
		planes: uint64(f.planes.Pointer()), written: uint64(f.written.Pointer()), grid: uint64(f.grid.Pointer()),
		stop: uint64(f.stop.Ptr()), stride: uint32(stride), shift: frontier.Shift(s.Placed), ones: math.MaxUint32,
	}
	g.fused = f
	return nil
}

// pulls lets the kernel pull.
func (f *fusedSpace) pulls(p *graph.Placed) error {
	prep, err := p.PrepareRemote()
	if err != nil || prep == nil {
		return err
	}
	r, g, a := p.Remote(), p.Graph(), &f.args
	a.in = csrArgs{offsets: uint64(r.InOffsets), targets: uint64(r.InTargets), n: uint32(p.NumVertices())}
	a.first, a.none = uint64(prep.First), uint64(prep.None)
	a.candidates, a.words = uint32(prep.Candidates), uint32(2*prep.Words)
	a.even = float32(float64(g.NumDirectedEdges()) / float64(max(prep.Candidates, 1)))
	a.heavy = uint64(float64(prep.Candidates) / max(prep.Growth, 1))
	if g.Order() == graph.OrderDegree && !g.Directed() {
		a.ones = uint32(sort.Search(p.NumVertices(), func(v int) bool { return g.Out().Degree(uint32(v)) <= 1 }))
	}
	return nil
}

// Fused runs the whole search as one kernel on a GPU and fills in the result's
// counts. With pulls it changes direction, which takes the reverse of a directed
// graph. The space must have been made with SpaceOptions.Fused.
func (s *Space) Fused(l *Loop, pulls bool) error {
	g := s.gpu
	if g == nil || g.fused == nil {
		return fmt.Errorf("bfs: %w: the search as one kernel is for GPUs, in a space made for it", device.ErrNotSupported)
	}
	f := g.fused
	a := &f.args
	a.in = csrArgs{}
	if pulls {
		if err := f.pulls(s.Placed); err != nil {
			return err
		}
	}
	cur, next := s.Cur.Remote().Queue(), s.Next.Remote().Queue()
	a.items, a.prefix = [2]uint64{cur.Items, next.Items}, [2]uint64{cur.Prefix, next.Prefix}
	a.depths, a.parents = g.start.depths, g.start.parents
	a.sources, a.source, a.count = g.start.sources, g.start.source, g.start.count
	a.limit = math.MaxInt32
	if l.o.DepthLimit > 0 {
		a.limit = uint32(l.o.DepthLimit)
	}
	var err error
	if a.post, err = g.s.Post(&g.tick); err != nil {
		return err
	}
	stop := (*uint32)(unsafe.Pointer(unsafe.SliceData(f.stop.Bytes())))
	atomic.StoreUint32(stop, 0)
	g.args.Reset()
	gpu.Struct(&g.args, a)
	if err := g.s.LaunchTogether(f.kernel, fusedThreads, &g.args); err != nil {
		return err
	}
	mail, err := g.tick.Wait()
	if err != nil {
		atomic.StoreUint32(stop, 1) // the kernel looks now and then, and ends in good order
		return err
	}
	r := l.Result
	r.Reached, r.Levels, r.Limited = int(mail.Tail), int(mail.Counts[0]), mail.Counts[1] == 1
	l.Level = int32(r.Levels)
	return nil
}

// fusable reports whether a search can be one kernel: nobody looks at its
// levels on the way.
func (o Options) fusable() bool {
	return o.Progress == nil && len(o.Targets) == 0 && !o.Stats
}
