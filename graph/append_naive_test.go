// This file tests Append and RemoveEdges against code that is plain: every array of the result has to be what that
// makes.

package graph

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// entry is an entry of a row.
type entry struct {
	target uint32
	weight float32
	id     uint64
}

func (e entry) cell(c *CSR) cell {
	x := cell{}
	if c.Weights != nil {
		x.key = uint64(weightKey(e.weight))
	}
	if c.EdgeIDs != nil {
		x.id = e.id
	}
	return x
}

func entriesAt(c *CSR, v int) (row []entry) {
	if v >= c.NumVertices() {
		return nil
	}
	for i := c.Offsets[v]; i < c.Offsets[v+1]; i++ {
		e := entry{target: c.Targets[i]}
		if c.Weights != nil {
			e.weight = c.Weights[i]
		}
		if c.EdgeIDs != nil {
			e.id = c.EdgeIDs[i]
		}
		row = append(row, e)
	}
	return row
}

// naiveRows are the rows of n vertices after a change: those of more, whose vertices have other numbers in place
// (NoVertex: none), are added or taken away.
func naiveRows(base, more *CSR, n int, place []uint32, adds, keep, first bool) *CSR {
	to := &CSR{Offsets: []uint64{0}}
	news := make([][]entry, n)
	for u, v := range place {
		if v == NoVertex {
			continue
		}
		for _, e := range entriesAt(more, u) {
			e.target = place[e.target]
			news[v] = append(news[v], e)
		}
	}
	order := func(x, y entry) int {
		if x.target != y.target {
			return int(int64(x.target) - int64(y.target))
		}
		if !adds {
			return 0
		}
		return x.cell(base).compare(y.cell(base))
	}
	for v := range n {
		old, fresh := entriesAt(base, v), news[v]
		if !slices.Contains(place, uint32(v)) { // in any order
			to.add(base, old)
			continue
		}
		slices.SortStableFunc(fresh, order)
		targets := map[uint32][2][]entry{}
		var list []uint32
		var all []entry
		for i, row := range [][]entry{old, fresh} {
			for _, e := range row {
				x, ok := targets[e.target]
				if !ok {
					list = append(list, e.target)
				}
				x[i] = append(x[i], e)
				targets[e.target] = x
			}
		}
		slices.Sort(list)
		for _, t := range list {
			had, comes := targets[t][0], targets[t][1]
			row := had
			switch {
			case !adds && len(comes) > 0:
				row = nil
			case !adds || len(comes) == 0:
			case len(had) == 0:
				row = comes
			case keep:
				row = slices.Concat(had, comes)
				slices.SortStableFunc(row, order)
			case first:
			case comes[0].cell(base).compare(had[0].cell(base)) < 0:
				row = append([]entry{comes[0]}, had[1:]...)
			}
			all = append(all, row...)
		}
		to.add(base, all)
	}
	return to
}

// naive makes one entry of those of a target in each row, as the definition says.
func (by Combine) naive(c *CSR) *CSR {
	to := &CSR{Offsets: []uint64{0}}
	compare := func(x, y entry) int { return x.cell(c).compare(y.cell(c)) }
	for v := range c.NumVertices() {
		row := entriesAt(c, v)
		slices.SortStableFunc(row, func(x, y entry) int {
			return cmp.Or(cmp.Compare(x.target, y.target), compare(x, y))
		})
		var all []entry
		for len(row) > 0 {
			n := 1
			for n < len(row) && row[n].target == row[0].target {
				n++
			}
			same := row[:n]
			row = row[n:]
			one := same[0]
			switch {
			case by == CombineMax:
				for _, e := range same {
					if weightKey(e.weight) > weightKey(one.weight) {
						one = e
					}
				}
			case by == CombineSum:
				sum := float64(one.weight)
				for _, e := range same[1:] {
					sum += float64(e.weight)
					one.id = min(one.id, e.id)
				}
				one.weight = plainWeight(float32(sum))
			}
			all = append(all, one)
		}
		to.add(c, all)
	}
	return to
}

// add appends a row, with what like has.
func (c *CSR) add(like *CSR, row []entry) {
	for _, e := range row {
		c.Targets = append(c.Targets, e.target)
		if like.Weights != nil {
			c.Weights = append(c.Weights, e.weight)
		}
		if like.EdgeIDs != nil {
			c.EdgeIDs = append(c.EdgeIDs, e.id)
		}
	}
	c.Offsets = append(c.Offsets, uint64(len(c.Targets)))
}

func sameRows(a, b *CSR) bool {
	bits := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Targets, b.Targets) &&
		slices.EqualFunc(a.Weights, b.Weights, bits) && slices.Equal(a.EdgeIDs, b.EdgeIDs)
}

