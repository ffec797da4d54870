// This file tests WriteColumns where files can't be, and by many goroutines at once.

package write

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// entriesOf returns the names of a directory's entries, at any depth.
func entriesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if name != dir {
			names = append(names, strings.TrimPrefix(name, dir))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// TestWriteColumnsPlaces: errors name the path and what to do, and nothing is left.
func TestWriteColumnsPlaces(t *testing.T) {
	const n = 3 * batchRows
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Uint32, Len: n})
	cols := []ResultColumn{{Name: "x", Values: make([]float64, n)}}
	for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) + "." + format }
		for _, err := range []error{
			os.Mkdir(at("dir"), 0o777), os.WriteFile(at("file"), []byte("before"), 0o666), os.Symlink(at("nowhere"), at("link")), os.Symlink(at("self"), at("self")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		before := len(entriesOf(t, dir))
		for path, c := range map[string]struct {
			want error
			says string
		}{
			at("dir"):                             {syscall.EISDIR, "name a file in that directory"},
			filepath.Join(at("no"), "x"):          {fs.ErrNotExist, "make the directory"},
			filepath.Join(at("file"), "x"):        {syscall.ENOTDIR, "check its spelling"},
			at("link"):                            {nil, "remove the link"},
			at("self"):                            {syscall.ELOOP, ""},
			at("long" + strings.Repeat("x", 300)): {syscall.ENAMETOOLONG, ""},
			"/dev/full":                           {syscall.ENOSPC, "free space"},
		} {
			if _, err := os.Stat("/dev/full"); err != nil && path == "/dev/full" {
				continue // another system
			}
			err := WriteColumns(context.Background(), path, g, cols, WriteOptions{Format: format})
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %v, %q", path, err, c.want, c.says)
			}
		}
		if names := entriesOf(t, dir); len(names) != before {
			t.Errorf("%s: left %q", format, names)
		}
	}
}

// TestWriteColumnsAtOnce: of writers of one path, some of which are canceled, each is there
// whole or not at all, and none leaves a file or a goroutine.
func TestWriteColumnsAtOnce(t *testing.T) {
	const n = 2 * batchRows
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Uint32, Len: n})
	values := make([]int32, n)
	dir, goroutines := t.TempDir(), runtime.NumGoroutine()
	for _, format := range []string{"parquet", "arrow", "csv"} {
		path := filepath.Join(dir, "x."+format)
		write := func(ctx context.Context) error {
			return WriteColumns(ctx, path, g, []ResultColumn{{Name: "x", Values: values}}, WriteOptions{})
		}
		if err := write(context.Background()); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%6)*time.Millisecond+time.Microsecond)
				defer cancel()
				if i%6 == 5 {
					ctx = context.Background()
				}
				if err := write(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes, want %d, %v", format, len(got), len(want), err)
		}
	}
	if names := entriesOf(t, dir); len(names) != 3 {
		t.Errorf("left %q", names)
	}
	for i := 0; runtime.NumGoroutine() > goroutines; i++ {
		if i == 100 {
			t.Fatalf("%d goroutines, there were %d", runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
