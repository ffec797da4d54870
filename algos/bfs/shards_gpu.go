// This file holds a search over several GPUs, as one kernel on each (algos/dobfs/across.cuh).

package bfs

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// shardArgs are the arguments of the kernel (across.cuh).
type shardArgs struct {
	own                      fusedArgs
	peers                    peersArgs
	seen                     [2][gpu.MostPeers]uint64
	inbox, inboxParents      [gpu.MostPeers]uint64
	from, fromParents        [gpu.MostPeers]uint64
	heavyParents             [gpu.MostPeers]uint64
	candidates               uint64
	base, stride, words, row uint32
	offsets, targets         [gpu.MostPeers]uint64
	items, prefix            [2][gpu.MostPeers]uint64
	allItems, allPrefix      uint64
	component, alike         uint64
	room, grain              uint32
	next                     uint64
}

// peersArgs are the arguments of the barrier (frontier/peers.cuh).
type peersArgs struct {
	state                  [gpu.MostPeers]uint64
	stop                   uint64
	count, me, patience, _ uint32
}

// peerStateBytes is the size of PeerState.
const peerStateBytes = 1120

// shardPart is what one GPU works in.
type shardPart struct {
	dev     *gpu.Device
	s       *gpu.Stream
	kernel  *gpu.Kernel
	part    *placed.Shard
	mem     []device.Memory // but for the arrays of the result
	state   device.Memory
	zero    [3]device.Memory             // planes, written, seen[0]: zero between searches
	persist gpu.Persistent               // with notes on the first GPU
	list    device.Memory                // several sources
	listed  int                          // for how many there is room
	inbox   [gpu.MostPeers]device.Memory // from each
	seen    [2]device.Memory
	heavy   device.Memory // parents that a heavy push found, for all vertices
	a       shardArgs
	args    gpu.Args
}

// shardSearch is a search over several GPUs.
type shardSearch struct {
	*workspace

	lease   *run.Shards
	placed  *placed.Shards
	parts   []*shardPart
	kernels []*gpu.Persistent // of the parts
	parents bool              // there is what they take
	broken  bool              // the last search left something behind
	arrays  *shardArrays
	began   device.Event
	mails   []gpu.Mail
}

// shardsOf returns the shards of a placed graph, or an error for a graph on one device.
func shardsOf(p *graph.Placed) (*placed.Shards, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	a, ok := placed.Lookup(p.State(), placed.ShardsKey{})
	if !ok {
		return nil, fmt.Errorf("bfs: %w: the graph isn't placed on %s", device.ErrNotSupported, p.Device().Info().Name)
	}
	return a, nil
}

// newShards returns the part of a space that is on several GPUs.
func newShards(s *workspace, group *gpu.Group) (*shardSearch, error) {
	a, err := shardsOf(s.Placed)
	if err != nil {
		return nil, err
	}
	lease := run.NewShards(group)
	s.lease = lease
	return &shardSearch{workspace: s, lease: lease, placed: a}, nil
}

// planeWords is how many words a bitmap of a GPU's own vertices has.
func planeWords(a *placed.Shards) uint64 { return uint64(a.Stride) / 32 }

// shardArrayBytes is what the arrays of a result take of each GPU.
func shardArrayBytes(a *placed.Shards, o workspaceOptions) (bytes uint64) {
	for _, want := range []bool{o.Depths, o.Parents} {
		if want {
			bytes += 4 * uint64(a.Stride)
		}
	}
	return bytes
}

// shardBytes is what a search takes of each GPU beside these.
func shardBytes(a *placed.Shards, o workspaceOptions) uint64 {
	n, words, own := uint64(len(a.Parts)), planeWords(a), uint64(a.Stride)
	width := uint64(4)
	if a.Wide {
		width = 8
	}
	bytes := 4*words*(fusedPlanes+1+2*n) + (4+width)*(2*(own+front.Slack)+shardAlike) + (n-1)*4*own + peerStateBytes + gpu.StreamBytes
	if o.Parents {
		bytes += (n-1)*4*own + n*4*own
	}
	if o.Stats {
		bytes += notesRoom(a.Vertices) * gpu.LevelNoteBytes
	}
	return bytes
}

// admit implements backend.
func (g *shardSearch) admit(o workspaceOptions) error {
	need := uint64(0)
	if g.parts == nil {
		need = shardBytes(g.placed, o)
	}
	if g.arrays == nil {
		need += shardArrayBytes(g.placed, o)
	}
	return g.lease.CheckMemory(need, "the search takes at least %s of %s, %s are free there; free results and graphs that nobody needs, or take more GPUs")
}

