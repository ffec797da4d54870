// This file tests what stands where a file is wanted.

package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testfile"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// TestIrregular: pipes, sockets and devices are refused and not opened, which
// would wait for the other end.
func TestIrregular(t *testing.T) {
	for name, path := range map[string]string{
		"pipe": testfile.FIFO(t), "socket": testfile.Socket(t), "device": os.DevNull,
	} {
		_, err := Open(context.Background(), []string{path}, Options{})
		if !errors.Is(err, input.ErrUnsupported) || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), "not a regular file but a "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	testfile.MakeFIFO(t, filepath.Join(dir, "a.parquet"))
	for _, path := range []string{dir, filepath.Join(dir, "*.parquet")} {
		_, err := Open(context.Background(), []string{path}, Options{})
		if !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), "a.parquet: ") {
			t.Error(err)
		}
	}
}

// TestReplacedByFIFO: a file became a pipe between Open and Batches.
func TestReplacedByFIFO(t *testing.T) {
	data, err := os.ReadFile("../../../../testdata/karate.parquet")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open(context.Background(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	testfile.MakeFIFO(t, path)
	if _, err := d.Load(context.Background()); !errors.Is(err, input.ErrUnsupported) {
		t.Error(err)
	}
}
