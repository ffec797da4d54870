// This file tests appends to one file at the same time.

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/files/atomicfile"
)

// TestAppendAtOnce: no append loses what another one adds at the same time; one that comes meanwhile is refused.
func TestAppendAtOnce(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("needs file locks, as Linux and macOS have")
	}
	dir := t.TempDir()
	g, other, link := filepath.Join(dir, "g.foray"), filepath.Join(dir, "other.foray"), filepath.Join(dir, "link.foray")
	edge := func(i int) string {
		path := filepath.Join(dir, fmt.Sprint(i, ".csv"))
		if err := os.WriteFile(path, fmt.Appendf(nil, "src,dst\n%d,%d\n", i, i+1), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foray(t, 0, "convert", edge(0), g)
	if err := os.Symlink("g.foray", link); err != nil {
		t.Fatal(err)
	}
	release, err := atomicfile.Hold(g)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{g, edge(1)}, {link, edge(1)}, {g, edge(1), "-o", link}, {g, edge(0), "--remove"}, {g, "--remove-vertices", edge(0)}} {
		_, errs := foray(t, 1, append([]string{"append"}, args...)...)
		contains(t, errs, ".foray: another foray append is changing it; nothing was changed here: try again when that one has ended")
	}
	if after, err := os.ReadFile(g); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the graph was changed: %v", err)
	}
	foray(t, 0, "append", g, edge(1), "-o", other) // leaves the graph as it is
	foray(t, 0, "info", g)
	release()
	const n = 8
	var wg sync.WaitGroup
	for i := 1; i <= n; i++ {
		path := edge(i)
		wg.Go(func() {
			for {
				var out, errs bytes.Buffer
				switch status := run([]string{"append", g, path}, &out, &errs); {
				case status == 0:
					return
				case !strings.Contains(errs.String(), "another foray append"):
					t.Error(errs.String())
					return
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	out, _ := foray(t, 0, "info", g)
	contains(t, out, "vertices       10\n", "edges          9, ")
}
