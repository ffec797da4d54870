package edgelist

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// squeezed compresses a text that is repeated until it has so many bytes.
func squeezed(t *testing.T, compression, text string, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if compression == "zstd" {
		w, _ = zstd.NewWriter(&b)
	}
	block := []byte(strings.Repeat(text, 1+1<<20/len(text)))
	for n := 0; n < size; n += len(block) {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestExpansion: what a compressed input may become has a limit, which can be raised,
// and memory stays what it is. Text that repeats a good deal is read.
func TestExpansion(t *testing.T) {
	testlong.Only(t)
	count := func(data []byte, o Options) (edges int, err error) {
		o.Workers = 1
		err = Read(context.Background(), bytes.NewReader(data), o, func(b graph.Batch) error {
			edges += len(b.Src)
			return nil
		})
		return edges, err
	}
	const size = 8 << 20
	for _, compression := range []string{"gzip", "zstd"} {
		for _, text := range []string{"\n", "#\n", "1 2\n"} {
			bomb := squeezed(t, compression, text, size)
			if size/len(bomb) < 500 {
				t.Fatalf("%s of %q is no bomb: %d bytes", compression, text, len(bomb))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := count(bomb, Options{freely: 1 << 20})
			runtime.ReadMemStats(&after)
			if !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "more than 500 times as much; the limit is 500, and Options.MaxExpansion raises it") {
				t.Errorf("%s of %q: %v", compression, text, err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
				t.Errorf("%s of %q took %d bytes", compression, text, took)
			}
			if edges, err := count(bomb, Options{freely: 1 << 20, MaxExpansion: 1 << 20}); err != nil || text[0] == '1' && edges < size/len(text) {
				t.Errorf("%s of %q with a limit above: %d edges, %v", compression, text, edges, err)
			}
			if _, err := count(bomb, Options{}); err != nil {
				t.Errorf("%s of %q, below 256 MiB: %v", compression, text, err)
			}
		}
	}
	var lines strings.Builder
	for i := range 200 {
		lines.WriteString(strings.Repeat(fmt.Sprintf("%d,%d,follows\n", i*i*7919, i*104729), 150))
	}
	data := squeezed(t, "gzip", lines.String(), size)
	if r := size / len(data); r < 150 || r > 450 {
		t.Fatalf("%d times, where some 200 are to be tried", r)
	}
	if _, err := count(data, Options{freely: 1}); err != nil {
		t.Errorf("some 200 times: %v", err)
	}
}