// begin implements backend.
func (g *shardSearch) begin(sources []uint32, o workspaceOptions) (err error) {
	g.byID = o.ByID
	if g.parts == nil || o.Parents && !g.parents {
		if err := g.close(); err != nil {
			return err
		}
		if err := g.admit(o); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
		if err := g.make(o.Parents); err != nil {
			return errors.Join(fmt.Errorf("bfs: %w", err), g.close())
		}
	}
	if g.broken {
		if err := g.clear(); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
	}
	if g.arrays == nil || g.arrays.key() != (shardArraysKey{depths: o.Depths, parents: o.Parents}) {
		g.stowArrays()
		if g.arrays, err = takeArrays(g.Placed, g.placed, o.Depths, o.Parents); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
	}
	sources = slices.Clone(sources)
	slices.Sort(sources)
	sources = slices.Compact(sources)
	last := uint32(0) // of the sources, on each GPU
	numbers := make([]uint32, len(sources))
	for i, s := range sources {
		numbers[i] = g.placed.Number(s)
		last = max(last, numbers[i]%g.placed.Stride)
	}
	words := last/32 + 1
	for _, p := range g.parts {
		words = max(words, p.part.Words)
	}
	if !g.placed.Reverse { // anything may be reached
		words = uint32(planeWords(g.placed))
	}
	for i, p := range g.parts {
		a := &p.a
		a.words = words
		a.own.bound = max(min(32*words, uint32(p.part.Vertices)), 1)
		a.own.depths, a.own.parents = g.arrays.at(0, i), g.arrays.at(1, i)
		a.own.source, a.own.count, a.own.sources = numbers[0], uint32(len(numbers)), 0
		if len(numbers) > 1 {
			if p.listed < len(numbers) {
				if p.list != nil {
					if err := p.list.Close(); err != nil {
						return err
					}
				}
				p.list, p.listed = nil, 0
				if p.list, err = p.dev.Alloc(4 * uint64(len(numbers))); err != nil {
					return fmt.Errorf("bfs: %w", err)
				}
				p.listed = len(numbers)
			}
			if err := discrete.Write(p.dev, p.list, numbers); err != nil {
				return fmt.Errorf("bfs: %w", err)
			}
			a.own.sources = uint64(p.list.Pointer())
		}
	}
	if o.DeviceTime && g.began == nil {
		g.began, err = g.parts[0].s.Record()
	}
	return err
}

// make takes the memory that searches work in.
func (g *shardSearch) make(parents bool) error {
	a := g.placed
	n, words, own := len(a.Parts), planeWords(a), uint64(a.Stride)
	width := uint64(4)
	name := "bfs_across_o32"
	if a.Wide {
		width, name = 8, "bfs_across_o64"
	}
	for i := range a.Parts {
		s := g.lease.Streams[i]
		p := &shardPart{dev: s.Device().(*gpu.Device), s: s, part: &a.Parts[i]}
		g.parts, g.kernels = append(g.parts, p), append(g.kernels, &p.persist)
		var err error
		alloc := func(bytes uint64) device.Memory {
			if err != nil {
				return nil
			}
			var m device.Memory
			if m, err = p.dev.Alloc(bytes); err == nil {
				p.mem = append(p.mem, m)
			}
			return m
		}
		planes, written := alloc(4*words*fusedPlanes), alloc(4*words)
		p.seen = [2]device.Memory{alloc(4 * words * uint64(n)), alloc(4 * words * uint64(n))}
		p.zero = [3]device.Memory{planes, written, p.seen[0]}
		p.state = alloc(peerStateBytes)
		var queues [4]device.Memory
		for q := range 2 {
			queues[q], queues[2+q] = alloc(4*(own+front.Slack)), alloc(width*(own+front.Slack))
		}
		all, allPrefix := alloc(4*shardAlike), alloc(width*shardAlike)
		each := uint64(1)
		if parents {
			each = 2
			p.heavy = alloc(4 * own * uint64(n))
		}
		for j := range n {
			if j != i {
				p.inbox[j] = alloc(4 * own * each)
			}
		}
		if err == nil {
			err = p.persist.Ready(p.dev, false, 0)
		}
		if err == nil {
			p.kernel, err = s.KernelOf(shardImage, name, fusedThreads)
		}
		if err != nil {
			return err
		}
		p.a = shardArgs{base: uint32(i) * a.Stride, stride: a.Stride, candidates: a.Candidates, room: shardAlike, grain: grainOf(p),
			allItems: uint64(all.Pointer()), allPrefix: uint64(allPrefix.Pointer()),
			peers: peersArgs{stop: uint64(p.persist.Stop.Ptr()), count: uint32(n), me: uint32(i), patience: gpu.Patience}}
		p.a.own = fusedArgs{
			out:    step.CsrArgs{Offsets: uint64(p.part.Offsets) - uint64(p.a.base)*width, Targets: uint64(p.part.Targets), N: uint32(p.part.Vertices)},
			planes: uint64(planes.Pointer()), written: uint64(written.Pointer()), stride: uint32(words), shift: front.Shift(g.Placed),
			items:  [2]uint64{uint64(queues[0].Pointer()), uint64(queues[1].Pointer())},
			prefix: [2]uint64{uint64(queues[2].Pointer()), uint64(queues[3].Pointer())},
		}
	}
	for i, p := range g.parts {
		for j, q := range g.parts {
			p.a.peers.state[j] = uint64(q.state.Pointer())
			for c := range 2 {
				p.a.seen[c][j] = uint64(q.seen[c].Pointer())
			}
			p.a.offsets[j], p.a.targets[j] = uint64(q.part.Offsets), uint64(q.part.Targets)
			for c := range 2 {
				p.a.items[c][j], p.a.prefix[c][j] = q.a.own.items[c], q.a.own.prefix[c]
			}
			if parents {
				p.a.heavyParents[j] = uint64(q.heavy.Pointer())
			}
			if i != j {
				p.a.inbox[j], p.a.from[j] = uint64(q.inbox[i].Pointer()), uint64(p.inbox[j].Pointer())
				if parents {
					p.a.inboxParents[j], p.a.fromParents[j] = p.a.inbox[j]+4*own, p.a.from[j]+4*own
				}
			}
		}
	}
	g.parents, g.broken = parents, false
	return nil
}

