// This file holds the functors. Threads are vertices: each does an equal part of a block's work, which is numbered.

package similar

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// part returns the share of a thread: the numbers from lo to before hi.
func part(thread uint32, threads, all uint64) (lo, hi uint64) {
	return uint64(thread) * all / threads, (uint64(thread) + 1) * all / threads
}

// last returns the last of the first n entries that is at most x. The entries ascend, and the first is at most x.
func last(a []uint64, n, x uint64) uint64 {
	lo, hi := uint64(0), n
	for range 64 { // a binary search
		if hi-lo <= 1 {
			break
		}
		if middle := (lo + hi) / 2; a[middle] <= x {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo
}

// gather adds up, in the table of each source, what the neighbors that it shares with others count.
//
//foray:functor
type gather struct {
	Rows    []uint64 // of the graph
	Targets []uint32
	Value   []uint64 // what a shared neighbor counts
	Source  []uint32 // of the block
	First   []uint64 // edges of the sources before
	Work    []uint64 // edges of the neighbors before
	Table   []uint64 // where the table of each source begins
	Key     []uint32 // the vertex of each entry; noVertex: none
	Sum     []uint64

	Sources, Edges, Units, Vertices, Threads uint64
}

// Vertex goes over some edges of neighbors.
func (f *gather) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Units)
	if lo >= hi {
		return
	}
	e := last(f.Work, f.Edges, lo)
	s := last(f.First, f.Sources, e)
	u := f.Source[s]
	base, size := f.Table[s], f.Table[s+1]-f.Table[s]
	w := f.Targets[f.Rows[u]+e-f.First[s]]
	row, value, next := f.Rows[w]-f.Work[e], f.Value[w], f.Work[e+1]
	for unit := lo; unit < hi; unit++ {
		if unit >= next {
			e++
			if e >= f.First[s+1] {
				s++
				u = f.Source[s]
				base, size = f.Table[s], f.Table[s+1]-f.Table[s]
			}
			w = f.Targets[f.Rows[u]+e-f.First[s]]
			row, value, next = f.Rows[w]-f.Work[e], f.Value[w], f.Work[e+1]
		}
		if x := f.Targets[row+unit]; x != u {
			put(f.Key, f.Sum, base, size, f.Vertices, x, value)
		}
	}
}

// gatherWeighted is gather for products of weights.
//
//foray:functor
type gatherWeighted struct {
	Rows    []uint64 // of the graph
	Targets []uint32
	Weight  []float64 // of every edge
	Inverse []float64 // of the norm of each vertex' weights
	Source  []uint32  // of the block
	First   []uint64  // edges of the sources before
	Work    []uint64  // edges of the neighbors before
	Table   []uint64  // where the table of each source begins
	Key     []uint32  // the vertex of each entry; noVertex: none
	Sum     []uint64

	Sources, Edges, Units, Vertices, Threads uint64
}

// Vertex goes over some edges of neighbors.
func (f *gatherWeighted) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Units)
	if lo >= hi {
		return
	}
	e := last(f.Work, f.Edges, lo)
	s := last(f.First, f.Sources, e)
	u := f.Source[s]
	base, size := f.Table[s], f.Table[s+1]-f.Table[s]
	at := f.Rows[u] + e - f.First[s]
	w := f.Targets[at]
	row, mine, next := f.Rows[w]-f.Work[e], f.Weight[at]*f.Inverse[u], f.Work[e+1]
	for unit := lo; unit < hi; unit++ {
		if unit >= next {
			e++
			if e >= f.First[s+1] {
				s++
				u = f.Source[s]
				base, size = f.Table[s], f.Table[s+1]-f.Table[s]
			}
			at = f.Rows[u] + e - f.First[s]
			w = f.Targets[at]
			row, mine, next = f.Rows[w]-f.Work[e], f.Weight[at]*f.Inverse[u], f.Work[e+1]
		}
		if x := f.Targets[row+unit]; x != u {
			put(f.Key, f.Sum, base, size, f.Vertices, x, product(mine, f.Weight[row+unit]*f.Inverse[x]))
		}
	}
}

