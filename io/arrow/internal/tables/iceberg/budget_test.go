// This file reads metadata that is small and becomes large, and answers that don't end.

package iceberg_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
)

// past fails unless an error is that metadata exceeds its limit, and names the option.
func past(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "Options.MaxMetadata") {
		t.Errorf("%s: %v, want an ErrLimit that names Options.MaxMetadata", what, err)
	}
}

// spaces are so many, which stand between the values of JSON.
type spaces int64

func (n *spaces) Read(p []byte) (int, error) {
	if *n == 0 {
		return 0, io.EOF
	}
	k := int(min(int64(len(p)), int64(*n)))
	*n -= spaces(k)
	copy(p[:k], bytes.Repeat([]byte(" "), k))
	return k, nil
}

// TestMetadataBomb: compressed metadata counts decompressed, and the caller's limit counts.
func TestMetadataBomb(t *testing.T) {
	testlong.Only(t)
	w := craft.Random(rand.New(rand.NewPCG(3, 5)), t.TempDir(), craft.Options{Version: 2, Plain: true})
	plain := metadataOf(t, w)
	file := filepath.Join(w.Dir, "metadata", "big.metadata.json")
	write := func(size int64) {
		var z bytes.Buffer
		g := gzip.NewWriter(&z)
		s := spaces(size)
		g.Write(plain[:1])
		if _, err := io.Copy(g, &s); err != nil {
			t.Fatal(err)
		}
		g.Write(plain[1:])
		g.Close()
		if err := os.WriteFile(file, z.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open := func(o arrow.Options, paths ...string) error {
		_, err := arrow.Open(t.Context(), paths, o)
		if errors.Is(err, arrow.ErrColumn) { // the metadata was read
			err = nil
		}
		return err
	}
	write(70 << 20)
	past(t, "70 MB", open(arrow.Options{}, file))
	if err := open(arrow.Options{MaxMetadata: 80 << 20}, file); err != nil {
		t.Errorf("70 MB of 80: %v", err)
	}
	write(700 << 10)
	if err := open(arrow.Options{MaxMetadata: 1 << 20}, file); err != nil {
		t.Errorf("700 KB: %v", err)
	}
	// The tables of one load share it.
	_, err := arrow.OpenTables(t.Context(), []arrow.Table{{Paths: []string{file}, Source: "src", Target: "dst"}, {Paths: []string{file}, Source: "src", Target: "dst"}}, arrow.Options{MaxMetadata: 1 << 20})
	past(t, "twice 700 KB", err)
	// Few bytes that become many objects.
	if err := os.WriteFile(file, []byte(`{"format-version": 2, "location": "/t", "snapshots": [`+strings.Repeat("{},", 20_000)+`{}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	past(t, "objects", open(arrow.Options{MaxMetadata: 1 << 20}, file))
}

// TestEndlessAnswers: a catalog that sends without end is asked once, and attempts share the limit.
func TestEndlessAnswers(t *testing.T) {
	var sent, asked atomic.Int64
	for _, c := range []struct {
		name   string
		handle func(w http.ResponseWriter)
		asked  int64
		limit  bool
	}{
		{"endless", func(w http.ResponseWriter) {
			for b := make([]byte, 64<<10); ; {
				n, err := w.Write(b)
				if sent.Add(int64(n)); err != nil || sent.Load() > 1<<30 {
					return
				}
			}
		}, 1, true},
		{"breaks off", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", fmt.Sprint(10<<20))
			n, _ := w.Write(make([]byte, 600<<10))
			sent.Add(int64(n))
		}, 2, true},
		{"endless error", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusNotFound)
			for b := make([]byte, 64<<10); ; {
				n, err := w.Write(b)
				if sent.Add(int64(n)); err != nil || sent.Load() > 1<<30 {
					return
				}
			}
		}, 1, false},
	} {
		sent.Store(0)
		asked.Store(0)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			c.handle(w)
		}))
		path := strings.Replace(s.URL, "http", "iceberg", 1) + "/n/t"
		_, err := arrow.Open(t.Context(), []string{path}, arrow.Options{MaxMetadata: 1 << 20})
		s.Close()
		if c.limit {
			past(t, c.name, err)
		} else if err == nil {
			t.Errorf("%s: no error", c.name)
		}
		if asked.Load() != c.asked || sent.Load() > 64<<20 { // what buffers of the system take included
			t.Errorf("%s: asked %d times, %d bytes sent", c.name, asked.Load(), sent.Load())
		}
	}
}

// TestManifestBombs: a block of a manifest has a limit, and so has a small manifest when decompressed.
func TestManifestBombs(t *testing.T) {
	testlong.Only(t)
	list := func(codec ocf.Codec, rows, length int) string {
		w := craft.Random(rand.New(rand.NewPCG(3, 5)), t.TempDir(), craft.Options{Version: 2, Plain: true})
		text := metadataOf(t, w)
		lists, err := filepath.Glob(filepath.Join(w.Dir, "metadata", "snap-*.avro"))
		if err != nil || len(lists) == 0 {
			t.Fatal(lists, err)
		}
		for _, name := range lists {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := ocf.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			var row map[string]any
			if err := r.Decode(&row); err != nil {
				t.Fatal(err)
			}
			schema := r.Schema().String()
			f.Close()
			s, err := avro.Parse(schema)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			ow, err := ocf.NewWriter(&out, s, ocf.WithCodec(codec), ocf.WithBlockCount(1), ocf.WithSchema(schema))
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				row["manifest_path"] = fmt.Sprint(strings.Repeat("x", length), i)
				if err := ow.Encode(row); err != nil {
					t.Fatal(err)
				}
			}
			if err := ow.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(w.Dir, "metadata", "plain.metadata.json")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	open := func(file string) error {
		_, err := arrow.Open(t.Context(), []string{file}, arrow.Options{MaxMetadata: 5 << 20})
		return err
	}
	for name, codec := range map[string]func() ocf.Codec{
		"deflate": func() ocf.Codec { return ocf.DeflateCodec(9) },
		"snappy":  func() ocf.Codec { return ocf.SnappyCodec() },
		"zstd":    func() ocf.Codec { return ocf.MustZstdCodec(nil, nil) },
	} {
		past(t, name+", a block of 6 MB", open(list(codec(), 1, 6<<20)))
		if err := open(list(codec(), 1, 9<<19)); errors.Is(err, device.ErrMemory) { // whether or not there is such a manifest
			t.Errorf("%s, a block of 4.5 MB: %v", name, err)
		}
	}
	past(t, "90 MB of 90 KB", open(list(ocf.DeflateCodec(9), 90, 1<<20)))
}

// TestSameManifest: a manifest that is listed twice is an error, not read twice.
func TestSameManifest(t *testing.T) {
	var all []string
	w := craft.Random(rand.New(rand.NewPCG(3, 5)), t.TempDir(), craft.Options{Version: 2, Plain: true})
	all, _ = filepath.Glob(filepath.Join(w.Dir, "metadata", "snap-*.avro"))
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		end := bytes.Index(b, b[len(b)-16:]) + 16 // the sync marker ends the head, and each block
		if err := os.WriteFile(name, slices.Concat(b, b[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := arrow.Open(t.Context(), []string{w.Dir}, arrow.Options{})
	if !errors.Is(err, arrow.ErrDamaged) || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
}
