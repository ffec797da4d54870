// This file holds edges whose ids a device will number: sparse integers.

package graph

import (
	"errors"
	"slices"
	"sort"
	"unsafe"

	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// A list of raw edges has their ids' ordered keys instead of pairs, that of the source and then that of the
// target, and one of raw vertices a key each.

// storeRaw appends edges with their whole ids.
func storeRaw[T Integer](l *lane, pool *chunkPool, typ IDType, src, dst []T, x extras) {
	flip := typ.orderedKey(0)
	for at := 0; at < len(src); {
		c, room := l.raw.room(pool)
		n := min(room/2, len(src)-at)
		to, s, d := c.pair[c.n:c.n+2*n], src[at:at+n], dst[at:at+n]
		for i, u := range s {
			to[2*i], to[2*i+1] = uint64(int64(u))^flip, uint64(int64(d[i]))^flip
		}
		countKeys(&l.sketch, to)
		if x.weights != nil {
			c.takeKeys(c.n/2, n, &x, at)
			for i, w := range x.weights[at : at+n] {
				c.w[c.n/2+i] = plainWeight(w)
			}
		}
		if x.edgeIDs != nil {
			copy(c.id[c.n/2:], x.edgeIDs[at:at+n])
		}
		c.n += 2 * n
		at += n
	}
}

// storeRawVertices appends ids of vertices.
func storeRawVertices[T Integer](l *lane, pool *chunkPool, typ IDType, ids []T) {
	flip := typ.orderedKey(0)
	for at := 0; at < len(ids); {
		c, room := l.rawVertices.room(pool)
		n := min(room, len(ids)-at)
		to := c.pair[c.n : c.n+n]
		for i, x := range ids[at : at+n] {
			to[i] = uint64(int64(x)) ^ flip
		}
		countKeys(&l.sketch, to)
		c.n += n
		at += n
	}
}

// rawKeys makes raw lists of those that have the low 32 bits of ids, which came before the first id
// that was far from them.
func (b *build) rawKeys() error {
	for _, of := range []struct {
		from, to *[]chunkList
	}{{&b.low, &b.lists}, {&b.lowVertices, &b.rawVertices}} {
		chunks := chunksOf(*of.from)
		made := make([]chunkList, len(chunks))
		err := b.each("number ids", len(chunks), func(_, i int) error {
			c, l := chunks[i], &made[i]
			for at := 0; at < c.n; {
				to, room := l.room(b.pool)
				n := min(room/2, c.n-at)
				for j, p := range c.pair[at : at+n] {
					to.pair[to.n+2*j] = b.ids.least + uint64(uint32(p>>32)-b.base)
					to.pair[to.n+2*j+1] = b.ids.least + uint64(uint32(p)-b.base)
				}
				if c.w != nil {
					copy(to.w[to.n/2:], c.w[at:at+n])
				}
				if c.id != nil {
					copy(to.id[to.n/2:], c.id[at:at+n])
				}
				to.n += 2 * n
				at += n
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, l := range *of.from {
			b.pool.putAll(l)
		}
		*of.from = nil
		*of.to = append(*of.to, slices.DeleteFunc(made, func(l chunkList) bool { return l.head == nil })...)
	}
	b.base = 0
	return nil
}

// mapRaw sends raw keys through the table, on the host, and leaves pairs of provisional numbers.
func (b *build) mapRaw() error {
	b.ids.table = newIDTable(b.maxVertices, false)
	b.ids.sorted, b.ids.ranked = nil, false // a device may have numbered them, and then have had no memory
	edges := len(b.chunks())
	chunks := append(b.chunks(), chunksOf(b.rawVertices)...)
	batches := make([]idBatch, b.workers)
	err := b.each("number ids", len(chunks), func(w, i int) error {
		c, batch := chunks[i], &batches[w]
		if c.n == 0 {
			return nil
		}
		batch.reset(c.n)
		copy(batch.keys, c.pair[:c.n])
		if err := b.ids.table.mapInts(batch, c.n, true); err != nil || i >= edges {
			return err
		}
		c.n /= 2
		for j := range c.n {
			c.pair[j] = pairOf(batch.out[2*j], batch.out[2*j+1])
		}
		return nil
	})
	for _, l := range b.rawVertices {
		b.pool.putAll(l)
	}
	b.raw, b.rawVertices = false, nil
	if err != nil {
		return err
	}
	return b.sortTable()
}

// mapOn has the device number the ids: it then has the pairs.
func (b *build) mapOn(on placed.Builder) error {
	chunks := slices.DeleteFunc(append(b.chunks(), chunksOf(b.rawVertices)...), func(c *chunk) bool { return c.n == 0 })
	keys, total := chunkColumn(chunks, 8, 1, func(c *chunk) unsafe.Pointer { return unsafe.Pointer(c.pair) })
	b.step("number ids", 0)
	var sorted []uint64
	n, err := on.Map(keys, total, b.load.vertices, func(found []uint64) (err error) {
		sorted, err = b.sortKeys(found)
		return err
	})
	if err != nil {
		return err
	}
	b.step("number ids", 1)
	if n != len(sorted) {
		return errors.New("graph: ids were lost on the device")
	}
	if uint64(n) > b.maxVertices {
		return tooManyVertices(uint64(n), b.maxVertices)
	}
	b.ids.sorted, b.ids.ranked, b.ids.n, b.ids.space = sorted, true, n, n
	return nil
}

// sortKeys sorts keys in place.
func (b *build) sortKeys(keys []uint64) ([]uint64, error) {
	all := make([]idEntry, len(keys))
	hugepage.Expect(all)
	parts := b.parts(len(keys))
	err := b.each("", parts, func(_, i int) error {
		for at, end := span(len(keys), parts, i); at < end; at++ {
			all[at].key = keys[at]
		}
		return nil
	})
	if err == nil {
		err = b.sortInts("order", all)
	}
	if err != nil {
		return nil, err
	}
	return keys, b.each("", parts, func(_, i int) error {
		for at, end := span(len(keys), parts, i); at < end; at++ {
			keys[at] = all[at].key
		}
		return nil
	})
}

// chunkColumn returns what copies a column of chunks from byte at on, size bytes for each of per entries that
// a chunk counts, and how many there are.
func chunkColumn(chunks []*chunk, size, per uint64, of func(c *chunk) unsafe.Pointer) (fill func(at uint64, part []byte), total uint64) {
	ends := make([]uint64, len(chunks))
	for i, c := range chunks {
		total += uint64(c.n) / per
		ends[i] = total
	}
	return func(at uint64, part []byte) {
		for i := sort.Search(len(ends), func(i int) bool { return size*ends[i] > at }); len(part) > 0; i++ {
			raw := unsafe.Slice((*byte)(of(chunks[i])), size*(uint64(chunks[i].n)/per))
			n := copy(part, raw[at-(size*ends[i]-uint64(len(raw))):])
			part, at = part[n:], at+uint64(n)
		}
	}, total
}

// give gives the memory of all pairs back: a device has them.
func (b *build) give() {
	b.lists, b.rawVertices = nil, nil
	for _, block := range b.pool.blocks {
		block.release()
	}
	b.pool.blocks, b.pool.free = nil, nil
}
