// This file tests outputs that wait for a reader.

package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testfile"
)

func TestFIFO(t *testing.T) {
	path := testfile.FIFO(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := Create(ctx, path) // without a reader
	if want := "cannot write " + path + ": context deadline exceeded: run it again with more time"; !errors.Is(err, context.DeadlineExceeded) || err.Error() != want {
		t.Errorf("%v, want %v", err, want)
	}

	got := make(chan []byte)
	go func() {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		got <- b
	}()
	f, err := Create(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte("x"), 1e6)
	if _, err := f.Write(want); err != nil {
		t.Error(err)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	if b := <-got; !bytes.Equal(b, want) {
		t.Errorf("%d bytes came through", len(b))
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe was replaced: %v", err)
	}
}

// TestFIFOFull: a reader has opened the pipe, but doesn't read.
func TestFIFOFull(t *testing.T) {
	path := testfile.FIFO(t)
	reader, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	f, err := Create(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if _, err := f.Write(make([]byte, 16<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := f.Commit(); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestSocket(t *testing.T) {
	path := testfile.Socket(t)
	if _, err := Create(context.Background(), path); err == nil || !strings.HasPrefix(err.Error(), "cannot write "+path+": ") {
		t.Error(err)
	}
}