// product returns the product of two numbers from 0 to 1, as an integer.
func product(a, b float64) uint64 { return uint64(a * b * whole) }

// put adds to the entry of a vertex. A table with an entry for every vertex has no keys.
func put(key []uint32, sum []uint64, base, size, vertices uint64, x uint32, value uint64) {
	if size == vertices {
		atomics.Add(&sum[base+uint64(x)], value)
		return
	}
	at := uint64(x*hashFactor) * size >> 32
	for range size {
		k := atomics.Load(&key[base+at])
		if k == noVertex {
			if atomics.CompareAndSwap(&key[base+at], noVertex, x) {
				k = x
			} else {
				k = atomics.Load(&key[base+at])
			}
		}
		if k == x {
			atomics.Add(&sum[base+at], value)
			break
		}
		at = (at + 1) & (size - 1)
	}
}

// choose finds the best entries of each piece of a table, and empties it.
//
//foray:functor
type choose struct {
	Rows   []uint64 // of the graph
	Rank   []uint32 // of each vertex' id
	Source []uint32 // of the block
	Table  []uint64 // where the table of each source begins
	Piece  []uint64 // pieces of the sources before
	Key    []uint32 // the vertex of each entry; noVertex: none
	Sum    []uint64
	Best   []uint32 // K vertices of each piece, the best first; noVertex: none
	Score  []float64

	Sources, Pieces, Vertices, K, Threads uint64
	Unit                                  float64
	Measure                               uint32
}

// Vertex goes over some pieces.
func (f *choose) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Pieces)
	for p := lo; p < hi; p++ {
		s := last(f.Piece, f.Sources, p)
		u := f.Source[s]
		base, size := f.Table[s], f.Table[s+1]-f.Table[s]
		from := (p - f.Piece[s]) * pieceEntries
		to, out, n := min(from+pieceEntries, size), p*f.K, uint64(0)
		mine := f.Rows[u+1] - f.Rows[u]
		for i := from; i < to; i++ {
			sum, x := f.Sum[base+i], uint32(i)
			if size != f.Vertices {
				if x = f.Key[base+i]; x == noVertex {
					continue
				}
				f.Key[base+i] = noVertex
			}
			if sum == 0 {
				continue
			}
			f.Sum[base+i] = 0
			n = insert(f.Best, f.Score, f.Rank, out, f.K, n, x, scoreOf(f.Measure, sum, mine, f.Rows[x+1]-f.Rows[x], f.Unit))
		}
		for i := n; i < f.K; i++ {
			f.Best[out+i] = noVertex
		}
	}
}

// merge finds the best of the pieces of each source.
//
//foray:functor
type merge struct {
	Rank      []uint32 // of each vertex' id
	Piece     []uint64 // pieces of the sources before
	From      []uint32 // K vertices of each piece, the best first; noVertex: none
	FromScore []float64
	Best      []uint32 // K vertices of each source
	Score     []float64

	Sources, K, Threads uint64
}

// Vertex goes over some sources.
func (f *merge) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Sources)
	for s := lo; s < hi; s++ {
		first, end, out, n := f.Piece[s]*f.K, f.Piece[s+1]*f.K, s*f.K, uint64(0)
		for i := first; i < end; i++ {
			if x := f.From[i]; x != noVertex {
				n = insert(f.Best, f.Score, f.Rank, out, f.K, n, x, f.FromScore[i])
			}
		}
		for i := n; i < f.K; i++ {
			f.Best[out+i] = noVertex
		}
	}
}

// insert puts a vertex among the best n, of which at most k are kept, and returns how many there are now.
func insert(best []uint32, score []float64, rank []uint32, out, k, n uint64, x uint32, s float64) uint64 {
	at := n
	if n == k {
		if at--; !better(s, rank[x], score[out+at], rank[best[out+at]]) {
			return n
		}
	} else {
		n++
	}
	for range k {
		if at == 0 || !better(s, rank[x], score[out+at-1], rank[best[out+at-1]]) {
			break
		}
		best[out+at], score[out+at] = best[out+at-1], score[out+at-1]
		at--
	}
	best[out+at], score[out+at] = x, s
	return n
}

