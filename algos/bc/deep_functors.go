// This file holds what happens at a vertex on graphs of short rows, whose searches have many small
// levels: a vertex looks at its row itself. Where counts are large, a path count is Count * 2^Power,
// with Count from 1 to below 2. As long as plain ones fit, both ways give the same bits, since powers
// of two change no digits.

package bc

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// start makes a vertex the source.
//
//foray:functor
type start struct{ Mark []uint32 }

// Vertex was found.
func (f *start) Vertex(v traverse.Vertex) { f.Mark[v.ID] = levelMark(0) }

// neighbor returns entry i of a row that ends at to; behind the end it is v.
func neighbor(targets []uint32, i, to uint64, v uint32) uint32 {
	u := targets[min(i, to-1)]
	if i >= to {
		return v
	}
	return u
}

// choose returns u if it is wanted, else v.
func choose(want bool, u, v uint32) uint32 {
	if want {
		return u
	}
	return v
}

// claim is discover on a GPU, where a look is one more load to wait for. Once a count is too large it
// lets no vertex through, so that the search ends. Nothing waits for the load at Over.
//
//foray:functor
type claim struct {
	Mark []uint32 // of every vertex: 0, or when it was found
	Over []uint64 // of one element
}

// Edge lets targets through that weren't found before.
//
//foray:unique
//foray:direct
func (f *claim) Edge(e traverse.Edge) bool {
	over := atomics.Load(&f.Over[0])
	return atomics.CompareAndSwap(&f.Mark[e.Target], 0, levelMark(e.Level)) && over == 0
}

// tally counts the shortest paths to the vertices of a level: the sum over the neighbors in the
// level above. Counts have no powers: Over says that one is too large for that.
//
// What the neighbors of a vertex have is one load each, without a look at their marks. Levels of
// even depth have counts in Even, others in Odd, and zero in the other one. So a neighbor in the
// same level adds zero, and so does one in the level below, which has no count yet.
//
//foray:functor
type tally struct {
	Mark      []uint32
	Offsets   []uint64
	Targets   []uint32
	Even, Odd []float64
	Over      []uint64 // of one element
}

// Vertex has one path to it at the source, and otherwise those to its neighbors.
//
//foray:disjoint
func (f *tally) Vertex(v traverse.Vertex) {
	mark, from, to := f.Mark[v.ID], f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	count := 1.0
	switch {
	case mark == levelMark(0):
		f.Even[v.ID] = 1
	case mark&1 == 0:
		count = countsOf(f.Odd, f.Targets, from, to, v.ID)
		f.Even[v.ID] = count
	default:
		count = countsOf(f.Even, f.Targets, from, to, v.ID)
		f.Odd[v.ID] = count
	}
	if count > plainLimit {
		atomics.Store(&f.Over[0], 1)
	}
}

// countsOf adds up the counts of a row. Four loads are under way at a time: on a GPU a level takes
// about as long as the loads that wait for others.
func countsOf(counts []float64, targets []uint32, from, to uint64, v uint32) float64 {
	total := 0.0
	for i := from; i < to; i += 4 {
		a, b := neighbor(targets, i, to, v), neighbor(targets, i+1, to, v)
		c, d := neighbor(targets, i+2, to, v), neighbor(targets, i+3, to, v)
		nA, nB, nC, nD := counts[a], counts[b], counts[c], counts[d]
		total += nA
		total += nB
		total += nC
		total += nD
	}
	return total
}

// rely adds up the dependencies of the source on a vertex: over the neighbors in the level below.
// What a path to a vertex brings to those before it, its share, takes the place of its count, and
// is negative: the counts of the level above are in the same array, and add zero.
//
//foray:functor
type rely struct {
	Mark      []uint32
	Offsets   []uint64
	Targets   []uint32
	Even, Odd []float64
	Score     []float64
}

// Vertex adds the dependency to the score, but at the source.
//
//foray:disjoint
func (f *rely) Vertex(v traverse.Vertex) {
	mark, score, from, to := f.Mark[v.ID], f.Score[v.ID], f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	d := 0.0
	if mark&1 == 0 {
		n := f.Even[v.ID]
		d = n * sharesOf(f.Odd, f.Targets, from, to, v.ID)
		f.Even[v.ID] = -(1 + d) / n
	} else {
		n := f.Odd[v.ID]
		d = n * sharesOf(f.Even, f.Targets, from, to, v.ID)
		f.Odd[v.ID] = -(1 + d) / n
	}
	if mark != levelMark(0) {
		f.Score[v.ID] = score + d
	}
}

