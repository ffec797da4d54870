// This file holds Build, which makes the parts of a graph.

package engine

import (
	"context"
	"errors"
	"slices"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// Edges is a rank's share of the edges. All ranks have the same but for Read.
type Edges struct {
	// Directed: edges lead one way only.
	Directed bool
	// Dense: ids are 0 to n-1; ids without edges are isolated vertices.
	Dense bool
	// Vertices is n if that is known, and otherwise 0; then n is one more than the largest id.
	Vertices uint64
	// Unsigned: ids are the bits of uint64 numbers.
	Unsigned bool
	// Read calls yield with the edges, or with vertices and no dst. It is called twice
	// and must yield the same, in any order. It may call yield from several goroutines;
	// yield copies.
	Read func(ctx context.Context, yield func(src, dst []int64) error) error
	// Generator is a gen.Generator if Read returns its edges: a GPU may generate them.
	Generator any
}

// Options are the settings of a build. They are the same on all ranks, except for
// MemoryLimit.
type Options struct {
	// Threshold is the most out-neighbors, those named twice counted twice, that a
	// vertex has without being a delegate, or Auto.
	Threshold int64
	// Workers is the number of goroutines; 0 means GOMAXPROCS.
	Workers int
	// MemoryLimit is for this rank; 0 means the free memory, which ranks of a host share.
	MemoryLimit uint64
	// GPU is the GPU on which the part will be searched; all ranks or none have one. It also makes parts of generated graphs.
	GPU device.Device
	// PerMachine is how many ranks that follow one another are on a machine; 0 finds out which are.
	PerMachine int
}

// Part is a rank's part of a graph. Searches don't change it, but only one may run at a
// time. Close frees its memory on a GPU.
type Part struct {
	comm     comm.Comm
	rank     int
	machines *machines
	team     *team
	homes    homes
	directed bool
	unsigned bool

	local    int        // vertices whose home this is
	ids      []uint64   // of these vertices, ascending; nil for dense ids
	byID     *table     // of these vertices; nil for dense ids
	delegate []uint64   // the delegates' ids, by number: of most out-neighbors first
	degree   []uint32   // their out-neighbors, as read
	numbers  *numbering // of delegates
	here     []ownDelegate

	nn         rows[uint64] // of normal vertices: place of the target
	nd, dn, dd rows[uint32]
	absent     [subgraphs]bool // whose targets aren't here, but in away
	away       elsewhere
	limit      uint64 // Options.MemoryLimit

	before *before // once there was a search on the host
	engine engine  // what searches

	Stats Stats
}

// ownDelegate is a delegate whose home this rank is.
type ownDelegate struct{ local, number uint32 }

// Stats describes the built graph. Figures are sums over all ranks, except those that are documented as
// the rank's own.
type Stats struct {
	Ranks          int
	Vertices       uint64
	InputEdges     uint64 // as read
	SelfLoops      uint64 // dropped self-loops
	Repeated       uint64 // dropped duplicates; undirected ones counted once
	Entries        uint64 // directed edges without loops and duplicates: the sum of nn, nd, dn and dd
	NN, ND, DN, DD uint64
	Threshold      uint64
	Delegates      uint64
	Bytes          uint64 // of the subgraphs and maps
	MostEntries    uint64 // of a rank
	Foretold       uint64 // the most that this rank was to take, the search included
	Sent           uint64 // bytes sent to other ranks
	Made           bool   // GPUs made the parts
	NotMade        error  // why they didn't, though they might have
	Machines       int    // that ranks are on
	Took           time.Duration
}

// Edges is the number of edges, undirected ones counted once.
func (p *Part) Edges() uint64 {
	if p.directed {
		return p.Stats.Entries
	}
	return p.Stats.Entries / 2
}

func freeMemory() uint64 { return host.New(0).Info().MemoryFree }

func unsigned(ids []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(ids))), len(ids))
}

// source provides edges: package gen or files, read by hosts, or GPUs that generate them.
type source interface {
	countDegrees(ctx context.Context) error
	// place makes the rows, once delegates are named.
	place(ctx context.Context) error
	// foretell predicts the memory that hosts need.
	foretell(f *forecast)
	base() *builder
	free() error
}

func (b *builder) base() *builder { return b }
func (b *builder) free() error    { return nil }

func (b *builder) foretell(f *forecast) { f.read, f.block = b.Stats.InputEdges, b.block }

// builder is what Build is at.
type builder struct {
	*Part
	e         Edges
	o         Options
	degrees   []uint32 // of the vertices whose home this is: out-neighbors as read
	shards    []*table // of ids, while they are collected
	perShard  [][]uint32
	shardBits int
	largest   uint64 // dense id + 1
	ends      uint64 // that this rank's vertices are of edges as read, but for self-loops: what degrees count
	sent      uint64
	block     uint64 // edges of the largest that was read at once
}

// Build builds the parts of a graph. If one rank fails, all ranks return an error.
func Build(ctx context.Context, c comm.Comm, e Edges, o Options) (*Part, error) {
	var p *Part
	err := comm.Do(c, func() (err error) {
		p, err = build(ctx, c, e, o)
		if ended := comm.Ended(ctx); ended != nil && c.Err() == nil && errors.Is(err, ctx.Err()) {
			return ended // with its cause, for the other ranks
		}
		return err
	})
	return p, first(c, err)
}

// first returns the error with which the communicator failed, which names the rank at fault.
func first(c comm.Comm, err error) error {
	if err == nil {
		return nil
	}
	if failed := c.Err(); failed != nil && !errors.Is(err, failed) {
		if e := (*comm.Error)(nil); errors.As(failed, &e) && e.Rank != c.Rank() {
			return failed
		}
	}
	return err
}

