// This file tests datasets whose files have different columns.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"

	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestUnionRandom: files with any of the columns in any order, of both formats,
// are the edges that a plain reading of their rows gives, a column that a file lacks
// being null.
func TestUnionRandom(t *testing.T) {
	names := []string{"src", "dst", "w", "x"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		dir := t.TempDir()
		var want []edge
		rows, nulls := int64(0), int64(0)
		have := map[string]bool{}
		for i := range 2 + r.IntN(4) {
			var cols []string
			for _, n := range names {
				if r.IntN(4) > 0 {
					cols = append(cols, n)
				}
			}
			if i == 0 && !slices.Contains(cols, "x") || len(cols) == 0 {
				cols = append(cols, "x")
			}
			cols = slices.Compact(cols)
			r.Shuffle(len(cols), func(i, k int) { cols[i], cols[k] = cols[k], cols[i] })
			n := r.IntN(20)
			values := map[string][]int64{}
			for _, c := range cols {
				have[c] = true
				for range n {
					values[c] = append(values[c], int64(r.IntN(5)))
				}
			}
			for k := range n {
				rows++
				if len(values["x"]) == 0 || values["x"][k] > 3 { // null, or not met
					continue
				}
				if len(values["src"]) == 0 || len(values["dst"]) == 0 || len(values["w"]) == 0 {
					nulls++
					continue
				}
				want = append(want, edge{fmt.Sprint(values["src"][k]), fmt.Sprint(values["dst"][k]), fmt.Sprint(values["w"][k])})
			}
			if r.IntN(2) == 0 {
				var all []samples.ParquetColumn
				for _, c := range cols {
					all = append(all, samples.ParquetColumn{Node: samples.Node(t, c, false, nil, parquet.Types.Int64, 0), Values: append([]int64{}, values[c]...)})
				}
				samples.WriteTo(t, filepath.Join(dir, fmt.Sprintf("%d.parquet", i)), samples.WriteParquet(t, n, 7, all))
				continue
			}
			var fields []arrow.Field
			for _, c := range cols {
				fields = append(fields, arrow.Field{Name: c, Type: arrow.PrimitiveTypes.Int64})
			}
			schema := arrow.NewSchema(fields, nil)
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for k, c := range cols {
				b.Field(k).(*array.Int64Builder).AppendValues(values[c], nil)
			}
			samples.WriteTo(t, filepath.Join(dir, fmt.Sprintf("%d.arrow", i)), samples.WriteIPC(t, r.IntN(2) == 0, schema, []arrow.Record{b.NewRecord()}))
		}
		o := Options{Source: "src", Target: "dst", Weight: "w", Where: "x <= 3", SkipNulls: true, UnionByName: true, Workers: 1 + r.IntN(3)}
		got, d, err := collect(t, []string{dir}, o)
		if len(have) < 4 {
			check(t, err, input.ErrColumn, `names it, but the columns are`)
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sortEdges(want)
		sameEdges(t, got, want)
		if s := d.Stats(); s.NullRows != nulls && s.RowGroupsPassed == 0 {
			t.Errorf("seed %d: %+v, want %d nulls of %d rows", seed, s, nulls, rows)
		}
	}
}

// TestUnion: what a file lacks is an error that names it, unless it is to be null.
func TestUnion(t *testing.T) {
	dir := t.TempDir()
	pq := func(name string, cols ...*craft.Column) string {
		return samples.WriteTo(t, filepath.Join(dir, name), craft.File(2, cols...))
	}
	a := pq("a.parquet", column64("src", 0, ramp(2, 0)), column64("dst", 0, ramp(2, 5)))
	b := pq("b.parquet", column64("w", 0, ramp(2, 9)), column64("dst", 0, ramp(2, 6)), column64("src", 0, ramp(2, 1)))
	both := []string{a, b}
	for name, c := range map[string]struct {
		paths []string
		o     Options
		says  string
	}{
		"the first lacks it":    {both, Options{Weight: "w"}, `a\.parquet: column "w": Options\.Weight names it, but the columns are "src" \(int64\), "dst" \(int64\); if other files have it, set Options\.UnionByName`},
		"a later one lacks it":  {[]string{b, a}, Options{Weight: "w"}, `a\.parquet: column "w": the file lacks it, and .*b\.parquet has it; set Options\.UnionByName`},
		"also of conditions":    {[]string{b, a}, Options{Where: "w > 1"}, `a\.parquet: column "w": the file lacks it, and .*b\.parquet has it`},
		"one file":              {both[:1], Options{Weight: "w"}, `a\.parquet: column "w": Options\.Weight names it, but the columns are "src" \(int64\), "dst" \(int64\)$`},
		"no file has it":        {both, Options{Weight: "v", UnionByName: true}, `column "v": Options\.Weight names it, but the columns are "src" .*, "w" \(int64\); did you mean "w"\?$`},
		"a slip":                {both[1:], Options{Source: "scr"}, `column "scr": .*; did you mean "src"\?$`},
		"none is like it":       {both[1:], Options{Source: "follower"}, `column "follower": .*\(int64\)$`},
		"a slip in a condition": {both[1:], Options{Where: "dts > 1"}, `column "dts": Options\.Where names it, but .*; did you mean "dst"\?$`},
	} {
		_, _, err := collect(t, c.paths, c.o)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		t.Log(err)
		check(t, err, input.ErrColumn, c.says)
	}
	_, _, err := collect(t, both, Options{Weight: "w", UnionByName: true})
	check(t, err, input.ErrNull, `a\.parquet: row group 0, column "w", row 0: null: an edge without weight`)
	got, _, err := collect(t, both, Options{Weight: "w", UnionByName: true, SkipNulls: true})
	if err != nil || len(got) != 2 || got[0] != (edge{"1", "6", "9"}) {
		t.Errorf("%v, %v", got, err)
	}
	got, _, err = collect(t, both, Options{Where: "w is null", UnionByName: true})
	if err != nil || len(got) != 2 || got[0] != (edge{"0", "5", ""}) {
		t.Errorf("%v, %v", got, err)
	}
	// Edge ids are null too, and a file that lacks an end has no edges.
	_, _, err = collect(t, both, Options{EdgeID: "w", UnionByName: true})
	check(t, err, input.ErrNull, `a\.parquet: .*column "w", row 0: null: an edge without its id`)
	c := pq("c.parquet", column64("src", 0, ramp(2, 0)), column64("other", 0, ramp(2, 0)), column64("more", 0, ramp(2, 0)))
	_, _, err = collect(t, []string{a, c}, Options{UnionByName: true})
	check(t, err, input.ErrNull, `c\.parquet: .*column "dst", row 0: null: an edge without target`)

	// A file whose column differs from others in its type is read as before.
	floats := samples.WriteTo(t, filepath.Join(dir, "f.parquet"), samples.WriteParquet(t, 1, 1, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, nil, parquet.Types.Int32, 0), Values: []int32{7}},
		{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int32, 0), Values: []int32{8}},
		{Node: samples.Node(t, "w", false, nil, parquet.Types.Double, 0), Values: []float64{0.5}}}))
	got, _, err = collect(t, []string{floats, a, b}, Options{Weight: "w", UnionByName: true, SkipNulls: true})
	if err != nil || len(got) != 3 || got[2] != (edge{"7", "8", "0.5"}) {
		t.Errorf("%v, %v", got, err)
	}
	words := samples.WriteTo(t, filepath.Join(dir, "s.parquet"), samples.WriteParquet(t, 1, 1, []samples.ParquetColumn{
		{Node: samples.Node(t, "src", false, nil, parquet.Types.Int32, 0), Values: []int32{7}},
		{Node: samples.Node(t, "dst", false, nil, parquet.Types.Int32, 0), Values: []int32{8}},
		{Node: samples.Node(t, "w", false, nil, parquet.Types.ByteArray, 0), Values: []parquet.ByteArray{[]byte("1")}}}))
	_, _, err = collect(t, []string{b, words}, Options{Weight: "w", UnionByName: true})
	check(t, err, input.ErrColumnType, `s\.parquet: column "w": wrong column type: weights are numbers`)
	stop, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(stop, both, Options{UnionByName: true}); err == nil {
		t.Error("a canceled context opens files")
	}
}

