// This file holds the rows of a subgraph: compressed sparse rows, with offsets of 32
// bits.

package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/internal/osmem/pages"
)

// rows are the edges of a subgraph by their source: to[off[i]:off[i+1]] are the
// targets of row i, ascending and each once. to may be absent (Part.bring).
type rows[T number] struct {
	off []uint32
	to  []T
}

func (r *rows[T]) len(i uint32) uint32 { return r.off[i+1] - r.off[i] }
func (r *rows[T]) bytes() uint64       { return 4*uint64(len(r.off)) + r.targetBytes() }

func (r *rows[T]) edges() int {
	if len(r.off) == 0 {
		return 0
	}
	return int(r.off[len(r.off)-1])
}

func (r *rows[T]) targetBytes() uint64 {
	var x T
	return uint64(unsafe.Sizeof(x)) * uint64(r.edges())
}

// pairs are edges on their way into rows, in lists of source and target, for normal
// targets of other ranks source, owner and local number.
type pairs struct {
	lists [][]uint32
	n     uint64
}

func (p *pairs) add(list []uint32, each int) {
	if len(list) > 0 {
		p.lists = append(p.lists, list)
		p.n += uint64(len(list) / each)
	}
}

// errRows is the error of a subgraph too large for offsets of 32 bits.
func errRows(name string, n uint64) error {
	return fmt.Errorf("this rank has %d edges of subgraph %s, and a rank holds at most %d of one: start more ranks", n, name, uint32(math.MaxUint32))
}

// supply provides the entries of rows, in tiles, as words: row and target, or row and the two words of a place.
type supply struct {
	n     uint64 // entries
	each  int    // words of one
	tiles int
	// words returns the words of a tile, in the tile's memory or in scratch, which it may enlarge.
	words func(tile int, scratch *[]uint32) []uint32
	// done releases a tile; all releases all tiles.
	done func(tile int)
	all  func()
}

// supply has the lists' entries, and uses the lists up.
func (p *pairs) supply(each int) supply {
	var tiles [][]uint32
	var of []int // the tiles' lists
	left := make([]atomic.Int32, len(p.lists))
	for i, l := range p.lists {
		for len(l) > 0 {
			n := min(len(l), tileEdges*each)
			tiles, of, l = append(tiles, l[:n]), append(of, i), l[n:]
			left[i].Add(1)
		}
	}
	s := supply{n: p.n, each: each, tiles: len(tiles), words: func(i int, _ *[]uint32) []uint32 { return tiles[i] }}
	s.done = func(int) {}
	if p.n*uint64(4*each) >= releaseBytes {
		s.done = func(i int) { // a list at once, since all processors have to hear of it
			if left[of[i]].Add(-1) == 0 {
				pages.Release(p.lists[of[i]])
			}
		}
	}
	s.all = func() { p.lists, tiles = nil, nil }
	return s
}

// transposed has the rows' entries with source and target exchanged.
func (r *rows[T]) transposed() supply {
	n := max(len(r.off)-1, 0)
	return supply{n: uint64(r.edges()), each: 2, tiles: (n + tileRows - 1) / tileRows, words: func(i int, scratch *[]uint32) []uint32 {
		s := (*scratch)[:0]
		for u := i * tileRows; u < min(n, (i+1)*tileRows); u++ {
			for _, v := range r.to[r.off[u]:r.off[u+1]] {
				s = append(s, uint32(v), uint32(u))
			}
		}
		*scratch = s
		return s
	}, done: func(int) {}, all: func() {}}
}

