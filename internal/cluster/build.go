// This file holds Build, which makes the parts of a graph.

package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/comm"
	"github.com/foray-graph/foray/internal/text"
)

// Edges is a rank's share of the edges. All ranks have the same but for Read.
type Edges struct {
	// Directed says that edges lead one way only.
	Directed bool
	// Dense says that ids are 0 to n-1; all that don't occur are isolated vertices.
	Dense bool
	// Vertices is n where that is known, else 0: one more than the largest id.
	Vertices uint64
	// Unsigned says that ids are those of uint64, bit for bit.
	Unsigned bool
	// Read calls yield with the edges, or with vertices and no dst. It is called twice
	// and must yield the same, in any order. It may call yield from several goroutines;
	// yield copies.
	Read func(ctx context.Context, yield func(src, dst []int64) error) error
}

// Auto, as a threshold, has it chosen.
const Auto = -1

// Options say how parts are made. They are the same on all ranks, but for
// MemoryLimit.
type Options struct {
	// Threshold is the most out-neighbours, those named twice counted twice, that a
	// vertex has without being a delegate, or Auto.
	Threshold int64
	// Workers is the number of goroutines; 0 means GOMAXPROCS.
	Workers int
	// MemoryLimit is for this rank; 0 means what is free, which ranks of a host share.
	MemoryLimit uint64
}

// Part is a rank's part of a graph. It isn't changed by searches, but one runs at a
// time.
type Part struct {
	comm     comm.Comm
	rank     int
	team     *team
	homes    homes
	directed bool
	unsigned bool

	local    int      // vertices whose home this is
	ids      []uint64 // of these, ascending; nil where ids are dense
	byID     *table   // of these; nil where ids are dense
	delegate []uint64 // the delegates' ids, by number
	numbers  *table   // of delegates
	here     []ownDelegate

	nn         rows[uint64] // of normal vertices: place of the target
	nd, dn, dd rows[uint32]

	before *before // once there was a search

	Stats Stats
}

// ownDelegate is a delegate whose home this rank is.
type ownDelegate struct{ local, number uint32 }

// Stats says what became of a graph, summed over all ranks but for what is said to be
// the rank's own.
type Stats struct {
	Ranks          int
	Vertices       uint64
	InputEdges     uint64 // as read
	Entries        uint64 // directed edges without loops and duplicates: those of nn, nd, dn and dd
	NN, ND, DN, DD uint64
	Threshold      uint64
	Delegates      uint64
	Bytes          uint64 // of the subgraphs and maps
	MostEntries    uint64 // of a rank
	Foretold       uint64 // the most that this rank was to take, the search included
	Sent           uint64 // bytes sent to other ranks
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

// builder is what Build is at.
type builder struct {
	*Part
	e        Edges
	o        Options
	degrees  []uint32 // of the vertices whose home this is: out-neighbours as read
	shards   []*table // of ids, while they are collected
	perShard [][]uint32
	largest  uint64 // dense id + 1
	sent     uint64
}

// Build makes the parts of a graph. What one rank fails of, all fail of.
func Build(ctx context.Context, c comm.Comm, e Edges, o Options) (*Part, error) {
	var p *Part
	err := comm.Do(c, func() (err error) {
		p, err = build(ctx, c, e, o)
		return err
	})
	return p, first(c, err)
}

// first is the error with which the communicator failed, which says whose fault it is.
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
	start := time.Now()
	p := &Part{comm: c, rank: c.Rank(), team: newTeam(o.Workers, c.Progress), directed: e.Directed, unsigned: e.Unsigned,
		homes: homes{uint64(c.Size()), e.Dense}}
	b := &builder{Part: p, e: e, o: o}
	if err := b.countDegrees(ctx); err != nil {
		return nil, err
	}
	f := forecast{local: uint64(p.local), ranks: uint64(c.Size()), hashed: !e.Dense}
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
	if err := b.place(ctx); err != nil {
		return nil, err
	}
	if err := b.sum(ctx, threshold); err != nil {
		return nil, err
	}
	p.Stats.Foretold = foretold
	p.Stats.Took = time.Since(start)
	return p, nil
}

