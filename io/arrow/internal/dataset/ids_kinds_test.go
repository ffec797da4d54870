// This file tests ids of all types and of several columns, from both formats
// and from records.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// kindsTable is edges between ids of some columns.
type kindsTable struct {
	kinds    []samples.ValueKind
	src, dst [][]int64 // by column
}

func randomTable(r *rand.Rand, kinds []samples.ValueKind, rows int) kindsTable {
	t := kindsTable{kinds: kinds}
	for range kinds {
		t.src, t.dst = append(t.src, nil), append(t.dst, nil)
	}
	for range rows {
		for k := range kinds {
			t.src[k], t.dst[k] = append(t.src[k], r.Int64N(9)-4), append(t.dst[k], r.Int64N(9)-4)
		}
	}
	return t
}

// text is row i of columns as the graph writes it.
func (t *kindsTable) text(columns [][]int64, i int) string {
	var parts []string
	for k := range t.kinds {
		parts = append(parts, t.kinds[k].Text(columns[k][i]))
	}
	return strings.Join(parts, ",")
}

// record makes a record with columns src0, src1, dst0, dst1, some as
// dictionaries.
func (t *kindsTable) record(r *rand.Rand) goarrow.Record {
	var fields []goarrow.Field
	var arrays []goarrow.Array
	for end, columns := range [][][]int64{t.src, t.dst} {
		for k, xs := range columns {
			kind := &t.kinds[k]
			f := goarrow.Field{Name: fmt.Sprintf("%s%d", []string{"src", "dst"}[end], k), Type: kind.Type}
			if kind.UUID {
				f.Metadata = goarrow.MetadataFrom(map[string]string{"ARROW:extension:name": "arrow.uuid"})
			}
			b := array.NewBuilder(memory.DefaultAllocator, kind.Type)
			for _, x := range xs {
				kind.Append(b, x)
			}
			a := b.NewArray()
			if r.IntN(3) == 0 {
				f.Type = &goarrow.DictionaryType{IndexType: goarrow.PrimitiveTypes.Int32, ValueType: kind.Type}
				ib := array.NewInt32Builder(memory.DefaultAllocator)
				for i := range xs {
					ib.Append(int32(i))
				}
				a = array.NewDictionaryArray(f.Type, ib.NewArray(), a)
			}
			fields, arrays = append(fields, f), append(arrays, a)
		}
	}
	return array.NewRecord(goarrow.NewSchema(fields, nil), arrays, int64(len(t.src[0])))
}

// parquet makes a file of it, or nothing where Parquet can't have it.
func (t *kindsTable) parquet(tb testing.TB, r *rand.Rand) []byte {
	var cols []samples.ParquetColumn
	for end, columns := range [][][]int64{t.src, t.dst} {
		for k, xs := range columns {
			if t.kinds[k].Node == nil {
				return nil
			}
			cols = append(cols, samples.ParquetColumn{Node: t.kinds[k].Node(tb, fmt.Sprintf("%s%d", []string{"src", "dst"}[end], k)), Values: t.kinds[k].Values(xs)})
		}
	}
	return samples.WriteParquet(tb, len(t.src[0]), 1+r.IntN(len(t.src[0])), cols, parquet.WithDictionaryDefault(r.IntN(2) == 0))
}

func (t *kindsTable) options() Options {
	var src, dst []string
	for k := range t.kinds {
		src, dst = append(src, fmt.Sprintf("src%d", k)), append(dst, fmt.Sprintf("dst%d", k))
	}
	return Options{Source: strings.Join(src, ","), Target: strings.Join(dst, ","),
		Graph: graph.Options{Directed: true, KeepDuplicates: true, KeepSelfLoops: true}}
}

func (t *kindsTable) logical() string {
	if len(t.kinds) == 1 {
		return t.kinds[0].Logical
	}
	var parts []string
	for _, k := range t.kinds {
		if k.Logical == "" {
			k.Logical = map[string]string{"int16": "int16", "utf8": "string"}[k.Type.Name()]
		}
		parts = append(parts, k.Logical)
	}
	return "tuple(" + strings.Join(parts, ",") + ")"
}