// sharesOf adds up the shares of a row, which are the negative values.
func sharesOf(values []float64, targets []uint32, from, to uint64, v uint32) float64 {
	twice := 0.0
	for i := from; i < to; i += 4 {
		a, b := neighbor(targets, i, to, v), neighbor(targets, i+1, to, v)
		c, d := neighbor(targets, i+2, to, v), neighbor(targets, i+3, to, v)
		sA, sB, sC, sD := values[a], values[b], values[c], values[d]
		twice += math.Abs(sA) - sA
		twice += math.Abs(sB) - sB
		twice += math.Abs(sC) - sC
		twice += math.Abs(sD) - sD
	}
	return twice / 2
}

// tallyLarge is tally where counts have powers.
//
//foray:functor
type tallyLarge struct {
	Mark    []uint32
	Offsets []uint64
	Targets []uint32
	Count   []float64
	Power   []int32
}

// Vertex adds up in units of the largest count so far. It reads counts of the level above.
//
//foray:disjoint
func (f *tallyLarge) Vertex(v traverse.Vertex) {
	mark, total, high := f.Mark[v.ID], 0.0, int32(0)
	above := mark - 1
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < to; i += 4 {
		a, b := neighbor(f.Targets, i, to, v.ID), neighbor(f.Targets, i+1, to, v.ID)
		c, d := neighbor(f.Targets, i+2, to, v.ID), neighbor(f.Targets, i+3, to, v.ID)
		mA, mB, mC, mD := f.Mark[a], f.Mark[b], f.Mark[c], f.Mark[d]
		a, b = choose(mA == above, a, v.ID), choose(mB == above, b, v.ID)
		c, d = choose(mC == above, c, v.ID), choose(mD == above, d, v.ID)
		nA, nB, nC, nD := f.Count[a], f.Count[b], f.Count[c], f.Count[d]
		kA, kB, kC, kD := f.Power[a], f.Power[b], f.Power[c], f.Power[d]
		if mA == above {
			total, high = sum(total, high, nA, kA), larger(total, high, kA)
		}
		if mB == above {
			total, high = sum(total, high, nB, kB), larger(total, high, kB)
		}
		if mC == above {
			total, high = sum(total, high, nC, kC), larger(total, high, kC)
		}
		if mD == above {
			total, high = sum(total, high, nD, kD), larger(total, high, kD)
		}
	}
	if mark == levelMark(0) {
		f.Count[v.ID], f.Power[v.ID] = 1, 0
		return
	}
	k := exponent(total)
	f.Count[v.ID], f.Power[v.ID] = total*power(-k), high+k
}

// larger returns the unit of a sum to which a count with another one is added; a sum of 0 has none.
func larger(total float64, high, k int32) int32 {
	if total == 0 {
		return k
	}
	return max(high, k)
}

// sum adds a count to a sum, in the larger of their units.
func sum(total float64, high int32, n float64, k int32) float64 {
	unit := larger(total, high, k)
	if total == 0 {
		return n
	}
	return total*power(high-unit) + n*power(k-unit)
}

// relyLarge is rely where counts have powers.
//
//foray:functor
type relyLarge struct {
	Mark    []uint32
	Offsets []uint64
	Targets []uint32
	Count   []float64
	Power   []int32
	Share   []float64 // what a path to the vertex brings to those before it
	Score   []float64
}

// Vertex has shares in units of the vertex' own count, which is never larger than those below.
func (f *relyLarge) Vertex(v traverse.Vertex) {
	mark, unit, n, score, total := f.Mark[v.ID], f.Power[v.ID], f.Count[v.ID], f.Score[v.ID], 0.0
	below := mark + 1
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < to; i += 4 {
		a, b := neighbor(f.Targets, i, to, v.ID), neighbor(f.Targets, i+1, to, v.ID)
		c, d := neighbor(f.Targets, i+2, to, v.ID), neighbor(f.Targets, i+3, to, v.ID)
		mA, mB, mC, mD := f.Mark[a], f.Mark[b], f.Mark[c], f.Mark[d]
		sA, sB := atomics.Load(&f.Share[a]), atomics.Load(&f.Share[b])
		sC, sD := atomics.Load(&f.Share[c]), atomics.Load(&f.Share[d])
		kA, kB, kC, kD := f.Power[a], f.Power[b], f.Power[c], f.Power[d]
		if mA == below {
			total += sA * power(unit-kA)
		}
		if mB == below {
			total += sB * power(unit-kB)
		}
		if mC == below {
			total += sC * power(unit-kC)
		}
		if mD == below {
			total += sD * power(unit-kD)
		}
	}
	d := n * total
	if mark != levelMark(0) {
		f.Score[v.ID] = score + d
	}
	atomics.Store(&f.Share[v.ID], (1+d)/n)
}

// forget has all vertices not found, for the next source.
//
//foray:functor
type forget struct {
	Mark      []uint32
	Even, Odd []float64
}

// Vertex forgets its own mark and values.
func (f *forget) Vertex(v traverse.Vertex) { f.Mark[v.ID], f.Even[v.ID], f.Odd[v.ID] = 0, 0, 0 }
