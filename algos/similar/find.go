// This file holds the runs: blocks of sources, and blocks of pairs.

package similar

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// find runs a query.
func find(t *traverse.Traversal, q *query) (*Result, error) {
	r := &Result{}
	if q.vertices == 0 || q.Pairs == nil && len(q.sources) == 0 || q.Pairs != nil && len(q.Pairs) == 0 {
		r.Stats = t.Stats()
		return r, t.Err()
	}
	f := &finder{query: q, t: t, dev: t.Placed().Device(), r: r, threads: uint64(min(q.vertices, mostThreads))}
	f.offsets, f.targets = traverse.Rows(t)
	if f.unit = 1; q.Weighted {
		weights := make([]float64, q.csr.NumEdges())
		for e := range weights {
			weights[e] = q.csr.FloatWeight(uint64(e))
		}
		f.weight, f.inverse, f.unit = traverse.FromSlice(t, weights), traverse.FromSlice(t, q.inverses), whole
	} else {
		values, unit := q.values()
		f.value, f.unit = traverse.FromSlice(t, values), unit
	}
	if f.all = t.All(); q.vertices > mostThreads {
		threads := make([]uint32, mostThreads)
		for i := range threads {
			threads[i] = uint32(i)
		}
		f.all = t.From(threads...)
	}
	if q.Pairs != nil {
		f.ofPairs()
	} else {
		f.best()
	}
	t.Next(t.From()) // ends the level
	r.Stats = t.Stats()
	return r, cmp.Or(t.Err(), f.failed)
}

// finder is a run.
type finder struct {
	*query
	t       *traverse.Traversal
	dev     device.Device
	r       *Result
	all     *traverse.Frontier // the threads
	threads uint64
	unit    float64
	failed  error // of a copy

	offsets         *device.Buffer[uint64]
	targets         *device.Buffer[uint32]
	value           *device.Buffer[uint64]
	weight, inverse *device.Buffer[float64]
}

// write copies a slice to the beginning of an array.
func write[T device.Elem](f *finder, to *device.Buffer[T], from []T) {
	if f.failed == nil {
		f.failed = to.Write(f.dev, 0, from)
	}
}

// read copies the beginning of an array to a slice.
func read[T device.Elem](f *finder, from *device.Buffer[T], to []T) {
	if f.failed == nil {
		f.failed = from.Read(f.dev, 0, to)
	}
}

// sourceBlocks is the memory of blocks of sources: on the device, and what the host makes of each block.
type sourceBlocks struct {
	source                    *device.Buffer[uint32]
	first, work, table, piece *device.Buffer[uint64]
	key                       *device.Buffer[uint32]
	sum                       *device.Buffer[uint64]
	best, merged              *device.Buffer[uint32]
	score, mergedScore        *device.Buffer[float64]
	rank                      *device.Buffer[uint32]

	firsts, works, tables, pieces []uint64
	found, chosen                 []uint32
	scores                        []float64
}

// tableSize returns how many entries the table of a source needs whose neighbors have so many edges.
func tableSize(units uint64, n int) uint64 {
	if size := uint64(1) << bits.Len64(2*units); size < uint64(n) {
		return size
	}
	return uint64(n)
}

// best finds the most similar vertices of the sources.
func (f *finder) best() {
	t := f.t
	k := uint64(f.K)
	b := &sourceBlocks{
		source: traverse.ArrayN[uint32](t, int(f.slots), 0), first: traverse.ArrayN[uint64](t, int(f.slots)+1, 0),
		work: traverse.ArrayN[uint64](t, int(f.edges)+1, 0), table: traverse.ArrayN[uint64](t, int(f.slots)+1, 0), piece: traverse.ArrayN[uint64](t, int(f.slots)+1, 0),
		key: traverse.ArrayN[uint32](t, int(f.entries), noVertex), sum: traverse.ArrayN[uint64](t, int(f.entries), 0),
		best: traverse.ArrayN[uint32](t, int(f.pieces*k), 0), score: traverse.ArrayN(t, int(f.pieces*k), 0.0),
		merged: traverse.ArrayN[uint32](t, int(f.slots*k), 0), mergedScore: traverse.ArrayN(t, int(f.slots*k), 0.0),
		rank: f.g.Ranks(t),
	}
	if t.Sync() != nil { // copies don't wait until the arrays are filled
		return
	}
	for at := 0; at < len(f.sources) && f.failed == nil; {
		end := f.cut(b, at)
		if len(b.works) > 1 && t.Next(f.all) {
			f.block(b)
		}
		if t.Err() != nil {
			return
		}
		at = end
	}
}

// cut begins a block with a source, and returns where the next one begins. A source without neighbors takes no place.
func (f *finder) cut(b *sourceBlocks, at int) int {
	b.firsts, b.works, b.tables, b.pieces = append(b.firsts[:0], 0), append(b.works[:0], 0), append(b.tables[:0], 0), append(b.pieces[:0], 0)
	b.found = b.found[:0]
	work := uint64(0)
	for ; at < len(f.sources) && uint64(len(b.found)) < f.slots; at++ {
		u := f.sources[at]
		row, before := f.csr.Neighbors(u), work
		edges, begin := b.firsts[len(b.firsts)-1]+uint64(len(row)), len(b.works)
		if edges > f.edges {
			break
		}
		if len(row) == 0 {
			continue
		}
		for _, w := range row {
			work += f.csr.Degree(w)
			b.works = append(b.works, work)
		}
		size := tableSize(work-before, f.vertices)
		entries := b.tables[len(b.tables)-1] + size
		if entries > f.entries {
			b.works, work = b.works[:begin], before
			break
		}
		b.found = append(b.found, u)
		b.firsts, b.tables = append(b.firsts, edges), append(b.tables, entries)
		b.pieces = append(b.pieces, b.pieces[len(b.pieces)-1]+(size+pieceEntries-1)/pieceEntries)
	}
	return at
}

