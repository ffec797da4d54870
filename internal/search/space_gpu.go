// This file holds the part of a Space that is on a GPU.

package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/front"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// onGPU is the part of a Space that is on a GPU.
type onGPU struct {
	space *Space
	s     *gpu.Stream
	args  gpu.Args
	start startArgs
	reach reachArgs
	list  *device.Buffer[uint32] // several sources
	tick  gpu.Ticket
	began device.Event // of SpaceOptions.DeviceTime; else nil
	byID  bool         // of SpaceOptions

	coded    bool // depths are in fused.codes
	gathered bool // into the order of ids, which is enqueued

	expanded, contracted *frontier.Edges // edge frontiers of the couplings

	fused    *fusedSpace // of searches as one kernel; else nil
	inFlight *flight     // the search that is launched and not waited for; or nil
}

// startArgs are the arguments of fill and start (search.cuh).
type startArgs struct {
	sources               uint64
	out                   front.RemoteQueue
	post                  gpu.Post
	seen, depths, parents uint64
	source, count, n, _   uint32
}

// reachArgs are those of reached.
type reachArgs struct {
	depths, parents uint64
	post            gpu.Post
	n, _            uint32
}

// takeSpaceGPU is takeSpace on a GPU.
func takeSpaceGPU(ctx context.Context, p *graph.Placed, o SpaceOptions) (*Space, error) {
	dev, ok := p.Device().(*gpu.Device)
	if !ok {
		return nil, fmt.Errorf("bfs: %w: no search on %s", device.ErrNotSupported, p.Device().Info().Name)
	}
	s, ok := p.TakeScratch(spaceKey).(*Space)
	if !ok {
		s = newSpace(p)
		err := s.admit(o)
		var stream *gpu.Stream
		if err == nil {
			stream, err = dev.Stream(ctx)
		}
		if err != nil {
			s.stowArrays()
			return nil, fmt.Errorf("bfs: %w", err)
		}
		s.Stream, s.gpu = stream, &onGPU{space: s, s: stream}
	} else {
		s.gpu.s.Rebind(ctx)
	}
	return s, nil
}

func (g *onGPU) ready(sources []uint32, o SpaceOptions) (err error) {
	s := g.space
	if s.Advance == nil {
		if s.Advance, err = advance.New(g.s, s.Placed); err != nil {
			return err
		}
	}
	if s.Filter == nil {
		if s.Filter, err = filter.New(g.s, s.Placed); err != nil {
			return err
		}
	}
	s.Advance.Strategy = advance.AutoBalance // until Tune
	s.Visitor = Visitor{culls: filter.Exactly}
	g.byID, g.coded, g.gathered = o.ByID, false, false
	g.start = startArgs{n: uint32(s.Placed.NumVertices())}
	if o.Depths {
		if s.depths, err = buffer(s.Placed, depthsKey, s.depths); err != nil {
			return err
		}
		g.start.depths = uint64(s.depths.Pointer())
	}
	if o.Parents {
		if s.parents, err = buffer(s.Placed, parentsKey, s.parents); err != nil {
			return err
		}
		g.start.parents = uint64(s.parents.Pointer())
	}
	for _, err := range []error{s.Cur.Reset(frontier.Queue), s.Next.Reset(frontier.Queue), s.Seen.Reset(frontier.Bitmap)} {
		if err != nil {
			return err
		}
	}
	g.start.seen = s.Seen.Remote().Words()
	s.Visitor.remote.seen, s.Visitor.remote.depths, s.Visitor.remote.parents = g.start.seen, g.start.depths, g.start.parents
	if len(sources) > 1 {
		sources = slices.Clone(sources)
		slices.Sort(sources)
		sources = slices.Compact(sources)
	}
	g.start.source, g.start.count = sources[0], uint32(len(sources))
	if len(sources) > 1 {
		if g.list.Len() < len(sources) {
			if err := g.list.Free(); err != nil {
				return err
			}
			if g.list, err = device.NewBuffer[uint32](g.s.Device(), len(sources)); err != nil {
				return err
			}
		}
		if err := g.list.Write(g.s.Device(), 0, sources); err != nil {
			return err
		}
		g.start.sources = uint64(g.list.Pointer())
	}
	if o.Fused {
		if err := g.readyFused(); err != nil {
			return err
		}
		return g.begins(o)
	}
	if err := s.Cur.Grow(len(sources)); err != nil {
		return err
	}
	out := s.Cur.Remote()
	g.start.out = out.Queue()
	if g.start.post, err = g.s.Post(out.Ticket()); err != nil {
		return err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &g.start)
	if err := g.begins(o); err != nil {
		return err
	}
	k, err := g.kernel("bfs_fill")
	if err != nil {
		return err
	}
	if err := g.s.Launch(k, g.fillBlocks(), &g.args); err != nil {
		return err
	}
	if k, err = g.kernel("bfs_start"); err != nil {
		return err
	}
	if err := g.s.Launch(k, 1, &g.args); err != nil {
		return err
	}
	edges := uint64(0)
	for _, v := range sources {
		edges += s.Placed.Graph().Out().Degree(v)
	}
	out.Set(len(sources), edges) // the host knows, so nobody needs to wait
	s.Seen.Remote().Set(len(sources), edges)
	return nil
}

