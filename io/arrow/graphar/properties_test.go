// This file tests properties of vertices and edges on random directories.

package graphar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// randomColumns makes columns of n values: weight, eid, and some more.
func randomColumns(r *rand.Rand, n int, names ...string) []column {
	var cols []column
	for _, name := range names {
		c := column{name: name}
		var i64 []int64
		var i32 []int32
		var days []day
		var f64 []float64
		var bools []bool
		var strs []string
		for range n {
			x := r.IntN(20)
			i64, i32, days, f64 = append(i64, int64(x)), append(i32, int32(x)), append(days, day(x)), append(f64, float64(x)/2)
			bools, strs = append(bools, x&1 == 0), append(strs, fmt.Sprintf("s%02d", x))
		}
		c.values = map[string]any{"i": i64, "j": i32, "d": days, "f": f64, "b": bools, "s": strs}[name[:1]]
		if r.IntN(2) == 0 {
			for range n {
				c.valid = append(c.valid, r.IntN(5) > 0)
			}
		}
		cols = append(cols, c)
	}
	return cols
}

// grouped divides columns among groups.
func grouped(r *rand.Rand, cols []column) (groups []group) {
	for len(cols) > 0 {
		n := 1 + r.IntN(len(cols))
		groups = append(groups, group{cols: cols[:n], groupRows: r.IntN(30), numbers: r.IntN(2) == 0})
		cols = cols[n:]
	}
	return groups
}

// at is value i in words, "-" for null.
func (c column) at(i int) string {
	if c.valid != nil && !c.valid[i] {
		return "-"
	}
	one := c.pick([]int{i})
	switch v := one.values.(type) {
	case []day:
		return fmt.Sprintf("1970-01-%02d", v[0]+1)
	case []string:
		return v[0]
	}
	return strings.Trim(fmt.Sprint(one.values), "[]")
}

// whereOf is a random condition on columns and its result for a row.
func whereOf(r *rand.Rand, cols []column, pairs [][2]int64) (string, func(i int) bool) {
	if r.IntN(4) == 0 {
		k := r.IntN(2)
		x := pairs[r.IntN(len(pairs))][k]
		return fmt.Sprintf("%s >= %d", []string{sourceColumn, targetColumn}[k], x), func(i int) bool { return pairs[i][k] >= x }
	}
	c := cols[r.IntN(len(cols))]
	if r.IntN(5) == 0 {
		return c.name + " is null", func(i int) bool { return c.at(i) == "-" }
	}
	x := r.IntN(20)
	switch c.values.(type) {
	case []int64:
		return fmt.Sprintf("%s < %d", c.name, x), func(i int) bool { return c.at(i) != "-" && c.values.([]int64)[i] < int64(x) }
	case []int32:
		return fmt.Sprintf("%s in (%d, 3)", c.name, x), func(i int) bool { v := c.at(i); return v == fmt.Sprint(x) || v == "3" }
	case []day:
		s := fmt.Sprintf("1970-01-%02d", x+1)
		return fmt.Sprintf("%s > '%s'", c.name, s), func(i int) bool { return c.at(i) > s }
	case []float64:
		return fmt.Sprintf("%s <= %g", c.name, float64(x)/2), func(i int) bool { return c.at(i) != "-" && c.values.([]float64)[i] <= float64(x)/2 }
	case []bool:
		return c.name, func(i int) bool { return c.at(i) == "true" }
	}
	s := fmt.Sprintf("s%02d", x)
	return fmt.Sprintf("%s <> '%s'", c.name, s), func(i int) bool { v := c.at(i); return v != "-" && v != s }
}

