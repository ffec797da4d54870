// This file adds edges to a Builder.

package graph

// A lane stores the edges of one goroutine at a time, in chunks of pairs. Pairs
// have the low 32 bits of ids, without lookups, while all ids so far are within
// 2^32 of each other, else provisional numbers from the table.
type lane struct {
	ids       idBatch
	low, wide chunkList
	// Vertices without edges, whose ids aren't in the table: two to a pair.
	lowVertices chunkList
	// See builder_raw.go.
	raw, rawVertices chunkList

	counted bool   // the batch being added goes by routeCounted
	sketch  sketch // of the ids that came by it
}

// route is how a lane stores the ids of a batch.
type route uint8

const (
	routeLow     route = iota // keep their low 32 bits
	routeCounted              // the same, and count the distinct ones
	routeTable                // look them up in the table
	routeRaw                  // keep them whole, for a device to number them, and count the distinct ones
)

// enter checks a batch in and returns a lane for it. leave must follow.
func (b *Builder) enter(e intakeBatch) (*lane, route, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, 0, b.err
	}
	was := b.intake
	if err := b.note(e); err != nil {
		return nil, 0, err
	}
	r := routeLow
	if !e.empty() {
		r = b.route(e.typ)
	}
	if r == routeTable || r == routeRaw {
		// The range stays that of the pairs of low 32 bits.
		b.lo, b.hi = was.lo, was.hi
	}
	if b.items() >= b.check {
		if err := b.checkMemory(); err != nil {
			b.err = err
			return nil, 0, err
		}
	}
	var l *lane
	if k := len(b.idle); k > 0 {
		l, b.idle = b.idle[k-1], b.idle[:k-1]
	} else {
		l = &lane{}
		b.lanes = append(b.lanes, l)
	}
	b.busy++
	return l, r, nil
}

// route decides for a batch that was noted.
func (b *Builder) route(typ IDType) route {
	if b.o.DenseIDs {
		return routeLow
	}
	span, given := b.hi-b.lo, b.items()
	// Ids that are too sparse for ranking would need the table later, when
	// no other work overlaps.
	sparse := span/rankedSpan > given && given >= 4<<20
	if b.table == nil && !b.raw && (!typ.Integer() || b.o.Bipartite || span >= 1<<32 || sparse) {
		if b.raw = typ.Integer() && !b.o.Bipartite && b.o.onDevice(); !b.raw {
			b.table = newIDTable(b.maxVertices, b.o.Bipartite)
		}
	}
	switch {
	case b.raw:
		return routeRaw
	case b.table != nil:
		return routeTable
	case span > given:
		return routeCounted
	}
	b.uncounted = max(b.uncounted, span+1)
	return routeLow
}

// directly reports whether ids in a range of this size need no ranks: an
// id's distance from the least one is its provisional number.
func (b *Builder) directly(span uint64) bool { return span <= max(b.items()/directSpan, 1<<10) }

// leave ends the use of a lane that enter returned. An error ends the Builder:
// edges of the batch that were already stored can't be removed.
func (b *Builder) leave(l *lane, err error) error {
	b.mu.Lock()
	b.busy--
	b.idle = append(b.idle, l)
	if l.counted {
		b.counted.add(&l.sketch)
		l.counted = false
	}
	if err != nil && b.err == nil {
		b.err = err
	}
	edges := b.edges
	b.mu.Unlock()
	if b.o.Progress != nil {
		b.progressMu.Lock()
		if edges-b.reported >= 1<<20 && edges > b.reported {
			b.reported = edges
			b.o.Progress(Progress{Phase: "read", Done: edges})
		}
		b.progressMu.Unlock()
	}
	return err
}

