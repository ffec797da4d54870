// This file holds the part of a Space that is on a GPU.

package bfs

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// GPU is a search on a GPU.
type gpuSearch struct {
	*workspace

	lease *run.GPU
	s     *gpu.Stream // the lease's, once a search has begun
	args  gpu.Args
	start startArgs
	reach reachArgs
	list  *device.Buffer[uint32] // several sources
	tick  gpu.Ticket
	began device.Event // of workspaceOptions.DeviceTime; else nil

	oneKernel bool   // the search is to be one (coupling fused)
	admitted  uint64 // bytes of workspace that are there; see admit
	coded     bool   // depths are in fused.codes
	gathered  bool   // into the order of ids, which is enqueued

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

// reachArgs are the arguments of the kernel of reached.
type reachArgs struct {
	depths, parents uint64
	post            gpu.Post
	n, _            uint32
}

// begin implements backend.begin if the search fits into memory.
func (g *gpuSearch) begin(sources []uint32, o workspaceOptions) error {
	g.oneKernel, g.s = o.Fused, g.lease.Stream
	if err := g.admit(o); err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	need, err := g.leastWorkspace(o), g.label(sources, o)
	switch {
	case err == nil:
		g.admitted = max(g.admitted, need)
	case g.admitted < need && errors.Is(err, device.ErrMemory): // a part of the workspace is of no use
		err = errors.Join(err, g.empty())
	}
	return err
}

// label readies the memory and enqueues what labels the sources.
func (g *gpuSearch) label(sources []uint32, o workspaceOptions) (err error) {
	s := g.workspace
	if err := s.ready(o); err != nil {
		return err
	}
	s.Advance.Strategy = advance.AutoBalance // until Tune
	s.visitor = visitor{culls: filter.Exactly}
	g.coded, g.gathered = false, false
	g.start = startArgs{n: uint32(s.Placed.NumVertices())}
	if o.Depths {
		g.start.depths = uint64(s.depths.Pointer())
	}
	if o.Parents {
		g.start.parents = uint64(s.parents.Pointer())
	}
	for _, err := range []error{s.Cur.Reset(frontier.Queue), s.Next.Reset(frontier.Queue), s.Seen.Reset(frontier.Bitmap)} {
		if err != nil {
			return err
		}
	}
	g.start.seen = s.Seen.Remote().Words()
	s.visitor.remote.seen, s.visitor.remote.depths, s.visitor.remote.parents = g.start.seen, g.start.depths, g.start.parents
	if len(sources) > 1 {
		sources = slices.Clone(sources)
		slices.Sort(sources)
		sources = slices.Compact(sources)
	}
	g.start.source, g.start.count = sources[0], uint32(len(sources))
	if len(sources) > 1 {
		if g.list.Len() < len(sources) {
			if err := g.list.Close(); err != nil {
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
		edges += s.Placed.Graph().Degree(v)
	}
	out.Set(len(sources), edges) // the host has the counts, so no wait is needed
	s.Seen.Remote().Set(len(sources), edges)
	return nil
}

// begins records when the search begins; one that begins again had begun before.
func (g *gpuSearch) begins(o workspaceOptions) (err error) {
	if o.DeviceTime && g.began == nil {
		g.began, err = g.s.Record()
	}
	return err
}

// fillBlocks is how many blocks give each of fill's steps a thread.
func (g *gpuSearch) fillBlocks() int { return (int(g.start.n) + 4*gpu.Block - 1) / (4 * gpu.Block) }

func (g *gpuSearch) kernel(op string) (*gpu.Kernel, error) { return g.kernelOf(image, op) }

func (g *gpuSearch) kernelOf(image []byte, op string) (*gpu.Kernel, error) {
	return g.s.Kernel(image, op+g.Placed.Remote().Width())
}

// visited reports whether a vertex was visited.
func (g *gpuSearch) visited(v uint32) bool {
	s := g.workspace
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

func (g *gpuSearch) word(v uint32) (uint64, error) {
	var w [1]uint64
	err := g.Seen.Remote().ReadWords(int(v>>6), w[:])
	return w[0], err
}

// complete waits for the search to end.
func (g *gpuSearch) complete(r *Result) (err error) {
	s := g.workspace
	defer func() {
		if err != nil { // the result is not returned
			err = errors.Join(err, g.s.Wait()) // for kernels that still write to the arrays
			g.ungather(r)
		}
	}()
	if !s.visitor.Unique() {
		n, err := g.reached()
		if err != nil {
			return err
		}
		r.Reached = n
	}
	if s.byID && !g.gathered {
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
func (g *gpuSearch) reached() (int, error) {
	k, err := g.s.Kernel(laboratory(), "bfs_reached")
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

// ended readies the space for the next search.
func (g *gpuSearch) ended() {
	if g.began != nil {
		g.began.Close() // fails only where the device does, which others report
		g.began = nil
	}
}

func (g *gpuSearch) sync() { g.s.Sync() }

// hand has nothing to do: the arrays by id were gathered into the result.
func (*gpuSearch) hand(*Result) {}

// reclaim leaves the arrays by id to the next search that gathers.
func (g *gpuSearch) reclaim(r *Result) {
	keep(g.Placed, r.depthsByID)
	keep(g.Placed, r.parentsByID)
}

func (*gpuSearch) stowArrays()       {}
func (*gpuSearch) freeArrays() error { return nil }

// free gives back what isn't the operators'.
func (g *gpuSearch) close() error {
	return errors.Join(g.list.Close(), g.expanded.Close(), g.contracted.Close(), g.fused.close())
}