// grainOf returns how many groups of words a chunk of the first pull has at most. A warp takes some 16 chunks, or fewer.
func grainOf(p *shardPart) uint32 {
	warps := uint32(p.kernel.Resident() * fusedThreads / 32)
	if tuning.ShardGrain == 0 {
		return 0
	}
	return min(max(tuning.ShardGrain, p.part.Words/(4*16)/warps), 32)
}

// clear makes everything what a search finds.
func (g *shardSearch) clear() error {
	words := planeWords(g.placed)
	for _, p := range g.parts {
		err := errors.Join(p.s.Fill(p.zero[0].Pointer(), 0, words*fusedPlanes), p.s.Fill(p.zero[1].Pointer(), 0, words),
			p.s.Fill(p.zero[2].Pointer(), 0, words*uint64(len(g.parts))), p.s.Fill(p.state.Pointer(), 0, peerStateBytes/4), p.s.Sync())
		if err != nil {
			return err
		}
	}
	g.broken = false
	return nil
}

// complete implements backend.
func (g *shardSearch) complete(r *Result) error {
	if g.began != nil {
		ended, err := g.parts[0].s.Record()
		if err != nil {
			return err
		}
		took, err := ended.Since(g.began)
		r.DeviceTime = time.Duration(took * 1e9)
		if err := errors.Join(err, ended.Close()); err != nil {
			return err
		}
	}
	return g.lease.Err()
}

func (g *shardSearch) hand(r *Result) {
	r.byID, r.shards = g.byID, g.arrays
	g.arrays = nil
}

func (g *shardSearch) reclaim(r *Result) {
	if r.shards != nil {
		g.stowArrays()
		g.arrays, r.shards = r.shards, nil
	}
}

func (g *shardSearch) ended() {
	if g.began != nil {
		g.began.Close() // fails only where the device does, which others report
		g.began = nil
	}
}

func (g *shardSearch) stowArrays() {
	if g.arrays != nil {
		g.arrays.keep(g.Placed)
		g.arrays = nil
	}
}

func (g *shardSearch) freeArrays() error {
	a := g.arrays
	g.arrays = nil
	return a.Close()
}

func (g *shardSearch) close() (err error) {
	for _, p := range g.parts {
		for _, m := range append(p.mem, p.list) {
			if m != nil {
				err = errors.Join(err, m.Close())
			}
		}
		err = errors.Join(err, p.persist.Close())
	}
	g.parts, g.kernels = nil, nil
	return err
}

// What follows is for loops that go level by level, which several GPUs don't have.

func (*shardSearch) push(int32) (uint64, error)               { return 0, device.ErrNotSupported }
func (*shardSearch) pulls(int32)                              {}
func (*shardSearch) note(*frontier.Frontier)                  {}
func (*shardSearch) lists()                                   {}
func (*shardSearch) settle(*loop, *frontier.Frontier) error   { return nil }
func (*shardSearch) outEdges(*frontier.Frontier, int) float64 { return 0 }
func (*shardSearch) claimsByArray() bool                      { return false }
func (*shardSearch) visited(uint32) bool                      { return false }
func (*shardSearch) sync()                                    {}
func (*shardSearch) ahead(*work, batch) (rest int, err error) { return 0, nil }
