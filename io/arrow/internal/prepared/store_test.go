// This file tests prepared graphs in stores: as files are, and with faults.

package prepared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// largeStored is a graph whose file is sent in several parts and fetched in
// more, and the file.
var largeStored = sync.OnceValues(func() (*graph.Graph, []byte) {
	r := rand.New(rand.NewPCG(31, 31))
	e := graph.Batch{Weights: make([]float32, 500_000), EdgeIDs: samples.RandomEdgeIDs(r, 500_000, true)}
	for i := range e.Weights {
		e.Weights[i] = r.Float32()
		e.Src, e.Dst = append(e.Src, r.Int64N(9000)*r.Int64N(9000)/9000), append(e.Dst, r.Int64N(70_000))
	}
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, Weights: true, EdgeIDs: true})
	if err := b.Add(e); err != nil {
		panic(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "g")
	if err := WriteGraph(context.Background(), path, g, WriteGraphOptions{}); err != nil {
		panic(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return g, data
})

// TestStoredInStore: an object is the file, byte for byte, and the graph of it the
// file's.
func TestStoredInStore(t *testing.T) {
	testlong.Only(t)
	ctx := context.Background()
	try := func(t *testing.T, env map[string]string, root string, get func(key string) []byte) {
		small, files := smallStored(t)
		large, file := largeStored()
		for i, g := range append(small, large) {
			data := file
			if i < len(files) {
				data = files[i]
			}
			wo, oo := WriteGraphOptions{S3: samples.S3Options(env)}, OpenGraphOptions{S3: samples.S3Options(env)}
			if err := WriteGraph(ctx, root+"g.foray", g, wo); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(get("g.foray"), data) {
				t.Fatalf("graph %d: the object isn't the file", i)
			}
			for _, trust := range []bool{false, true} {
				var stats OpenStats
				last, all := uint64(0), uint64(0)
				oo.Trust, oo.Workers, oo.Stats = trust, i%4, &stats
				oo.Progress = func(p graph.Progress) {
					done, total := p.Done, p.Total
					if done < last || done > total || all > 0 && total != all {
						t.Errorf("%d of %d after %d of %d", done, total, last, all)
					}
					last, all = done, total
				}
				got, err := OpenGraph(ctx, root+"g.foray", oo)
				if err != nil {
					t.Fatalf("graph %d: %v", i, err)
				}
				if diff := different(got, g); diff != "" {
					t.Errorf("graph %d: %s", i, diff)
				}
				if last != all || last == 0 || stats.Files != 1 || stats.Bytes != int64(len(data)) || stats.BytesRead < int64(all) {
					t.Errorf("graph %d: progress to %d of %d, %+v", i, last, all, stats)
				}
				targets := got.Out().Targets
				if err := got.Close(); err != nil {
					t.Error(err)
				}
				for _, v := range targets { // it is the garbage collector's
					if uint64(v) >= uint64(g.NumVertices()) {
						t.Fatalf("vertex %d", v)
					}
				}
			}
		}
	}
	t.Run("fake", func(t *testing.T) {
		f := tests3.NewFake(t, "lake")
		try(t, f.Env(), "s3://lake/", func(key string) []byte { data, _ := f.Object("lake", key); return data })
	})
	t.Run("versitygw", func(t *testing.T) {
		g := tests3.NewGateway(t)
		try(t, g.Env(), g.Path(""), func(key string) []byte { data, _ := g.Get(t, key); return data })
		if n := g.Uploads(t); n != 0 {
			t.Errorf("%d uploads are left", n)
		}
	})
}

// TestStoredRanges: the body comes in ranges that are asked for side by side and
// are pinned, each byte of it once.
func TestStoredRanges(t *testing.T) {
	testlong.Project(t)
	f := tests3.NewFake(t, "lake")
	_, data := largeStored()
	f.Put("lake", "g.foray", data)
	// The first two are of the ends. Of the body none is answered until there are
	// as many as there can be at once.
	bodies, all := atomic.Int64{}, make(chan bool)
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op == tests3.Get && q.N >= 2 {
			if bodies.Add(1) == 4 {
				close(all)
			}
			select {
			case <-all:
			case <-time.After(time.Minute):
				t.Error("ranges of the body aren't asked for side by side")
			}
		}
		return tests3.Fault{}
	})
	g, err := OpenGraph(context.Background(), "s3://lake/g.foray", OpenGraphOptions{S3: samples.S3Options(f.Env())})
	if err != nil {
		t.Fatal(err)
	}
	if g.NumVertices() == 0 {
		t.Error("no vertices")
	}
	gets := f.Requests(tests3.Get)
	for _, q := range gets {
		if q.Range == "" || q.Header.Get("If-Match") == "" {
			t.Errorf("range %q, if-match %q", q.Range, q.Header.Get("If-Match"))
		}
	}
	if want := len(data)>>22 + 1 + 2; len(gets) > want {
		t.Errorf("%d requests for %d bytes, want %d", len(gets), len(data), want)
	}
}

