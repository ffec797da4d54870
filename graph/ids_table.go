// This file holds the table that gives external ids provisional numbers while
// edges come in, from several goroutines.

package graph

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// idTable maps ids to provisional numbers: open addressing with linear
// probing, split by hash into shards with a lock each. Batches are sorted by
// shard first, so that a lock is taken once for some hundred ids and the code
// under it is plain. Integers are kept as ordered keys (see orderedKey).
//
// The provisional number of an id is its index in its shard, times the number
// of shards, plus the shard: numbers are nearly without gaps because the hash
// spreads ids evenly.
type idTable struct {
	seed    uint64
	strSeed maphash.Seed
	limit   uint32 // ids per shard
	// separate means that sources go to the shards of even number and targets to
	// those of odd: what is on both sides is two ids, for no more memory.
	separate bool
	shards   [tableShards]idShard
}

type idShard struct {
	mu    sync.Mutex
	slots []uint64 // the hash's high half << 32 | index + 1; 0 where free
	n     uint32
	keys  growing[uint64] // integers

	// Strings: id i is at refs[i] in blocks.
	refs   growing[stringRef]
	blocks [][]byte
	used   uint64 // bytes in all blocks

	fetched uint64 // what loads ahead of time add up to, so that they are made

	_ [64]byte // keeps the next shard's lock off this cache line
}

// growing is an array that grows without copying, which would leave several
// times its size to the garbage collector.
type growing[T any] struct{ blocks []*[growingBlock]T }

func (g *growing[T]) at(i uint32) *T { return &g.blocks[i/growingBlock][i%growingBlock] }

// set writes item i, which is there already or the first that isn't.
func (g *growing[T]) set(i uint32, x T) {
	if int(i/growingBlock) == len(g.blocks) {
		g.blocks = append(g.blocks, new([growingBlock]T))
	}
	*g.at(i) = x
}

type stringRef struct{ block, off, len uint32 }

func newIDTable(limit uint64, separate bool) *idTable {
	return &idTable{
		// A seed per table: an attacker can't choose ids that all collide.
		seed:    rand.Uint64(),
		strSeed: maphash.MakeSeed(),
		limit:   uint32(min(limit/tableShards, 1<<(32-shardBits)-1)),

		separate: separate,
	}
}

// mix spreads the bits of x evenly over all bits.
func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 29
	return x
}

func (sh *idShard) bytesOf(i uint32) []byte {
	r := sh.refs.at(i)
	return sh.blocks[r.block][r.off : r.off+r.len]
}

// grow doubles the slots. A slot's place is the top bits of the hash that it
// holds, so that old slots are read, and new ones written, in order.
func (sh *idShard) grow() {
	old := sh.slots
	size := max(64, 2*len(old))
	sh.slots = make([]uint64, size)
	shift := 32 - uint(bits.TrailingZeros(uint(size)))
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := int(uint32(s>>32) >> shift)
		for sh.slots[i] != 0 {
			i = (i + 1) & (size - 1)
		}
		sh.slots[i] = s
	}
}

// full reports whether the slots must grow before another id comes in.
func (sh *idShard) full() bool { return uint64(sh.n)*4 >= uint64(len(sh.slots))*3 }

// idItem is one id of a batch on its way through the table.
type idItem struct {
	key uint64 // integers; for strings unused
	tag uint32 // the hash's high half
	at  uint32 // index in the batch
}

// idBatch is the scratch memory of mapping ids, reused from batch to batch.
// One goroutine uses it at a time.
type idBatch struct {
	keys   []uint64 // the ids to map: sources, then targets
	out    []uint32 // their provisional numbers
	hashes []uint64
	items  []idItem
}

// reset makes room for n ids.
func (b *idBatch) reset(n int) {
	if cap(b.out) < n {
		b.keys, b.out, b.hashes = make([]uint64, n), make([]uint32, n), make([]uint64, n)
		b.items = make([]idItem, n)
	}
	b.keys, b.out, b.hashes, b.items = b.keys[:n], b.out[:n], b.hashes[:n], b.items[:n]
}

