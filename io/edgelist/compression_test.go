// This file tests bzip2, and what follows the end of gzip.

package edgelist

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"path/filepath"
	"testing"
)

// bzip2Edges is "1 2\n3 4\n", as bzip2 has it; the standard library doesn't write it.
var bzip2Edges, _ = base64.StdEncoding.DecodeString("QlpoOTFBWSZTWdC1HT0AAAJYAAAQQAA8ACAAMMAIabKIIyeLuSKcKEhoWo6egA==")

// TestBzip2: files are read, of several streams too, and not written.
func TestBzip2(t *testing.T) {
	for name, data := range map[string][]byte{"a.el.bz2": bzip2Edges, "a.csv.BZ2": append(bytes.Clone(bzip2Edges), bzip2Edges...), "a.txt": bzip2Edges} {
		g, err := Load(ctx, write(t, name, data), Options{})
		if err != nil || g.NumEdges() != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := collect(t, []byte("BZh9 b\n"), Options{}); err != nil || len(got) != 1 { // a text
		t.Error(got, err)
	}
	g, err := Load(ctx, write(t, "a.el", []byte("1 2\n")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(ctx, filepath.Join(t.TempDir(), "x.el.bz2"), g, WriteOptions{}); !errors.Is(err, errCompression) {
		t.Error(err)
	}
}

// TestGzipZeros: zeros behind the last member are padding.
func TestGzipZeros(t *testing.T) {
	list, want := sampleList(3000)
	for _, zeros := range []int{1, 2, 10, 511, 100_000} {
		data := append(append(gz(t, list[:0]), gz(t, list)...), make([]byte, zeros)...)
		got, err := collect(t, data, Options{Workers: 1})
		if err == nil {
			err = sameEdges(got, want, 1)
		}
		if err != nil {
			t.Errorf("%d zeros: %v", zeros, err)
		}
	}
	// More than are skipped at once.
	r := io.MultiReader(bytes.NewReader(gz(t, list)), io.LimitReader(zeroReader{}, 3*zerosAtOnce<<16))
	if n, err := collect2(r, Options{Workers: 1}); err != nil || n != len(want) {
		t.Error(n, err)
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }
