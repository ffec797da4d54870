// This file tests what becomes of prepared graphs when the disk, the file or the
// caller gives up, and fuzzes them.

package prepared

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// TestStoredCutWhileMapped: memory whose file is gone is an error, not the end.
func TestStoredCutWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a system on which files are mapped, not Windows")
	}
	r := rand.New(rand.NewPCG(1, 1))
	path := writeStoredTo(t, samples.BuildInts(func(r *rand.Rand) int64 { return r.Int64N(999) })(t, r, graph.Options{}))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data, release, err := mapFile(f, int(info.Size()))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	pass := storedPass{arrays: []*storedArray{{name: "it", data: data}}}
	if _, err := pass.run(context.Background()); !errors.Is(err, input.ErrDamaged) || !strings.Contains(err.Error(), "can't be read") {
		t.Error(err)
	}
}

func TestStoredCanceled(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	g := samples.BuildInts(func(r *rand.Rand) int64 { return r.Int64N(999) })(t, r, graph.Options{})
	good := writeStoredTo(t, g)
	for _, o := range []OpenGraphOptions{{Workers: 1}, {Workers: 1, InMemory: true}} {
		for left := 0; ; left++ {
			got, err := OpenGraph(&samples.Countdown{Context: context.Background(), Left: left}, good, o)
			if err == nil {
				if left < 5 {
					t.Errorf("the context was asked %d times", left)
				}
				if err := got.Close(); err != nil {
					t.Error(err)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d: %v", left, err)
			}
		}
	}
	for left := 0; ; left++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "g.foray")
		err := WriteGraph(&samples.Countdown{Context: context.Background(), Left: left}, path, g, WriteGraphOptions{Workers: 1})
		if err == nil {
			if left < 10 {
				t.Errorf("the context was asked %d times", left)
			}
			break
		}
		var e *atomicfile.Error
		if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || !strings.Contains(err.Error(), path) {
			t.Fatalf("after %d: %v", left, err)
		}
		samples.Unchanged(t, dir, path, "")
	}
}

func TestStoredFullDisk(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	g := samples.BuildStrings(true)(t, r, graph.Options{})
	data, err := os.ReadFile(writeStoredTo(t, g))
	if err != nil {
		t.Fatal(err)
	}
	for room := 0; room < len(data); room += 1 + len(data)/50 {
		for _, before := range []string{"", "what was there before"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "g.foray")
			if before != "" {
				samples.WriteTo(t, path, []byte(before))
			}
			err := writeStored(context.Background(), path, g, WriteGraphOptions{}, func(ctx context.Context, s *write.WriteSpec) (write.Output, error) {
				out, err := write.OpenOutput(ctx, s)
				return &fullDisk{out, room}, err
			})
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "nothing half-written is left") {
				t.Fatalf("with room for %d of %d: %v", room, len(data), err)
			}
			samples.Unchanged(t, dir, path, before)
		}
	}
	err = WriteGraph(context.Background(), filepath.Join(t.TempDir(), "missing", "g.foray"), g, WriteGraphOptions{})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "make the directory") {
		t.Error(err)
	}
}

func TestStoredProgress(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	g := samples.BuildInts(func(r *rand.Rand) int32 { return int32(r.IntN(99)) })(t, r, graph.Options{})
	path := filepath.Join(t.TempDir(), "g.foray")
	for name, f := range map[string]func(report func(graph.Progress)) error{
		"write": func(report func(graph.Progress)) error {
			return WriteGraph(context.Background(), path, g, WriteGraphOptions{Progress: report})
		},
		"open": func(report func(graph.Progress)) error {
			_, err := OpenGraph(context.Background(), writeStoredTo(t, g), OpenGraphOptions{Progress: report})
			return err
		},
	} {
		var last, all uint64
		err := f(func(p graph.Progress) {
			done, total := p.Done, p.Total
			if done < last || done > total || all > 0 && total != all {
				t.Errorf("%s: %d of %d after %d of %d", name, done, total, last, all)
			}
			last, all = done, total
		})
		if err != nil || last == 0 || last != all {
			t.Errorf("%s: ended at %d of %d, %v", name, last, all, err)
		}
	}
}

// FuzzGraphFile opens what fuzzing makes of small files. What opens can be
// searched.
func FuzzGraphFile(f *testing.F) {
	_, files := smallStored(f)
	for _, data := range files {
		f.Add(data)
	}
	path := filepath.Join(f.TempDir(), "g.foray")
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, o := range []OpenGraphOptions{{Workers: 1}, {InMemory: true, Workers: 1}, {Trust: true}} {
			g, err := openBytes(t, path, data, o)
			if err != nil {
				continue
			}
			if !o.Trust {
				search(t, g)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64*uint64(len(data))+(64<<20) {
			t.Errorf("%d bytes allocated for a file of %d", n, len(data))
		}
	})
}

// search searches a graph in the ways that use what is stored with it.
func search(t testing.TB, g *graph.Graph) {
	t.Helper()
	if g.NumVertices() == 0 {
		return
	}
	dev := host.New(2)
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, source := range []uint32{0, uint32(g.NumVertices() - 1)} {
		r, err := bfs.Run(context.Background(), p, source, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if g.In() == nil {
			continue
		}
		// It pulls as soon as there is anything to pull.
		if r, err = dobfs.Run(context.Background(), p, source, dobfs.Options{Outputs: bfs.Depths | bfs.Parents, Tuning: bfs.Tuning{Alpha: 1e9, Beta: 1e9}}); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	if _, err := g.ParseVertex(g.IDs().Format(uint32(g.NumVertices() - 1))); err != nil && !errors.Is(err, graph.ErrNoVertex) {
		t.Fatal(err)
	}
}

// fullDisk is a file on a disk with some room left.
type fullDisk struct {
	write.Output
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		n, _ := d.Output.Write(p[:d.room])
		d.room -= n
		return n, &fs.PathError{Op: "write", Path: "/the/temporary/name.tmp", Err: syscall.ENOSPC}
	}
	d.room -= len(p)
	return d.Output.Write(p)
}