// partition sorts the batch's hashes into items by shard; the items of shard s
// end at the returned ends[s].
func (b *idBatch) partition() (ends [tableShards]uint32) {
	for _, h := range b.hashes {
		ends[h%tableShards]++
	}
	sum := uint32(0)
	for s, n := range ends {
		ends[s] = sum
		sum += n
	}
	for i, h := range b.hashes {
		s := h % tableShards
		b.items[ends[s]] = idItem{key: b.keys[i], tag: uint32(h >> 32), at: uint32(i)}
		ends[s]++
	}
	return ends
}

// mapInts gives every one of b.keys its provisional number in b.out. The first
// so many are sources, the others targets. With insert false an unknown id is
// an error.
func (t *idTable) mapInts(b *idBatch, sources int, insert bool) error {
	for i, k := range b.keys {
		b.hashes[i] = mix(k ^ t.seed)
	}
	t.sides(b, sources)
	return t.eachShard(b, func(sh *idShard, s uint32, items []idItem) error {
		return t.intsInShard(b.out, sh, s, items, insert)
	})
}

// sides moves the hashes of sources to even shards and those of targets to odd
// ones, where the two are separate.
func (t *idTable) sides(b *idBatch, sources int) {
	if !t.separate {
		return
	}
	for i := range b.hashes[:sources] {
		b.hashes[i] &^= 1
	}
	for i := range b.hashes[sources:] {
		b.hashes[sources+i] |= 1
	}
}

