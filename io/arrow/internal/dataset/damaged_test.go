// This file reads damaged files, in child processes whose memory and time are
// watched.

package dataset

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/ipc"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// childVar names a file with paths: a test process that finds it in its
// environment reads these files and reports on each, instead of testing.
const childVar = "FORAY_ARROW_CHILD"

// gcPercent makes a child collect early: the promise is about what reading
// holds at a time. With the usual 100 half of the resident memory may be garbage,
// and more on a busy machine, where the collector is late.
const gcPercent = 25

// limitKB is what reading a file of so many bytes may make resident at most in
// a child: the 128 MB and 32 bytes a byte that package arrow promises, the
// garbage beside it, and 32 MB for the process itself, of which the program's
// text alone is 24.
func limitKB(bytes int64) int64 { return (32*bytes/1024+128<<10)*(100+gcPercent)/100 + 32<<10 }

// report is a child's report about one file.
type report struct {
	Path    string
	Bytes   int64
	Rows    int64
	Columns int
	Errors  []string
	PeakKB  int64 // resident, at its highest while reading the file
}

func TestMain(m *testing.M) {
	if list := os.Getenv(childVar); list != "" {
		if err := child(list); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	testlong.Main(m)
}

func child(list string) error {
	b, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	out := json.NewEncoder(os.Stdout)
	for _, path := range strings.Fields(string(b)) {
		fmt.Fprintln(os.Stderr, "reading", path)
		debug.FreeOSMemory()
		// The high-water mark of this file alone, where the system can.
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
		r := readEverything(path)
		if r.PeakKB, err = peakKB(); err != nil {
			return err
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func peakKB() (int64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(b), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			return strconv.ParseInt(f[1], 10, 64)
		}
	}
	return 0, errors.New("no VmHWM")
}

// readEverything reads each column of a file alone, and pairs of columns
// as edges.
func readEverything(path string) report {
	r := report{Path: path}
	note := func(err error) {
		if err != nil {
			r.Errors = append(r.Errors, err.Error())
		}
	}
	if info, err := os.Stat(path); err == nil {
		r.Bytes = info.Size()
	}
	cols, err := eachColumn(path, &r.Rows, note)
	note(err)
	r.Columns = len(cols)
	o := Options{SkipNulls: true, Workers: 4}
	var ids []columnar.Column
	for _, c := range cols {
		if c.IsID {
			ids = append(ids, c)
		} else if c.Numeric {
			o.Weight = c.Path
		}
	}
	note(readEdges(path, o))
	for i := range ids[:min(mostColumns(len(ids)), len(ids))] {
		for k := range ids[:i] {
			if ids[i].ID == ids[k].ID {
				o.Source, o.Target = ids[k].Path, ids[i].Path
				note(readEdges(path, o))
				break
			}
		}
	}
	return r
}

// mostColumns returns how many of so many columns are read. The file is opened for
// each, which takes long where there are very many.
func mostColumns(columns int) int {
	if columns > 10_000 {
		return testlong.Of(4, 50)
	}
	return 50
}

func readEdges(path string, o Options) error {
	d, err := Open(context.Background(), []string{path}, o)
	if err != nil {
		return err
	}
	var rows atomic.Int64
	err = d.Batches(context.Background(), func(b graph.Batch) error {
		n := len(b.Src)
		if b.SrcStrings != nil {
			n = b.SrcStrings.Len()
			for i := range n {
				_ = b.SrcStrings.Value(i)
				_ = b.DstStrings.Value(i)
			}
		}
		if b.Weighted() && write.WeightCount(&b) != n || n == 0 {
			return fmt.Errorf("a batch of %d edges and %d weights", n, write.WeightCount(&b))
		}
		rows.Add(int64(n))
		return nil
	})
	if err == nil && rows.Load() != d.Rows()-d.Stats().NullRows {
		err = fmt.Errorf("%d rows of %d", rows.Load(), d.Rows())
	}
	return err
}

// eachColumn reads the columns one by one.
func eachColumn(path string, rows *int64, note func(error)) ([]columnar.Column, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	var head [8]byte
	n, _ := f.ReadAt(head[:], 0)
	load := func() (*table, error) {
		t := &table{Origin: input.Origin{Path: path}, size: size}
		err := columnar.Guard(func() (err error) {
			if bytes.HasPrefix(head[:n], []byte(ipc.Magic)) {
				t.ipc, err = ipc.Open(f, size, columnar.Limits{})
			} else if ipc.LooksLikeStream(head[:n]) {
				t.ipc, err = ipc.OpenStream(f, size, columnar.Limits{})
			} else {
				t.parquet, err = parquet.Open(f, size)
			}
			return err
		})
		return t, err
	}
	t, err := load()
	if err != nil {
		return nil, err
	}
	cols := t.columns()
	for i, c := range cols {
		if i == mostColumns(len(cols)) {
			break
		}
		var wants []columnar.Kind
		if c.IsID {
			wants = append(wants, columnar.KindFor(c.ID))
		}
		if c.Numeric {
			wants = append(wants, columnar.Weights)
		}
		if c.Class != columnar.Opaque {
			wants = append(wants, c.Class.Kind())
		}
		if c.Repeated {
			wants = nil
		}
		for _, want := range wants {
			t, err := load()
			if err != nil {
				return cols, err
			}
			got, err := oneColumn(t, f, i, want)
			*rows += got
			if err != nil {
				note(fmt.Errorf("column %.40q: %w", c.Path, err))
			}
		}
	}
	return cols, nil
}

func oneColumn(t *table, f *os.File, col int, want columnar.Kind) (rows int64, err error) {
	err = columnar.Guard(func() error {
		if t.parquet != nil {
			return t.parquet.Select([]int{col}, []columnar.Kind{want})
		}
		return t.ipc.Select(f, []int{col}, []columnar.Kind{want})
	})
	if err != nil {
		return 0, err
	}
	mem := columnar.NewMemory(columnar.NewPool(t.size))
	pr, ir := parquet.NewReader(mem), ipc.NewReader(mem)
	defer pr.Close()
	defer ir.Close()
	var v columnar.Vector
	for b := range t.blocks() {
		total := t.blockRows(b)
		if total == 0 {
			continue
		}
		mem.Begin(context.Background(), t.size)
		read := pr.Read
		if t.parquet != nil {
			pr.Open(context.Background(), t.parquet, f, b)
		} else {
			if err := ir.Open(context.Background(), t.ipc, f, b); err != nil {
				return rows, err
			}
			read = ir.Read
		}
		at := int64(0)
		if b&1 == 1 { // every other block in part, as filters do
			at = total / 2
			if err := skipTo(t, f, b, at, pr, ir); err != nil {
				return rows, err
			}
		}
		for ; at < total; at += int64(v.Len()) {
			if err := read(0, &v, int(min(total-at, columnar.BatchRows))); err != nil {
				return rows, err
			}
			if v.Len() == 0 {
				return rows, errors.New("no progress")
			}
			rows += int64(v.Len())
		}
		if mem.End() {
			pr.Drop()
			ir.Drop()
			v = columnar.Vector{}
			mem.Reset()
		}
	}
	return rows, nil
}

// skipTo leaves out the rows before at of a block, and looks at what the file
// reports about its values.
func skipTo(t *table, f *os.File, b int, at int64, pr *parquet.Reader, ir *ipc.Reader) error {
	if t.ipc != nil {
		ir.Skip(0, at)
		return nil
	}
	pages, _, err := t.parquet.Pages(f, b, 0, at%2 == 0)
	if err == nil && pages != nil {
		pr.Jump(0, pages)
		_, _, err = t.parquet.PageBounds(f, b, 0, pages)
	}
	if err != nil {
		return err
	}
	bloom, err := t.parquet.Bloom(f, b, 0)
	if bloom != nil {
		bloom.Has(columnar.Scalar{Int: 1, Double: 1, Bytes: []byte("1")})
	}
	pr.Skip(0, at)
	return err
}

// watch reads the files in a child process and checks what it reports.
func watch(t *testing.T, paths []string) []report {
	t.Helper()
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(strings.Join(paths, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	// Far more than it takes, and yet a bound for a hanging reader.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+list)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := stderr.String()
		at := strings.LastIndex(said, "reading ")
		t.Fatalf("%v: %.4000s", err, said[max(0, at):])
	}
	var reports []report
	for s := bufio.NewScanner(&stdout); s.Scan(); {
		var r report
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
		if limit := limitKB(r.Bytes); r.PeakKB > limit && !samples.Raced {
			t.Errorf("%s: %d KB resident, more than %d KB", r.Path, r.PeakKB, limit)
		}
		for _, e := range r.Errors {
			if strings.Contains(e, "\n") || e == "" {
				t.Errorf("%s: an error that is not one line: %q", r.Path, e)
			}
			if strings.Contains(e, samples.Panicked) {
				t.Errorf("%s: %s", r.Path, e)
			}
		}
	}
	if len(reports) != len(paths) {
		t.Fatalf("%d reports on %d files", len(reports), len(paths))
	}
	return reports
}

// testData returns a folder of the data for tests.
func testData(t testing.TB, sub string) string {
	t.Helper()
	root := os.Getenv("FORAY_DATA")
	if root == "" || root == "none" {
		testlong.Missing(t, "data", "needs test data: set FORAY_DATA (CONTRIBUTING.md)")
	}
	return filepath.Join(root, sub)
}

// TestDamagedFiles reads files that fuzzers and bug reports brought up.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	var paths []string
	err := filepath.WalkDir(testData(t, "bad"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range watch(t, paths) {
		t.Logf("%s: %d bytes, %d rows of %d columns, %d MB, %.150q", filepath.Base(r.Path), r.Bytes, r.Rows, r.Columns, r.PeakKB>>10, r.Errors)
	}
}
