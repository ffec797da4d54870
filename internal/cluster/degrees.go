// This file holds the first reading, which counts degrees and finds out which ids there are.

package cluster

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

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
	b.Stats.InputEdges, b.block = in.edges, uint64(in.block.Load())
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
	if n > math.MaxInt64 {
		return fmt.Errorf("%w: an id below 0 or above 2^63-1, where ids are to be dense; build without DenseIDs", graph.ErrIDRange)
	}
	if b.e.Vertices > 0 && n > b.e.Vertices {
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
