// This file tests prepared graphs of all versions of the format.

package prepared

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

func TestStoredVersions(t *testing.T) {
	graphs, files := smallStored(t)
	path := filepath.Join(t.TempDir(), "g.foray")
	replaced := func(old, with string) []byte {
		if len(old) != len(with) || bytes.Count(files[0], []byte(old)) != 2 { // schema and footer
			t.Fatalf("%q is there %d times", old, bytes.Count(files[0], []byte(old)))
		}
		return bytes.ReplaceAll(files[0], []byte(old), []byte(with))
	}
	version := func(v byte) []byte { // the value stands before the key or behind it
		data := bytes.Clone(files[0])
		found := 0
		for at := 0; ; at++ {
			i := bytes.Index(data[at:], []byte("\x01\x00\x00\x001\x00\x00\x00"))
			if i < 0 {
				break
			}
			at += i
			data[at+4] = v
			found++
		}
		if found < 2 {
			t.Fatalf("found %d versions", found)
		}
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want error
		text string
	}{
		"newer":       {version('7'), input.ErrUnsupported, "version 7"},
		"claimed":     {version('2'), input.ErrDamaged, "the metadata's checksum"},
		"none":        {version('x'), input.ErrDamaged, "version"},
		"zero":        {version('0'), input.ErrDamaged, "version"},
		"byte order":  {replaced("little\x00", "bigbig\x00"), input.ErrUnsupported, "byte order"},
		"format":      {replaced("graph\x00", "grape\x00"), input.ErrFormat, "no prepared graph"},
		"parquet":     {[]byte("PAR1............PAR1"), input.ErrFormat, "Parquet"},
		"text":        {[]byte("1,2\n3,4\n5,6\n"), input.ErrFormat, "no prepared graph"},
		"empty":       {nil, input.ErrFormat, "empty"},
		"cut":         {files[0][:len(files[0])-100], input.ErrDamaged, "truncated"},
		"zeros at it": {append(bytes.Clone(files[0][:len(files[0])-400]), make([]byte, 400)...), input.ErrDamaged, "truncated"},
	} {
		_, err := openBytes(t, path, c.data, OpenGraphOptions{})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
		is, err := IsGraph(path)
		if err != nil || is && c.want == input.ErrFormat {
			t.Errorf("%s: IsGraph is %v, %v", name, is, err)
		}
	}

	// Edge ids are of version 2, kinds of version 3, and nothing else here makes it so.
	for i, g := range graphs {
		want := 1
		if g.Out().EdgeIDs != nil {
			want = 2
		}
		if g.IDs().Kinds() != nil {
			want = 3
		}
		if len(g.EdgeColumns()) > 0 {
			want = 5
		}
		if len(g.VertexColumns()) > 0 {
			want = 6
		}
		for v := 1; v <= 3; v++ {
			data := rewritten(t, g, func(s *storedGraph) {
				if s.version != want {
					t.Errorf("graph %d is of version %d, want %d", i, s.version, want)
				}
				s.version = v
			})
			if _, err := openBytes(t, path, data, OpenGraphOptions{}); (err == nil) != (v >= want) || err != nil && !errors.Is(err, input.ErrDamaged) {
				t.Errorf("graph %d as of version %d: %v", i, v, err)
			}
		}
	}

	// Edges where a graph is wanted, and the reverse.
	edges := filepath.Join(t.TempDir(), "edges.arrow")
	if err := write.WriteEdges(context.Background(), edges, graphs[0], write.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenGraph(context.Background(), edges, OpenGraphOptions{}); !errors.Is(err, input.ErrFormat) || !strings.Contains(err.Error(), "Load makes a graph") {
		t.Error(err)
	}
	if is, err := IsGraph(edges); is || err != nil {
		t.Error(is, err)
	}
	samples.WriteTo(t, path, files[0])
	if _, err := dataset.Load(context.Background(), path, dataset.Options{}); !errors.Is(err, input.ErrFormat) || !strings.Contains(err.Error(), "OpenGraph opens it") {
		t.Error(err)
	}
	if _, err := OpenGraph(context.Background(), path, OpenGraphOptions{Workers: -1}); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	for _, open := range []func(string) error{
		func(p string) error { _, err := IsGraph(p); return err },
		func(p string) error { _, err := OpenGraph(context.Background(), p, OpenGraphOptions{}); return err },
	} {
		if err := open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		if err := open(t.TempDir()); !errors.Is(err, input.ErrUnsupported) {
			t.Error(err)
		}
	}
}