// TestStoredStoreFaults: a store that fails for a while does no harm; an object that
// has changed, or was never valid, is an error with that reason.
func TestStoredStoreFaults(t *testing.T) {
	testlong.Only(t)
	ctx := context.Background()
	want, data := largeStored()
	f := tests3.NewFake(t, "lake")
	put := func(b []byte) { f.Put("lake", "g.foray", b) }
	put(data)
	o := OpenGraphOptions{S3: samples.S3Options(f.Env())}
	var n atomic.Int64
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op != tests3.Get {
			return tests3.Fault{}
		}
		switch n.Add(1) % 6 {
		case 0:
			return tests3.Fault{Status: 503, Code: "SlowDown"}
		case 1:
			return tests3.Fault{Body: 70_001, Cut: true}
		case 2:
			return tests3.Fault{Body: 100, Stop: true}
		case 3:
			return tests3.Fault{Delay: 30 * time.Millisecond}
		}
		return tests3.Fault{}
	})
	g, err := OpenGraph(ctx, "s3://lake/g.foray", o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := different(g, want); diff != "" {
		t.Error(diff)
	}

	// Stores without ETags have times.
	f.SetFault(nil)
	f.HideETags()
	if _, err := OpenGraph(ctx, "s3://lake/g.foray", o); err != nil {
		t.Error(err)
	}

	o.S3.Attempts = 2
	f = tests3.NewFake(t, "lake")
	o.S3.Endpoint = f.Endpoint
	put(data)
	open := func(what string, is error, text string) {
		t.Helper()
		before := runtime.NumGoroutine()
		for _, trust := range []bool{false, true} {
			o.Trust = trust
			g, err := OpenGraph(ctx, "s3://lake/g.foray", o)
			if trust && errors.Is(is, input.ErrDamaged) && text == "" {
				if g == nil {
					t.Errorf("%s, trusted: %v", what, err)
				}
				continue
			}
			if g != nil || !errors.Is(err, is) || !strings.Contains(err.Error(), "s3://lake/g.foray") || strings.Contains(err.Error(), samples.Panicked) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v", what, err)
			}
		}
		samples.NoMore(t, before+8) // connections that are kept
	}
	fails := func(fault tests3.Fault) {
		f.SetFault(func(q tests3.Request) tests3.Fault {
			if q.Op == tests3.Get && q.Range != "" {
				return fault
			}
			return tests3.Fault{}
		})
	}
	fails(tests3.Fault{Status: 500, Code: "InternalError"})
	open("failing", input.ErrStore, "")
	fails(tests3.Fault{Status: 403, Code: "AccessDenied"})
	open("denied", fs.ErrPermission, "")
	fails(tests3.Fault{Body: 1000, Stop: true})
	open("ends early", input.ErrStore, "")
	fails(tests3.Fault{Whole: true})
	open("ranges ignored", s3.ErrAnswer, "")
	for name, change := range map[string]func(key string){
		"replaced": func(key string) { f.Put("lake", key, append(bytes.Clone(data), 0)) },
		"cut":      func(key string) { f.Put("lake", key, data[:len(data)/2]) },
		"emptied":  func(key string) { f.Put("lake", key, nil) },
		"removed":  func(key string) { f.Delete("lake", key) },
	} {
		for at := range 4 { // before which of the requests
			f.SetFault(nil)
			// A separate key: requests of the round before, which were given up,
			// may still come.
			key := fmt.Sprintf("%s-%d.foray", name, at)
			f.Put("lake", key, data)
			var once sync.Once
			gets := atomic.Int64{}
			f.SetFault(func(q tests3.Request) tests3.Fault {
				if q.Op == tests3.Get && q.Key == key && gets.Add(1) > int64(at) {
					once.Do(func() { change(key) })
				}
				return tests3.Fault{}
			})
			o.Trust = at%2 == 0
			_, err := OpenGraph(ctx, "s3://lake/"+key, o)
			if !errors.Is(err, input.ErrChanged) {
				t.Errorf("%s before request %d: %v", name, at, err)
			}
		}
	}
	f.SetFault(nil)
	for i, c := range []struct {
		data []byte
		is   error
		text string
	}{
		{data[:len(data)-1], input.ErrDamaged, "truncated"}, {data[:len(data)/2], input.ErrDamaged, "truncated"}, {data[:9], input.ErrDamaged, "too few"},
		{nil, input.ErrFormat, "empty"}, {[]byte("PAR1............PAR1"), input.ErrFormat, "Parquet"}, {[]byte("1,2\n"), input.ErrFormat, "no prepared graph"},
	} {
		put(c.data)
		open("damaged "+string(rune('0'+i)), c.is, c.text)
	}
	r := rand.New(rand.NewPCG(5, 1))
	flips := 12
	if samples.Raced {
		flips = 3
	}
	for range flips { // arrays; trusted ones aren't looked at
		bad := bytes.Clone(data)
		bad[len(data)/10+r.IntN(len(data)*8/10)] ^= 1 << r.IntN(8)
		put(bad)
		open("flipped", input.ErrDamaged, "")
	}
	f.Delete("lake", "g.foray")
	open("missing", fs.ErrNotExist, "")
}

