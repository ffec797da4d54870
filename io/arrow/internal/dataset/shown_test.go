// This file tests what errors show, and over which files nothing is written.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/prepared"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// TestShownErrors: errors have neither control characters of names nor secrets of addresses.
func TestShownErrors(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	f := tests3.NewFake(t, "lake")
	s3o := samples.S3Options(f.Env())
	bad := filepath.Join(dir, "a\x1b[31m\u202e.parquet")
	samples.WriteTo(t, bad, []byte("nothing"))
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 1})
	query := s3o
	query.Endpoint = "http://127.0.0.1:1?token=PASSWORD"
	user := s3o
	user.Endpoint = "http://user:PASSWORD@127.0.0.1:1"
	for what, call := range map[string]func() error{
		"a file":             func() error { _, err := Load(ctx, bad, Options{}); return err },
		"a graph":            func() error { _, err := prepared.OpenGraph(ctx, bad, prepared.OpenGraphOptions{}); return err },
		"a missing file":     func() error { _, err := Open(ctx, []string{bad + "\x07"}, Options{}); return err },
		"a pattern":          func() error { _, err := Open(ctx, []string{dir + "/\x1b*"}, Options{}); return err },
		"an output":          func() error { return write.WriteEdges(ctx, dir+"/\x1b/\u202ex.csv", g, write.WriteOptions{}) },
		"an output's format": func() error { return write.CheckOutput(ctx, dir+"/x.\x1b\u202e", write.WriteOptions{}) },
		"a store's user":     func() error { _, err := Load(ctx, "s3://user:PASSWORD@lake/x.parquet", Options{S3: s3o}); return err },
		"a signature": func() error {
			_, err := Load(ctx, "s3://lake/x.parquet?X-Amz-Signature=PASSWORD", Options{S3: s3o})
			return err
		},
		"a signed output": func() error {
			return write.WriteEdges(ctx, "s3://none/x.csv?X-Amz-Signature=PASSWORD", g, write.WriteOptions{Format: "csv", S3: s3o})
		},
		"an endpoint's query": func() error { _, err := Load(ctx, "s3://lake/x.parquet", Options{S3: query}); return err },
		"an endpoint's user":  func() error { _, err := Load(ctx, "s3://lake/x.parquet", Options{S3: user}); return err },
		"a catalog's user":    func() error { _, err := Load(ctx, "iceberg://user:PASSWORD@127.0.0.1:1/n/t", Options{}); return err },
		"a catalog's token":   func() error { _, err := Load(ctx, "iceberg://127.0.0.1:1/n/t?token=PASSWORD", Options{}); return err },
		"a catalog's blank":   func() error { _, err := Load(ctx, "iceberg://us er:PASSWORD@h/n/t", Options{}); return err },
		"an address":          func() error { _, err := Load(ctx, "https://user:PASSWORD@h/x?sig=PASSWORD", Options{}); return err },
	} {
		err := call()
		if err == nil {
			t.Errorf("%s: no error", what)
		} else if s := err.Error(); strings.Contains(s, "PASSWORD") || strings.ContainsAny(s, "\x07\x1b\u202e") {
			t.Errorf("%s: %q", what, s)
		}
	}
	if _, err := Load(ctx, bad, Options{}); !errors.Is(err, input.ErrFormat) || !strings.Contains(err.Error(), `a\x1b[31m\u202e.parquet`) {
		t.Errorf("%v", err)
	}
}

// TestInputsOfTables: a table that was read has all of its directory, and its files elsewhere, among the inputs over
// which nothing is written, by whichever path it was read.
func TestInputsOfTables(t *testing.T) {
	iceberg := filepath.Join(t.TempDir(), "t")
	table := crafticeberg.New(iceberg, []crafticeberg.Column{{ID: 1, Name: "src", Type: "long"}, {ID: 2, Name: "dst", Type: "long"}}, rand.New(rand.NewPCG(5, 1)), crafticeberg.Options{Version: 2, Plain: true})
	table.Append([]crafticeberg.Row{{1: int64(1), 2: int64(2)}})
	table.WriteMetadata()
	metadata, err := filepath.Glob(filepath.Join(iceberg, "metadata", "*.metadata.json"))
	if err != nil || len(metadata) == 0 {
		t.Fatal(metadata, err)
	}
	far := filepath.Join(t.TempDir(), "far.parquet")
	writePair(t, far, "", 3, 4)
	left := filepath.Join(t.TempDir(), "left.parquet") // the condition leaves it out
	writePair(t, left, "", 5, 6)
	delta := plainDelta(t, fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1}}
{"add":{"path":%q,"partitionValues":{},"size":1,"stats":"{\"numRecords\":1,\"minValues\":{\"src\":5},\"maxValues\":{\"src\":5}}"}}`, filepath.ToSlash(far), filepath.ToSlash(left)))
	hard := filepath.Join(filepath.Dir(far), "hard.parquet")
	if err := os.Link(far, hard); err != nil {
		testlong.Without(t, "needs hard links", err)
	}
	for _, c := range []struct {
		path    string
		refused []string
	}{
		{iceberg, []string{metadata[0], filepath.Join(iceberg, "metadata", "new.json"), filepath.Join(iceberg, "new")}},
		{metadata[len(metadata)-1], []string{metadata[0], filepath.Join(iceberg, "metadata", "new.json"), filepath.Join(iceberg, "data", "new.parquet"), filepath.Join(iceberg, "new")}},
		{delta, []string{filepath.Join(delta, "_delta_log", "00000000000000000002.json"), filepath.Join(delta, "new"), far, hard, left}},
	} {
		ctx := atomicfile.WithInputs(context.Background())
		if _, err := Load(ctx, c.path, Options{AllowOutside: true, Where: "src < 5"}); err != nil {
			t.Fatal(err)
		}
		for _, p := range c.refused {
			if err := write.WriteEdges(ctx, p, samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 1}), write.WriteOptions{Format: "csv"}); !errors.Is(err, atomicfile.ErrInput) {
				t.Errorf("%s is written after %s was read: %v", p, c.path, err)
			}
		}
		if err := write.WriteEdges(ctx, filepath.Join(t.TempDir(), "new.csv"), samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 1}), write.WriteOptions{}); err != nil && errors.Is(err, atomicfile.ErrInput) {
			t.Error(err)
		}
	}
}
