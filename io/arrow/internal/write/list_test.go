// This file tests what partitions lose, and what overwriting deletes: nothing.

package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// rowsBelow counts the rows of JSON lines below a path.
func rowsBelow(files map[string]string) (rows int) {
	for _, text := range files {
		rows += strings.Count(text, "\n")
	}
	return rows
}

// TestPartitionNames: whatever the values, each is in one directory, in which all of its rows are, in a directory
// and in a store; the value that is spelled like the one for null isn't taken for it.
func TestPartitionNames(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(81, 82))
	odd := append([]string{input.NullPartition, "%5F_HIVE_DEFAULT_PARTITION__", "__hive_default_partition__", "null", "NULL", ".", "a", "A", "%41", "NaN", "-0.0", "0", "-0", "00", "é", "e\u0301", "a.", "a "}, oddIDs...)
	field := randomProperties(rng, 0).fields[11:12] // strings
	field[0].Nullable = true
	name := field[0].Name
	f := tests3.NewFake(t, "lake")
	for round := range 6 {
		n := 60
		cells := make([]any, n)
		want := map[string]int{}
		for v := range cells {
			if k := rng.IntN(len(odd) + 3); k < len(odd) {
				cells[v] = odd[k]
				want[odd[k]]++
			} else {
				want["\x00null"]++
			}
		}
		want["\x00null"] += want[""] // Hive doesn't distinguish them
		delete(want, "")
		g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: n})
		o := WriteOptions{PartitionBy: name, Format: "jsonl", Properties: &testProperties{fields: field, cells: [][]any{cells}}, S3: samples.S3Options(f.Env())}
		dir, prefix := filepath.Join(t.TempDir(), "out"), fmt.Sprintf("s3://lake/out%d", round)
		for _, path := range []string{dir, prefix} {
			if err := WriteResult(context.Background(), path, g, samples.TestResult{DepthList: make([]int32, n)}, o); err != nil {
				t.Fatal(err)
			}
		}
		files := filesOf(t, dir)
		if !same(files, objectsOf(t, o.S3, prefix)) {
			t.Error("a store has other files")
		}
		if got := rowsBelow(files); got != n {
			t.Errorf("%d rows, want %d", got, n)
		}
		for file, text := range files {
			from := input.Origin{Path: file}
			is := "\x00null"
			if c := from.Partitions()[0]; !c.Null {
				is = c.Text
			}
			if got := strings.Count(text, "\n"); got != want[is] {
				t.Errorf("%s: %d rows of %q, want %d", file, got, is, want[is])
			}
			delete(want, is)
		}
		if len(want) > 0 {
			t.Errorf("nothing of %v", want)
		}
	}
}

// TestPartitionSameName: file systems and stores that take two names for one are errors, and lose no row.
func TestPartitionSameName(t *testing.T) {
	s, err := newWriteSpec(filepath.Join(t.TempDir(), "out"), WriteOptions{PartitionBy: "name", Format: "csv"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := openDirectory(context.Background(), &s)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Abort()
	one, two := s, s
	visible, err := d.place(&one, "name=a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.place(&two, "name=a"); !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), "takes name=a for the name of another partition") {
		t.Errorf("got %v", err)
	}
	if err := d.complete(map[string]int64{visible: 0}); !errors.Is(err, ErrResult) {
		t.Errorf("a file that isn't there: %v", err)
	}
	// A store whose keys are alike in capitals has one object less than were written.
	f := tests3.NewFake(t, "lake")
	lost := ""
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op == tests3.Complete && lost == "" && strings.Contains(q.Key, "depth=1") {
			lost = q.Key
		} else if q.Op == tests3.List && lost != "" {
			f.Delete("lake", lost)
		}
		return tests3.Fault{}
	})
	err = WriteResult(context.Background(), "s3://lake/out", samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 2}), samples.TestResult{DepthList: []int32{0, 1}},
		WriteOptions{PartitionBy: "depth", Format: "csv", S3: samples.S3Options(f.Env())})
	if err == nil || !strings.Contains(err.Error(), "was written and isn't there") || len(f.Keys("lake")) != 0 {
		t.Errorf("%v: %q", err, f.Keys("lake"))
	}
}

// TestOverwriteListed: only files that the list has, as they were written, are overwritten.
func TestOverwriteListed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
	r := samples.TestResult{DepthList: []int32{0, 1, 1}}
	f := tests3.NewFake(t, "lake")
	for _, name := range []string{".env", "_notes", "part-time-jobs.xlsx", "k=1/part-0.csv", "depth=0/.hidden", "depth=0/part-1.csv", "depth=7/part-0.csv", "depth=0/part-0.csv", "depth=0/part-0.csv/", listName, "empty/"} {
		path := filepath.Join(t.TempDir(), "out")
		o := WriteOptions{PartitionBy: "depth", Format: "csv", Overwrite: true, S3: samples.S3Options(f.Env())}
		if err := WriteResult(ctx, path, g, r, o); err != nil {
			t.Fatal(err)
		}
		mine := filepath.Join(path, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.RemoveAll(mine); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(mine, 0o777); err != nil {
				t.Fatal(err)
			}
		} else if err := os.MkdirAll(filepath.Dir(mine), 0o777); err != nil {
			t.Fatal(err)
		} else if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{CheckOutput(ctx, path, o), WriteResult(ctx, path, g, r, o)} {
			if !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), filepath.Dir(filepath.Clean(mine))) {
				t.Errorf("over %s: %v", name, err)
			}
		}
		if info, err := os.Stat(mine); err != nil || !info.IsDir() && info.Size() != 4 {
			t.Errorf("%s: %v", name, err)
		}
		if name == listName || strings.HasSuffix(name, "/") {
			continue
		}
		if err := WriteResult(ctx, "s3://lake/out", g, r, o); err != nil {
			t.Fatal(err)
		}
		key := "out/" + name
		if name == "depth=0/part-0.csv" { // that of the list has a mark
			for _, k := range f.Keys("lake") {
				if strings.HasPrefix(k, "out/depth=0/") {
					key = k
				}
			}
		}
		f.Put("lake", key, []byte("mine"))
		for _, err := range []error{CheckOutput(ctx, "s3://lake/out", o), WriteResult(ctx, "s3://lake/out", g, r, o)} {
			if !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), "s3://lake/"+key) {
				t.Errorf("over %s: %v", key, err)
			}
		}
		if b, ok := f.Object("lake", key); !ok || string(b) != "mine" {
			t.Errorf("%s: %q", key, b)
		}
		for _, k := range f.Keys("lake") {
			f.Delete("lake", k)
		}
	}
	// A directory without a list is overwritten only if it is empty.
	path := t.TempDir()
	o := WriteOptions{PartitionBy: "depth", Format: "csv", Overwrite: true}
	if err := WriteResult(ctx, path, g, r, o); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(path, listName)); err != nil {
		t.Fatal(err)
	}
	if err := WriteResult(ctx, path, g, r, o); !errors.Is(err, ErrOutputOption) || !strings.Contains(err.Error(), "no "+listName) {
		t.Errorf("without a list: %v", err)
	}
	// Readers leave the list out, and it names its purpose.
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := WriteResult(ctx, path, g, r, o); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(path, listName))
	var l writtenList
	if err != nil || json.Unmarshal(b, &l) != nil || !strings.Contains(l.Note, "Foray wrote these files") || !slices.Equal(listed(l.Files), []string{"depth=0/part-0.csv", "depth=1/part-0.csv"}) {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(path, "depth=0")); errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func listed(l fileList) []string {
	var all []string
	for name := range l {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
