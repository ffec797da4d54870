// This file holds the first reading, which counts degrees and finds out which ids there are.

package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// countDegrees reads the edges and counts, at the homes of vertices, how many edges
// lead out of each.
func (b *builder) countDegrees(ctx context.Context) error {
	in := b.e.start(ctx, b.team)
	defer in.stop()
	b.shardBits = min(max(routeBits-bits.Len(uint(b.comm.Size()-1)), 0), idShardBits)
	count := b.countHashed
	if b.e.Dense {
		count = b.countDense
	}
	if err := count(ctx, in); err != nil {
		return err
	}
	b.Stats.InputEdges, b.block = in.edges, uint64(in.block.Load())
	if b.e.Dense {
		largest := []uint64{b.largest}
		if err := b.comm.Max(ctx, largest); err != nil {
			return err
		}
		return b.settleDense(max(largest[0], b.e.Vertices))
	}
	return b.settleHashed(ctx)
}

// countDense counts dense ids, which are sent as their numbers at home. A shard of these is the range that one worker
// counts at a time.
func (b *builder) countDense(ctx context.Context, in *intake) error {
	if b.e.Vertices > 0 {
		if err := b.grow(b.e.Vertices); err != nil {
			return err
		}
	}
	shards := 1 << b.shardBits
	out := newOutboxes[uint32](b.team.workers, b.comm.Size(), shards)
	var topOf [2][]uint64 // the largest ids + 1, by worker
	for set := range topOf {
		topOf[set] = make([]uint64, b.team.workers)
	}
	return b.batches(in, func(set, w int, x *block) {
		topOf[set][w] = max(topOf[set][w], b.denseEnds(x, out[set], w))
	}, func(set int, reading bool) (any bool, err error) {
		top := slices.Max(topOf[set])
		// Before numbers of 32 bits are relied upon.
		if _, err := b.fits(top); err != nil {
			return false, err
		}
		in, err := b.swap(ctx, out[set].pack(ctx, b.team, one(reading), uint32(top), uint32(top>>32)))
		if err != nil {
			return false, err
		}
		lists := make([][][]uint32, len(in))
		for r, m := range in {
			var head []uint32
			head, lists[r] = unpack[uint32](m, 3, shards)
			b.ends += total(lists[r])
			any = any || head[0] > 0
			top = max(top, uint64(head[1])|uint64(head[2])<<32)
		}
		if err := b.grow(top); err != nil {
			return false, err
		}
		b.team.tiles(ctx, shards, 1, func(_, s, _ int) {
			for r := range lists {
				for _, i := range lists[r][s] {
					if d := b.degrees[i]; d < math.MaxUint32 { // which stands for more too
						b.degrees[i] = d + 1
					}
				}
			}
		})
		return any, ctx.Err()
	})
}

// total is how many numbers lists have.
func total[T number](lists [][]T) (n uint64) {
	for _, l := range lists {
		n += uint64(len(l))
	}
	return n
}

func one(x bool) uint32 {
	if x {
		return 1
	}
	return 0
}

// denseEnds sorts the ends that edges lead out of by home and shard. It returns the largest id, of other ends too, + 1.
func (b *builder) denseEnds(x *block, out *outbox[uint32], w int) uint64 {
	lists := out.lists[w]
	// Counters that share a line of the cache are in one shard.
	h, shift, mask := b.homes, b.shardBits, uint64(1)<<b.shardBits-1
	top := uint64(0)
	for _, u := range x.src {
		top = max(top, u)
	}
	for i, v := range x.dst {
		u := x.src[i]
		top = max(top, v)
		if u == v {
			continue
		}
		r, k := h.deal(u)
		l := &lists[uint64(r)<<shift|k>>4&mask]
		if len(l.open) == cap(l.open) {
			out.more(l)
		}
		l.open = append(l.open, uint32(k))
		if !b.directed {
			r, k := h.deal(v)
			l := &lists[uint64(r)<<shift|k>>4&mask]
			if len(l.open) == cap(l.open) {
				out.more(l)
			}
			l.open = append(l.open, uint32(k))
		}
	}
	if len(x.src) == 0 || top == math.MaxUint64 {
		return top
	}
	return top + 1
}

