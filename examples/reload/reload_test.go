package reload_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/reload"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// write writes a partition of edges.
func write(dir, day string, src, dst []int64) error {
	path := filepath.Join(dir, "day="+day, "part.parquet")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return arrow.WriteBatches(context.Background(), path, func(_ context.Context, yield func(graph.Batch) error) error {
		return yield(graph.Batch{Type: graph.Int64, Src: src, Dst: dst})
	}, arrow.WriteOptions{})
}

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "foray")
	check(err)
	defer os.RemoveAll(dir)
	check(write(dir, "1", []int64{1, 2}, []int64{2, 3}))
	check(write(dir, "2", []int64{3}, []int64{4}))
	dev, err := device.Open("host")
	check(err)
	defer dev.Close()
	live, err := reload.Open(ctx, dir, arrow.Options{}, dev)
	check(err)
	defer live.Close()

	distance := func(s *reload.Snapshot) {
		from, err := s.Graph().Vertex(1)
		check(err)
		to, err := s.Graph().Vertex(4)
		check(err)
		r, err := bfs.Run(ctx, s.Placed, from, bfs.Options{})
		check(err)
		depths, err := r.Depths()
		check(err)
		fmt.Println("from 1 to 4:", depths[to])
		r.Close()
	}
	before := live.Acquire()
	distance(before)
	check(write(dir, "2", []int64{3, 1}, []int64{4, 4})) // a shorter way
	changed, err := live.Reload(ctx)
	check(err)
	fmt.Println(changed, "partition changed")
	after := live.Acquire()
	distance(after)
	distance(before) // who has the old graph keeps it
	check(before.Release())
	check(after.Release())
	// Output:
	// from 1 to 4: 3
	// 1 partition changed
	// from 1 to 4: 1
	// from 1 to 4: 3
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The graph is reloaded again and again, while many search it: each sees one
// graph from beginning to end, and what is there after a reload is what a load
// from scratch gives.
func TestReloadWhileSearching(t *testing.T) {
	ctx, dir, dev := context.Background(), t.TempDir(), host.New(1)
	r := rand.New(rand.NewPCG(1, 2))
	part := func(day int) {
		var src, dst []int64
		for range 1 + r.IntN(200) {
			src, dst = append(src, r.Int64N(100)), append(dst, r.Int64N(100))
		}
		src, dst = append(src, 0), append(dst, int64(day))
		if err := write(dir, fmt.Sprint(day), src, dst); err != nil {
			t.Fatal(err)
		}
	}
	for day := range 8 {
		part(day)
	}
	live, err := reload.Open(ctx, dir, arrow.Options{}, dev)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan bool)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := live.Acquire()
				res, err := bfs.Run(ctx, s.Placed, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
				if err == nil {
					err = bfs.Validate(s.Graph(), res)
				}
				if err != nil {
					t.Error(err)
				}
				res.Close()
				if err := s.Release(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for range 20 {
		gone := r.IntN(4) == 0
		if gone {
			if err := os.Remove(filepath.Join(dir, "day=7", "part.parquet")); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		} else {
			part(r.IntN(8))
		}
		if _, err := live.Reload(ctx); err != nil {
			t.Fatal(err)
		}
		if n, err := live.Reload(ctx); n != 0 || err != nil {
			t.Errorf("nothing has changed, but %d were read: %v", n, err)
		}
		fresh, err := arrow.Load(ctx, dir, arrow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := live.Acquire()
		if g := s.Graph(); g.NumVertices() != fresh.NumVertices() || g.NumEdges() != fresh.NumEdges() {
			t.Errorf("reloaded: %d vertices, %d edges; from scratch: %d, %d", g.NumVertices(), g.NumEdges(), fresh.NumVertices(), fresh.NumEdges())
		}
		s.Release()
	}
	close(stop)
	wg.Wait()
	last := live.Acquire()
	live.Close()
	if err := last.Err(); err != nil {
		t.Errorf("freed while in use: %v", err)
	}
	last.Release()
	if err := last.Err(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("not freed after its last use: %v", err)
	}
	if live.Acquire() != nil {
		t.Error("a graph after Close")
	}
}

// A partition that can't be read leaves the graph as it was, and is read once it
// can be.
func TestReloadOfDamagedPartition(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	if err := write(dir, "1", []int64{1}, []int64{2}); err != nil {
		t.Fatal(err)
	}
	live, err := reload.Open(ctx, dir, arrow.Options{}, host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	before := live.Acquire()
	defer before.Release()
	path := filepath.Join(dir, "day=1", "part.parquet")
	if err := os.WriteFile(path, []byte("half of a file"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := live.Reload(ctx); err == nil {
		t.Error("a damaged partition: no error")
	}
	if now := live.Acquire(); now != before {
		t.Error("the graph was replaced in spite of the error")
	} else {
		now.Release()
	}
	if err := write(dir, "1", []int64{1, 2}, []int64{2, 3}); err != nil {
		t.Fatal(err)
	}
	if n, err := live.Reload(ctx); n != 1 || err != nil {
		t.Errorf("mended: %d read, %v", n, err)
	}
}
