// This file holds Error, which reports what can be done when a file can't be
// written.

package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Error reports which file couldn't be written, why, and what can be done. Err
// is the cause; errors.Is finds syscall.ENOSPC, fs.ErrNotExist,
// fs.ErrPermission, context.Canceled and so on in it.
type Error struct {
	Path   string // as it was given to Create
	Err    error
	Remedy string // what the user can do about it
}

func (e *Error) Error() string {
	cause := e.Err
	// The operating system's error names the temporary file, which the user
	// never asked for and which is gone by now.
	switch pe := cause.(type) {
	case *fs.PathError:
		cause = pe.Err
	case *os.LinkError:
		cause = pe.Err
	}
	return fmt.Sprintf("cannot write %s: %v: %s", e.Path, cause, e.Remedy)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// danglingError is a symbolic link that leads nowhere.
type danglingError struct{ path string }

func (e *danglingError) Error() string { return "it is a symbolic link to a file that isn't there" }
func (e *danglingError) Unwrap() error { return fs.ErrNotExist }

// Stdout is the path to pass to Explain if the output is standard output.
const Stdout = "standard output"

// Explain returns err as an *Error that names the path and a remedy. It returns err
// itself if that is an *Error, and nil for nil. It is for errors of
// the operating system and of contexts, on outputs that aren't a File, such
// as standard output.
func Explain(path string, err error) error { return explain(path, err, false) }

// Explain returns err, an error from writing the file, as an *Error
// that names the path and a remedy. It returns err itself if that is an *Error, and nil
// for nil.
func (f *File) Explain(err error) error { return explain(f.path, err, f.temp != "") }

// explain makes an *Error of err. aside means that the file is written under
// another name, so that an error while writing leaves the target intact.
func explain(path string, err error, aside bool) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	e = &Error{Path: path, Err: err, Remedy: remedy(path, err)}
	if aside {
		e.Remedy += "; nothing half-written is left, and what was there before is untouched"
	}
	return e
}

// notDirectory reports whether something is at the path, and no directory.
func notDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// isDirectory reports whether a directory is at the path.
func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func remedy(path string, err error) string {
	dir := filepath.Dir(path)
	fileSystem := "the file system of " + dir
	if path == Stdout {
		fileSystem = "the file system that it leads to"
	}
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	var dangling *danglingError
	switch {
	case is(context.Canceled):
		return "run it again"
	case is(context.DeadlineExceeded):
		return "run it again with more time"
	case errors.As(err, &dangling):
		return "remove the link, or name the file that it should lead to"
	case is(syscall.ENOSPC):
		return "free space on " + fileSystem + " or write elsewhere"
	case is(fs.ErrExist) && notDirectory(path):
		return "a file is there: name a directory"
	case is(fs.ErrExist):
		return "name a directory that isn't there yet, or ask for it to be overwritten"
	case is(syscall.EDQUOT):
		return "your quota on " + fileSystem + " is used up: remove files or write elsewhere"
	case is(syscall.ENXIO):
		return "it is a socket, or a device that isn't there: name a file or a pipe"
	case is(syscall.EFBIG):
		return "the file is larger than the limit (ulimit -f) or the file system allows"
	case is(syscall.EPIPE):
		return "the program that reads the output has ended; what it read is incomplete"
	case is(syscall.EROFS):
		return fileSystem + " is read-only: write elsewhere"
	case is(syscall.ENOTDIR):
		return "a part of the path is a file, not a directory: check its spelling"
	case is(syscall.ENAMETOOLONG):
		return "choose a shorter name"
	case is(syscall.EISDIR):
		if path == "" {
			return "name a file"
		}
		return "name a file in that directory, such as " + filepath.Join(path, "out.parquet")
	case is(fs.ErrNotExist) && isDirectory(dir): // of /proc, for one
		return "the directory " + dir + " takes no new files: write elsewhere"
	case is(fs.ErrNotExist):
		return "make the directory " + dir + " first, or check its spelling"
	case is(fs.ErrPermission):
		return "write to a directory and file that you may write, or change the permissions of " + dir
	case is(fs.ErrClosed):
		return "a file can't be written any more once it is committed or aborted"
	}
	return "check " + fileSystem + " or write elsewhere"
}