func addInts[T Integer](b *Builder, typ IDType, logical string, src, dst []T, x extras) error {
	lo, hi, err := checkInts(&b.intake, typ, src, dst, x)
	if err != nil {
		return err
	}
	x, release, err := b.weigh(x)
	defer release()
	if err != nil {
		return err
	}
	l, r, err := b.enter(intakeBatch{typ: typ, logical: logical, edges: len(src), lo: lo, hi: hi, wideIDs: b.hasWideIDs(x), weights: x.typ, inexact: x.inexact})
	if err != nil {
		return err
	}
	x = b.wanted(x)
	if r == routeTable {
		return b.leave(l, storeWide(l, b, typ, src, dst, x))
	}
	if r == routeRaw {
		l.counted = true
		storeRaw(l, &b.pool, typ, src, dst, x)
		return b.leave(l, nil)
	}
	if r == routeCounted {
		l.counted = true
		countInts(&l.sketch, src)
		countInts(&l.sketch, dst)
	}
	storeLow(l, &b.pool, src, dst, x)
	return b.leave(l, nil)
}

// room returns the list's last chunk and how much it has room for.
func (l *chunkList) room(pool *chunkPool) (*chunk, int) {
	if l.tail == nil || l.tail.n == chunkLen {
		l.append(pool.get())
	}
	return l.tail, chunkLen - l.tail.n
}

func storeLow[T Integer](l *lane, pool *chunkPool, src, dst []T, x extras) {
	for at := 0; at < len(src); {
		c, room := l.low.room(pool)
		n := min(room, len(src)-at)
		to, s, d := c.pair[c.n:c.n+n], src[at:at+n], dst[at:at+n]
		for i := range to {
			to[i] = pairOf(uint32(s[i]), uint32(d[i]))
		}
		if c.take(n, x, at); c.n == chunkLen {
			pool.early.filled(c, false)
		}
		at += n
	}
}

// take copies what the n pairs just written have besides, from edge at on, and
// counts them.
func (c *chunk) take(n int, x extras, at int) {
	if x.weights != nil {
		c.takeKeys(c.n, n, &x, at)
		for i, w := range x.weights[at : at+n] {
			c.w[c.n+i] = plainWeight(w)
		}
	}
	if x.edgeIDs != nil {
		copy(c.id[c.n:], x.edgeIDs[at:at+n])
	}
	c.n += n
}

func storeWide[T Integer](l *lane, b *Builder, typ IDType, src, dst []T, x extras) error {
	flip := typ.orderedKey(0)
	for at := 0; at < len(src); {
		n := min(idBatchLen/2, len(src)-at)
		l.ids.reset(2 * n)
		for i := range n {
			l.ids.keys[i] = uint64(int64(src[at+i])) ^ flip
			l.ids.keys[n+i] = uint64(int64(dst[at+i])) ^ flip
		}
		if err := b.table.mapInts(&l.ids, n, true); err != nil {
			return err
		}
		l.storeMapped(&b.pool, x, at)
		at += n
	}
	return nil
}

func (l *lane) storeStrings(b *Builder, src, dst Strings, x extras) error {
	for at := 0; at < src.Len(); {
		n := min(idBatchLen/2, src.Len()-at)
		l.ids.reset(2 * n)
		if err := b.table.mapStrings(&l.ids, src, dst, at, at+n, true); err != nil {
			return err
		}
		l.storeMapped(&b.pool, x, at)
		at += n
	}
	return nil
}

// storeMapped appends the edges whose provisional numbers are in l.ids.out;
// the first is edge at of the batch that x is of.
func (l *lane) storeMapped(pool *chunkPool, x extras, at int) {
	n := len(l.ids.out) / 2
	src, dst := l.ids.out[:n], l.ids.out[n:]
	for done := 0; done < n; {
		c, room := l.wide.room(pool)
		m := min(room, n-done)
		to, s, d := c.pair[c.n:c.n+m], src[done:done+m], dst[done:done+m]
		for i := range to {
			to[i] = pairOf(s[i], d[i])
		}
		if c.take(m, x, at+done); c.n == chunkLen {
			pool.early.filled(c, true)
		}
		done += m
	}
}