// makeRows makes n rows; both adds each edge reversed too. It puts entries into buckets, each for
// consecutive rows. Workers make rows of one bucket after another.
func makeRows[T number](ctx context.Context, t *team, name string, n int, s supply, both bool) (rows[T], error) {
	m := s.n
	if both {
		m *= 2
	}
	if m > math.MaxUint32 {
		return rows[T]{}, errRows(name, m)
	}
	b := newBuckets(ctx, t, n, m, s, both)
	if ctx.Err() != nil {
		return rows[T]{}, ctx.Err()
	}
	b.fill(ctx, t, s, both)
	s.all()
	if ctx.Err() != nil {
		return rows[T]{}, ctx.Err()
	}
	r := rows[T]{off: make([]uint32, n+1)}
	kept := make([]uint32, len(b.rows)) // lengths of each bucket, then their beginnings
	makers := make([]rowMaker[T], t.workers)
	t.tiles(ctx, len(kept), 1, func(w, k, _ int) { kept[k] = makers[w].make(t, b, k, r.off) })
	if ctx.Err() != nil {
		return rows[T]{}, ctx.Err()
	}
	sum := uint32(0)
	for k, n := range kept {
		kept[k], sum = sum, sum+n
	}
	r.to = as[T](uncleared(uint64(sum) * uint64(unsafe.Sizeof(*new(T)))))[:sum]
	t.tiles(ctx, len(kept), 1, func(_, k, _ int) {
		from, end := kept[k], sum
		if k+1 < len(kept) {
			end = kept[k+1]
		}
		copy(r.to[from:end], as[T](b.words(k)))
		b.release(k, 0)
		for i := b.rows[k]; i < b.end(k); i++ {
			r.off[i], from = from, from+r.off[i]
		}
	})
	r.off[n] = sum
	return r, ctx.Err()
}

// rowMaker makes rows of buckets, one at a time.
type rowMaker[T number] struct {
	next        []uint32
	targets, by []T
}

// make puts the targets of a bucket's rows in front of it, row after row, ascending and each once, the lengths of
// the rows into lengths, and returns the number of targets.
func (x *rowMaker[T]) make(t *team, b *buckets, k int, lengths []uint32) (kept uint32) {
	first, words := b.rows[k], b.words(k)
	lengths = lengths[first:b.end(k)]
	for from := 0; from < len(words); from += tileEdges * b.each {
		part := words[from:min(from+tileEdges*b.each, len(words))]
		for i := 0; i < len(part); i += b.each {
			lengths[part[i]-first]++
		}
		t.progress()
	}
	x.next = slices.Grow(x.next[:0], len(lengths))[:len(lengths)]
	sum, longest := uint32(0), uint32(0)
	for i, n := range lengths {
		x.next[i] = sum
		sum += n
		longest = max(longest, n)
	}
	x.targets, x.by = slices.Grow(x.targets[:0], int(sum))[:sum], slices.Grow(x.by[:0], int(longest))[:longest]
	for from := 0; from < len(words); from += tileEdges * b.each {
		part := words[from:min(from+tileEdges*b.each, len(words))]
		if b.each == 2 {
			for i := 0; i+1 < len(part); i += 2 {
				at := &x.next[part[i]-first]
				x.targets[*at] = T(part[i+1])
				*at++
			}
		} else {
			for i := 0; i+2 < len(part); i += 3 {
				at := &x.next[part[i]-first]
				x.targets[*at] = T(uint64(part[i+1])<<32 | uint64(part[i+2]))
				*at++
			}
		}
		t.progress()
	}
	out := as[T](words)
	for i, n := range lengths {
		row := x.targets[x.next[i]-n : x.next[i]]
		ascend(t, row, x.by)
		row = slices.Compact(row)
		lengths[i] = uint32(len(row))
		kept += uint32(copy(out[kept:], row))
	}
	b.release(k, int(kept)*int(unsafe.Sizeof(*new(T)))/4)
	return kept
}

// ascend sorts a row, a long one by digits, from the lowest one on. by is as long.
func ascend[T number](t *team, row, by []T) {
	if len(row) < radixLeast {
		slices.Sort(row)
		return
	}
	differ := T(0)
	for _, v := range row {
		differ |= v ^ row[0]
	}
	from, to := row, by[:len(row)]
	for shift := uint(0); differ>>shift != 0; shift += 8 {
		if differ>>shift&255 == 0 {
			continue
		}
		var next [256]uint32
		for _, v := range from {
			next[v>>shift&255]++
		}
		sum := uint32(0)
		for d, n := range next {
			next[d], sum = sum, sum+n
		}
		for _, v := range from {
			d := v >> shift & 255
			to[next[d]] = v
			next[d]++
		}
		if from, to = to, from; len(row) >= tileEdges {
			t.progress()
		}
	}
	if &from[0] != &row[0] {
		copy(row, from)
	}
}
