// This file holds File: creating, writing, committing and aborting it.

// Package atomicfile writes files atomically: a file is complete or absent. It is written under a
// temporary name in the directory of its target, synced, and renamed over the target. Until then
// an existing target stays unchanged. The next write of a target removes the temporary files that
// killed processes left. Errors are of type *Error and name a remedy.
package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/foray-graph/foray/internal/files/ctxfile"
)

// maxBase is how many bytes of the target's name go into the temporary name, so
// that a target with the longest permitted name (255 bytes) has a temporary name too.
const maxBase = 200

// handle is what File needs of an *os.File; tests put a failing disk here.
type handle interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
	Chmod(mode fs.FileMode) error
}

// File is a file being written. Use it from one goroutine at a time. A File
// must be ended with Commit or Abort, else its temporary file stays.
type File struct {
	ctx    context.Context // of Create
	f      handle
	path   string   // as the caller named it
	target string   // the file to be replaced; path with symbolic links resolved
	temp   string   // "" if the target is a device or pipe, which is written directly
	lock   *os.File // marks the temporary file as being written; nil without file locks
	size   int64    // bytes written
	begun  int64    // bytes whose writing to disk has begun
	err    error    // the first error, which all later calls return
	done   bool
}

// Create begins writing the file of that path. The directory must exist.
// An existing file keeps its permissions and, until Commit, its contents; a
// symbolic link is followed, not replaced. A device or a pipe (/dev/null,
// /dev/stdout, a FIFO) can't be replaced by a rename: it is written directly, and
// Commit and Abort only close it. Create waits until a reader opens a
// FIFO; ctx ends that wait, and writes to a pipe that is full.
func Create(ctx context.Context, path string) (*File, error) {
	f, err := create(ctx, path)
	if err != nil {
		return nil, Explain(path, err)
	}
	return f, nil
}

func create(ctx context.Context, path string) (*File, error) {
	f := &File{ctx: ctx, path: path, target: path}
	if err := CheckInputs(ctx, path); err != nil {
		return nil, err
	}
	mode, err := f.inspect(ctx)
	if err != nil || f.f != nil {
		return f, err
	}
	h, err := f.makeTemp()
	if err != nil {
		return nil, err
	}
	f.f = h
	if mode != 0 {
		if err := h.Chmod(mode); err != nil {
			f.Abort()
			return nil, err
		}
	}
	return f, nil
}

// inspect examines the path before writing. It returns the permissions of
// a regular file, resolves symbolic links, and opens a device or pipe.
func (f *File) inspect(ctx context.Context) (fs.FileMode, error) {
	if last := f.path[max(0, len(f.path)-1):]; last == "" || os.IsPathSeparator(last[0]) {
		return 0, &fs.PathError{Op: "create", Path: f.path, Err: syscall.EISDIR}
	}
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if link, lerr := os.Lstat(f.path); lerr == nil && link.Mode()&fs.ModeSymlink != 0 { // else another writer was faster
			return 0, &danglingError{f.path}
		}
		return 0, nil
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, &fs.PathError{Op: "create", Path: f.path, Err: syscall.EISDIR}
	}
	// A rename needs only a writable directory. A file that is marked
	// read-only must not be replaced, so check the file itself too.
	h, err := ctxfile.OpenFile(ctx, f.path, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		f.f = h
		return 0, nil
	}
	if err := h.Close(); err != nil {
		return 0, err
	}
	f.target, err = filepath.EvalSymlinks(f.path)
	return info.Mode().Perm(), err
}

// Path returns the path that was given to Create.
func (f *File) Path() string { return f.path }

// Write writes to the temporary file. After an error every later Write and
// Commit returns that error.
func (f *File) Write(p []byte) (int, error) {
	if f.err == nil && f.done {
		f.err = Explain(f.path, fs.ErrClosed)
	}
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.f.Write(p)
	f.fail(err)
	if f.size += int64(n); f.temp != "" && f.size-f.begun >= writebackBytes {
		startWriteback(f.f, f.begun, f.size-f.begun)
		f.begun = f.size
	}
	return n, f.err
}

// Commit syncs the file to disk and puts it in the place of the target. On an
// error, and if an earlier Write had one, it does what Abort does and returns
// the error.
func (f *File) Commit() error {
	if f.done {
		if f.err == nil {
			f.err = Explain(f.path, fs.ErrClosed)
		}
		return f.err
	}
	if f.err != nil {
		f.Abort()
		return f.err
	}
	if f.temp == "" {
		f.done = true
		f.fail(f.f.Close())
		return f.err
	}
	f.fail(f.f.Sync())
	if f.err == nil { // some inputs are opened while the output is written
		f.err = CheckInputs(f.ctx, f.path)
	}
	if f.err != nil {
		f.Abort()
		return f.err
	}
	// Network file systems report some failed writes only here.
	f.done = true
	f.fail(f.f.Close())
	if f.err == nil {
		f.fail(os.Rename(f.temp, f.target))
	}
	if f.err != nil {
		_ = os.Remove(f.temp)
	}
	f.unlock() // not before: the lock protects the file until here
	if f.err != nil {
		return f.err
	}
	f.err = Explain(f.path, syncDir(filepath.Dir(f.target)))
	return f.err
}

// Abort discards what was written and leaves the target unchanged. After Commit
// or Abort it does nothing, so that it can be deferred.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	// The caller reports the reason for aborting; errors from here on don't matter.
	_ = f.f.Close()
	if f.temp != "" {
		_ = os.Remove(f.temp)
	}
	f.unlock()
}

func (f *File) fail(err error) {
	if err != nil && f.err == nil {
		f.err = f.Explain(err)
	}
}

// syncDir makes a rename in the directory durable. Some systems and file systems
// can't sync directories: they do it automatically or not at all.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // a directory may be writable and not readable
		}
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