// begins records when the search begins; one that begins again had begun before.
func (g *onGPU) begins(o SpaceOptions) (err error) {
	if o.DeviceTime && g.began == nil {
		g.began, err = g.s.Record()
	}
	return err
}

// fillBlocks is how many blocks give each of fill's steps a thread.
func (g *onGPU) fillBlocks() int { return (int(g.start.n) + 4*gpu.Block - 1) / (4 * gpu.Block) }

func (g *onGPU) kernel(op string) (*gpu.Kernel, error) { return g.kernelOf(image, op) }

func (g *onGPU) kernelOf(image []byte, op string) (*gpu.Kernel, error) {
	if g.space.Placed.Remote().Wide {
		return g.s.Kernel(image, op+"_o64")
	}
	return g.s.Kernel(image, op+"_o32")
}

// visited reports whether a vertex was visited.
func (g *onGPU) visited(v uint32) bool {
	s := g.space
	if g.s.Sync() != nil {
		return false
	}
	if s.depths != nil {
		var d [1]int32
		return s.depths.Read(g.s.Device(), int(v), d[:]) == nil && d[0] >= 0
	}
	if s.parents != nil {
		var p [1]uint32
		return s.parents.Read(g.s.Device(), int(v), p[:]) == nil && p[0] != graph.NoVertex
	}
	words, err := g.word(v)
	return err == nil && words>>(v&63)&1 != 0
}

func (g *onGPU) word(v uint32) (uint64, error) {
	var w [1]uint64
	err := g.space.Seen.Remote().ReadWords(int(v>>6), w[:])
	return w[0], err
}

// finish waits for the search to end.
func (g *onGPU) finish(r *Result) (err error) {
	s := g.space
	defer func() {
		if err != nil { // nobody gets the result
			err = errors.Join(err, g.s.Wait()) // for what still writes to the arrays
			g.ungather(r)
		}
	}()
	if !s.Visitor.Unique() {
		n, err := g.reached()
		if err != nil {
			return err
		}
		r.Reached = n
	}
	if g.byID && !g.gathered {
		if err := g.gather(r); err != nil {
			return err
		}
	}
	if g.began == nil {
		return g.s.Sync()
	}
	ended, err := g.s.Record()
	if err != nil {
		return err
	}
	took, err := ended.Since(g.began)
	r.DeviceTime = time.Duration(took * 1e9)
	return errors.Join(err, g.s.Sync(), ended.Close())
}

// reached counts what was reached, for a search in which a vertex may have
// been in a frontier twice.
func (g *onGPU) reached() (int, error) {
	k, err := g.s.Kernel(extraImage, "bfs_reached")
	if err != nil {
		return 0, err
	}
	g.reach = reachArgs{depths: g.start.depths, parents: g.start.parents, n: g.start.n}
	if g.reach.post, err = g.s.Post(&g.tick); err != nil {
		return 0, err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &g.reach)
	if err := g.s.Launch(k, (int(g.start.n)+gpu.Block-1)/gpu.Block, &g.args); err != nil {
		return 0, err
	}
	mail, err := g.tick.Wait()
	return int(mail.Visited), err
}

// release readies the space for the next search.
func (g *onGPU) release() {
	g.s.Unbind()
	if g.began != nil {
		g.began.Close() // fails only where the device does, which others report
		g.began = nil
	}
}

// free gives back what isn't the operators'.
func (g *onGPU) free() error {
	if g == nil {
		return nil
	}
	return errors.Join(g.list.Free(), g.expanded.Free(), g.contracted.Free(), g.s.Close(), g.fused.free())
}
