// This file tests files that mayn't grow as large as they would be.

package write

import (
	"context"
	"errors"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFileLimit writes in a process whose files have a largest size (ulimit -f).
func TestFileLimit(t *testing.T) {
	testlong.Project(t)
	if dir := os.Getenv("FORAY_TEST_LIMIT"); dir != "" {
		g, r := killedPartitions(t)
		limit := syscall.Rlimit{Cur: 200_000, Max: 200_000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		for name, o := range map[string]WriteOptions{"r.parquet": {}, "r.csv": {}, "parts": {PartitionBy: "depth"}, "texts": {PartitionBy: "depth", Format: "csv"}} {
			err := WriteResult(context.Background(), filepath.Join(dir, name), g, r, o)
			if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), filepath.Join(dir, name)+": ") || !strings.Contains(err.Error(), "ulimit -f") {
				t.Errorf("%s: %v", name, err)
			}
		}
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFileLimit$", "-test.v")
	cmd.Env = append(os.Environ(), "FORAY_TEST_LIMIT="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFileLimit") {
		t.Errorf("%v: %s", err, out)
	}
	samples.Unchanged(t, dir, "", "")
}
