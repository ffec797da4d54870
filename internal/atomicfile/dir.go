// This file holds Dir: a directory that is there whole or not at all.

package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Dir is a directory being written, under a hidden name beside its target. It
// must be ended with Commit or Abort, else the hidden one stays.
type Dir struct {
	path    string // as the caller named it
	target  string // what is put in place; path with symbolic links resolved
	temp    string
	replace bool
	done    bool
}

// errDirExists is fs.ErrExist, except for its text.
var errDirExists error = dirExists{}

type dirExists struct{}

func (dirExists) Error() string        { return "the directory exists already" }
func (dirExists) Is(target error) bool { return target == fs.ErrExist }

// CreateDir begins a directory of that path, in a directory that is there. What
// is there already is an error (fs.ErrExist), unless it is a directory and
// mayReplace, if not nil, returns nil for its path: it stays as it is until
// Commit.
func CreateDir(path string, mayReplace func(path string) error) (*Dir, error) {
	d := &Dir{path: path}
	if err := d.create(mayReplace); err != nil {
		return nil, Explain(path, err)
	}
	return d, nil
}

func (d *Dir) create(mayReplace func(path string) error) error {
	if d.path == "" {
		return &fs.PathError{Op: "create", Path: d.path, Err: syscall.ENOENT}
	}
	d.target = filepath.Clean(d.path)
	info, err := os.Stat(d.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if link, lerr := os.Lstat(d.target); lerr == nil && link.Mode()&fs.ModeSymlink != 0 { // else another writer was faster
			return &danglingError{d.path}
		}
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "create", Path: d.path, Err: fs.ErrExist}
	case mayReplace == nil:
		return &fs.PathError{Op: "create", Path: d.path, Err: errDirExists}
	default:
		if d.target, err = filepath.EvalSymlinks(d.target); err != nil {
			return err
		}
		if err := mayReplace(d.target); err != nil {
			return &Error{Path: d.path, Err: err, Remedy: "name another directory"}
		}
		d.replace = true
	}
	if base := filepath.Base(d.target); base == "." || base == ".." || base == string(filepath.Separator) {
		return &fs.PathError{Op: "create", Path: d.path, Err: syscall.EBUSY}
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	parent, base := filepath.Split(d.target)
	d.temp = filepath.Join(parent, "."+base[:min(len(base), maxBase)]+"."+hex.EncodeToString(random[:])+".tmp")
	return os.Mkdir(d.temp, 0o777)
}

// Temp is the directory to write into, until Commit or Abort.
func (d *Dir) Temp() string { return d.temp }

// Commit puts the directory in its place. Files in it must be on disk already,
// as File.Commit leaves them; on an error it does what Abort does. One that was
// there before is swapped with it where the system can do that (Linux), and
// else moved aside for a moment.
func (d *Dir) Commit() error {
	if d.done {
		return Explain(d.path, fs.ErrClosed)
	}
	err := syncDir(d.temp)
	old := ""
	if err == nil {
		old, err = d.place()
	}
	if err != nil {
		d.Abort()
		return d.Explain(err)
	}
	d.done = true
	err = syncDir(filepath.Dir(d.target))
	if old != "" {
		_ = os.RemoveAll(old) // hidden, and of no use to anybody
	}
	return d.Explain(err)
}

// place renames the directory, and returns where the one before it is now.
func (d *Dir) place() (old string, err error) {
	if !d.replace {
		return "", os.Rename(d.temp, d.target)
	}
	if err := swap(d.temp, d.target); err == nil {
		return d.temp, nil
	}
	old = d.temp + ".old"
	if err := os.Rename(d.target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(d.temp, d.target); err != nil {
		_ = os.Rename(old, d.target) // the error to report is the first one
		return "", err
	}
	return old, nil
}

// Abort drops what was written and leaves the target as it was. After Commit or
// Abort it does nothing.
func (d *Dir) Abort() {
	if !d.done {
		d.done = true
		_ = os.RemoveAll(d.temp)
	}
}

// Explain returns err as an *Error that names the directory and a remedy, also
// where it is an *Error of a file in it.
func (d *Dir) Explain(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Path != d.path {
		err = e.Err
	}
	return explain(d.path, err, true)
}
