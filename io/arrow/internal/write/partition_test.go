// This file tests partitioned directories: which rows go where, names, limits,
// and that they are there whole or not at all, whatever fails.

package write

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// partitionFiles returns the files of a partitioned directory and fails the test
// for any other entry in it.
func partitionFiles(t *testing.T, dir, format string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		switch depth := strings.Count(rel, string(filepath.Separator)); {
		case err != nil || p == dir:
			return err
		case depth == 0 && e.IsDir() && strings.Contains(rel, "="), rel == listName:
		case depth == 1 && e.Name() == "part-0."+format:
			files = append(files, rel)
		default:
			t.Errorf("the directory holds %s", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := readList(filepath.Join(dir, listName))
	if err != nil || len(list) != len(files) {
		t.Errorf("%d files, and %d in the list: %v", len(files), len(list), err)
	}
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || !list.has(filepath.ToSlash(f), info.Size()) {
			t.Errorf("the list lacks %s", f)
		}
	}
	return files
}

// TestWritePartitions compares what all partitions hold with the rows that one
// file would.
func TestWritePartitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, typ := range []graph.IDType{graph.Int64, graph.Uint8, graph.String, graph.Binary} {
		for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
			for _, n := range []int{0, 1, 100} {
				g := samples.WithIDs(t, randomResultIDs(rng, typ, n))
				r, p := randomResult(rng, n), randomProperties(rng, n)
				for v := range n { // so that few values come up
					r.DepthList[v] = max(-1, r.DepthList[v]%5)
				}
				columns := []string{"depth", "parent", "vertex", "p0", "p1", "p4", "p11", "p13", "p14", "p17"}
				o := WriteOptions{Format: format, PartitionBy: columns[rng.IntN(len(columns))], ReachedOnly: rng.IntN(3) == 0, Properties: p}
				if rng.IntN(3) == 0 {
					o.PartitionBy = "depth"
				}
				path := filepath.Join(t.TempDir(), "r")
				if err := WriteResult(context.Background(), path, g, r, o); err != nil {
					t.Fatal(err)
				}
				names, types, rows := wantRows(g, r, format, o.ReachedOnly)
				next := 0
				for _, f := range p.fields {
					names, types = append(names, f.Name), append(types, wantType(f, format))
				}
				for v := range n {
					if o.ReachedOnly && r.DepthList[v] < 0 {
						continue
					}
					for c, f := range p.fields {
						rows[next] = append(rows[next], wantCell(f.Type, p.cells[c][v], format))
					}
					next++
				}
				column := slices.Index(names, o.PartitionBy)
				want := map[string][][]string{}
				for _, row := range rows {
					value := row[column]
					if value == samples.Null || value == "" || format == "csv" && o.PartitionBy == "depth" && value == "-1" {
						value = input.NullPartition
					}
					want[value] = append(want[value], slices.Delete(slices.Clone(row), column, column+1))
				}
				names, types = slices.Delete(slices.Clone(names), column, column+1), slices.Delete(slices.Clone(types), column, column+1)
				for _, f := range partitionFiles(t, path, format) {
					name, escaped, _ := strings.Cut(filepath.Dir(f), "=")
					value, err := url.PathUnescape(escaped)
					if err != nil || name != o.PartitionBy {
						t.Fatalf("%s: %v", f, err)
					}
					switch { // as the formats' readers change ids
					case format == "jsonl":
						value = string([]rune(value))
					case format == "csv":
						value = strings.ReplaceAll(value, "\r\n", "\n")
					}
					if want[value] == nil {
						t.Fatalf("%s: no row has %q", f, value)
					}
					readBack(t, filepath.Join(path, f)).equal(t, names, types, want[value])
					delete(want, value)
				}
				if len(want) > 0 {
					t.Fatalf("%s by %s: %d partitions are missing", format, o.PartitionBy, len(want))
				}
			}
		}
	}
}

