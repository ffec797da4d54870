// This file holds what the tests share, and the plain cases.

package client

import (
	"bytes"
	"context"
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// quick are settings with which nothing waits long.
func quick(f *tests3.Fake) s3.Options {
	return s3.Options{Endpoint: f.Endpoint, AccessKey: tests3.AccessKey, SecretKey: tests3.SecretKey,
		Attempts: 3, Backoff: time.Millisecond, Stall: 10 * time.Second, Getenv: noEnv}
}

func noEnv(string) string { return "" }

// checked are tests at whose end goroutines are looked for.
var checked sync.Map

// client makes a client for the time of the test, after which no goroutine of the
// package or of a connection may be left.
func client(t *testing.T, o s3.Options) *Client {
	t.Helper()
	if _, again := checked.LoadOrStore(t, true); !again {
		t.Cleanup(func() { noGoroutines(t) })
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// noGoroutines fails where goroutines of this package, or of net/http's client,
// are left after a while.
func noGoroutines(t *testing.T) {
	t.Helper()
	var stacks string
	for range 500 {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		left := false
		for i, g := range strings.Split(stacks, "\n\n") {
			if i > 0 && (strings.Contains(g, "/internal/files/s3/client.") && !strings.Contains(g, "testing.tRunner") || strings.Contains(g, "persistConn")) {
				left = true
			}
		}
		if !left {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("goroutines are left:\n%s", stacks)
}

// noise returns bytes that don't repeat.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.New(rand.NewSource(int64(n))).Read(b)
	return b
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestReadAt(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	data := noise(100_000)
	f.Put("bucket", "dir/a b+c%ü.parquet", data)
	c := client(t, quick(f))
	ctx := context.Background()
	objects := must(c.List(ctx, "s3://bucket/dir"))
	if len(objects) != 1 || objects[0].Path != "s3://bucket/dir/a b+c%ü.parquet" || objects[0].Size != 100_000 || objects[0].Below != "a b+c%ü.parquet" {
		t.Fatalf("%+v", objects)
	}
	r := must(c.Open(ctx, objects[0]))
	rng := rand.New(rand.NewSource(1))
	whole := bytes.NewReader(data)
	for range 50 {
		b := make([]byte, rng.Intn(2000))
		w := make([]byte, len(b))
		off := rng.Int63n(int64(len(data)) + 10)
		n, err := r.ReadAt(b, off)
		wn, werr := whole.ReadAt(w, off)
		if n != wn || err != werr && len(b) > 0 || !bytes.Equal(b[:n], w[:n]) {
			t.Fatalf("%d bytes from %d: %d, %v; want %d, %v", len(b), off, n, err, wn, werr)
		}
	}
	if _, err := r.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("a negative offset was read")
	}
}

func TestWriteSmall(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	c := client(t, quick(f))
	w := must(c.Create(context.Background(), "s3://bucket/out/a.parquet", ""))
	data := noise(1000)
	for i := range data {
		must(w.Write(data[i : i+1]))
	}
	if _, ok := f.Object("bucket", "out/a.parquet"); ok {
		t.Error("it is there before Commit")
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if got, _ := f.Object("bucket", "out/a.parquet"); !bytes.Equal(got, data) {
		t.Errorf("%d bytes are there", len(got))
	}
}
