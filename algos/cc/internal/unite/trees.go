// This file holds components over several GPUs by trees of best neighbors, as kernels (trees.cuh).

package unite

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// Trees are the trees of best neighbors of an undirected graph over several GPUs, and what these work in.
type Trees struct {
	// Outside is how many vertices are outside the largest tree, Far how many are far from their roots, Across how many
	// edges lead from one tree to another, and Longest the longest row of the vertices outside. Count sets them.
	Outside, Far, Across, Longest uint64

	of     *placed.Shards
	parent *device.Buffer[uint32]
	hub    uint32
	ranked uint32 // ranks whose vertices all GPUs know
	parts  []*treesPart
	runs   []*gpu.Persistent // of the parts; what follows is its who has the turn
	broken bool              // the last run left something behind
	mails  []gpu.Mail
}

// treesPart is what one GPU works in.
type treesPart struct {
	f       forestArgs
	mem     []device.Memory
	ranks   uintptr // 0: the vertices are the ranks
	least   uintptr
	counted gpu.Ticket
	outside uint64 // vertices, by the census
	across  uint64
	state   device.Memory // of the barrier
	minimum device.Memory
	lists   [2]uint64 // of vertices outside, and of edges between trees
	persist gpu.Persistent
	s       *gpu.Stream // of the run
	kernel  *gpu.Kernel
	own     nameArgs
	args    gpu.Args
}

// forestArgs, plantArgs, censusArgs and nameArgs are the arguments of the kernels (trees.cuh).
type forestArgs struct {
	parent                                   uint64
	hub, devices, me, base, stride, vertices uint32
	_                                        uint32
}

type plantArgs struct {
	f                  forestArgs
	first, none, ranks uint64
	least              [gpu.MostPeers]uint64
	ranked, _          uint32
}

type censusArgs struct {
	f    forestArgs
	g    step.CsrArgs
	post gpu.Post
}

type nameArgs struct {
	engine                   gpu.PersistentArgs
	peers                    peersArgs
	f                        forestArgs
	g                        step.CsrArgs
	ranks, least, names      uint64
	outside, across, minimum [gpu.MostPeers]uint64
	trees                    uint64
	mask, ranked             uint32
}

// peersArgs are the arguments of the barrier (frontier/peers.cuh).
type peersArgs struct {
	state                  [gpu.MostPeers]uint64
	stop                   uint64
	count, me, patience, _ uint32
}

