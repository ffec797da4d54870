// This file tests inputs that are pipes.

package edgelist

import (
	"context"
	"errors"
	"github.com/foray-graph/foray/graph"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testfile"
)

func TestFIFO(t *testing.T) {
	const edges = "1 2\n2 3\n"
	text := Options{Format: "text"}
	path := testfile.FIFO(t)
	go func() {
		if err := os.WriteFile(path, []byte(edges), 0); err != nil {
			t.Error(err)
		}
	}()
	g, err := Load(context.Background(), path, text)
	if err != nil || g.NumEdges() != 2 {
		t.Fatal(err)
	}
	for _, c := range []struct {
		format string
		begin  string
	}{{"text", ""}, {"text", edges}, {"text", "\x1f\x8b\b\x00"}, {"text", "\x28\xb5\x2f\xfd"}, {"sg", ""}, {"sg", "\x01"}} {
		for _, open := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "pipe")
			testfile.MakeFIFO(t, path)
			if open { // and then nothing
				f, err := os.OpenFile(path, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if _, err := f.WriteString(c.begin); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			_, err := Load(ctx, path, Options{Format: c.format})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v after %q: %v", c.format, c.begin, err)
			}
		}
	}
	text.TwoPass = true
	if _, err := Load(context.Background(), path, text); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "reads twice") {
		t.Error(err)
	}
	if _, err := Load(context.Background(), testfile.Socket(t), Options{Format: "text"}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "it is a socket") {
		t.Error(err)
	}
}