// TestStoredStoreSmall flips and cuts small objects.
func TestStoredStoreSmall(t *testing.T) {
	testlong.Only(t)
	f := tests3.NewFake(t, "lake")
	graphs, files := smallStored(t)
	r := rand.New(rand.NewPCG(6, 6))
	good := 0
	for i, data := range files {
		for range 12 {
			damaged := bytes.Clone(data)
			damaged[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
			if r.IntN(3) == 0 {
				damaged = data[:r.IntN(len(data))]
			}
			f.Put("lake", "g.foray", damaged)
			g, err := OpenGraph(context.Background(), "s3://lake/g.foray", OpenGraphOptions{S3: samples.S3Options(f.Env()), Workers: 1})
			if err != nil {
				if !errors.Is(err, input.ErrDamaged) && !errors.Is(err, input.ErrFormat) && !errors.Is(err, input.ErrUnsupported) || strings.Contains(err.Error(), samples.Panicked) {
					t.Fatal(err)
				}
				continue
			}
			good++
			if diff := different(g, graphs[i]); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	if good > len(files)*3 {
		t.Errorf("%d of %d opened", good, len(files)*12)
	}
}

// TestStoredStoreForged: values that lead out of the graph are found in objects too.
func TestStoredStoreForged(t *testing.T) {
	testlong.Project(t)
	f := tests3.NewFake(t, "lake")
	graphs, _ := smallStored(t)
	for _, g := range graphs {
		data := rewritten(t, g, func(s *storedGraph) {
			targets := arrayOf[uint32](s.column(columnOut).array("targets").data)
			targets[len(targets)/2] = uint32(s.vertices)
		})
		f.Put("lake", "g.foray", data)
		if _, err := OpenGraph(context.Background(), "s3://lake/g.foray", OpenGraphOptions{S3: samples.S3Options(f.Env())}); !errors.Is(err, graph.ErrMalformed) {
			t.Error(err)
		}
	}
}

// TestStoredMemory: what isn't mapped counts against the limit, before it is taken.
func TestStoredMemory(t *testing.T) {
	_, data := largeStored()
	f := tests3.NewFake(t, "lake")
	f.Put("lake", "g.foray", data)
	path := filepath.Join(t.TempDir(), "g.foray")
	samples.WriteTo(t, path, data)
	for _, p := range []string{path, "s3://lake/g.foray"} {
		o := OpenGraphOptions{InMemory: true, MemoryLimit: uint64(len(data)) / 2, S3: samples.S3Options(f.Env())}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := OpenGraph(context.Background(), p, o)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v", p, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(len(data))/2 {
			t.Errorf("%s: %d bytes were taken all the same", p, n)
		}
		o.MemoryLimit = uint64(len(data))
		g, err := OpenGraph(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
	// A map takes none.
	if _, err := OpenGraph(context.Background(), path, OpenGraphOptions{MemoryLimit: 1}); err != nil {
		t.Error(err)
	}
	if _, err := IsGraph("s3://lake/g.foray"); !errors.Is(err, input.ErrUnsupported) {
		t.Error(err)
	}
}

// TestStoredStoreConcurrent opens one object many times at once.
func TestStoredStoreConcurrent(t *testing.T) {
	graphs, files := smallStored(t)
	f := tests3.NewFake(t, "lake")
	f.Put("lake", "g.foray", files[3])
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			g, err := OpenGraph(context.Background(), "s3://lake/g.foray", OpenGraphOptions{S3: samples.S3Options(f.Env())})
			if err != nil {
				t.Error(err)
			} else if diff := different(g, graphs[3]); diff != "" {
				t.Error(diff)
			}
		})
	}
	wg.Wait()
}
