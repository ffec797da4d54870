// This file tests writing prepared graphs to stores, and contexts that end that or
// reading.

package prepared

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestStoredStoreCanceled: a context ends opening and writing wherever they are,
// and leaves no goroutine, no object and no upload.
func TestStoredStoreCanceled(t *testing.T) {
	testlong.Only(t)
	want, data := largeStored()
	f := tests3.NewFake(t, "lake")
	f.Put("lake", "g.foray", data)
	before := runtime.NumGoroutine()
	for _, op := range []tests3.Op{tests3.Head, tests3.Get, tests3.Bucket, tests3.Begin, tests3.Part, tests3.Complete} {
		for after := range 3 {
			ctx, cancel := context.WithCancel(context.Background())
			var n atomic.Int64
			f.SetFault(func(q tests3.Request) tests3.Fault {
				if q.Op != op || n.Add(1) <= int64(after) {
					return tests3.Fault{}
				}
				time.AfterFunc(5*time.Millisecond, cancel)
				return tests3.Fault{Stall: true}
			})
			var err error
			if op == tests3.Head || op == tests3.Get {
				_, err = OpenGraph(ctx, "s3://lake/g.foray", OpenGraphOptions{S3: samples.S3Options(f.Env())})
			} else {
				err = WriteGraph(ctx, "s3://lake/new.foray", want, WriteGraphOptions{S3: samples.S3Options(f.Env())})
			}
			cancel()
			if n.Load() > int64(after) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s %d: %v", op, after, err)
			}
			if _, ok := f.Object("lake", "new.foray"); ok && n.Load() > int64(after) {
				t.Errorf("%s %d: the object is there", op, after)
			}
			f.Delete("lake", "new.foray")
			if k := f.Uploads(); k != 0 && op != tests3.Begin {
				t.Errorf("%s %d: %d uploads are left", op, after, k)
			}
		}
	}
	f.Close()
	samples.NoMore(t, before)
}

// TestStoredStoreWriteFails: an object is there whole or as it was before.
func TestStoredStoreWriteFails(t *testing.T) {
	testlong.Only(t)
	g, data := largeStored()
	f := tests3.NewFake(t, "lake")
	o := WriteGraphOptions{S3: samples.S3Options(f.Env())}
	o.S3.Attempts = 2
	for _, was := range []string{"", "what was there before"} {
		for _, op := range []tests3.Op{tests3.Begin, tests3.Part, tests3.Complete} {
			if was != "" {
				f.Put("lake", "g.foray", []byte(was))
			}
			f.SetFault(func(q tests3.Request) tests3.Fault {
				if now, ok := f.Object("lake", "g.foray"); ok != (was != "") || string(now) != was {
					t.Errorf("%s: there are %d bytes while it is written", q.Op, len(now))
				}
				if q.Op == op && (op != tests3.Part || q.Part == 2) {
					return tests3.Fault{Status: 500, Code: "InternalError"}
				}
				return tests3.Fault{}
			})
			if err := WriteGraph(context.Background(), "s3://lake/g.foray", g, o); !errors.Is(err, input.ErrStore) || !strings.Contains(err.Error(), "s3://lake/g.foray") {
				t.Errorf("%s: %v", op, err)
			}
			if now, ok := f.Object("lake", "g.foray"); ok != (was != "") || string(now) != was || f.Uploads() != 0 {
				t.Errorf("%s: %d bytes are there, and %d uploads", op, len(now), f.Uploads())
			}
		}
	}
	f.SetFault(nil)
	if err := WriteGraph(context.Background(), "s3://lake/g.foray", g, o); err != nil {
		t.Fatal(err)
	}
	if now, _ := f.Object("lake", "g.foray"); !bytes.Equal(now, data) {
		t.Error("the object isn't the file")
	}
	// What isn't a graph is refused before anything is sent.
	bad, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 0}}, graph.CSROptions{IDs: &graph.IDs{Len: 1, Dense32: []uint32{1}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteGraph(context.Background(), "s3://lake/bad.foray", bad, o); !errors.Is(err, graph.ErrMalformed) {
		t.Error(err)
	}
	if _, ok := f.Object("lake", "bad.foray"); ok {
		t.Error("it is there")
	}
	for path, want := range map[string]error{"s3://none/g.foray": fs.ErrNotExist, "s3://lake/": nil, "s3://lake": nil} {
		if err := WriteGraph(context.Background(), path, g, o); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