// better reports whether a score comes before another; of equal ones the smaller id does.
func better(a float64, rankA uint32, b float64, rankB uint32) bool {
	return a > b || a == b && rankA < rankB
}

// scoreOf returns a similarity. sum is what the shared neighbors count, in units for measures that aren't counts; the two vertices
// have a and b neighbors.
func scoreOf(measure uint32, sum, a, b uint64, unit float64) float64 {
	switch measure {
	case uint32(Jaccard):
		return float64(sum) / float64(a+b-sum)
	case uint32(Overlap):
		return float64(sum) / float64(min(a, b))
	case uint32(Cosine):
		return float64(sum) / math.Sqrt(float64(a)*float64(b))
	case uint32(AdamicAdar):
		return float64(sum) / unit
	}
	return min(float64(sum)/unit, 1)
}

// share adds up what the neighbors that pairs share count.
//
//foray:functor
type share struct {
	Rows    []uint64 // of the graph
	Targets []uint32
	Value   []uint64 // what a shared neighbor counts
	Short   []uint32 // the vertex of each pair with fewer neighbors
	Long    []uint32 // the other
	Work    []uint64 // neighbors of Short of the pairs before
	Sum     []uint64

	Pairs, Units, Threads uint64
}

// Vertex looks for some neighbors of one vertex among those of the other.
func (f *share) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Units)
	if lo >= hi {
		return
	}
	p := last(f.Work, f.Pairs, lo)
	row, next := f.Rows[f.Short[p]]-f.Work[p], f.Work[p+1]
	at, end, total := f.Rows[f.Long[p]], f.Rows[f.Long[p]+1], uint64(0)
	for unit := lo; unit < hi; unit++ {
		if unit >= next {
			if total > 0 {
				atomics.Add(&f.Sum[p], total)
			}
			p++
			row, next = f.Rows[f.Short[p]]-f.Work[p], f.Work[p+1]
			at, end, total = f.Rows[f.Long[p]], f.Rows[f.Long[p]+1], 0
		}
		w := f.Targets[row+unit]
		at = seek(f.Targets, at, end, w)
		if at < end && f.Targets[at] == w {
			total += f.Value[w]
		}
	}
	if total > 0 {
		atomics.Add(&f.Sum[p], total)
	}
}

// shareWeighted is share for products of weights.
//
//foray:functor
type shareWeighted struct {
	Rows    []uint64 // of the graph
	Targets []uint32
	Weight  []float64 // of every edge
	Inverse []float64 // of the norm of each vertex' weights
	Short   []uint32  // the vertex of each pair with fewer neighbors
	Long    []uint32  // the other
	Work    []uint64  // neighbors of Short of the pairs before
	Sum     []uint64

	Pairs, Units, Threads uint64
}

// Vertex looks for some neighbors of one vertex among those of the other.
func (f *shareWeighted) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Units)
	if lo >= hi {
		return
	}
	p := last(f.Work, f.Pairs, lo)
	a, b := f.Short[p], f.Long[p]
	row, next := f.Rows[a]-f.Work[p], f.Work[p+1]
	at, end, total := f.Rows[b], f.Rows[b+1], uint64(0)
	for unit := lo; unit < hi; unit++ {
		if unit >= next {
			if total > 0 {
				atomics.Add(&f.Sum[p], total)
			}
			p++
			a, b = f.Short[p], f.Long[p]
			row, next = f.Rows[a]-f.Work[p], f.Work[p+1]
			at, end, total = f.Rows[b], f.Rows[b+1], 0
		}
		w := f.Targets[row+unit]
		at = seek(f.Targets, at, end, w)
		if at < end && f.Targets[at] == w {
			total += product(f.Weight[row+unit]*f.Inverse[a], f.Weight[at]*f.Inverse[b])
		}
	}
	if total > 0 {
		atomics.Add(&f.Sum[p], total)
	}
}

// seek returns the first of the entries from lo to before hi that is at least w, or hi. The entries ascend.
func seek(a []uint32, lo, hi uint64, w uint32) uint64 {
	for range 64 { // a binary search
		if lo >= hi {
			break
		}
		if middle := (lo + hi) / 2; a[middle] < w {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	return lo
}