// TestPropertiesRandom compares graphs with weights, ids of edges, conditions
// and properties of vertices with what was written.
func TestPropertiesRandom(t *testing.T) {
	testlong.Only(t)
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 2))
		dir := t.TempDir()
		person := vertices{name: "person", n: 1 + r.IntN(30), chunk: 1 + r.IntN(30)}
		thing := vertices{name: "thing", n: 1 + r.IntN(20), chunk: 1 + r.IntN(20)}
		both := randomKeys(r, person.n+thing.n, []int64(nil)).([]int64)
		var names []string
		for i := range both {
			names = append(names, fmt.Sprintf("n%d", both[i]))
		}
		person.keys, thing.keys = both[:person.n], both[person.n:]
		person.groups = append(grouped(r, randomColumns(r, person.n, "s1", "i1", "f1", "d1", "b1")), group{cols: []column{{name: "name", values: names[:person.n]}}})
		thing.groups = append(grouped(r, randomColumns(r, thing.n, "s1", "i1", "j2")), group{cols: []column{{name: "name", values: names[person.n:]}}})
		e := edges{src: person, dst: person, name: "knows", chunk: 1 + r.IntN(40), list: lists[r.IntN(4)], counts: r.IntN(3) > 0}
		ends := []vertices{person}
		if r.IntN(2) == 0 {
			e.dst, ends = thing, []vertices{person, thing}
		}
		for range 1 + r.IntN(300) {
			e.pairs = append(e.pairs, [2]int64{r.Int64N(int64(e.src.n)), r.Int64N(int64(e.dst.n))})
		}
		cols := randomColumns(r, len(e.pairs), "f_w", "i_w", "j_x", "s_x", "d_x", "b_x")
		ids := make([]int64, len(e.pairs))
		for i := range ids {
			ids[i] = int64(i) * 3
		}
		e.groups = append(grouped(r, cols), group{cols: []column{{name: "eid", values: ids}}, groupRows: r.IntN(20)})
		csv := rand.New(rand.NewPCG(seed, 3)) // which chunks are in CSV
		for i := range ends {
			ends[i].csv = csv.IntN(2) == 0
			for k := range ends[i].groups {
				ends[i].groups[k].csv = csv.IntN(2) == 0
			}
			ends[i].write(t, dir)
		}
		e.csv = csv.IntN(2) == 0
		for k := range e.groups {
			e.groups[k].csv = csv.IntN(2) == 0
		}
		path := e.write(t, dir)
		for range 6 {
			o := Options{TwoPass: r.IntN(3) == 0, SkipNulls: true, Workers: 1 + r.IntN(3)}
			o.Graph = graph.Options{Directed: true, Reverse: r.IntN(2) == 0, KeepDuplicates: true, KeepSelfLoops: true, EdgeIDs: true, Order: graph.Order(r.IntN(3))}
			keep := func(int) bool { return true }
			if r.IntN(3) > 0 {
				text, holds := whereOf(r, cols, e.pairs)
				o.Where, keep = text, holds
				if r.IntN(2) == 0 {
					text, more := whereOf(r, cols, e.pairs)
					o.Where, keep = o.Where+" and "+text, func(i int) bool { return holds(i) && more(i) }
				}
			}
			var weights column
			if r.IntN(2) == 0 {
				weights = cols[r.IntN(2)]
				o.Weight = weights.name
			}
			if r.IntN(2) == 0 {
				o.EdgeID = "eid"
			}
			id := func(v int64) string { return fmt.Sprint(both[v]) }
			switch r.IntN(3) {
			case 0:
				o.IndexIDs, id = true, func(v int64) string { return fmt.Sprint(v) }
			case 1:
				o.VertexID, id = "name", func(v int64) string { return names[v] }
			}
			for _, name := range []string{"s1", "i1", "f1", "d1", "b1", "j2", "id"} {
				if r.IntN(2) == 0 && (name != "j2" || len(ends) == 2) {
					o.Properties = append(o.Properties, name)
				}
			}
			shift := int64(0)
			if len(ends) == 2 {
				shift = int64(person.n)
			}
			var want []string
			for n, i := range e.order {
				if !keep(i) || o.Weight != "" && weights.at(i) == "-" {
					continue
				}
				p := e.pairs[i]
				s := id(p[0]) + " " + id(p[1]+shift)
				if o.Weight != "" {
					s += " w" + weights.at(i)
				}
				if o.EdgeID != "" {
					n = int(ids[i])
				}
				want = append(want, fmt.Sprint(s, " #", n))
			}
			g, props, err := loadWithProperties(context.Background(), path, o)
			if err != nil {
				t.Fatalf("seed %d: %q: %v", seed, o.Where, err)
			}
			var got []string
			out := g.Out()
			for u := range uint32(g.NumVertices()) {
				at := out.Offsets[u]
				for k, v := range out.Neighbors(u) {
					s := g.IDs().Format(u) + " " + g.IDs().Format(v)
					if o.Weight != "" {
						s += fmt.Sprint(" w", out.Weights[at+uint64(k)])
					}
					got = append(got, fmt.Sprint(s, " #", out.EdgeIDs[at+uint64(k)]))
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %+v: got %q, want %q", seed, o, got, want)
			}
			if want := person.n + int(shift)/max(person.n, 1)*thing.n; g.NumVertices() != want {
				t.Fatalf("seed %d: %d vertices, want %d", seed, g.NumVertices(), want)
			}
			sameProperties(t, g, props, o.Properties, ends, id)
		}
	}
}

// sameProperties compares properties with those that were written.
func sameProperties(t *testing.T, g *graph.Graph, p *arrow.Properties, names []string, ends []vertices, id func(int64) string) {
	t.Helper()
	if len(names) == 0 {
		if p != nil {
			t.Error("properties that nobody asked for")
		}
		return
	}
	var all []int
	for i := range names {
		all = append(all, i)
	}
	base := int64(0)
	for _, v := range ends {
		for i := range v.n {
			u, err := g.ParseVertex(id(base + int64(i)))
			if err != nil {
				t.Fatal(err)
			}
			rec, err := p.Gather(context.Background(), all, []uint32{u}, memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			for k, name := range names {
				want := "-"
				if name == "id" {
					want = fmt.Sprint(v.keys.([]int64)[i])
				}
				for _, g := range v.groups {
					for _, c := range g.cols {
						if c.name == name {
							want = c.at(i)
						}
					}
				}
				got := "-"
				if !rec.Column(k).IsNull(0) {
					got = rec.Column(k).ValueStr(0)
				}
				if got != want || rec.ColumnName(k) != name {
					t.Fatalf("%s %d: %s is %q, want %q", v.name, i, name, got, want)
				}
			}
			rec.Release()
		}
		base += int64(v.n)
	}
}
