// Package flex searches on one GPU as FlexBFS does, in five steps, each with one idea more than the step before: Liu,
// An, Liang, Yang and Ren, "FlexBFS: a parallelism-aware implementation of breadth-first search on GPU" (PPoPP
// 2012). It is there to be measured; package bfs is faster.
package flex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// Step is a step of the ablation. Each has the ideas of those before it.
type Step int

// The steps. All use a thread for each vertex of the frontier.
const (
	Fixed    Step = iota // a launch a level, always with as many blocks as run at once; a queue in global memory
	Feedback             // with as many blocks as the frontier needs
	Combined             // one launch for all levels whose frontiers are small, with a barrier between blocks
	TwoLevel             // a queue of each block in shared memory, flushed to the global one
	Apart                // hubs in a separate queue, whose rows all threads share at the end of a level
)

// Steps returns all steps.
func Steps() []Step { return []Step{Fixed, Feedback, Combined, TwoLevel, Apart} }

func (s Step) String() string {
	return [...]string{"fixed grid", "grid by frontier", "+ combined kernel", "+ two-level queue", "+ hubs apart"}[s]
}

// hubDegree: a vertex of more edges is a hub. A block has as many threads.
const hubDegree = gpu.Block

// args are the arguments of the kernels (FlexArgs of flex.cuh).
type args struct {
	engine                              gpu.PersistentArgs
	out                                 step.CsrArgs
	depths                              uint64
	items                               [2]uint64
	count, hubs, turn, depth, hub, most uint32
}

// queues are the names of the kernels by their queues.
var queues = []string{"global", "two", "apart"}

// Space searches one placed graph, one search at a time.
type Space struct {
	p       *graph.Placed
	s       *gpu.Stream
	depths  *device.Buffer[int32]
	items   [2]*device.Buffer[uint32]
	persist gpu.Persistent
	level   []*gpu.Kernel // by queue
	stay    []*gpu.Kernel
	args    args
	params  gpu.Args
	tick    gpu.Ticket
}

// Figures are what a search took.
type Figures struct {
	Levels   int
	Launches int
	Time     time.Duration // by the GPU's clock, from before the depths are initialized until all are written
}

// New allocates the memory of searches, which ctx ends. It returns device.ErrNotSupported unless the graph is on one
// GPU.
func New(ctx context.Context, p *graph.Placed) (_ *Space, err error) {
	stream, err := p.Device().NewStream(ctx)
	if err != nil {
		return nil, fmt.Errorf("flex: %w", err)
	}
	s, err := gpu.StreamOf(stream)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("flex: %w", err), stream.Close())
	}
	x := &Space{p: p, s: s}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("flex: %w", err), x.Close())
		}
	}()
	n := p.NumVertices()
	if x.depths, err = device.NewBuffer[int32](s.Device(), n); err != nil {
		return nil, err
	}
	for i := range x.items {
		if x.items[i], err = device.NewBuffer[uint32](s.Device(), n); err != nil {
			return nil, err
		}
	}
	if err := x.persist.Ready(s.GPU(), true, 0); err != nil {
		return nil, err
	}
	for _, q := range queues {
		for kind, list := range map[string]*[]*gpu.Kernel{"flex_level_": &x.level, "flex_stay_": &x.stay} {
			k, err := s.Kernel(image, kind+q+p.Remote().Width())
			if err != nil {
				return nil, err
			}
			*list = append(*list, k)
		}
	}
	x.args = args{
		out: step.Out(p), depths: uint64(x.depths.Pointer()), items: [2]uint64{uint64(x.items[0].Pointer()), uint64(x.items[1].Pointer())},
		hub: hubDegree, most: uint32(s.Device().Info().Units * gpu.Block), // a thread for each vertex
	}
	return x, nil
}

// Tune changes how many vertices a frontier of the combined kernel has at most, which is the number of that kernel's
// threads otherwise, and how many edges a vertex has at most that is no hub, which is hubDegree. It is for tests.
func (x *Space) Tune(most, hub uint32) { x.args.most, x.args.hub = most, hub }

