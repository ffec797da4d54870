package arrow

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestEachPanicAfterBreak has the reading panic after the loop has ended: the caller gets that panic, unless the
// loop itself panicked.
func TestEachPanicAfterBreak(t *testing.T) {
	read := func(yield func(int) error) error {
		if yield(1) != nil {
			panic("of the reading")
		}
		return nil
	}
	panicOf := func(yield func(int) bool) (p any) {
		defer func() { p = recover() }()
		if err := each(read, yield); err != nil {
			t.Error(err)
		}
		return nil
	}
	if p := panicOf(func(int) bool { return false }); p != "of the reading" {
		t.Errorf("after a break: panic %v", p)
	}
	if p := panicOf(func(int) bool { panic("of the loop") }); p != "of the loop" {
		t.Errorf("a loop that panics: panic %v", p)
	}
	if p := panicOf(func(int) bool { return true }); p != nil {
		t.Errorf("the whole loop: panic %v", p)
	}
}

// TestBreakIsNoError breaks a loop over batches: the Logger's record of the reading has no error then. An error of
// a callback is one.
func TestBreakIsNoError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.parquet")
	if err := WriteBatches(t.Context(), path, func(_ context.Context, yield func(graph.Batch) error) error {
		return yield(graph.Batch{Src: []int64{0, 1}, Dst: []int64{1, 2}})
	}, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	d, err := Open(t.Context(), []string{path}, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range d.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if !strings.Contains(log.String(), "edges read") || strings.Contains(log.String(), "error=") {
		t.Error(log.String())
	}
	log.Reset()
	failed := errors.New("of the callback")
	if err := d.Read(t.Context(), func(graph.Batch) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if !strings.Contains(log.String(), `error="of the callback"`) {
		t.Error(log.String())
	}
}
