// This file tests against a store that isn't of our making.

package client

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

func gateway(t *testing.T) (*tests3.Gateway, s3.Options) {
	g := tests3.NewGateway(t)
	return g, s3.Options{Endpoint: g.Endpoint, AccessKey: g.AccessKey, SecretKey: g.SecretKey,
		Attempts: 2, Backoff: time.Millisecond, Getenv: noEnv}
}

func TestGatewayReadWrite(t *testing.T) {
	g, o := gateway(t)
	o.PartSize = minPart
	c := client(t, o)
	ctx := context.Background()
	for key, size := range map[string]int{"empty": 0, "one": 1, "a/small": 100_000, "exact": minPart, "parts": 3*minPart + 12345} {
		data := noise(size)
		w := must(c.Create(ctx, g.Path(key), "application/vnd.apache.parquet"))
		must(w.Write(data))
		if err := w.Commit(); err != nil {
			t.Fatal(key, err)
		}
		got, _ := g.Get(t, key)
		if !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes were written, %d are there", key, size, len(got))
		}
		objects, err := c.List(ctx, g.Path(key))
		if err != nil || len(objects) != 1 || objects[0].Size != int64(size) {
			t.Fatalf("%s: %+v, %v", key, objects, err)
		}
		r := must(c.Open(ctx, objects[0]))
		b := make([]byte, size)
		if n, err := r.ReadAt(b, 0); n != size || err != nil || !bytes.Equal(b, data) {
			t.Errorf("%s: %d bytes, %v", key, n, err)
		}
	}
	if n := g.Uploads(t); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
}

