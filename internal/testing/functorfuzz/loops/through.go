// This file calls the loops of generated functors as operators do.

package loops

import (
	"fmt"

	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/operators"
)

// What generated functors do, as the packages of operators have it: without those packages
// programs are small.
type (
	pusher interface {
		Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int
		VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int
	}
	fourPusher interface {
		VisitEll4(w operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int
	}
	visitor interface {
		Visit(w operators.Worker, source uint32, firstEdge uint64, targets []uint32)
	}
	sorter interface {
		Sort(w operators.Worker, source uint32, firstEdge uint64, targets, out, due []uint32) int
		SortRows(w operators.Worker, rows []operators.Row, targets, out, due []uint32) int
		Due(w operators.Worker, vs, due []uint32)
	}
	found interface {
		Found(w operators.Worker, vertices, parents []uint32)
	}
	foundEdges interface {
		FoundEdges(w operators.Worker, vertices, parents []uint32, edges []uint64)
	}
	hitEdges interface {
		HitEdges(w operators.Worker, vertices, parents []uint32, edges []uint64, hits []bool)
	}
	keeper interface {
		Keep(w operators.Worker, in, out []uint32) int
	}
	looper[V operators.Number] interface {
		Visit(w operators.Worker, vs []uint32) V
	}
	keyer[T functorfuzz.Element] interface {
		Keys(w operators.Worker, rows []operators.Row, targets, out []uint32)
		Values(w operators.Worker, rows []operators.Row, targets []uint32, out []T)
	}
	scorer[T functorfuzz.Element] interface {
		Scores(w operators.Worker, vs, keys []uint32, totals []T, scores []float64)
	}
	keyApplier[T functorfuzz.Element, V operators.Number] interface {
		ApplyKeys(w operators.Worker, vs, keys []uint32, totals []T, scores []float64) V
	}
	gatherer[T functorfuzz.Element, V operators.Number] interface {
		Gather(w operators.Worker, rows []operators.Row, targets []uint32, out []T)
		Apply(w operators.Worker, vs []uint32, totals []T) V
	}
)

// through runs a functor's loops over tiles, and returns their output.
func (w way) through(f any, t *functorfuzz.Tiles, on operators.Worker) (out []uint64) {
	rows, vs := make([]operators.Row, len(t.Rows)), make([]uint32, len(t.Rows))
	for i, r := range t.Rows {
		rows[i], vs[i] = operators.Row(r), r.Source
	}
	of := func(r operators.Row) []uint32 { return t.Targets[r.First : r.First+uint64(r.Len)] }
	kept, due := make([]uint32, len(t.Targets)+len(vs)), make([]uint32, len(t.Targets)+len(vs))
	switch f := f.(type) {
	case pusher:
		if g, ok := f.(fourPusher); ok && w.by == ell4 && t.Ell4 {
			return throughEll4(g, on, rows, t.Targets)
		}
		if w.by != one {
			return words(kept[:f.VisitRows(on, rows, t.Targets, kept)])
		}
		k := 0
		for _, r := range rows {
			k += f.Visit(on, r.Source, r.First, of(r), kept[k:])
		}
		return words(kept[:k])
	case visitor:
		for _, r := range rows {
			f.Visit(on, r.Source, r.First, of(r))
		}
		return nil
	case sorter:
		if w.by != one {
			for i := range f.SortRows(on, rows, t.Targets, kept, due) {
				out = append(out, uint64(kept[i]), uint64(due[i]))
			}
			f.Due(on, vs, due)
			return append(out, words(due[:len(vs)])...)
		}
		for _, r := range rows {
			for i := range f.Sort(on, r.Source, r.First, of(r), kept, due) {
				out = append(out, uint64(kept[i]), uint64(due[i]))
			}
		}
		f.Due(on, vs, due)
		return append(out, words(due[:len(vs)])...)
	case found:
		return hits(f, on, rows, t.Targets)
	case keeper:
		return words(kept[:f.Keep(on, vs, kept)])
	case looper[int64]:
		return words([]int64{f.Visit(on, vs)})
	case looper[uint64]:
		return words([]uint64{f.Visit(on, vs)})
	case looper[float64]:
		return words([]float64{f.Visit(on, vs)})
	}
	for _, try := range []trial{gathers[int32], gathers[uint32], gathers[int64], gathers[uint64], gathers[float32], gathers[float64]} {
		if out, ok := try(f, on, rows, t.Targets, vs, w.by != one); ok {
			return out
		}
	}
	for _, try := range []keyedTrial{totals[int32], totals[uint32], totals[int64], totals[uint64], totals[float32], totals[float64]} {
		if out, ok := try(f, on, rows, t); ok {
			return out
		}
	}
	panic(fmt.Sprintf("no operator for %T", f))
}

// A keyedTrial has a functor total by key, if its values are of a type.
type keyedTrial func(f any, on operators.Worker, rows []operators.Row, t *functorfuzz.Tiles) ([]uint64, bool)

func totals[T functorfuzz.Element](f any, on operators.Worker, rows []operators.Row, t *functorfuzz.Tiles) (out []uint64, ok bool) {
	g, ok := f.(keyer[T])
	if !ok {
		return nil, false
	}
	keys, values := make([]uint32, len(t.Targets)), make([]T, len(t.Targets))
	g.Keys(on, rows, t.Targets, keys)
	g.Values(on, rows, t.Targets, values)
	out = append(words(keys), words(values)...)
	pairs := t.Pairs(out[:len(keys)], out[len(keys):])
	var scores []float64
	vs, of, sums := split[T](pairs)
	if s, chooses := f.(scorer[T]); chooses {
		scores = make([]float64, len(pairs))
		s.Scores(on, vs, of, sums, scores)
		out = append(out, words(scores)...)
		chosen := t.Chosen(pairs, words(scores))
		vs, of, scores = split[float64](chosen)
		sums = nil
	}
	switch f := f.(type) {
	case keyApplier[T, int64]:
		return append(out, functorfuzz.Word(f.ApplyKeys(on, vs, of, sums, scores))), true
	case keyApplier[T, uint64]:
		return append(out, functorfuzz.Word(f.ApplyKeys(on, vs, of, sums, scores))), true
	case keyApplier[T, float64]:
		return append(out, functorfuzz.Word(f.ApplyKeys(on, vs, of, sums, scores))), true
	}
	return nil, false
}

// split returns the parts of pairs.
func split[T functorfuzz.Element](pairs []functorfuzz.Pair) (vs, keys []uint32, totals []T) {
	for _, p := range pairs {
		vs, keys, totals = append(vs, p.Vertex), append(keys, p.Key), append(totals, functorfuzz.Number[T](p.Total))
	}
	return vs, keys, totals
}

// throughEll4 has a functor go through ELL4 rows.
func throughEll4(f fourPusher, on operators.Worker, rows []operators.Row, targets []uint32) []uint64 {
	var sources []uint32
	most := uint32(0)
	for _, r := range rows {
		sources, most = append(sources, r.Source), max(most, r.Source)
	}
	table := make([][4]uint32, most+1)
	for _, r := range rows {
		row := &table[r.Source]
		for i := range row {
			row[i] = r.Source // filling
		}
		copy(row[:], targets[r.First:r.First+uint64(r.Len)])
	}
	out := make([]uint32, 4*len(rows))
	return words(out[:f.VisitEll4(on, sources, table, out)])
}

// hits makes a functor report which edges of rows are accepted, in the form of a pull: the row's vertex
// is the target.
func hits(f found, on operators.Worker, rows []operators.Row, entries []uint32) []uint64 {
	var vertices, parents []uint32
	var edges []uint64
	for _, r := range rows {
		for i := range uint64(r.Len) {
			vertices, parents, edges = append(vertices, r.Source), append(parents, entries[r.First+i]), append(edges, r.First+i)
		}
	}
	hits := make([]bool, len(vertices))
	if g, may := f.(hitEdges); may {
		g.HitEdges(on, vertices, parents, edges, hits)
		return words(hits)
	}
	if g, by := f.(foundEdges); by {
		g.FoundEdges(on, vertices, parents, edges)
	} else {
		f.Found(on, vertices, parents)
	}
	for i := range hits { // it can't say no
		hits[i] = true
	}
	return words(hits)
}

// A trial has a functor gather, if its values are of a type.
type trial func(f any, on operators.Worker, rows []operators.Row, targets, vs []uint32, follow bool) ([]uint64, bool)

// gather calls Gather, or GatherNext for rows that follow one another.
func gather[T functorfuzz.Element](f interface {
	Gather(w operators.Worker, rows []operators.Row, targets []uint32, out []T)
}, on operators.Worker, rows []operators.Row, targets []uint32, totals []T, follow bool) {
	n, may := f.(interface {
		GatherNext(w operators.Worker, vertex uint32, offsets []uint64, targets []uint32, out []T)
	})
	if !may || !follow {
		f.Gather(on, rows, targets, totals)
		return
	}
	for i := 0; i < len(rows); {
		offsets := []uint64{rows[i].First}
		k := i
		for ; k < len(rows) && rows[k].Source == rows[i].Source+uint32(k-i); k++ {
			offsets = append(offsets, rows[k].First+uint64(rows[k].Len))
		}
		n.GatherNext(on, rows[i].Source, offsets, targets, totals[i:k])
		i = k
	}
}

func gathers[T functorfuzz.Element](f any, on operators.Worker, rows []operators.Row, targets, vs []uint32, follow bool) (out []uint64, ok bool) {
	totals := make([]T, len(rows))
	switch f := f.(type) {
	case gatherer[T, int64]:
		gather(f, on, rows, targets, totals, follow)
		out = words(totals)
		return append(out, functorfuzz.Word(f.Apply(on, vs, totals))), true
	case gatherer[T, uint64]:
		gather(f, on, rows, targets, totals, follow)
		out = words(totals)
		return append(out, functorfuzz.Word(f.Apply(on, vs, totals))), true
	case gatherer[T, float64]:
		gather(f, on, rows, targets, totals, follow)
		out = words(totals)
		return append(out, functorfuzz.Word(f.Apply(on, vs, totals))), true
	}
	return nil, false
}