// check compares a graph with the table.
func (t *kindsTable) check(tb testing.TB, g *graph.Graph, separate bool) {
	tb.Helper()
	if got := g.IDs().Logical; got != t.logical() {
		tb.Fatalf("ids stand for %q, want %q", got, t.logical())
	}
	source, target := "", ""
	if separate {
		source, target = "source:", "target:"
	}
	var got, want []string
	names := map[string]bool{}
	for i := range t.src[0] {
		s, d := source+t.text(t.src, i), target+t.text(t.dst, i)
		want = append(want, s+" > "+d)
		names[s], names[d] = true, true
	}
	for v := range uint32(g.NumVertices()) {
		name := g.IDs().Format(v)
		if !names[name] {
			tb.Fatalf("vertex %d is %s, which nobody gave", v, name)
		}
		if w, err := g.ParseVertex(name); err != nil || w != v {
			tb.Fatalf("%s is vertex %d, %v; want %d", name, w, err, v)
		}
		for _, w := range g.Out().Neighbors(v) {
			got = append(got, name+" > "+g.IDs().Format(w))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || g.NumVertices() != len(names) {
		tb.Fatalf("%d vertices and the edges\n%q\nwant %d and\n%q", g.NumVertices(), got, len(names), want)
	}
}

// TestIDKinds reads ids of every type, alone and in tuples.
func TestIDKinds(t *testing.T) {
	t.Parallel()
	all := samples.ValueKinds()
	for seed := range uint64(60 + 4*seeds(10)) {
		r := rand.New(rand.NewPCG(seed, 31))
		kinds := []samples.ValueKind{all[int(seed)%len(all)]}
		if seed >= uint64(len(all)) {
			for range r.IntN(3) {
				kinds = append(kinds, all[r.IntN(len(all))])
			}
		}
		table := randomTable(r, kinds, 1+r.IntN(300))
		t.Run(fmt.Sprintf("%d %s", seed, table.logical()), func(t *testing.T) {
			o := table.options()
			o.Graph.Bipartite = r.IntN(3) == 0
			o.TwoPass = r.IntN(4) == 0
			dir := t.TempDir()
			rec := table.record(r)
			paths := []string{samples.WriteTo(t, filepath.Join(dir, "x.arrow"), samples.WriteIPC(t, r.IntN(2) == 0, rec.Schema(), []goarrow.Record{rec}))}
			if data := table.parquet(t, r); data != nil {
				paths = append(paths, samples.WriteTo(t, filepath.Join(dir, "x.parquet"), data))
			}
			for _, path := range paths {
				g, err := Load(context.Background(), path, o)
				if err != nil {
					t.Fatal(err)
				}
				table.check(t, g, o.Graph.Bipartite)
			}
			rr, err := array.NewRecordReader(rec.Schema(), []goarrow.Record{rec})
			if err != nil {
				t.Fatal(err)
			}
			o.TwoPass = false
			g, err := LoadRecords(context.Background(), rr, o)
			if err != nil {
				t.Fatal(err)
			}
			table.check(t, g, o.Graph.Bipartite)
		})
	}
}

// TestIDsWiden has ids of types that are read as one that holds both, in two
// files.
func TestIDsWiden(t *testing.T) {
	all := samples.ValueKinds()
	kind := func(logical string) samples.ValueKind {
		return all[slices.IndexFunc(all, func(k samples.ValueKind) bool { return k.Logical == logical })]
	}
	plain := all[0]
	for _, c := range []struct {
		a, b samples.ValueKind
		want string
	}{
		{kind("decimal(9,0)"), kind("decimal(18,0)"), "decimal(18,0)"},
		{kind("decimal(9,0)"), kind("decimal(38,0)"), "decimal(38,0)"},
		{kind("decimal(30,0)"), kind("decimal(38,0)"), "decimal(38,0)"},
		{kind("uuid"), kind("fixed(5)"), ""},
		{kind("date32"), plain, "-"},
		{kind("date32"), kind("date64"), "-"},
		{kind("timestamp[ms]"), kind("timestamp[us]"), "-"},
		{kind("uuid"), kind("decimal(38,0)"), "-"},
	} {
		for _, tuple := range []bool{false, true} {
			r := rand.New(rand.NewPCG(5, 5))
			var tables [2]kindsTable
			dir := t.TempDir()
			for i, k := range []samples.ValueKind{c.a, c.b} {
				kinds := []samples.ValueKind{k}
				if tuple {
					kinds = append(kinds, plain)
				}
				tables[i] = randomTable(r, kinds, 50)
				rec := tables[i].record(r)
				samples.WriteTo(t, filepath.Join(dir, fmt.Sprintf("%d.arrow", i)), samples.WriteIPC(t, false, rec.Schema(), []goarrow.Record{rec}))
			}
			g, err := Load(context.Background(), dir, tables[0].options())
			if c.want == "-" {
				if !errors.Is(err, input.ErrColumnType) {
					t.Errorf("%s and %s: %v", c.a.Logical, c.b.Logical, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s and %s: %v", c.a.Logical, c.b.Logical, err)
			}
			want := c.want
			if tuple {
				want = "tuple(" + c.want + ",int16)"
				if c.want == "" {
					want = "tuple(binary,int16)"
				}
			}
			if g.IDs().Logical != want {
				t.Errorf("%s and %s: %q, want %q", c.a.Logical, c.b.Logical, g.IDs().Logical, want)
			}
			if c.want == "" {
				continue
			}
			for i := range tables {
				for row := range tables[i].src[0] {
					v, err := g.ParseVertex(tables[i].text(tables[i].src, row))
					w, err2 := g.ParseVertex(tables[i].text(tables[i].dst, row))
					if err != nil || err2 != nil || !slices.Contains(g.Out().Neighbors(v), w) {
						t.Fatalf("%s and %s: %v, %v", c.a.Logical, c.b.Logical, err, err2)
					}
				}
			}
		}
	}
}
