// This file holds the counting of cliques that begin at a vertex, by pivots.

package kclique

import (
	"context"
	"math/big"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
)

// counting is a run.
type counting struct {
	o        Options
	rows     *oriented
	searches []*search
	chosen   [][]uint64 // with counts at vertices: chosen[p][k] is the sets of k of p, or the largest number if there are more
	at       []uint64   // of every rank, with counts at vertices
	overflow atomic.Bool
	stopped  atomic.Bool
	next     atomic.Int64
	done     atomic.Int64
	mu       sync.Mutex
	told     int64
}

func newCounting(o Options, rows *oriented, workers int) *counting {
	c := &counting{o: o, rows: rows}
	longest := 0
	for r := range rows.order {
		longest = max(longest, int(rows.offsets[r+1]-rows.offsets[r]))
	}
	if o.vertices() {
		c.at = make([]uint64, len(rows.order))
		if o.K <= longest+1 {
			c.choose(longest)
		}
	}
	for range workers {
		c.searches = append(c.searches, &search{c: c, k: o.K, vertices: o.vertices(), of: make([]uint64, longest+1), index: newPlaces(longest)})
	}
	return c
}

// choose fills the table of binomial coefficients, for sets of up to K-1 of up to the longest row.
func (c *counting) choose(longest int) {
	c.chosen = make([][]uint64, longest+1)
	for p := range c.chosen {
		row := make([]uint64, min(p, c.o.K-1)+1)
		row[0] = 1
		for k := 1; k < len(row); k++ {
			sum, carry := c.chosen[p-1][k-1], uint64(0)
			if k < len(c.chosen[p-1]) {
				sum, carry = bits.Add64(sum, c.chosen[p-1][k], 0)
			}
			if row[k] = sum; carry != 0 || sum == 1<<64-1 || c.chosen[p-1][k-1] == 1<<64-1 {
				row[k] = 1<<64 - 1
			}
		}
		c.chosen[p] = row
	}
}

// run counts on all workers. The error is the context's.
func (c *counting) run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { c.stopped.Store(true) })()
	n := len(c.rows.order)
	blocks := (n + rootsAtOnce - 1) / rootsAtOnce
	stride, every := strideOf(blocks), int64(max(n/reports, 1))
	var wg panics.Group
	for _, s := range c.searches[:min(len(c.searches), blocks)] {
		wg.Go(func() {
			for !c.stopped.Load() {
				i := int(c.next.Add(1)) - 1
				if i >= blocks {
					return
				}
				lo := int(uint64(i) * uint64(stride) % uint64(blocks) * rootsAtOnce)
				hi := min(lo+rootsAtOnce, n)
				for r := lo; r < hi; r++ {
					s.root(uint32(r))
				}
				if done := c.done.Add(int64(hi - lo)); done/every != (done-int64(hi-lo))/every && c.o.Progress != nil {
					c.report(done, n)
				}
			}
		})
	}
	if err := wg.Err(); err != nil {
		return err
	}
	return ctx.Err()
}

