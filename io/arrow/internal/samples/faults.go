// This file holds what tests of failures share.

package samples

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

// Panicked is in an error that was a panic.
const Panicked = "decoding failed"

// NoMore waits until there are no more goroutines than before.
func NoMore(t *testing.T, before int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// Unchanged fails the test unless the directory holds exactly the one file
// with its contents, or nothing if before is "".
func Unchanged(t *testing.T, dir, path, before string) {
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

// Countdown is a context that is canceled once it was asked so many times.
type Countdown struct {
	context.Context
	Left int
}

func (c *Countdown) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}