func build(ctx context.Context, c comm.Comm, e Edges, o Options) (*Part, error) {
	if from := newMaker(newBuilder(c, e, o)); from != nil {
		p, err := from.base().build(ctx, from)
		lacks := (*NoRoom)(nil)
		if !errors.As(err, &lacks) {
			if err == nil {
				p.Stats.Made = true
			}
			return p, err
		}
		b := newBuilder(c, e, o)
		if p, err = b.build(ctx, b); err == nil {
			p.Stats.NotMade = lacks
		}
		return p, err
	}
	b := newBuilder(c, e, o)
	return b.build(ctx, b)
}

func newBuilder(c comm.Comm, e Edges, o Options) *builder {
	p := &Part{comm: c, rank: c.Rank(), team: newTeam(o.Workers, c.Progress), directed: e.Directed, unsigned: e.Unsigned,
		homes: homes{uint64(c.Size()), e.Dense}, limit: o.MemoryLimit}
	p.engine = hostSearch{p}
	return &builder{Part: p, e: e, o: o}
}

func (b *builder) build(ctx context.Context, from source) (p *Part, err error) {
	start, c, o := time.Now(), b.comm, b.o
	p = b.Part
	defer func() {
		if err = errors.Join(err, from.free()); err != nil {
			p, err = nil, errors.Join(err, b.Part.Close())
		}
	}()
	if p.machines, err = findMachines(ctx, c, o.PerMachine); err != nil {
		return nil, err
	}
	if err := from.countDegrees(ctx); err != nil {
		return nil, err
	}
	f := forecast{local: uint64(p.local), ranks: uint64(c.Size()), hashed: !b.e.Dense, gpu: o.GPU != nil, workers: uint64(p.team.workers)}
	from.foretell(&f)
	for _, d := range b.degrees {
		f.edges += uint64(d)
	}
	threshold, foretold, err := choose(ctx, c, p.team, b.degrees, f, o)
	if err != nil {
		return nil, err
	}
	if err := b.nameDelegates(ctx, threshold); err != nil {
		return nil, err
	}
	b.degrees = nil
	if err := from.place(ctx); err != nil {
		return nil, err
	}
	if err := b.sum(ctx, threshold); err != nil {
		return nil, err
	}
	p.Stats.Foretold = foretold
	p.Stats.Took = time.Since(start)
	return p, nil
}

// nameDelegates makes the delegates known on all ranks. Delegates of most out-neighbors come first, so that pulls, which
// read rows in the order of numbers, find them first.
func (b *builder) nameDelegates(ctx context.Context, threshold uint64) error {
	var own []uint64 // pairs of id and degree
	for i, d := range b.degrees {
		if uint64(d) > threshold {
			own = append(own, b.idOf(uint32(i)), uint64(d))
			b.here = append(b.here, ownDelegate{local: uint32(i)})
		}
	}
	lists, err := everywhere(ctx, b.comm, bytesOf(own))
	if err != nil {
		return err
	}
	var all []named
	for _, l := range lists {
		all = slices.Grow(all, len(l)/16)
		for pair := range slices.Chunk(numbersOf[uint64](l), 2) {
			all = append(all, named{pair[0], pair[1]})
		}
	}
	if err := b.number(ctx, all, b.Stats.Vertices); err != nil {
		return err
	}
	b.team.tiles(ctx, len(b.here), tileEdges, func(_, from, to int) {
		for i := from; i < to; i++ {
			b.here[i].number, _ = b.numbers.find(own[2*i])
		}
	})
	return ctx.Err()
}

// sum adds up the statistics of all ranks.
func (b *builder) sum(ctx context.Context, threshold uint64) error {
	p := b.Part
	nn, nd, dn, dd := uint64(p.nn.edges()), uint64(p.nd.edges()), uint64(p.dn.edges()), uint64(p.dd.edges())
	bytes := p.nn.bytes() + p.nd.bytes() + p.dn.bytes() + p.dd.bytes() + 8*uint64(len(p.ids)+len(p.delegate)+len(p.here)) + p.numbers.bytes()
	vertices := uint64(p.local)
	if p.byID != nil {
		bytes += 12 * uint64(len(p.byID.keys))
	}
	s := []uint64{nn, nd, dn, dd, bytes, p.Stats.InputEdges, b.sent, vertices, b.ends}
	most := []uint64{nn + nd + dn + dd}
	if err := p.comm.Sum(ctx, s); err != nil {
		return err
	}
	if err := p.comm.Max(ctx, most); err != nil {
		return err
	}
	p.Stats = Stats{Ranks: p.comm.Size(), Vertices: s[7], InputEdges: s[5], Entries: s[0] + s[1] + s[2] + s[3], NN: s[0], ND: s[1], DN: s[2], DD: s[3],
		Threshold: threshold, Delegates: uint64(len(p.delegate)), Bytes: s[4], MostEntries: most[0], Sent: s[6], Machines: len(p.machines.ranks)}
	each := uint64(2) // ends that degrees count of an edge
	if p.directed {
		each = 1
	}
	p.Stats.SelfLoops, p.Stats.Repeated = s[5]-s[8]/each, (s[8]-p.Stats.Entries)/each
	return nil
}

// idOf returns the id of a vertex whose home this rank is.
func (p *Part) idOf(local uint32) uint64 {
	if p.ids != nil {
		return p.ids[local]
	}
	return p.homes.dealt(p.rank, uint64(local))
}