// strideOf returns a number without a common divisor with n, near the golden section: steps of it visit hard vertices, which are next to each other, at
// even intervals. So time passes in proportion to progress, and no worker finds hard ones at the end alone.
func strideOf(n int) int {
	stride := max(1, n*618/1000)
	for gcd(stride, n) > 1 {
		stride++
	}
	return stride
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (c *counting) report(done int64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done > c.told { // workers may overtake each other
		c.told = done
		c.o.Progress(graph.Progress{Phase: "search", Done: uint64(done), Total: uint64(n)})
	}
}

// counts returns the number of cliques of each size, or with K of that size. Where p pivots and h held vertices were left
// they are the coefficients of x^h (1+x)^p, which are added up by Horner's rule in 1+x.
func (c *counting) counts() (all []*big.Int, ofK *big.Int) {
	ofK = new(big.Int)
	var leaves [][]uint64 // of all workers, by pivots
	for _, s := range c.searches {
		ofK.Add(ofK, new(big.Int).Lsh(new(big.Int).SetUint64(s.high), 64))
		ofK.Add(ofK, new(big.Int).SetUint64(s.low))
		for pivots, row := range s.leaves {
			for held, count := range row {
				if count > 0 {
					leaves = counted(leaves, held, pivots, count)
				}
			}
		}
	}
	x := new(big.Int)
	all = []*big.Int{new(big.Int)}
	for p := len(leaves) - 1; p >= 0; p-- {
		if top := all[len(all)-1]; top.Sign() > 0 && (c.o.K == 0 || len(all) <= c.o.K) {
			all = append(all, new(big.Int))
		}
		for k := len(all) - 1; k > 0; k-- {
			all[k].Add(all[k], all[k-1])
		}
		for held, count := range leaves[p] {
			if count == 0 || c.o.K > 0 && held > c.o.K {
				continue
			}
			for len(all) <= held {
				all = append(all, new(big.Int))
			}
			all[held].Add(all[held], x.SetUint64(count))
		}
	}
	if c.o.K > 0 {
		if c.o.K < len(all) {
			ofK.Add(ofK, all[c.o.K])
		}
		return nil, ofK
	}
	return all, nil
}

// counted adds to the number of leaves of a kind.
func counted(leaves [][]uint64, held, pivots int, count uint64) [][]uint64 {
	for len(leaves) <= pivots {
		leaves = append(leaves, nil)
	}
	if len(leaves[pivots]) <= held {
		leaves[pivots] = append(leaves[pivots], make([]uint64, held+1-len(leaves[pivots]))...)
	}
	leaves[pivots][held] += count
	return leaves
}

// search is what a worker has. The candidates of a search are the vertices that are joined with all that are held and all pivots.
type search struct {
	c        *counting
	k        int  // or 0
	vertices bool // counts are needed at vertices

	leaves    [][]uint64 // of each number of pivots and of held vertices: how often a search ended there
	high, low uint64     // cliques of K vertices that were counted without leaves

	index places
	stack stack
	old   []uint32 // the candidates of a matrix that shrinks

	// With counts at vertices: by place in the root's row, whose end stands for the root.
	of           []uint64
	held, pivots []uint32
}

// matrix is the edges between some vertices: a row of bits for each. A vertex is a place in the root's row.
type matrix struct {
	words  int
	bits   []uint64
	vertex []uint32 // of each row; nil: the same
}

func (m *matrix) row(i int) []uint64 { return m.bits[i*m.words:][:m.words] }

func (m *matrix) place(i int) uint32 {
	if m.vertex == nil {
		return uint32(i)
	}
	return m.vertex[i]
}

// root counts the cliques that begin at the vertex of a rank.
func (s *search) root(rank uint32) {
	row := s.c.rows.row(rank)
	n := len(row)
	if s.k > n+1 {
		return
	}
	if s.vertices {
		s.held = append(s.held[:0], uint32(n))
		s.pivots = s.pivots[:0]
		clear(s.of[:n+1])
	}
	mark := s.stack.mark()
	words := (n + 63) / 64
	m := &matrix{words: words}
	set := s.stack.take(words)
	switch {
	case s.k == 1 || s.k == 2 || n == 0: // needs no edges
		full(set, n)
		s.expand(m, set, n, 1, 0)
	case s.isClique(row):
		if s.vertices {
			for i := range row {
				s.pivots = append(s.pivots, uint32(i))
			}
		}
		s.expand(m, set, 0, 1, n)
	default:
		m.bits = s.stack.take(n * words)
		s.join(row, m)
		full(set, n)
		s.expand(m, set, n, 1, 0)
	}
	s.stack.release(mark)
	if s.vertices {
		for i, k := range s.of[:n] {
			s.add(row[i], k)
		}
		s.add(rank, s.of[n])
	}
}

// add adds to the count at a rank.
func (s *search) add(rank uint32, k uint64) {
	if k != 0 && atomic.AddUint64(&s.c.at[rank], k) < k {
		s.c.overflow.Store(true)
	}
}

// isClique reports whether all vertices of a row are joined.
func (s *search) isClique(row []uint32) bool {
	for i, v := range row {
		if s.c.rows.offsets[v+1]-s.c.rows.offsets[v] < uint64(len(row)-i-1) {
			return false
		}
	}
	for i, v := range row {
		rest, other := row[i+1:], s.c.rows.row(v)
		if len(other) == len(rest) {
			if !slices.Equal(other, rest) {
				return false
			}
			continue
		}
		at := 0
		for _, w := range rest {
			for at < len(other) && other[at] < w {
				at++
			}
			if at == len(other) || other[at] != w {
				return false
			}
		}
	}
	return true
}

// join sets the bits of the edges between the vertices of a row.
func (s *search) join(row []uint32, m *matrix) {
	s.index.set(row)
	for i, v := range row {
		own := m.row(i)
		for _, w := range s.c.rows.row(v) {
			if j := s.index.of(w); j >= 0 {
				own[j>>6] |= 1 << (j & 63)
				m.bits[int(j)*m.words+i>>6] |= 1 << (i & 63)
			}
		}
	}
	s.index.reset(row)
}

// expand counts the cliques of held vertices, any of the pivots, and any of n candidates, which are a set of m's vertices. It
// changes the set.
func (s *search) expand(m *matrix, set []uint64, n, held, pivots int) {
	if s.k > 0 {
		switch need := s.k - held; {
		case need > pivots+n:
			return
		case need <= 2:
			s.last(m, set, n, need, pivots)
			return
		}
	}
	mark, own := s.stack.mark(), len(s.pivots)
	if small := (n + 63) / 64; small*shrinkFactor <= m.words && n > 0 {
		m, set = s.shrink(m, set, n, small)
	}
	// A candidate that is joined with all others is a pivot whose other candidates all remain.
	pivot, least := -1, n // and how many candidates it isn't joined with
	for at, word := range set {
		for ; word != 0; word &= word - 1 {
			i := at<<6 + bits.TrailingZeros64(word)
			apart := n - 1
			row := m.row(i)
			for k, x := range set {
				apart -= bits.OnesCount64(x & row[k])
			}
			if apart == 0 {
				set[at] &^= word & -word
				n--
				pivots++
				if s.vertices {
					s.pivots = append(s.pivots, m.place(i))
				}
			} else if apart < least {
				pivot, least = i, apart
			}
		}
	}
	if n == 0 {
		s.leaf(held, pivots)
	} else if !s.c.stopped.Load() {
		s.branch(m, set, n, held, pivots, pivot, least)
	}
	if s.vertices {
		s.pivots = s.pivots[:own]
	}
	s.stack.release(mark)
}

// branch counts cliques with and without the pivot, and the cliques of each candidate that isn't joined with it.
func (s *search) branch(m *matrix, set []uint64, n, held, pivots, pivot, apart int) {
	child, row := s.stack.take(m.words), m.row(pivot)
	for k, x := range set {
		child[k] = x & row[k]
	}
	if s.vertices {
		s.pivots = append(s.pivots, m.place(pivot))
	}
	s.expand(m, child, n-1-apart, held, pivots+1)
	if s.vertices {
		s.pivots = s.pivots[:len(s.pivots)-1]
	}
	set[pivot>>6] &^= 1 << (pivot & 63)
	for at := range set {
		for word := set[at] &^ row[at]; word != 0; word &= word - 1 {
			i, count := at<<6+bits.TrailingZeros64(word), 0
			set[at] &^= word & -word
			other := m.row(i)
			for k, x := range set {
				child[k] = x & other[k]
				count += bits.OnesCount64(child[k])
			}
			if s.vertices {
				s.held = append(s.held, m.place(i))
			}
			s.expand(m, child, count, held+1, pivots)
			if s.vertices {
				s.held = s.held[:len(s.held)-1]
			}
		}
	}
}

// shrink returns the matrix of the candidates alone, and the set of all of them.
func (s *search) shrink(m *matrix, set []uint64, n, words int) (*matrix, []uint64) {
	to := &matrix{words: words, bits: s.stack.take(n * words)}
	old := s.old[:0]
	for at, word := range set {
		for ; word != 0; word &= word - 1 {
			i := at<<6 + bits.TrailingZeros64(word)
			old = append(old, uint32(i))
			if s.vertices {
				to.vertex = append(to.vertex, m.place(i))
			}
		}
	}
	s.old = old
	for i, v := range old {
		from, row := m.row(int(v)), to.row(i)
		k := 0
		for at, word := range set { // k is the place of the word's first candidate
			x := from[at] & word
			for ; x != 0; x &= x - 1 {
				j := k + bits.OnesCount64(word&(x&-x-1))
				row[j>>6] |= 1 << (j & 63)
			}
			k += bits.OnesCount64(word)
		}
	}
	all := s.stack.take(words)
	full(all, n)
	return to, all
}

// leaf counts the cliques of the held vertices and any of the pivots.
func (s *search) leaf(held, pivots int) {
	s.leaves = counted(s.leaves, held, pivots, 1)
	if !s.vertices {
		return
	}
	need := s.k - held // 3 at least, and pivots are as many at least
	if need > pivots {
		return
	}
	s.raise(s.held, s.c.chosen[pivots][need])
	s.raise(s.pivots, s.c.chosen[pivots-1][need-1])
}

// raise adds to counts at vertices.
func (s *search) raise(at []uint32, k uint64) {
	if k == 1<<64-1 && len(at) > 0 {
		s.c.overflow.Store(true)
	}
	for _, v := range at {
		sum, carry := bits.Add64(s.of[v], k, 0)
		if s.of[v] = sum; carry != 0 {
			s.c.overflow.Store(true)
		}
	}
}

// last counts the cliques that lack so many vertices, 2 at most, which may be pivots or candidates.
func (s *search) last(m *matrix, set []uint64, n, need, pivots int) {
	found := uint64(1)
	switch need {
	case 0:
		if s.vertices {
			s.raise(s.held, 1)
		}
	case 1:
		found = uint64(n + pivots)
		if s.vertices {
			s.raise(s.held, found)
			s.raise(s.pivots, 1)
			s.lastAt(m, set, 1, false)
		}
	case 2:
		var edges uint64
		if s.vertices {
			edges = s.lastAt(m, set, uint64(pivots), true)
		} else {
			edges = edgesOf(m, set)
		}
		p := uint64(pivots)
		if found = p*uint64(n) + edges; p > 0 {
			found += p * (p - 1) / 2
		}
		if s.vertices {
			s.raise(s.held, found)
			s.raise(s.pivots, uint64(n)+p-1)
		}
	}
	var carry uint64
	s.low, carry = bits.Add64(s.low, found, 0)
	s.high += carry
}

// edgesOf returns how many edges there are between candidates.
func edgesOf(m *matrix, set []uint64) (edges uint64) {
	for at, word := range set {
		for ; word != 0; word &= word - 1 {
			row := m.row(at<<6 + bits.TrailingZeros64(word))
			for k, x := range set {
				edges += uint64(bits.OnesCount64(x & row[k]))
			}
		}
	}
	return edges / 2
}

// lastAt adds each to the counts at candidates, and their degrees if those are wanted. It returns the edges between candidates.
func (s *search) lastAt(m *matrix, set []uint64, each uint64, degrees bool) (edges uint64) {
	for at, word := range set {
		for ; word != 0; word &= word - 1 {
			i, degree := at<<6+bits.TrailingZeros64(word), uint64(0)
			if degrees {
				row := m.row(i)
				for k, x := range set {
					degree += uint64(bits.OnesCount64(x & row[k]))
				}
			}
			edges += degree
			v := m.place(i)
			sum, carry := bits.Add64(s.of[v], each+degree, 0)
			if s.of[v] = sum; carry != 0 {
				s.c.overflow.Store(true)
			}
		}
	}
	return edges / 2
}

// full makes a set of the first n.
func full(set []uint64, n int) {
	for i := range set {
		set[i] = ^uint64(0)
	}
	if n&63 != 0 {
		set[len(set)-1] = 1<<(n&63) - 1
	}
}