// placesIn are the numbers of more's vertices in the result, and how many that has.
func placesIn(base, more *Graph, adds bool) (place []uint32, n int) {
	n = base.NumVertices()
	place = make([]uint32, more.NumVertices())
	for k := range place { // in the order of ids
		u := at(more.ids.ByID(), k)
		v, ok := base.ids.FindInt(more.ids.Side(u), more.ids.Int(u))
		if !base.ids.Type.Integer() {
			v, ok = base.ids.FindBytes(more.ids.Side(u), more.ids.Bytes(u))
		}
		switch {
		case ok:
		case adds:
			v = uint32(n)
			n++
		default:
			v = NoVertex
		}
		place[u] = v
	}
	return place, n
}

// TestAppendNaive: random graphs with all options, large and small beside each other, with rows in any order too.
func TestAppendNaive(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(17, 3))
	ctx := context.Background()
	graphs := 500
	if raced {
		graphs = 120
	}
	for i := range graphs {
		n := 1 + r.IntN(80)
		kind := r.IntN(5)
		o := Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0, KeepDuplicates: r.IntN(2) == 0,
			Order: Order(r.IntN(3)), Weights: r.IntN(2) == 0, EdgeIDs: r.IntN(3) == 0, Workers: 1 + r.IntN(3)}
		o.Bipartite = kind != 3 && r.IntN(5) == 0
		a, b := randomPart(r, n, 1+r.IntN(12*n)), randomPart(r, 1+r.IntN(2*n), 1+r.IntN(1<<r.IntN(9)))
		base, more := builtOf(t, o, kind, a), builtOf(t, o, kind, b)
		if o.Directed && r.IntN(4) == 0 { // rows in another order, of which nothing is known
			base.ascends = false
			c := base.out
			for v := range c.NumVertices() {
				row := c.row(c.Offsets[v], c.Offsets[v+1])
				if r.IntN(2) == 0 {
					r.Shuffle(row.Len(), func(i, j int) {
						row.targets[i], row.targets[j] = row.targets[j], row.targets[i]
						if row.weights != nil {
							row.weights[i], row.weights[j] = row.weights[j], row.weights[i]
						}
						if row.ids != nil {
							row.ids[i], row.ids[j] = row.ids[j], row.ids[i]
						}
					})
				}
			}
		} else if r.IntN(3) == 0 {
			base.ascends = false // as of a graph from a file
		}
		for _, adds := range []bool{true, false} {
			keep := adds && r.IntN(2) == 0
			by := Combine(r.IntN(4))
			combines := adds && !keep && (by == CombineMax || by == CombineSum) && o.Weights
			do := base.Append
			if !adds {
				do = base.RemoveEdges
			}
			got, err := do(ctx, more, AppendOptions{KeepDuplicates: keep, Combine: by, Workers: o.Workers})
			if err != nil {
				t.Fatal(err)
			}
			place, vertices := placesIn(base, more, adds)
			for _, way := range [][3]*CSR{{got.out, base.out, more.out}, {got.in, base.in, more.in}} {
				if way[0] == nil {
					continue
				}
				want := naiveRows(sortedRows(way[1], place), way[2], vertices, place, adds, keep || combines, by == CombineFirst)
				if combines && repeats(want) {
					want = by.naive(want)
				}
				if !sameRows(way[0], want) {
					t.Fatalf("input %d, kind %d, adds %v, keep %v, %+v:\n%+v\nwant\n%+v", i, kind, adds, keep, o, way[0], want)
				}
			}
		}
	}
}

// repeats reports rows in which a target is there twice, or which don't ascend.
func repeats(c *CSR) bool {
	for v := range uint32(c.NumVertices()) {
		row := c.Neighbors(v)
		if !slices.IsSorted(row) || len(slices.Compact(slices.Clone(row))) < len(row) {
			return true
		}
	}
	return false
}

// sortedRows are the rows with those of the vertices in order sorted that didn't ascend.
func sortedRows(c *CSR, which []uint32) *CSR {
	to := &CSR{Offsets: c.Offsets, Targets: slices.Clone(c.Targets), Weights: slices.Clone(c.Weights), EdgeIDs: slices.Clone(c.EdgeIDs)}
	var s rowSorter
	for _, v := range which {
		if v == NoVertex || int(v) >= c.NumVertices() {
			continue
		}
		if row := to.row(c.Offsets[v], c.Offsets[v+1]); !slices.IsSorted(row.targets) {
			s.sort(row)
		}
	}
	return to
}

// TestAscends compares ascends with the plain way.
func TestAscends(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		row := make([]uint32, r.IntN(40))
		most := []uint32{3, 1 << 16, 1<<31 - 1, 1 << 31, math.MaxUint32}[r.IntN(5)]
		for i := range row {
			row[i] = r.Uint32N(most)
		}
		slices.Sort(row)
		if len(row) > 1 && r.IntN(2) == 0 {
			i, j := r.IntN(len(row)), r.IntN(len(row))
			row[i], row[j] = row[j], row[i]
		}
		if got, want := ascends(row), slices.IsSorted(row); got != want {
			t.Fatalf("%v: %v", row, got)
		}
	}
}