// TestNamesWithoutCase: a name finds the column that is called just so, then the only
// one that differs in the case of letters, in every file.
func TestNamesWithoutCase(t *testing.T) {
	dir := t.TempDir()
	pq := func(name string, cols ...*craft.Column) string {
		return samples.WriteTo(t, filepath.Join(dir, name), craft.File(1, cols...))
	}
	a := pq("a.parquet", column64("User", 0, ramp(1, 1)), column64("Item", 0, ramp(1, 2)), column64("W", 0, ramp(1, 3)))
	b := pq("b.parquet", column64("ITEM", 0, ramp(1, 5)), column64("w", 0, ramp(1, 6)), column64("user", 0, ramp(1, 4)))
	for _, union := range []bool{false, true} {
		_, _, err := collect(t, []string{a, b}, Options{Source: "user", Target: "item", Weight: "w", Where: "WHAT = 1 or w > 0", UnionByName: union})
		check(t, err, input.ErrColumn, `column "WHAT"`)
		got, _, err := collect(t, []string{a, b}, Options{Source: "user", Target: "item", Weight: "w", Where: "USER > 0", UnionByName: union})
		if want := []edge{{"1", "2", "3"}, {"4", "5", "6"}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
	}
	both := pq("c.parquet", column64("user", 0, ramp(1, 1)), column64("User", 0, ramp(1, 2)), column64("item", 0, ramp(1, 3)))
	got, _, err := collect(t, []string{both}, Options{Source: "User", Target: "item"})
	if want := []edge{{"2", "3", ""}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	_, _, err = collect(t, []string{both}, Options{Source: "USER", Target: "item"})
	check(t, err, input.ErrColumn, `column "USER": Options\.Source names it, but no column is called just so, and "user" and "User" differ from it in the case of letters alone; name one of them`)
}

// TestUnionOfPassed: a condition may name columns that only those files or directories have
// which it leaves out.
func TestUnionOfPassed(t *testing.T) {
	dir := t.TempDir()
	ints := func(name string, values ...int64) samples.ParquetColumn {
		return samples.ParquetColumn{Node: samples.Node(t, name, false, nil, parquet.Types.Int64, 0), Values: values}
	}
	for name, cols := range map[string][]samples.ParquetColumn{
		"aaa.parquet":      {ints("src", 1, 2, 3), ints("dst", 2, 3, 4)},
		"k=1/b.parquet":    {ints("src", 11, 12, 13), ints("dst", 12, 13, 14)},
		"k=2/c.parquet":    {ints("src", 21), ints("dst", 22), ints("extra", 5)},
		"m=x/d.parquet":    {ints("src", 31), ints("dst", 32)},
		"m=x/k=/e.parquet": {ints("src", 41), ints("dst", 42), ints("m2", 1)},
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, path, samples.WriteParquet(t, len(cols[0].Values.([]int64)), 10, cols))
	}
	for where, want := range map[string][]string{
		"k is null":                           {"1 2", "2 3", "3 4", "31 32"},
		"k = '1'":                             {"11 12", "12 13", "13 14"},
		"k = '2' and extra = 5":               {"21 22"},
		"k = '1' and extra is null":           {"11 12", "12 13", "13 14"},
		"m is null and extra is null":         {"1 2", "11 12", "12 13", "13 14", "2 3", "3 4"},
		"m = 'x' and k is null":               {"31 32"},
		"k is not null and m2 is null":        {"11 12", "12 13", "13 14", "21 22"},
		"m = 'y' or extra > 4":                {"21 22"},
		"k in ('1', '2') and m is not null":   nil,
		"not (k = '1' or k = '2') and m2 = 1": {"41 42"},
	} {
		if got, _ := pairsOf(t, dir, Options{Where: where, UnionByName: true}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", where, got, want)
		}
	}
	if _, err := Open(context.Background(), []string{dir}, Options{Where: "nowhere is null", UnionByName: true}); !errors.Is(err, input.ErrColumn) {
		t.Errorf("a column that no file has: %v", err)
	}
}
