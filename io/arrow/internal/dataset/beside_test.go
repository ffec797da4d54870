// This file tests tables whose columns are in several files.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// besideFile writes some of the columns of some rows, in its own row groups.
func besideFile(t *testing.T, r *rand.Rand, path string, cols []*testColumn, ends bool, from, to int, equal bool) string {
	t.Helper()
	var groups []craft.Group
	for at := from; at < to; {
		end := min(to, at+1+r.IntN(to-from))
		if equal {
			end = min(to, at+97)
		} else if r.IntN(6) == 0 {
			end = at // some writers end with a row group of no rows
		}
		g := craft.Group{Rows: int64(end - at)}
		add := func(c *craft.Column, x *craft.Index) { g.Cols, g.Indexes = append(g.Cols, c), append(g.Indexes, x) }
		if ends {
			add(numbers(r, "src", at, end))
			add(numbers(r, "dst", at, end))
		}
		for _, c := range cols {
			add(indexed(r, c, at, end))
		}
		groups = append(groups, g)
		at = end
	}
	return samples.WriteTo(t, path, craft.IndexedGroups(groups...))
}

// TestBesideRandom: columns that are divided among files read like one table,
// whatever the row groups and pages of each.
func TestBesideRandom(t *testing.T) {
	t.Parallel()
	for seed := range seeds(20) {
		r := rand.New(rand.NewPCG(seed, 80))
		rows := 2 + r.IntN(1500)
		all := testColumns(t, r, rows)
		byFile := make([][]*testColumn, 2+r.IntN(3))
		for k := range all {
			i := r.IntN(len(byFile))
			byFile[i] = append(byFile[i], &all[k])
		}
		byFile = slices.DeleteFunc(byFile, func(c []*testColumn) bool { return len(c) == 0 })
		dir := t.TempDir()
		table := Table{Source: "src", Target: "dst", Beside: make([][]string, len(byFile)-1)}
		equal := r.IntN(3) == 0
		for from, chunk := 0, 1+r.IntN(rows); from < rows; from += chunk {
			to := min(rows, from+chunk)
			for i, cols := range byFile {
				path := besideFile(t, r, filepath.Join(dir, fmt.Sprintf("%d-%d.parquet", from, i)), cols, i == 0, from, to, equal)
				if i == 0 {
					table.Paths = append(table.Paths, path)
				} else {
					table.Beside[i-1] = append(table.Beside[i-1], path)
				}
			}
		}
		for range 20 {
			text, holds := conditionInRange(r, all, rows)
			table.Where, table.Weight = text, ""
			weight := &all[r.IntN(2)]
			if r.IntN(2) == 0 {
				table.Weight = weight.name
				inner := holds
				holds = func(i int) truth { return min(inner(i), truthOf(weight.Valid[i])) }
			}
			var want []int
			for i := range rows {
				if holds(i) == isTrue {
					want = append(want, i)
				}
			}
			d, err := OpenTables(context.Background(), []Table{table}, Options{SkipNulls: true, Workers: 1 + r.IntN(3), Graph: graph.Options{EdgeIDs: true}})
			if err != nil {
				t.Fatalf("seed %d: %.300s: %v", seed, text, err)
			}
			var got []int
			var mu sync.Mutex
			err = d.Batches(context.Background(), func(b graph.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				for i, x := range b.Src {
					if b.Dst[i] != x || b.EdgeIDs[i] != uint64(x) {
						return fmt.Errorf("row %d leads to %d, and has the id %d", x, b.Dst[i], b.EdgeIDs[i])
					}
					if w := weight.Values.([]int32); table.Weight != "" && b.FloatWeight(i) != float64(w[x]) {
						return fmt.Errorf("row %d has the weight %v, want %v", x, b.FloatWeight(i), w[x])
					}
					got = append(got, int(x))
				}
				return nil
			})
			if slices.Sort(got); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %.600s: %d rows, want %d, %v", seed, text, len(got), len(want), err)
			}
			if s := d.Stats(); s.Rows-s.RowsPassed-s.NullRows != int64(len(want)) || d.RowsInFiles() != int64(rows) || s.BytesRead > s.Bytes+int64(1000*len(table.Paths)*len(byFile)) {
				t.Errorf("seed %d: %.300s: %+v, %d in files, want %d rows of %d", seed, text, s, d.RowsInFiles(), len(want), rows)
			}
		}
	}
}