// block finds the most similar vertices of a block's sources, and adds them to the result.
func (f *finder) block(b *sourceBlocks) {
	t, k, n := f.t, uint64(f.K), uint64(len(b.found))
	write(f, b.source, b.found)
	write(f, b.first, b.firsts)
	write(f, b.work, b.works)
	write(f, b.table, b.tables)
	write(f, b.piece, b.pieces)
	if f.failed != nil {
		return
	}
	edges := uint64(len(b.works) - 1)
	units, pieces := b.works[edges], b.pieces[n]
	var gathers operators.Step
	if f.Weighted {
		gathers = foreach.Each(newGatherWeighted(f.offsets, f.targets, f.weight, f.inverse, b.source, b.first, b.work, b.table, b.key, b.sum, n, edges, units, uint64(f.vertices), f.threads), nil)
	} else {
		gathers = foreach.Each(newGather(f.offsets, f.targets, f.value, b.source, b.first, b.work, b.table, b.key, b.sum, n, edges, units, uint64(f.vertices), f.threads), nil)
	}
	t.Do(f.all, gathers,
		foreach.Each(newChoose(f.offsets, b.rank, b.source, b.table, b.piece, b.key, b.sum, b.best, b.score, n, pieces, uint64(f.vertices), k, f.threads, f.unit, uint32(f.measure())), nil))
	best, score := b.best, b.score
	if pieces > n {
		t.Do(f.all, foreach.Each(newMerge(b.rank, b.piece, b.best, b.score, b.merged, b.mergedScore, n, k, f.threads), nil))
		best, score = b.merged, b.mergedScore
	}
	if t.Sync() != nil {
		return
	}
	b.chosen, b.scores = resized(b.chosen, n*k), resized(b.scores, n*k)
	read(f, best, b.chosen)
	read(f, score, b.scores)
	if f.failed != nil {
		return
	}
	for s, u := range b.found {
		for i := uint64(s) * k; i < uint64(s+1)*k && b.chosen[i] != noVertex; i++ {
			f.r.Vertex, f.r.Neighbor, f.r.Score = append(f.r.Vertex, f.back(u)), append(f.r.Neighbor, f.back(b.chosen[i])), append(f.r.Score, b.scores[i])
		}
	}
}

// resized returns a slice of the length, in the memory of another one if that is large enough.
func resized[T any](s []T, n uint64) []T {
	return slices.Grow(s[:0], int(n))[:n]
}

// measure is the measure as functors have it.
func (f *finder) measure() Measure {
	if f.Weighted {
		return weightedCosine
	}
	return f.Measure
}

// ofPairs finds the similarity of the pairs.
func (f *finder) ofPairs() {
	t := f.t
	short, long := traverse.ArrayN[uint32](t, int(f.pairs), 0), traverse.ArrayN[uint32](t, int(f.pairs), 0)
	work, sum := traverse.ArrayN[uint64](t, int(f.pairs)+1, 0), traverse.ArrayN[uint64](t, int(f.pairs), 0)
	if t.Sync() != nil { // copies don't wait until the arrays are filled
		return
	}
	var shorts, longs []uint32
	var works, sums []uint64
	var rows []int // of the result
	f.r.Vertex, f.r.Neighbor, f.r.Score = make([]uint32, len(f.Pairs)), make([]uint32, len(f.Pairs)), make([]float64, len(f.Pairs))
	for at := 0; at < len(f.Pairs); {
		shorts, longs, rows, works = shorts[:0], longs[:0], rows[:0], append(works[:0], 0)
		for ; at < len(f.Pairs) && uint64(len(shorts)) < f.pairs; at++ {
			f.r.Vertex[at], f.r.Neighbor[at] = f.Pairs[at][0], f.Pairs[at][1]
			a, b := f.at(f.Pairs[at][0]), f.at(f.Pairs[at][1])
			if f.csr.Degree(a) > f.csr.Degree(b) {
				a, b = b, a
			}
			if d := f.csr.Degree(a); d > 0 {
				shorts, longs, rows, works = append(shorts, a), append(longs, b), append(rows, at), append(works, works[len(works)-1]+d)
			}
		}
		if len(rows) == 0 || !t.Next(f.all) {
			continue
		}
		sums = resized(sums, uint64(len(rows)))
		clear(sums)
		write(f, short, shorts)
		write(f, long, longs)
		write(f, work, works)
		write(f, sum, sums)
		if f.failed != nil {
			return
		}
		n := uint64(len(rows))
		if f.Weighted {
			t.Do(f.all, foreach.Each(newShareWeighted(f.offsets, f.targets, f.weight, f.inverse, short, long, work, sum, n, works[n], f.threads), nil))
		} else {
			t.Do(f.all, foreach.Each(newShare(f.offsets, f.targets, f.value, short, long, work, sum, n, works[n], f.threads), nil))
		}
		if t.Sync() != nil {
			return
		}
		if read(f, sum, sums); f.failed != nil {
			return
		}
		for i, row := range rows {
			f.r.Score[row] = scoreOf(uint32(f.measure()), sums[i], f.csr.Degree(shorts[i]), f.csr.Degree(longs[i]), f.unit)
		}
	}
}