// errLate: the blocks of the combined kernel didn't all run at once.
var errLate = fmt.Errorf("flex: %w: the blocks of the combined kernel didn't all run at once", device.ErrNotSupported)

// Search searches from a source. After an error the next search begins afresh. Errors are the context's, the device's,
// and device.ErrNotSupported where the blocks of the combined kernel don't all run at once.
func (x *Space) Search(how Step, source uint32) (f Figures, err error) {
	if int(source) >= x.p.NumVertices() {
		return f, fmt.Errorf("flex: %w: source %d of %d vertices", graph.ErrOptions, source, x.p.NumVertices())
	}
	x.persist.Begin(x.s, &x.args.engine)
	defer func() {
		if err != nil { // kernels may be under way: they end, and leave the barrier as they found it
			err = errors.Join(err, x.persist.Abandon(), x.s.Wait())
		}
	}()
	began, err := x.s.Record()
	if err != nil {
		return f, err
	}
	defer began.Close()
	if err := x.begin(how, source); err != nil {
		return f, err
	}
	if err := x.levels(how, &f); err != nil {
		return f, err
	}
	ended, err := x.s.Record()
	if err != nil {
		return f, err
	}
	defer ended.Close()
	took, err := ended.Since(began)
	f.Time = time.Duration(took * 1e9)
	return f, err
}

// begin enqueues what labels the source and puts it into the first queue.
func (x *Space) begin(how Step, source uint32) error {
	a := &x.args
	a.count, a.hubs, a.turn, a.depth = 1, 0, 0, 0
	at := a.items[0]
	if how == Apart && x.p.Graph().Degree(source) > uint64(a.hub) {
		a.count, a.hubs = 0, 1
		at += 4 * uint64(x.p.NumVertices()-1)
	}
	return errors.Join(
		x.s.Fill(uintptr(a.depths), math.MaxUint32, uint64(x.p.NumVertices())),
		x.s.Fill(uintptr(a.depths+4*uint64(source)), 0, 1),
		x.s.Fill(uintptr(at), source, 1),
	)
}

// levels launches kernels until the frontier is empty.
func (x *Space) levels(how Step, f *Figures) error {
	a := &x.args
	queue := max(0, int(how-Combined))
	for a.count > 0 || a.hubs > 0 {
		stays := how >= Combined && a.count <= a.most && a.hubs <= a.most/gpu.Block
		err := x.persist.Launch(&x.tick, func() error {
			x.params.Reset()
			gpu.Struct(&x.params, a)
			if stays {
				return x.s.LaunchStaying(x.stay[queue], 1, &x.params)
			}
			k := x.level[queue]
			return x.s.Launch(k, x.blocks(how, k), &x.params)
		})
		if err != nil {
			return err
		}
		mail, err := x.tick.Wait()
		if err != nil {
			return err
		}
		f.Launches++
		a.turn, a.depth = a.turn^1, a.depth+1
		if stays {
			if mail.Counts[1] == gpu.EndedLate {
				return errLate
			}
			a.depth, a.turn = uint32(mail.Counts[0]), uint32(mail.Counts[2])
		}
		a.count, a.hubs = uint32(mail.Tail), uint32(mail.Visited)
	}
	f.Levels = int(a.depth)
	return nil
}

// blocks returns how many blocks a launch for one level has.
func (x *Space) blocks(how Step, k *gpu.Kernel) int {
	if how == Fixed || x.args.hubs > 0 { // all threads serve hubs
		return k.Resident()
	}
	return (int(x.args.count) + gpu.Block - 1) / gpu.Block
}

// Depths returns the depths that the last search found, -1 where it found none.
func (x *Space) Depths() ([]int32, error) {
	if err := x.s.Sync(); err != nil {
		return nil, err
	}
	depths := make([]int32, x.p.NumVertices())
	return depths, x.depths.Read(x.s.Device(), 0, depths)
}

// Close waits, and frees the memory.
func (x *Space) Close() error {
	return errors.Join(x.s.Close(), x.depths.Close(), x.items[0].Close(), x.items[1].Close(), x.persist.Close())
}