// NewTrees returns the trees of a graph whose vertices have these ranks by their ids, or are the ranks. Plant, the next step,
// writes the parents to an array with an entry for each number. hub is the number of a vertex of the largest tree.
func NewTrees(x *placed.Shards, ranks []uint32, parent *device.Buffer[uint32], hub uint32) (*Trees, error) {
	t := &Trees{of: x, parent: parent, hub: hub, ranked: uint32(min(x.Vertices, tuning.LeastRanks))}
	if err := t.begin(ranks); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Trees) begin(ranks []uint32) error {
	devices := len(t.of.Parts)
	for i := range t.of.Parts {
		part := &treesPart{f: forestArgs{hub: t.hub, devices: uint32(devices), me: uint32(i), base: uint32(i) * t.of.Stride, stride: t.of.Stride, vertices: uint32(t.of.Parts[i].Vertices)}}
		t.parts, t.runs = append(t.parts, part), append(t.runs, &part.persist)
		least, err := t.alloc(i, 4*uint64(t.ranked))
		if err != nil {
			return err
		}
		part.least = least.Pointer()
		if ranks != nil {
			m, err := t.alloc(i, 4*uint64(part.f.vertices))
			if err != nil {
				return err
			}
			part.ranks = m.Pointer()
		}
	}
	if ranks == nil {
		return nil
	}
	errs := make([]error, devices)
	var wg sync.WaitGroup
	for i, part := range t.parts {
		wg.Go(func() {
			errs[i] = panics.Call(func() error {
				return t.of.Parts[i].Dev.Upload(part.mem[1], 4*uint64(part.f.vertices), func(at uint64, to []byte) {
					words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(to))), len(to)/4)
					for k, v := 0, int(at/4)*devices+i; k < len(words); k, v = k+1, v+devices {
						words[k] = ranks[v]
					}
				})
			})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// alloc allocates memory of a GPU.
func (t *Trees) alloc(i int, bytes uint64) (device.Memory, error) {
	m, err := t.of.Parts[i].Dev.Alloc(max(bytes, 16))
	if err == nil {
		t.parts[i].mem = append(t.parts[i].mem, m)
	}
	return m, err
}

// Close gives the memory back. The array of parents is the caller's.
func (t *Trees) Close() (err error) {
	if t == nil {
		return nil
	}
	for _, p := range t.parts {
		for _, m := range p.mem {
			err = errors.Join(err, m.Close())
		}
		err = errors.Join(err, p.persist.Close())
	}
	t.parts, t.runs = nil, nil
	return err
}

// treesStep is a step of all GPUs.
type treesStep struct {
	name string
	does step.Reach
	each func(x *step.Env, s *gpu.Stream, i int) error
}

// Name is the name in errors.
func (s *treesStep) Name() string { return s.name }

// Host refuses: there is one host.
func (s *treesStep) Host(*step.Env) error {
	return fmt.Errorf("%s: %w: trees over several GPUs", s.name, device.ErrNotSupported)
}

// Compile refuses: no program has it.
func (*treesStep) Compile(*step.Program) error {
	return fmt.Errorf("%w: trees over several GPUs", step.ErrNotCompiled)
}

// Reach is what it does.
func (s *treesStep) Reach(*step.Env) (*step.Reach, error) { return &s.does, nil }

// GPU runs it on one of them.
func (s *treesStep) GPU(x *step.Env) error {
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	d := x.Placed.Remote().ShardPlace()
	if d == nil {
		return fmt.Errorf("%s: %w: a graph on one GPU", s.name, device.ErrNotSupported)
	}
	return s.each(x, gs, int(d.First/d.Of.Stride))
}

func (t *Trees) parents() link.Array {
	return link.Array{Name: "parents", At: t.parent.Pointer(), Len: t.parent.Len(), Width: 4}
}

// Plant is the step that finds the parents.
func (t *Trees) Plant() step.Step {
	s := &treesStep{name: "plant", does: step.Reach{Written: []link.Array{t.parents()}, All: true}}
	s.each = func(x *step.Env, gs *gpu.Stream, i int) error {
		part, at := t.parts[i], &t.of.Parts[i]
		part.f.parent = uint64(x.Placed.Remote().Moved(t.parent.Pointer()))
		a := plantArgs{f: part.f, first: uint64(at.First), none: uint64(at.None), ranks: uint64(part.ranks), ranked: t.ranked}
		for j, q := range t.parts {
			a.least[j] = uint64(q.least)
		}
		return launch(gs, part, "trees_plant", &a, int(part.f.stride))
	}
	return s
}

// Census is the step that counts what Count returns.
func (t *Trees) Census() step.Step {
	s := &treesStep{name: "census", does: step.Reach{Far: []uintptr{t.parent.Pointer()}, All: true}}
	s.each = func(x *step.Env, gs *gpu.Stream, i int) (err error) {
		part := t.parts[i]
		a := censusArgs{f: part.f, g: t.rows(i)}
		if a.post, err = gs.Post(&part.counted); err != nil {
			return err
		}
		return launch(gs, part, "trees_census"+x.Placed.Remote().Width(), &a, int(part.f.vertices))
	}
	return s
}

// rows returns the rows of a GPU's own vertices.
func (t *Trees) rows(i int) step.CsrArgs {
	p := &t.of.Parts[i]
	return step.CsrArgs{Offsets: uint64(p.Offsets), Targets: uint64(p.Targets), N: uint32(p.Vertices)}
}

func launch[T any](s *gpu.Stream, part *treesPart, name string, a *T, threads int) error {
	k, err := s.KernelOf(treesImage, name, treesThreads)
	if err != nil {
		return err
	}
	part.args.Reset()
	gpu.Struct(&part.args, a)
	return s.Launch(k, (threads+treesThreads-1)/treesThreads, &part.args)
}

// Count waits for the census.
func (t *Trees) Count() error {
	for _, p := range t.parts {
		mail, err := p.counted.Wait()
		if err != nil {
			return err
		}
		p.outside, p.across = mail.Tail, mail.Counts[1]
		t.Outside, t.Far, t.Across, t.Longest = t.Outside+mail.Tail, t.Far+mail.Counts[0], t.Across+mail.Counts[1], max(t.Longest, mail.Counts[2])
	}
	return nil
}

// Ready allocates what runs work in, after Count. A failure leaves that to Close.
func (t *Trees) Ready() error {
	entries := uint64(1) << bits.Len64(2*t.Outside+2)
	for i, p := range t.parts {
		var mem [5]device.Memory
		for k, bytes := range []uint64{peerStateBytes, 8, 8 * p.outside, 8 * p.across, treeBytes * entries} {
			var err error
			if mem[k], err = t.alloc(i, bytes); err != nil {
				return err
			}
		}
		if err := p.persist.Ready(t.of.Parts[i].Dev.(*gpu.Device), false, 0); err != nil {
			return err
		}
		p.state, p.minimum = mem[0], mem[1]
		p.own = nameArgs{f: p.f, g: t.rows(i), ranks: uint64(p.ranks), least: uint64(p.least), trees: uint64(mem[4].Pointer()), mask: uint32(entries - 1), ranked: t.ranked,
			peers: peersArgs{stop: uint64(p.persist.Stop.Ptr()), count: uint32(len(t.parts)), me: uint32(i), patience: gpu.Patience}}
		p.lists = [2]uint64{uint64(mem[2].Pointer()), uint64(mem[3].Pointer())}
	}
	for _, p := range t.parts {
		for j, q := range t.parts {
			p.own.peers.state[j] = uint64(q.state.Pointer())
			p.own.minimum[j] = uint64(q.minimum.Pointer())
			p.own.outside[j], p.own.across[j] = q.lists[0], q.lists[1]
		}
	}
	t.broken = true
	return nil
}

// Naming is the step that names the components, and what it has found.
type Naming struct {
	treesStep
	// Components is how many there are. Late says that the kernels didn't all run at once: the names are of no use then.
	Components int
	Late       bool

	of      *Trees
	streams []*gpu.Stream
	names   []uint64 // of each GPU's own vertices
}

// Name returns the step that writes the name of each vertex' component, once.
func (t *Trees) Name(names *device.Buffer[uint32]) *Naming {
	n := &Naming{of: t}
	all := link.Array{Name: "names", At: names.Pointer(), Len: names.Len(), Width: 4}
	n.treesStep = treesStep{name: "unite", does: step.Reach{Far: []uintptr{t.parent.Pointer()}, Written: []link.Array{all}, All: true}}
	n.each = func(x *step.Env, s *gpu.Stream, i int) error { // for one GPU after the other
		n.streams = append(n.streams, s)
		n.names = append(n.names, uint64(x.Placed.Remote().Moved(names.Pointer()))+4*uint64(t.parts[i].f.base))
		if len(n.streams) < len(t.parts) {
			return nil
		}
		return n.run("trees_name" + x.Placed.Remote().Width())
	}
	return n
}

// run runs the kernels of all GPUs, in turn with others that wait for one another.
func (n *Naming) run(kernel string) error {
	t := n.of
	done, err := n.streams[0].Turn()
	if err != nil {
		return err
	}
	defer done()
	for i, s := range n.streams {
		if err := s.Err(); err != nil { // before one GPU waits for another
			return err
		}
		p := t.parts[i]
		if p.kernel, err = s.KernelOf(treesImage, kernel, treesThreads); err != nil {
			return err
		}
		p.persist.Begin(s, &p.own.engine)
		p.s, p.own.names = s, n.names[i]
		if t.broken {
			if err := errors.Join(s.Fill(p.state.Pointer(), 0, peerStateBytes/4), s.Fill(p.minimum.Pointer(), ^uint32(0), 2)); err != nil {
				return err
			}
		}
	}
	if t.broken { // a GPU stores to the others' state
		if err := n.wait(); err != nil {
			return err
		}
	}
	t.broken = true // until all have ended well
	t.mails, n.Late, err = gpu.RunTogether(t.runs, t.launch, t.mails[:0])
	if err != nil || n.Late {
		return errors.Join(err, n.wait())
	}
	t.broken = false
	for _, m := range t.mails {
		n.Components += int(m.Tail)
	}
	return nil
}

func (n *Naming) wait() (err error) {
	for _, s := range n.streams {
		err = errors.Join(err, s.Wait())
	}
	return err
}

// launch enqueues the kernel of a GPU.
func (t *Trees) launch(i int) error {
	p := t.parts[i]
	p.args.Reset()
	gpu.Struct(&p.args, &p.own)
	return p.s.LaunchTogether(p.kernel, &p.args)
}