// countDegrees reads the edges and counts, at the homes of vertices, how many edges
// lead out of each.
func (b *builder) countDegrees(ctx context.Context) error {
	in := b.e.start(ctx, b.team)
	defer in.stop()
	if !b.e.Dense {
		b.shards, b.perShard = make([]*table, idShards), make([][]uint32, idShards)
		for i := range b.shards {
			b.shards[i] = newTable(0)
		}
	} else if b.e.Vertices > 0 {
		if err := b.grow(b.e.Vertices); err != nil {
			return err
		}
	}
	// By worker and rank: ids of sources, and of vertices that are only named.
	counted, named := bins[uint64](b.team.workers, b.comm.Size()), bins[uint64](b.team.workers, b.comm.Size())
	messages := make([][]uint64, b.comm.Size())
	for more := true; more; {
		alive, err := in.round(func(w int, x *block) bool {
			b.countEnds(x, counted[w], named[w])
			return false
		})
		if err != nil {
			return err
		}
		lists, err := b.swap(ctx, func(r int) []byte {
			m := append(messages[r][:0], uint64(lengthOf(counted, r)))
			messages[r] = appendAll(appendAll(m, counted, r), named, r)
			return bytesOf(messages[r])
		})
		if err != nil {
			return err
		}
		for _, list := range lists {
			if err := b.countList(ctx, numbersOf[uint64](list)); err != nil {
				return err
			}
		}
		if more, err = b.anywhere(ctx, alive); err != nil {
			return err
		}
	}
	b.Stats.InputEdges = in.edges
	if b.e.Dense {
		largest := []uint64{b.largest}
		if err := b.comm.Max(ctx, largest); err != nil {
			return err
		}
		return b.settleDense(max(largest[0], b.e.Vertices))
	}
	return b.settleHashed()
}

// countEnds sorts the ends of edges by home.
func (b *builder) countEnds(x *block, counted, named [][]uint64) {
	home := func(id uint64) int {
		if b.homes.dense {
			r, _ := b.homes.deal(id)
			return r
		}
		return b.homes.of(id)
	}
	if len(x.dst) == 0 {
		for _, u := range x.src {
			r := home(u)
			named[r] = append(named[r], u)
		}
		return
	}
	for i, u := range x.src {
		v := x.dst[i]
		ru, rv := home(u), home(v)
		switch {
		case u == v:
			named[ru] = append(named[ru], u)
		case b.directed:
			counted[ru] = append(counted[ru], u)
			named[rv] = append(named[rv], v)
		default:
			counted[ru] = append(counted[ru], u)
			counted[rv] = append(counted[rv], v)
		}
	}
}

// countList counts the ids that came from a rank.
func (b *builder) countList(ctx context.Context, list []uint64) error {
	n := int(list[0])
	list = list[1:]
	if b.homes.dense {
		top := uint64(0)
		for _, id := range list {
			top = max(top, id+1)
		}
		if err := b.grow(top); err != nil {
			return err
		}
		b.team.tiles(ctx, n, tileEdges, func(_, from, to int) {
			for _, id := range list[from:to] {
				_, i := b.homes.deal(id)
				addDegree(&b.degrees[i])
			}
		})
		return ctx.Err()
	}
	b.team.tiles(ctx, idShards, 1, func(_, s, _ int) {
		t, degrees := b.shards[s], b.perShard[s]
		for i, id := range list {
			if shardOf(id) != s {
				continue
			}
			k := t.add(id)
			if int(k) == len(degrees) {
				degrees = append(degrees, 0)
			}
			if i < n && degrees[k] < math.MaxUint32 {
				degrees[k]++
			}
		}
		b.perShard[s] = degrees
	})
	return ctx.Err()
}

// addDegree counts an edge; degrees of 2^32 and more are taken for 2^32-1.
func addDegree(d *uint32) {
	if atomic.AddUint32(d, 1) == 0 {
		atomic.AddUint32(d, math.MaxUint32)
	}
}

func shardOf(id uint64) int { return int(mix(id^shardSalt) >> (64 - idShardBits)) }

// grow makes room for dense ids up to n-1.
func (b *builder) grow(n uint64) error {
	if n <= b.largest {
		return nil
	}
	if b.e.Vertices > 0 && n > b.e.Vertices || n > math.MaxInt64 {
		return fmt.Errorf("%w: id %d, where ids are to be dense and there are %d vertices", graph.ErrIDRange, n-1, b.e.Vertices)
	}
	rows := b.homes.count(b.rank, n)
	limit := b.o.MemoryLimit
	if limit == 0 {
		limit = freeMemory()
	}
	if rows > math.MaxUint32-1 {
		return fmt.Errorf("%w: this rank has %d vertices, and a rank holds at most 2^32-2: start more ranks", graph.ErrIDRange, rows)
	}
	if limit > 0 && rows*degreeBytes > limit {
		return fmt.Errorf("%w: the degrees of %d vertices, since ids are to be dense and one is %d, take %s, more than the %s there are; start more ranks on more hosts",
			graph.ErrMemory, rows, n-1, text.Bytes(rows*degreeBytes), text.Bytes(limit))
	}
	b.largest = n
	if rows > uint64(len(b.degrees)) {
		b.degrees = slices.Grow(b.degrees, int(rows)-len(b.degrees))[:rows]
	}
	return nil
}

