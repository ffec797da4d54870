// Package ctxfile opens files that may be pipes or terminals, with a context that ends operations
// which may block forever: opening a named pipe whose other end is closed, reading an idle pipe,
// and writing a full one.
package ctxfile

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// File is a file whose Read and Write end with a context, as far as the system
// lets them wait without a thread: pipes and terminals, not disks.
type File struct {
	*os.File
	ctx  context.Context
	stop func() bool
}

// OpenFile is os.OpenFile, except that it, and the file's Read and Write, return
// the context's error once that is done. The caller must close the file.
func OpenFile(ctx context.Context, path string, flag int, mode os.FileMode) (*File, error) {
	f, err := open(ctx, path, flag, mode)
	if err != nil {
		return nil, err
	}
	return &File{f, ctx, context.AfterFunc(ctx, func() {
		_ = f.SetDeadline(past()) // files on disk have no deadline and don't block
	})}, nil
}

func open(ctx context.Context, path string, flag int, mode os.FileMode) (*os.File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return os.OpenFile(path, flag, mode)
	}
	if err := ctx.Err(); err != nil {
		return nil, stopped(path, err)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, flag, mode)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
	}
	// The system waits for the other end, and only opening that ends the wait: so open
	// the other end here. Opening both ends at once doesn't wait. If that isn't permitted,
	// the goroutine stays until another process opens the other end.
	if both, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
		if o := <-done; o.f != nil {
			o.f.Close()
		}
		both.Close()
	} else {
		go func() {
			if o := <-done; o.f != nil {
				o.f.Close()
			}
		}()
	}
	return nil, stopped(path, ctx.Err())
}

func stopped(path string, err error) error {
	return &os.PathError{Op: "open", Path: path, Err: err}
}

// Read reads. Its error is the context's once that is done.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	return n, f.explain(err)
}

// Write writes. Its error is the context's once that is done.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, f.explain(err)
}

func (f *File) explain(err error) error {
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) && f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	return err
}

// Close closes the file.
func (f *File) Close() error {
	f.stop()
	return f.File.Close()
}

// past is a deadline that is over.
func past() time.Time { return time.Unix(1, 0) }