func TestGatewayAbort(t *testing.T) {
	testlong.Project(t)
	g, o := gateway(t)
	o.PartSize = minPart
	c := client(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	w := must(c.Create(ctx, g.Path("out"), ""))
	must(w.Write(noise(3 * minPart)))
	if n := g.Uploads(t); n != 1 {
		t.Fatalf("%d uploads are under way", n)
	}
	cancel()
	if err := w.Commit(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := g.Uploads(t); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
	if _, ok := g.Get(t, "out"); ok {
		t.Error("it is there")
	}
}

func TestGatewayErrors(t *testing.T) {
	g, o := gateway(t)
	c := client(t, o)
	ctx := context.Background()
	g.Put(t, "a", []byte("before"))
	r := must(c.Open(ctx, must(c.Stat(ctx, g.Path("a")))))
	g.Put(t, "a", []byte("after "))
	if _, err := r.ReadAt(make([]byte, 3), 0); !errors.Is(err, s3.ErrChanged) {
		t.Errorf("changed: %v", err)
	}
	r = must(c.Open(ctx, must(c.Stat(ctx, g.Path("a")))))
	g.Delete(t, "a")
	if _, err := r.ReadAt(make([]byte, 3), 0); !errors.Is(err, s3.ErrChanged) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
	for path, want := range map[string]error{
		g.Path("no"):              s3.ErrNotFound,
		g.Path("no/"):             s3.ErrNotFound,
		g.Path("no/*.p"):          s3.ErrNotFound,
		"s3://no-such-bucket-xyz": s3.ErrNoBucket,
	} {
		if _, err := c.List(ctx, path); !errors.Is(err, want) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := c.Create(ctx, "s3://no-such-bucket-xyz/a", ""); !errors.Is(err, s3.ErrNoBucket) {
		t.Error(err)
	}
	o.SecretKey = "wrong"
	wrong := client(t, o)
	g.Put(t, "b", []byte("x"))
	if _, err := wrong.List(ctx, g.Path("")); !errors.Is(err, s3.ErrDenied) || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "AWS_SECRET_ACCESS_KEY") {
		t.Errorf("wrong secret: %v", err)
	}
	o.Anonymous = true
	if _, err := client(t, o).List(ctx, g.Path("b")); !errors.Is(err, s3.ErrDenied) {
		t.Errorf("anonymous: %v", err)
	}
}

// TestGatewayStops: the store ends in the middle of reading.
func TestGatewayStops(t *testing.T) {
	g, o := gateway(t)
	if g.Dir == "" {
		testlong.Missing(t, "store", "needs a versitygw that the test can stop: set FORAY_VERSITYGW, and not FORAY_S3_ENDPOINT")
	}
	c := client(t, o)
	g.Put(t, "a", noise(1<<20))
	r := must(c.Open(context.Background(), must(c.Stat(context.Background(), g.Path("a")))))
	must(r.ReadAt(make([]byte, 100), 0))
	big := noise(20 << 20)
	g.Put(t, "b", big)
	p := must(must(c.Open(context.Background(), must(c.Stat(context.Background(), g.Path("b"))))).Prefetch(context.Background(),
		[]s3.Range{{Offset: 0, Length: 20 << 20}}, s3.PrefetchOptions{Memory: 8 << 20, InFlight: 2}))
	defer p.Close()
	b := make([]byte, 1<<20)
	must(p.ReadAt(b, 0))
	g.Stop()
	at := int64(1 << 20)
	for ; ; at += int64(len(b)) {
		if _, err := p.ReadAt(b, at); err != nil {
			if !errors.Is(err, s3.ErrUnavailable) || !strings.Contains(err.Error(), g.Path("b")) {
				t.Error(err)
			}
			break
		}
		if !bytes.Equal(b, big[at:at+int64(len(b))]) {
			t.Errorf("wrong bytes at %d", at)
		}
	}
	if at > 12<<20 {
		t.Errorf("%d bytes came from nowhere", at)
	}
	if _, err := r.ReadAt(make([]byte, 100), 100); !errors.Is(err, s3.ErrUnavailable) || !strings.Contains(err.Error(), g.Path("a")) {
		t.Error(err)
	}
}

// tree are files in which patterns behave in all their ways.
var tree = strings.Fields(`a.p b.txt d/c.p d/e/a.p d/e/f/z.p d-x/c.p d.p _t/a.p .h/a.p d/_u/a.p d/.v/e/a.p
	day=1/h=2/0.p day=2/h=1/0.p day=2/_h/1.p d/_a.p d/e/.z.p x[1]/a.p x1/a.p w/_SUCCESS w/w/w/a.p`)

var patterns = strings.Fields(`*.p ** **/*.p **/a.p d/** d/**/*.p **/e/**/*.p day=*/**/*.p **/h=[12]/** */*.p */*/*.p d* d/* d/*/
	no/* [ab].* x[1]/*.p x\[1\]/*.p x[[]1]/* ?/c.p w/**/w/*.p **/w **/w/a.p **/**/*.p d/**/e/** _t/*.p */_* */[._]* d/e/?/*.p
	**/d/** **/[a-d].p day=?/h=?/?.p **/*/*.p`)

// TestListAsFiles: a pattern stands for the same in a store as among files, with
// what is below directories that match.
func TestListAsFiles(t *testing.T) {
	dir := t.TempDir()
	f := tests3.NewFake(t, "bucket")
	f.SetPage(3)
	for _, name := range tree {
		f.Put("bucket", "top/"+name, []byte(name))
		path := filepath.Join(dir, "top", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f.Put("bucket", "top/dir/", nil) // as consoles make them
	t.Chdir(dir)
	c := client(t, quick(f))
	listAsFiles(t, c, "s3://bucket/")
	c.Close() // its connections would look like those of the subtest

	t.Run("gateway", func(t *testing.T) {
		g, o := gateway(t)
		for _, name := range tree {
			g.Put(t, "top/"+name, []byte(name))
		}
		listAsFiles(t, client(t, o), g.Path(""))
	})
}

func listAsFiles(t *testing.T, c *Client, bucket string) {
	t.Helper()
	for _, pattern := range patterns {
		pattern = "top/" + pattern
		want := map[string]bool{}
		matches, err := pathglob.Match(strings.TrimRight(pattern, "/"), false)
		if err != nil {
			t.Fatal(pattern, err)
		}
		for _, m := range matches {
			err := filepath.WalkDir(m, func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					want[filepath.ToSlash(name)] = true
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		objects, err := c.List(context.Background(), bucket+pattern)
		if len(want) == 0 {
			if !errors.Is(err, s3.ErrNotFound) {
				t.Errorf("%s: %v, %v", pattern, objects, err)
			}
			continue
		}
		var got []string
		for _, o := range objects {
			got = append(got, strings.TrimPrefix(o.Path, bucket))
			if !strings.HasSuffix(o.Path, o.Below) || o.Below == "" || int(o.Size) != len(o.Path)-len(bucket+"top/") {
				t.Errorf("%s: %+v", pattern, o)
			}
			if !want[got[len(got)-1]] {
				t.Errorf("%s: %s is too much", pattern, o.Path)
			}
		}
		if err != nil || !slices.IsSorted(got) || len(got) != len(want) {
			t.Errorf("%s: %q, %v; want %v", pattern, got, err, want)
		}
	}
}