func (b *builder) settleDense(n uint64) error {
	if err := b.grow(n); err != nil {
		return err
	}
	b.local = int(b.homes.count(b.rank, n))
	b.degrees = b.degrees[:b.local]
	b.Stats.Vertices = n
	return nil
}

// settleHashed numbers the ids by size.
func (b *builder) settleHashed() error {
	n := 0
	for _, t := range b.shards {
		n += t.n
	}
	if uint64(n) >= math.MaxUint32 {
		return fmt.Errorf("%w: this rank has %d vertices, and a rank holds at most 2^32-2: start more ranks", graph.ErrIDRange, n)
	}
	b.local = n
	b.ids, b.byID, b.degrees = make([]uint64, 0, n), newTable(n), make([]uint32, n)
	for _, t := range b.shards {
		for i, v := range t.values {
			if v != 0 {
				b.ids = append(b.ids, t.keys[i])
			}
		}
		b.team.progress()
	}
	if b.unsigned {
		slices.Sort(b.ids)
	} else {
		slices.Sort(unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b.ids))), n))
	}
	for i, id := range b.ids {
		s := shardOf(id)
		k, _ := b.shards[s].find(id)
		b.degrees[i] = b.perShard[s][k]
		b.byID.add(id) // gets the number i
		b.team.progressEvery(i)
	}
	b.shards, b.perShard = nil, nil
	return nil
}

// nameDelegates makes the delegates known everywhere.
func (b *builder) nameDelegates(ctx context.Context, threshold uint64) error {
	var own []uint64
	for i, d := range b.degrees {
		if uint64(d) > threshold {
			own = append(own, b.idOf(uint32(i)))
			b.here = append(b.here, ownDelegate{local: uint32(i)})
		}
	}
	lists, err := everywhere(ctx, b.comm, bytesOf(own))
	if err != nil {
		return err
	}
	for _, l := range lists {
		b.delegate = append(b.delegate, numbersOf[uint64](l)...)
	}
	slices.Sort(b.delegate)
	b.numbers = newTable(len(b.delegate))
	for i, id := range b.delegate {
		b.numbers.add(id)
		b.team.progressEvery(i)
	}
	for i := range b.here {
		b.here[i].number, _ = b.numbers.find(own[i])
	}
	return nil
}

// sum adds up what all ranks have.
func (b *builder) sum(ctx context.Context, threshold uint64) error {
	p := b.Part
	nn, nd, dn, dd := uint64(p.nn.edges()), uint64(p.nd.edges()), uint64(p.dn.edges()), uint64(p.dd.edges())
	bytes := p.nn.bytes() + p.nd.bytes() + p.dn.bytes() + p.dd.bytes() + 8*uint64(len(p.ids)+len(p.delegate)+len(p.here)) + 12*uint64(len(p.numbers.keys))
	vertices := uint64(p.local)
	if p.byID != nil {
		bytes += 12 * uint64(len(p.byID.keys))
	}
	s := []uint64{nn, nd, dn, dd, bytes, p.Stats.InputEdges, b.sent, vertices}
	most := []uint64{nn + nd + dn + dd}
	if err := p.comm.Sum(ctx, s); err != nil {
		return err
	}
	if err := p.comm.Max(ctx, most); err != nil {
		return err
	}
	p.Stats = Stats{Ranks: p.comm.Size(), Vertices: s[7], InputEdges: s[5], Entries: s[0] + s[1] + s[2] + s[3], NN: s[0], ND: s[1], DN: s[2], DD: s[3],
		Threshold: threshold, Delegates: uint64(len(p.delegate)), Bytes: s[4], MostEntries: most[0], Sent: s[6]}
	return nil
}

// idOf returns the id of a vertex whose home this rank is.
func (p *Part) idOf(local uint32) uint64 {
	if p.ids != nil {
		return p.ids[local]
	}
	return p.homes.dealt(p.rank, uint64(local))
}
