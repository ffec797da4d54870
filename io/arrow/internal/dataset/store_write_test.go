// This file writes to stores: whole objects, or none.

package dataset

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// manyEdges calls yield with so many edges, in batches.
func manyEdges(n int) func(context.Context, func(graph.Batch) error) error {
	return func(_ context.Context, yield func(graph.Batch) error) error {
		src, dst := make([]int64, 10_000), make([]int64, 10_000)
		for at := 0; at < n; at += len(src) {
			for i := range src {
				src[i], dst[i] = int64(at+i), int64(at+i)*31%int64(n)
			}
			if err := yield(graph.Batch{Src: src, Dst: dst}); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestWriteStore: an object is there whole after writing, in several parts
// too, and what is read of it is what was written.
func TestWriteStore(t *testing.T) {
	testlong.Only(t)
	try := func(t *testing.T, env map[string]string, root string) {
		for _, name := range []string{"a.parquet", "b.arrow", "c.csv"} {
			path := root + "out/" + name
			err := write.WriteEdgeBatches(context.Background(), path, manyEdges(1_000_000), write.WriteOptions{Compression: "none", S3: samples.S3Options(env)})
			if err != nil {
				t.Fatal(err)
			}
			if name == "c.csv" {
				continue
			}
			d, err := Open(context.Background(), []string{path}, Options{S3: samples.S3Options(env)})
			if err != nil {
				t.Fatal(err)
			}
			if d.Rows() != 1_000_000 {
				t.Errorf("%s: %d rows", path, d.Rows())
			}
			if g, err := d.Load(context.Background()); err != nil || g.NumVertices() != 1_000_000 {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	t.Run("fake", func(t *testing.T) {
		f := tests3.NewFake(t, "lake")
		try(t, f.Env(), "s3://lake/")
	})
	t.Run("versitygw", func(t *testing.T) {
		g := tests3.NewGateway(t)
		try(t, g.Env(), g.Path(""))
	})
}

// TestWriteStoreFails: nothing is left of an object that can't be written
// whole.
func TestWriteStoreFails(t *testing.T) {
	testlong.Project(t)
	f := tests3.NewFake(t, "lake")
	o := write.WriteOptions{Compression: "none", S3: samples.S3Options(f.Env())}
	o.S3.Attempts = 2
	check := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if _, ok := f.Object("lake", "x.parquet"); ok || f.Uploads() != 0 {
			t.Errorf("%s: the object is there: %v; %d uploads are left", what, ok, f.Uploads())
		}
	}
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op == tests3.Part && q.Part == 2 {
			return tests3.Fault{Status: 500, Code: "InternalError"}
		}
		return tests3.Fault{}
	})
	check("a part fails", write.WriteEdgeBatches(context.Background(), "s3://lake/x.parquet", manyEdges(2_000_000), o), input.ErrStore)
	f.SetFault(nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	err := write.WriteEdgeBatches(ctx, "s3://lake/x.parquet", func(ctx context.Context, yield func(graph.Batch) error) error {
		return manyEdges(4_000_000)(ctx, func(b graph.Batch) error {
			if n++; n == 250 {
				cancel()
			}
			return yield(b)
		})
	}, o)
	check("canceled", err, context.Canceled)
	stop := errors.New("enough")
	err = write.WriteEdgeBatches(context.Background(), "s3://lake/x.parquet", func(ctx context.Context, yield func(graph.Batch) error) error {
		if err := manyEdges(2_000_000)(ctx, yield); err != nil {
			return err
		}
		return stop
	}, o)
	check("the source fails", err, stop)
}
