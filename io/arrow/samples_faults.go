// This file holds what tests of failures share.

package arrow

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

// panicked is in an error that was a panic.
const panicked = "decoding failed"

// noMore waits until there are no more goroutines than before.
func noMore(t *testing.T, before int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// unchanged fails the test unless the directory holds exactly the one file
// with its contents, or nothing if before is "".
func unchanged(t *testing.T, dir, path, before string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if before == "" {
		if len(entries) > 0 {
			t.Errorf("left behind: %v", entries)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != before || len(entries) != 1 {
		t.Errorf("%s holds %q (%v), the directory %v", path, got, err, entries)
	}
}

// countdown is a context that is cancelled once it was asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