// TestBesideErrors: errors name the file that they are about, by its own row
// groups and rows.
func TestBesideErrors(t *testing.T) {
	dir := t.TempDir()
	intFile := func(name, cols string, groups int, columns ...[]int64) string {
		t.Helper()
		rows := len(columns[0])
		var list []samples.ParquetColumn
		for i, c := range strings.Fields(cols) {
			list = append(list, samples.ParquetColumn{Node: samples.Node(t, c, false, nil, parquet.Types.Int64, 0), Values: columns[i]})
		}
		return samples.WriteTo(t, filepath.Join(dir, name), samples.WriteParquet(t, rows, groups, list))
	}
	ids := []int64{1, 2, 3, 4, 5}
	main := intFile("e.parquet", "src dst", 5, ids, ids)
	good := intFile("good.parquet", "w src", 2, []int64{10, 20, 30, 40, 50}, []int64{9, 9, 9, 9, 9})
	short := intFile("short.parquet", "w", 2, ids[:4])
	null := samples.WriteTo(t, filepath.Join(dir, "null.parquet"), samples.WriteParquet(t, 5, 2, []samples.ParquetColumn{
		{Node: samples.Node(t, "w", true, nil, parquet.Types.Int64, 0), Values: ids, Valid: []bool{true, true, true, false, true}}}))
	bad := filepath.Join(dir, "bad.parquet")
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	samples.WriteTo(t, bad, append(slices.Clone(data[:len(data)-30]), data[len(data)-8:]...))
	text := samples.WriteTo(t, filepath.Join(dir, "text.parquet"), []byte("src,dst\n1,2\n3,4\n"))
	words := samples.WriteTo(t, filepath.Join(dir, "words.parquet"), samples.WriteParquet(t, 5, 2, []samples.ParquetColumn{
		{Node: samples.Node(t, "w", false, nil, parquet.Types.ByteArray, 0), Values: make([]parquet.ByteArray, 5)}}))
	stream := tempFile(t, "x.arrow", []byte("ARROW1\x00\x00"))
	open := func(tab Table) error {
		_, err := LoadTables(context.Background(), []Table{tab}, Options{})
		return err
	}
	if err := open(Table{Paths: []string{main}, Beside: [][]string{{good}}, Weight: "w", Where: "src <> 9 and w > 10"}); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		t    Table
		want error
		path string
		text string
	}{
		{Table{Paths: []string{main}, Beside: [][]string{{short}}, Weight: "w"}, ErrRows, short, "4, where the file that it goes with has 5"},
		{Table{Paths: []string{main}, Beside: [][]string{{short}}, Weight: "w"}, input.ErrDamaged, short, ""},
		{Table{Paths: []string{main}, Beside: [][]string{{good}, {bad}}, Weight: "w"}, input.ErrDamaged, bad, ""},
		{Table{Paths: []string{main}, Beside: [][]string{{text}}, Weight: "w"}, input.ErrFormat, text, "it isn't Parquet"},
		{Table{Paths: []string{main}, Beside: [][]string{{stream}}, Weight: "w"}, input.ErrFormat, stream, "isn't Parquet"},
		{Table{Paths: []string{main}, Beside: [][]string{{null}}, Weight: "w"}, input.ErrNull, null, "row group 1"},
		{Table{Paths: []string{main}, Beside: [][]string{{null}}, Weight: "w"}, input.ErrNull, null, "row 1"},
		{Table{Paths: []string{main}, Beside: [][]string{{dir + "/none"}}, Weight: "w"}, fs.ErrNotExist, "", "none"},
		{Table{Paths: []string{main}, Beside: [][]string{{good}}, Weight: "x"}, input.ErrColumn, main, `"w" (int64)`},
		{Table{Paths: []string{main}, Beside: [][]string{{words}}, Weight: "w"}, input.ErrColumnType, words, "weights are numbers"},
		{Table{Paths: []string{main}, Beside: [][]string{{good, good}}, Weight: "w"}, graph.ErrOptions, "", "2 files for 1 Paths"},
		{Table{Paths: []string{dir}, Beside: [][]string{{good}}, Weight: "w"}, graph.ErrOptions, "", "not patterns or directories"},
	} {
		err := open(c.t)
		var f *input.FileError
		if !errors.Is(err, c.want) || c.path != "" && (!errors.As(err, &f) || f.Path != c.path) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%q: %v, want %v and %q", c.t.Beside, err, c.want, c.text)
		}
	}
	// What is named twice goes with a companion each time.
	var rows [2]int64
	for i, table := range []Table{{Paths: []string{main}, Beside: [][]string{{good}}, Weight: "w"}, {Paths: []string{main, main}, Beside: [][]string{{good, good}}, Weight: "w"}} {
		d, err := OpenTables(t.Context(), []Table{table}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows[i] = d.RowsInFiles()
	}
	if rows[0] == 0 || rows[1] != 2*rows[0] {
		t.Errorf("named once and twice there are %d rows", rows)
	}
}