// countHashed collects ids in tables, by shard.
func (b *builder) countHashed(ctx context.Context, in *intake) error {
	shards := 1 << b.shardBits
	b.shards, b.perShard = make([]*table, shards), make([][]uint32, shards)
	for i := range b.shards {
		b.shards[i] = newTable(0)
	}
	// By shard: the ids of sources, and the ids of vertices that occur only as targets.
	out := newOutboxes[uint64](b.team.workers, b.comm.Size(), 2*shards)
	return b.batches(in, func(set, w int, x *block) {
		b.hashedEnds(x, out[set], w)
	}, func(set int, reading bool) (any bool, err error) {
		in, err := b.swap(ctx, out[set].pack(ctx, b.team, uint64(one(reading))))
		if err != nil {
			return false, err
		}
		lists := make([][][]uint64, len(in))
		for r, m := range in {
			var head []uint64
			head, lists[r] = unpack[uint64](m, 1, 2*shards)
			b.ends += total(lists[r][:shards])
			any = any || head[0] > 0
		}
		b.team.tiles(ctx, shards, 1, func(_, s, _ int) {
			t, degrees := b.shards[s], b.perShard[s]
			for r := range lists {
				for side, list := range [2][]uint64{lists[r][s], lists[r][shards+s]} {
					for _, id := range list {
						k := t.add(id)
						if int(k) == len(degrees) {
							degrees = append(degrees, 0)
						}
						if side == 0 && degrees[k] < math.MaxUint32 {
							degrees[k]++
						}
					}
				}
			}
			b.perShard[s] = degrees
		})
		return any, ctx.Err()
	})
}

// hashedEnds sorts the ends of edges by home and shard.
func (b *builder) hashedEnds(x *block, out *outbox[uint64], w int) {
	shards := 1 << b.shardBits
	put := func(id uint64, named int) {
		l := &out.lists[w][2*shards*b.homes.of(id)+named*shards+b.shardOf(id)]
		if len(l.open) == cap(l.open) {
			out.more(l)
		}
		l.open = append(l.open, id)
	}
	if len(x.dst) == 0 {
		for _, u := range x.src {
			put(u, 1)
		}
		return
	}
	for i, u := range x.src {
		v := x.dst[i]
		switch {
		case u == v:
			put(u, 1)
		case b.directed:
			put(u, 0)
			put(v, 1)
		default:
			put(u, 0)
			put(v, 0)
		}
	}
}

func (b *builder) shardOf(id uint64) int { return int(mix(id^shardSalt) >> (64 - b.shardBits)) }

// grow makes room for dense ids up to n-1.
func (b *builder) grow(n uint64) error {
	rows, err := b.fits(n)
	if err != nil || n <= b.largest {
		return err
	}
	b.largest = n
	if rows > uint64(len(b.degrees)) {
		b.degrees = slices.Grow(b.degrees, int(rows)-len(b.degrees))[:rows]
	}
	return nil
}

// fits returns how many of dense ids up to n-1 have their home here, or an error if that can't be.
func (b *builder) fits(n uint64) (rows uint64, err error) {
	if n <= b.largest {
		return uint64(len(b.degrees)), nil
	}
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("%w: an id below 0 or above 2^63-1, where ids are to be dense; build without DenseIDs", graph.ErrIDRange)
	}
	if b.e.Vertices > 0 && n > b.e.Vertices {
		return 0, fmt.Errorf("%w: id %d, where ids are to be dense and there are %d vertices", graph.ErrIDRange, n-1, b.e.Vertices)
	}
	rows = b.homes.count(b.rank, n)
	limit := b.o.MemoryLimit
	if limit == 0 {
		limit = freeMemory()
	}
	if rows > math.MaxUint32-1 {
		return 0, fmt.Errorf("%w: this rank has %d vertices, and a rank holds at most 2^32-2: start more ranks", graph.ErrIDRange, rows)
	}
	if limit > 0 && rows*degreeBytes > limit {
		return 0, fmt.Errorf("%w: the degrees of %d vertices, since ids are to be dense and one is %d, take %s, more than the %s there are; start more ranks on more hosts",
			device.ErrMemory, rows, n-1, text.Bytes(rows*degreeBytes), text.Bytes(limit))
	}
	return rows, nil
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
func (b *builder) settleHashed(ctx context.Context) error {
	n, starts := 0, make([]int, len(b.shards))
	for s, t := range b.shards {
		starts[s] = n
		n += t.n
	}
	if uint64(n) >= math.MaxUint32 {
		return fmt.Errorf("%w: this rank has %d vertices, and a rank holds at most 2^32-2: start more ranks", graph.ErrIDRange, n)
	}
	b.local = n
	ids := make([]uint64, n)
	b.team.tiles(ctx, len(b.shards), 1, func(_, s, _ int) {
		at := starts[s]
		for i, v := range b.shards[s].values {
			if v != 0 {
				ids[at] = b.shards[s].keys[i]
				at++
			}
		}
	})
	order := cmp.Compare[uint64]
	if !b.unsigned {
		order = func(x, y uint64) int { return cmp.Compare(int64(x), int64(y)) }
	}
	var err error
	if b.ids, err = sorted(ctx, b.team, ids, order); err != nil {
		return err
	}
	b.degrees = make([]uint32, n)
	b.team.tiles(ctx, n, tileEdges, func(_, from, to int) {
		for i := from; i < to; i++ {
			s := b.shardOf(b.ids[i])
			k, _ := b.shards[s].find(b.ids[i])
			b.degrees[i] = b.perShard[s][k]
		}
	})
	b.shards, b.perShard = nil, nil
	b.byID = filled(ctx, b.team, b.ids)
	return ctx.Err()
}