// eachShard runs work for every shard that the batch has ids of, under its lock.
func (t *idTable) eachShard(b *idBatch, work func(sh *idShard, s uint32, items []idItem) error) error {
	ends := b.partition()
	// Goroutines start at different shards, so that they rarely wait.
	first := int(b.hashes[0]>>8) % tableShards
	for j := range tableShards {
		s := (first + j) % tableShards
		lo := uint32(0)
		if s > 0 {
			lo = ends[s-1]
		}
		if lo == ends[s] {
			continue
		}
		sh := &t.shards[s]
		sh.mu.Lock()
		err := work(sh, uint32(s), b.items[lo:ends[s]])
		sh.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// find loads the first slot of every item and writes the numbers of those ids
// in the shard that are likely to be the items'. It returns how many there are.
func (sh *idShard) find(items []idItem, at *[lookahead]uint32) (n int) {
	if len(sh.slots) == 0 {
		return 0
	}
	var first [lookahead]uint64
	mask := len(sh.slots) - 1
	shift := 32 - uint(bits.TrailingZeros(uint(len(sh.slots))))
	items = items[:min(len(items), lookahead)]
	for j, it := range items {
		first[j] = sh.slots[int(it.tag>>shift)&mask]
	}
	for j, it := range items {
		if x := first[j]; x != 0 && uint32(x>>32) == it.tag {
			at[n] = uint32(x) - 1
			n++
		}
	}
	return n
}

func (t *idTable) intsInShard(out []uint32, sh *idShard, s uint32, items []idItem, insert bool) error {
	slots := sh.slots
	shift := 32 - uint(bits.TrailingZeros(uint(len(slots))))
	for _, it := range items {
		if sh.full() && insert {
			sh.grow()
			slots = sh.slots
			shift = 32 - uint(bits.TrailingZeros(uint(len(slots))))
		}
		if len(slots) == 0 {
			return errChanged
		}
		i := int(it.tag>>shift) & (len(slots) - 1)
		for {
			x := slots[i]
			if x == 0 {
				if !insert {
					return errChanged
				}
				if sh.n >= t.limit {
					return t.tooMany()
				}
				sh.keys.set(sh.n, it.key)
				slots[i] = uint64(it.tag)<<32 | uint64(sh.n+1)
				out[it.at] = sh.n<<shardBits | s
				sh.n++
				break
			}
			if uint32(x>>32) == it.tag && *sh.keys.at(uint32(x) - 1) == it.key {
				out[it.at] = (uint32(x)-1)<<shardBits | s
				break
			}
			i = (i + 1) & (len(slots) - 1)
		}
	}
	return nil
}

// mapStrings is mapInts for sources src and targets dst from edge lo to hi; an
// empty column is left out.
func (t *idTable) mapStrings(b *idBatch, src, dst Strings, lo, hi int, insert bool) error {
	n := 0
	if src.Len() > 0 {
		n = hi - lo
	}
	for i := range b.hashes {
		if i < n {
			b.hashes[i] = maphash.Bytes(t.strSeed, src.Value(lo+i))
		} else {
			b.hashes[i] = maphash.Bytes(t.strSeed, dst.Value(lo+i-n))
		}
	}
	t.sides(b, n)
	return t.eachShard(b, func(sh *idShard, s uint32, items []idItem) error {
		for k, it := range items {
			if k%lookahead == 0 {
				sh.fetchStrings(items[k:])
			}
			id := dst
			at := lo + int(it.at) - n
			if int(it.at) < n {
				id, at = src, lo+int(it.at)
			}
			v, err := t.stringInShard(sh, it.tag, id.Value(at), insert)
			if err != nil {
				return err
			}
			b.out[it.at] = v<<shardBits | s
		}
		return nil
	})
}

// fetchStrings loads what stringInShard will look at of the first items.
func (sh *idShard) fetchStrings(items []idItem) {
	var at [lookahead]uint32
	var refs [lookahead]stringRef
	n := sh.find(items, &at)
	for j, i := range at[:n] {
		refs[j] = *sh.refs.at(i)
	}
	for _, r := range refs[:n] {
		if r.len > 0 {
			sh.fetched += uint64(sh.blocks[r.block][r.off])
		}
	}
}

func (t *idTable) stringInShard(sh *idShard, tag uint32, id []byte, insert bool) (uint32, error) {
	if sh.full() && insert {
		sh.grow()
	}
	if len(sh.slots) == 0 {
		return 0, errChanged
	}
	i := int(tag >> (32 - uint(bits.TrailingZeros(uint(len(sh.slots))))))
	for {
		x := sh.slots[i]
		if x == 0 {
			break
		}
		if uint32(x>>32) == tag && string(sh.bytesOf(uint32(x)-1)) == string(id) {
			return uint32(x) - 1, nil
		}
		i = (i + 1) & (len(sh.slots) - 1)
	}
	switch {
	case !insert:
		return 0, errChanged
	case sh.n >= t.limit:
		return 0, t.tooMany()
	case len(id) >= maxIDBytes:
		return 0, fmt.Errorf("%w: a string id of %d bytes; the longest allowed is %d", ErrIDRange, len(id), maxIDBytes-1)
	}
	sh.keep(id)
	sh.slots[i] = uint64(tag)<<32 | uint64(sh.n+1)
	sh.n++
	return sh.n - 1, nil
}

// keep copies a string into the shard's blocks, which grow with the shard and
// are never copied themselves.
func (sh *idShard) keep(id []byte) {
	last := len(sh.blocks) - 1
	if last < 0 || cap(sh.blocks[last])-len(sh.blocks[last]) < len(id) {
		size := min(max(256, sh.used/2), 256<<10)
		sh.blocks = append(sh.blocks, make([]byte, 0, max(int(size), len(id))))
		last++
	}
	b := sh.blocks[last]
	sh.refs.set(sh.n, stringRef{block: uint32(last), off: uint32(len(b)), len: uint32(len(id))})
	sh.blocks[last] = append(b, id...)
	sh.used += uint64(len(id))
}

func (t *idTable) tooMany() error {
	return fmt.Errorf("%w: about %d; vertex ids are 32 bits", ErrTooManyVertices, uint64(t.limit)*tableShards)
}

// count returns the number of ids and the bytes of strings.
func (t *idTable) count() (ids, stringBytes uint64) {
	for s := range t.shards {
		sh := &t.shards[s]
		sh.mu.Lock()
		ids += uint64(sh.n)
		stringBytes += sh.used
		sh.mu.Unlock()
	}
	return ids, stringBytes
}

// space returns a number that all provisional numbers are below.
func (t *idTable) space() int {
	most := uint32(0)
	for s := range t.shards {
		most = max(most, t.shards[s].n)
	}
	return int(most) << shardBits
}

// freeze gives up what only mapping needs.
func (t *idTable) freeze() {
	for s := range t.shards {
		t.shards[s].slots = nil
	}
}

// forget gives up everything but the strings, after sortTable.
func (t *idTable) forget() {
	t.freeze()
	for s := range t.shards {
		t.shards[s].keys = growing[uint64]{}
	}
}
