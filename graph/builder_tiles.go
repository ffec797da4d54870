// This file holds tiles: how the pairs are partitioned before duplicates are dropped.

package graph

// tiles maps pairs to buckets. Numbers are divided into ranges, and the pairs from one range to another are a
// cell of a square. A bucket consists of adjacent cells in the order of Morton (1966), and all buckets have about
// as many pairs. So equal pairs meet in one bucket, and the lookups for the ends of its pairs stay in two parts of
// an array, which fit the cache. A cell with too many pairs for a bucket, such as a hub's, is divided into several
// buckets by hash.
type tiles struct {
	seed    uint64   // of the hash: random, so that no input can make all edges collide
	shift   uint     // a range is 1<<shift numbers
	side    uint     // and there are up to 1<<side of them
	cells   []uint32 // of every cell the first bucket <<16 | how many it has
	buckets int
}

// newTiles looks at some of the pairs.
func (b *build) newTiles(chunks []*chunk, buckets int) *tiles {
	t := &tiles{seed: b.seed}
	for 1<<(2*t.side) < cellsPerBucket*buckets && buckets > 1 {
		t.side++
	}
	for b.ids.space>>t.shift > 1<<t.side {
		t.shift++
	}
	if b.ids.space > 1<<(t.shift+t.side) {
		t.shift++
	}
	sampled := make([]uint32, 1<<(2*t.side))
	t.cells = sampled
	if buckets == 1 {
		t.cells[0], t.buckets = 1, 1
		return t
	}
	// Random steps, so that no input can hide many pairs between samples.
	step := 2 * max(b.stats.InputEdges/uint64(buckets*samplesPerBucket), 1)
	total, at, r := uint32(0), uint64(0), b.seed
	for _, c := range chunks {
		for at < uint64(c.n) {
			p, _ := b.plain(c.pair[at])
			sampled[t.cell(p)]++
			total++
			r++
			at += 1 + mix(r)%step
		}
		at -= uint64(c.n)
	}
	target := max(total/uint32(buckets), 1)
	most := target + target/8
	sum, open := uint32(0), -1 // the bucket of cells with few pairs
	for m := range uint32(len(t.cells)) {
		i := unzip(m)<<t.side | unzip(m>>1)
		n := sampled[i]
		if n > most {
			k := (n + target - 1) / target
			t.cells[i] = uint32(t.buckets)<<16 | k
			t.buckets += int(k)
			continue
		}
		if open < 0 || sum+n > most {
			sum, open = 0, t.buckets
			t.buckets++
		}
		sum += n
		t.cells[i] = uint32(open)<<16 | 1
	}
	return t
}

// unzip returns the bits of m at even places.
func unzip(m uint32) uint32 {
	m &= 0x55555555
	m = (m | m>>1) & 0x33333333
	m = (m | m>>2) & 0x0f0f0f0f
	m = (m | m>>4) & 0x00ff00ff
	return (m | m>>8) & 0xffff
}

func (t *tiles) cell(p uint64) uint32 {
	return uint32(p>>32>>t.shift)<<t.side | uint32(p)>>t.shift
}

// bucket returns the bucket of a plain pair.
func (t *tiles) bucket(p uint64) uint32 {
	c := t.cells[t.cell(p)]
	return c>>16 + uint32(mix(p^t.seed)>>48)*(c&0xffff)>>16
}
