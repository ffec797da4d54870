// This file holds the graphs of levels: symmetric, with weights that are integers.

package modularity

import (
	"math"
	"math/bits"
)

// none is no label.
const none = ^uint32(0)

// level is a graph on the host, from which communities of the next level are made. Self-loops, if rows have them, count in
// the degrees alone.
type level struct {
	n       int
	offsets []uint64 // where each row begins
	ends    []uint64 // where each row ends
	targets []uint32
	weights []int64  // of the entries of rows; nil: each weighs 1
	degree  []int64  // of each vertex: the weight of its edges, in a directed graph of its out-edges
	in      []int64  // the weight of in-edges; nil in an undirected graph
	rank    []uint32 // of each vertex: a number that doesn't depend on the order of vertices; nil: its own number
	byRank  []uint32 // the vertex of each rank; nil with rank
	site    *site    // where steps run; nil on the host
	cuts    []uint32 // where pieces of rows begin
	total   int64    // the sum of degrees
	entries int64    // the weight of all entries, where a self-loop of an undirected graph counts twice
	loops   int64    // of these, of self-loops
}

// rankOf returns the number of a vertex that decisions depend on.
func (l *level) rankOf(v uint32) uint32 {
	if l.rank == nil {
		return v
	}
	return l.rank[v]
}

func (l *level) vertex(rank uint32) uint32 {
	if l.byRank == nil {
		return rank
	}
	return l.byRank[rank]
}

// before reports whether a label comes before another one, in a tie.
func (l *level) before(a, b uint32) bool {
	if l.rank == nil {
		return a < b
	}
	return l.rank[a] < l.rank[b]
}

// divide finds pieces of rows with about equally many edges. Long rows come in pieces of few rows.
func (l *level) divide() {
	l.cuts = append(l.cuts[:0], 0)
	for lo := 0; lo < l.n; lo += pieceVertices {
		hi := min(lo+pieceVertices, l.n)
		if l.offsets[hi]-l.offsets[lo] > 2*pieceEdges {
			from := l.offsets[lo]
			for v := lo + 1; v < hi; v++ {
				if l.offsets[v]-from >= pieceEdges {
					l.cuts, from = append(l.cuts, uint32(v)), l.offsets[v]
				}
			}
		}
		l.cuts = append(l.cuts, uint32(hi))
	}
}

// partition is communities of a level's vertices.
type partition struct {
	label []uint32 // of each vertex: the vertex that its community is named after
	total []int64  // by label: the degrees of the vertices
	in    []int64  // the same of in-edges; nil in an undirected graph
	size  []uint32 // by label: vertices
}

// scale is what modularity divides by, and what a community's weight counts.
type scale struct {
	expect float64 // what links are compared with: the product of degrees times this
	all    float64 // the sum of degrees
	gamma  float64
	unit   float64 // the mean weight of an edge
	slack  float64 // the least gain that counts
	noise  float64 // what random numbers are multiplied by
}

// gain is what a community with a total is worth to a vertex of so many links to it. It is the same on all devices, bit for bit.
func (s *scale) gain(links, degree, total int64) float64 {
	return float64(links) - float64(float64(float64(degree)*float64(total))*s.expect)
}

// gainDirected is gain in a directed graph.
func (s *scale) gainDirected(links, out, in, totalOut, totalIn int64) float64 {
	return float64(links) - float64(float64(float64(float64(out)*float64(totalIn))+float64(float64(in)*float64(totalOut)))*s.expect)
}

// product adds up products of two numbers exactly.
type product struct{ high, low uint64 }

func (p *product) add(a, b int64) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	var carry uint64
	p.low, carry = bits.Add64(p.low, low, 0)
	p.high, _ = bits.Add64(p.high, high, carry)
}

// join adds another sum.
func (p *product) join(o product) {
	var carry uint64
	p.low, carry = bits.Add64(p.low, o.low, 0)
	p.high, _ = bits.Add64(p.high, o.high, carry)
}

func (p *product) float() float64 { return math.FMA(float64(p.high), 0x1p64, float64(p.low)) }

// value is the modularity of communities whose vertices have edges of a weight to others.
func (s *scale) value(cut, entries int64, squares product) float64 {
	if s.all == 0 {
		return 0
	}
	return float64(entries-cut)/float64(entries) - float64(s.gamma*(squares.float()/s.all/s.all))
}
