package ctxfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testfile"
)

// TestCancelOpen: the other end isn't opened, and the context ends the wait.
func TestCancelOpen(t *testing.T) {
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		path := testfile.FIFO(t)
		for _, wait := range []time.Duration{0, 20 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			f, err := OpenFile(ctx, path, flag, 0)
			cancel()
			if f != nil || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, %v", f, err)
			}
		}
		// Nothing of it is left: the pipe can be used.
		go func() { _ = os.WriteFile(path, []byte("x"), 0) }()
		if b, err := os.ReadFile(path); err != nil || string(b) != "x" {
			t.Errorf("%q, %v", b, err)
		}
	}
}

// TestCancelTransfer: the other end is open, and does nothing.
func TestCancelTransfer(t *testing.T) {
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		path := testfile.FIFO(t)
		other, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		f, err := OpenFile(ctx, path, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(20*time.Millisecond, cancel)
		if flag == os.O_RDONLY {
			_, err = f.Read(make([]byte, 10))
		} else {
			_, err = f.Write(make([]byte, 16<<20)) // more than a pipe holds
		}
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		f.Close()
		other.Close()
	}
}

func TestFIFO(t *testing.T) {
	path := testfile.FIFO(t)
	want := bytes.Repeat([]byte("0123456789"), 1e5)
	go func() {
		f, err := OpenFile(context.Background(), path, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.Write(want)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}()
	f, err := OpenFile(context.Background(), path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if _, err := OpenFile(context.Background(), path, os.O_RDONLY, 0); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	f, err := OpenFile(context.Background(), path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("abc")); n != 3 || err != nil {
		t.Error(n, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
