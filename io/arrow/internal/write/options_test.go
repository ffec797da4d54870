// This file tests how options and extensions choose formats, compressions and
// row groups, and that wrong ones are told apart before anything is written.

package write

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func TestWriteOptionErrors(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 1})
	r := samples.TestResult{DepthList: []int32{0}}
	const formats = "arrow, arrows, csv, feather, ipc, jsonl, ndjson or parquet"
	for _, c := range []struct {
		name string
		o    WriteOptions
		want error
		says string
	}{
		{"r", WriteOptions{}, ErrOutputFormat, "r has no extension to tell it: end it in ." + formats + ", or name the format"},
		{"r.", WriteOptions{}, ErrOutputFormat, formats},
		{"r.xlsx", WriteOptions{}, ErrOutputFormat, `extension "xlsx"; choose ` + formats},
		{"r.csv.gz", WriteOptions{}, ErrOutputFormat, "write it without .gz"},
		{"r.csv.ZST", WriteOptions{}, ErrOutputFormat, "write it without .zst"},
		{"r.csv", WriteOptions{Format: "orc"}, ErrOutputFormat, `format "orc"; choose ` + formats},
		{"r.csv", WriteOptions{Compression: "gzip"}, ErrOutputOption, `compression "gzip" for csv; choose none`},
		{"r.jsonl", WriteOptions{Compression: "zstd"}, ErrOutputOption, "choose none"},
		{"r.arrow", WriteOptions{Compression: "snappy"}, ErrOutputOption, "for arrow; choose none, zstd or lz4"},
		{"r.parquet", WriteOptions{Compression: "lzo"}, ErrOutputOption, "choose zstd, snappy, gzip, brotli or none"},
		{"r.parquet", WriteOptions{RowGroup: -1}, ErrOutputOption, "row groups of -1 rows"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		for what, err := range map[string]error{
			"result": WriteResult(context.Background(), path, g, r, c.o),
			"edges":  WriteEdges(context.Background(), path, g, c.o),
			"batches": WriteEdgeBatches(context.Background(), path,
				func(context.Context, func(graph.Batch) error) error { return nil }, c.o),
		} {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s to %s with %+v: %v, want %q", what, c.name, c.o, err, c.says)
			}
		}
		samples.Unchanged(t, dir, path, "")
	}
	if err := WriteEdges(context.Background(), "x.csv", nil, WriteOptions{}); !errors.Is(err, graph.ErrMalformed) {
		t.Errorf("edges of no graph: %v", err)
	}
}

func TestWriteCompression(t *testing.T) {
	const n = 5000
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: n})
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	sizes := map[string]int64{}
	for _, codec := range append([]string{""}, parquetCodecNames...) {
		path := filepath.Join(t.TempDir(), "r.parquet")
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{Compression: codec}); err != nil {
			t.Fatal(err)
		}
		want := codec
		switch codec {
		case "":
			want = "zstd"
		case "none":
			want = "uncompressed"
		}
		if got := readBack(t, path).codecs; len(got) != 1 || !got[want] {
			t.Errorf("compression %q writes %v", codec, got)
		}
	}
	for _, codec := range append([]string{""}, ipcCodecNames...) {
		path := filepath.Join(t.TempDir(), "r.arrow")
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{Compression: codec}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes[codec] = info.Size()
	}
	if sizes[""] != sizes["none"] || sizes["zstd"] >= sizes["none"] || sizes["lz4"] >= sizes["none"] || sizes["zstd"] == sizes["lz4"] {
		t.Errorf("IPC sizes: %v", sizes)
	}
}

// TestWriteDeterministic: the same input makes the same bytes.
func TestWriteDeterministic(t *testing.T) {
	g, r := largeResult(t, rand.New(rand.NewPCG(21, 22)))
	o := WriteOptions{Metadata: map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}}
	for _, format := range []string{"parquet", "arrow"} {
		var outs [2]bytes.Buffer
		for i := range outs {
			o.Format, o.Stdout = format, &outs[i]
			if err := WriteResult(context.Background(), "-", g, r, o); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(outs[0].Bytes(), outs[1].Bytes()) {
			t.Errorf("%s differs from one time to the next", format)
		}
	}
}

func TestIDTooLong(t *testing.T) {
	if err := checkIDLength(maxIDBytes); err != nil {
		t.Error(err)
	}
	if err := checkIDLength(maxIDBytes + 1); !errors.Is(err, graph.ErrIDRange) {
		t.Errorf("got %v", err)
	}
}