func TestEscapeHive(t *testing.T) {
	for in, want := range map[string]string{
		"abc-1.5_x y": "abc-1.5_x y", "a/b": "a%2Fb", "a=b": "a%3Db", "100%": "100%25", "ä漢": "ä漢", "\x00\n": "%00%0A",
		"\xff": "%FF", `"#'*:?\{[]^` + "\x7f": "%22%23%27%2A%3A%3F%5C%7B%5B%5D%5E%7F", "..": "..",
	} {
		if got := escapeHive(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestPartitionErrors(t *testing.T) {
	ctx := context.Background()
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
	r := samples.TestResult{DepthList: []int32{0, 1, 2}}
	rng := rand.New(rand.NewPCG(63, 64))
	long := &testProperties{fields: randomProperties(rng, 0).fields[11:12], cells: [][]any{{"a", strings.Repeat("x", 300), "b"}}}
	for _, c := range []struct {
		o    WriteOptions
		want error
		says string
	}{
		{WriteOptions{PartitionBy: "parent"}, ErrOutputOption, `"parent" is no column of the result; choose vertex or depth`},
		{WriteOptions{PartitionBy: "depth", MaxPartitions: 2}, ErrOutputOption, "depth has more than 2 values"},
		{WriteOptions{PartitionBy: "depth", MaxPartitions: -1}, ErrOutputOption, "at most -1 partitions"},
		{WriteOptions{Overwrite: true, Format: "csv"}, ErrOutputOption, "are for PartitionBy"},
		{WriteOptions{PartitionBy: "p9", Properties: randomProperties(rng, 3)}, ErrOutputOption, "is a column of floats"},
		{WriteOptions{PartitionBy: "p11", Properties: long}, syscall.ENAMETOOLONG, "name"},
		{WriteOptions{PartitionBy: "depth", Format: "x"}, ErrOutputFormat, "choose"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "r")
		if err := WriteResult(ctx, path, g, r, c.o); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("got %v, want %q", err, c.says)
		}
		samples.Unchanged(t, dir, path, "")
	}
	if err := WriteResult(ctx, "-", g, r, WriteOptions{PartitionBy: "depth", Stdout: io.Discard}); !errors.Is(err, ErrOutputOption) {
		t.Errorf("to standard output: %v", err)
	}
	if err := WriteEdges(ctx, "x", g, WriteOptions{PartitionBy: "src"}); !errors.Is(err, ErrOutputOption) {
		t.Errorf("edges: %v", err)
	}
}

// TestOverwrite: what is there stays, unless it is partitions and may go.
func TestOverwrite(t *testing.T) {
	ctx := context.Background()
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
	dir := t.TempDir()
	path := filepath.Join(dir, "r.csv")
	write := func(overwrite bool, depths ...int32) error {
		return WriteResult(ctx, path, g, samples.TestResult{DepthList: depths}, WriteOptions{PartitionBy: "depth", Overwrite: overwrite})
	}
	has := func(want ...string) {
		t.Helper()
		if got := partitionFiles(t, path, "csv"); !slices.Equal(got, want) {
			t.Errorf("it holds %q, want %q", got, want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("beside it there is %v, %v", entries, err)
		}
	}
	if err := write(false, 0, 1, 1); err != nil {
		t.Fatal(err)
	}
	has("depth=0/part-0.csv", "depth=1/part-0.csv")
	if err := write(false, 0, 1, 2); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a directory: %v", err)
	}
	has("depth=0/part-0.csv", "depth=1/part-0.csv")
	if err := write(true, 2, 2, 2); err != nil {
		t.Fatal(err)
	}
	has("depth=2/part-0.csv")
	mine := filepath.Join(path, "depth=2", "thesis.txt")
	if err := os.WriteFile(mine, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := write(true, 0, 0, 0); !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), mine) {
		t.Errorf("over what isn't a partition: %v", err)
	}
	if err := CheckOutput(ctx, path, WriteOptions{PartitionBy: "depth", Overwrite: true}); !errors.Is(err, ErrOutputOption) {
		t.Errorf("CheckOutput: %v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if err := CheckOutput(ctx, path, WriteOptions{PartitionBy: "depth", Overwrite: true}); err != nil {
		t.Error(err)
	}
	has("depth=2/part-0.csv")
}

// TestPartitionFaults: a full disk and a canceled context, at any place.
func TestPartitionFaults(t *testing.T) {
	testlong.Only(t)
	g, r := largeResult(t, rand.New(rand.NewPCG(65, 66)))
	for v := range r.DepthList {
		r.DepthList[v] %= 4
	}
	for _, before := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "r")
		o := WriteOptions{PartitionBy: "depth", Overwrite: before}
		if before {
			if err := WriteResult(context.Background(), path, g, samples.TestResult{DepthList: make([]int32, len(r.DepthList))}, o); err != nil {
				t.Fatal(err)
			}
		}
		check := func() {
			t.Helper()
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) > 0 != before {
				t.Fatalf("left behind: %v, %v", entries, err)
			}
			if before {
				if files := partitionFiles(t, path, "parquet"); !slices.Equal(files, []string{"depth=0/part-0.parquet"}) {
					t.Fatalf("what was there before is now %v", files)
				}
			}
		}
		for _, file := range []int{0, 1, 3} {
			for _, room := range []int{0, outputBuffer, 300_000} {
				opened := 0
				err := writeResult(context.Background(), path, g, r, o, func(ctx context.Context, s *WriteSpec) (Output, error) {
					out, err := OpenOutput(ctx, s)
					if opened++; opened > file {
						out = &fullDisk{out, room}
					}
					return out, err
				})
				if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), ".tmp") || !strings.Contains(err.Error(), "free space on the file system of "+dir) {
					t.Fatalf("a full disk: %v", err)
				}
				check()
			}
		}
		for left := 0; ; left += 3 {
			err := WriteResult(&samples.Countdown{Context: context.Background(), Left: left}, path, g, r, o)
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), ".tmp") {
				t.Fatal(err)
			}
			check()
		}
		if files := partitionFiles(t, path, "parquet"); len(files) != 7 { // -3 to 3 are 0 to 3
			if len(files) != 4 {
				t.Errorf("%d files", len(files))
			}
		}
	}
}