// TestBesideDamaged: whatever is in files that are read together, reading ends,
// with rows or with an error that names one of them.
func TestBesideDamaged(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 81))
	rows := 300
	all := testColumns(t, r, rows)
	dir := t.TempDir()
	var files []string
	for i := range 3 {
		var cols []*testColumn
		for k := range all {
			if k%3 == i {
				cols = append(cols, &all[k])
			}
		}
		files = append(files, besideFile(t, r, filepath.Join(dir, fmt.Sprint(i, ".parquet")), cols, i == 0, 0, rows, false))
	}
	table := Table{Paths: files[:1], Beside: [][]string{files[1:2], files[2:]}, Source: "src", Target: "dst", Weight: all[0].name}
	whole := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		whole[f] = data
	}
	failed := 0
	for range seeds(400) {
		name := files[r.IntN(3)]
		data := slices.Clone(whole[name])
		for range 1 + r.IntN(4) {
			at := r.IntN(len(data))
			if r.IntN(2) == 0 { // in the footer, or near it
				at = len(data) - 1 - r.IntN(min(len(data), 3000))
			}
			data[at] = byte(r.IntN(256))
		}
		samples.WriteTo(t, name, data)
		table.Where, _ = condition(r, all, rows, 2)
		_, err := LoadTables(context.Background(), []Table{table}, Options{SkipNulls: true})
		samples.WriteTo(t, name, whole[name])
		var f *input.FileError
		if err == nil || errors.Is(err, graph.ErrEmpty) {
			continue
		}
		failed++
		if !errors.As(err, &f) || !slices.Contains(files, f.Path) {
			t.Errorf("%v names no file", err)
		}
	}
	// About a quarter: much of a file isn't read, or is any value.
	if failed < int(seeds(400))/8 {
		t.Errorf("%d damaged files failed", failed)
	}
}

// BenchmarkBeside reads sources, targets and weights of one file and of two.
func BenchmarkBeside(b *testing.B) {
	const rows = 2_000_000
	r := rand.New(rand.NewPCG(6, 6))
	var cols []samples.ParquetColumn
	for _, name := range []string{"src", "dst", "w"} {
		values := make([]int64, rows)
		for i := range values {
			values[i] = r.Int64N(100_000)
		}
		cols = append(cols, samples.ParquetColumn{Node: samples.Node(b, name, false, nil, parquet.Types.Int64, 0), Values: values})
	}
	dir := b.TempDir()
	file := func(name string, groupRows int, cols ...samples.ParquetColumn) string {
		return samples.WriteTo(b, filepath.Join(dir, name), samples.WriteParquet(b, rows, groupRows, cols))
	}
	main := file("main", 1<<20, cols[0], cols[1])
	for name, t := range map[string]Table{
		"one file":                    {Paths: []string{file("whole", 1<<20, cols...)}},
		"same row groups":             {Paths: []string{main}, Beside: [][]string{{file("same", 1<<20, cols[2])}}},
		"row groups of other lengths": {Paths: []string{main}, Beside: [][]string{{file("other", 123_456, cols[2])}}},
	} {
		t.Weight = "w"
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d, err := OpenTables(b.Context(), []Table{t}, Options{Workers: 1})
				if err == nil {
					err = d.Batches(b.Context(), func(graph.Batch) error { return nil })
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
