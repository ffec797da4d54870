// This file holds what happens at a vertex on graphs of short rows, whose searches have many small
// levels: a vertex looks at its row itself. A path count is Count * 2^Power, with Count from 1 to
// below 2.

package bc

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// start makes a vertex the source.
//
//foray:functor
type start struct {
	Mark  []uint32
	Count []float64
}

// Vertex has one path to it, of no edges.
func (f *start) Vertex(v traverse.Vertex) { f.Mark[v.ID], f.Count[v.ID] = levelMark(0), 1 }

// neighbour returns entry i of a row that ends at to; behind the end it is v.
func neighbour(targets []uint32, i, to uint64, v uint32) uint32 {
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

// tally counts the shortest paths to the vertices of a level: the sum over the neighbours in the
// level above. Counts have no powers: Over says that one is too large for that.
//
//foray:functor
type tally struct {
	Mark    []uint32
	Offsets []uint64
	Targets []uint32
	Count   []float64
	Over    []uint64 // of one element
}

// Vertex loads what four neighbours have before it looks at any of it: on a GPU a level takes
// about as long as the loads that wait for others. In place of a neighbour in another level, whose
// count may be about to change, it takes itself. The next level may be found meanwhile: a mark
// that is set isn't that of the level above. At the source there is nothing to add up.
func (f *tally) Vertex(v traverse.Vertex) {
	mark, total := f.Mark[v.ID], 0.0
	above := mark - 1
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < to; i += 4 {
		a, b := neighbour(f.Targets, i, to, v.ID), neighbour(f.Targets, i+1, to, v.ID)
		c, d := neighbour(f.Targets, i+2, to, v.ID), neighbour(f.Targets, i+3, to, v.ID)
		mA, mB, mC, mD := f.Mark[a], f.Mark[b], f.Mark[c], f.Mark[d]
		a, b = choose(mA == above, a, v.ID), choose(mB == above, b, v.ID)
		c, d = choose(mC == above, c, v.ID), choose(mD == above, d, v.ID)
		nA, nB, nC, nD := f.Count[a], f.Count[b], f.Count[c], f.Count[d]
		if mA == above {
			total += nA
		}
		if mB == above {
			total += nB
		}
		if mC == above {
			total += nC
		}
		if mD == above {
			total += nD
		}
	}
	if mark == levelMark(0) {
		return
	}
	if total > plainLimit {
		atomics.Store(&f.Over[0], 1)
	}
	f.Count[v.ID] = total
}

// rely adds up the dependencies of the source on a vertex: over the neighbours in the level below.
//
//foray:functor
type rely struct {
	Mark    []uint32
	Offsets []uint64
	Targets []uint32
	Count   []float64
	Share   []float64 // what a path to the vertex brings to those before it
	Score   []float64
}

// Vertex adds the dependency to the score, but at the source. It loads as tally does, but all at
// once: shares of neighbours in the same level, which others are changing, are loaded in vain.
func (f *rely) Vertex(v traverse.Vertex) {
	mark, n, score, total := f.Mark[v.ID], f.Count[v.ID], f.Score[v.ID], 0.0
	below := mark + 1
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < to; i += 4 {
		a, b := neighbour(f.Targets, i, to, v.ID), neighbour(f.Targets, i+1, to, v.ID)
		c, d := neighbour(f.Targets, i+2, to, v.ID), neighbour(f.Targets, i+3, to, v.ID)
		mA, mB, mC, mD := f.Mark[a], f.Mark[b], f.Mark[c], f.Mark[d]
		sA, sB := atomics.Load(&f.Share[a]), atomics.Load(&f.Share[b])
		sC, sD := atomics.Load(&f.Share[c]), atomics.Load(&f.Share[d])
		if mA == below {
			total += sA
		}
		if mB == below {
			total += sB
		}
		if mC == below {
			total += sC
		}
		if mD == below {
			total += sD
		}
	}
	d := n * total
	if mark != levelMark(0) {
		f.Score[v.ID] = score + d
	}
	atomics.Store(&f.Share[v.ID], (1+d)/n)
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

// Vertex adds up in units of the largest count so far.
func (f *tallyLarge) Vertex(v traverse.Vertex) {
	mark, total, high := f.Mark[v.ID], 0.0, int32(0)
	above := mark - 1
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < to; i += 4 {
		a, b := neighbour(f.Targets, i, to, v.ID), neighbour(f.Targets, i+1, to, v.ID)
		c, d := neighbour(f.Targets, i+2, to, v.ID), neighbour(f.Targets, i+3, to, v.ID)
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
		f.Power[v.ID] = 0
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
		a, b := neighbour(f.Targets, i, to, v.ID), neighbour(f.Targets, i+1, to, v.ID)
		c, d := neighbour(f.Targets, i+2, to, v.ID), neighbour(f.Targets, i+3, to, v.ID)
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
type forget struct{ Mark []uint32 }

// Vertex forgets its own mark.
func (f *forget) Vertex(v traverse.Vertex) { f.Mark[v.ID] = 0 }
