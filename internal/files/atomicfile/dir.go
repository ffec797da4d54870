// This file holds Dir: a directory that is there whole or not at all.

package atomicfile

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Dir is a directory being written, under a hidden name next to its target. It
// must be ended with Commit or Abort, or the hidden directory stays.
type Dir struct {
	path    string // as the caller named it
	target  string // the directory to be replaced; path with symbolic links resolved
	temp    string
	lock    *os.File // marks the temporary directory as in use; nil without file locks
	replace bool
	done    bool
}

// errDirExists is fs.ErrExist, except for its text.
var errDirExists error = dirExists{}

type dirExists struct{}

func (dirExists) Error() string        { return "the directory exists already" }
func (dirExists) Is(target error) bool { return target == fs.ErrExist }

// CreateDir begins writing the directory of that path, whose parent must exist. An
// existing target is an error (fs.ErrExist), unless it is a directory and
// mayReplace isn't nil and returns nil for its path: then it stays unchanged until
// Commit. CreateDir removes what earlier, killed writers left.
func CreateDir(ctx context.Context, path string, mayReplace func(path string) error) (*Dir, error) {
	d := &Dir{path: path}
	if err := CheckInputs(ctx, path); err != nil {
		return nil, err
	}
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
	d.restore()
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
	return d.makeTemp()
}

// prefix is the prefix of the names of the target's temporary directories.
func (d *Dir) prefix() string {
	parent, base := filepath.Split(d.target)
	return filepath.Join(parent, "."+base[:min(len(base), maxBase)]+".")
}

// makeTemp makes the temporary directory, as File.makeTemp makes the file, and removes those that
// no process uses.
func (d *Dir) makeTemp() error {
	for i := range tempNames {
		name := d.prefix() + strconv.Itoa(i) + tempEnd
		made, lock, err := claimDir(name)
		if err != nil {
			return err
		}
		if made {
			d.temp, d.lock = name, lock
			for i++; lock != nil && i < tempNames; i++ {
				sweepDir(d.prefix() + strconv.Itoa(i) + tempEnd)
			}
			return nil
		}
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	d.temp = d.prefix() + hex.EncodeToString(random[:]) + tempEnd
	return os.Mkdir(d.temp, 0o777)
}

// tempEnd and asideEnd end the names of temporary directories, and of directories that a temporary one replaces
// if the two can't be swapped.
const (
	tempEnd  = ".tmp"
	asideEnd = ".old"
)

// claimDir makes and locks a directory. It first removes one that is there already and that
// no process has locked. made is false where another process has the name, or may have it.
func claimDir(name string) (made bool, lock *os.File, err error) {
	for range claims {
		err := os.Mkdir(name, 0o777)
		switch {
		case errors.Is(err, fs.ErrExist):
			if !sweepDir(name) {
				return false, nil, nil
			}
			continue
		case err != nil:
			return false, nil, err
		}
		lock, err := lockDir(name)
		if err == nil && isAt(lock, name) {
			return true, lock, nil
		}
		if lock != nil {
			_ = lock.Close()
		}
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
			return true, nil, nil // other processes can't lock it either
		}
	}
	return false, nil, nil
}

// sweepDir removes a directory that no process has locked, and reports whether it did.
func sweepDir(name string) bool {
	lock, err := lockDir(name)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer lock.Close()
	return isAt(lock, name) && os.RemoveAll(name) == nil
}

// lockDir locks a directory that no process has locked. It follows no link.
func lockDir(name string) (*os.File, error) {
	if info, err := os.Lstat(name); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, errors.ErrUnsupported
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// restore completes the work of a process that was killed after it had moved the target aside: it moves the target
// back if there is no other, and otherwise removes the moved one.
func (d *Dir) restore() {
	for i := range tempNames {
		temp := d.prefix() + strconv.Itoa(i) + tempEnd
		if info, err := os.Lstat(temp + asideEnd); err != nil || !info.IsDir() {
			continue
		}
		lock, err := lockDir(temp)
		if errors.Is(err, errLocked) {
			continue // another process is about to put a new one in its place
		}
		if lock != nil {
			_ = lock.Close()
		}
		switch info, err := os.Lstat(d.target); {
		case errors.Is(err, fs.ErrNotExist):
			_ = os.Rename(temp+asideEnd, d.target)
		case err == nil && info.IsDir():
			_ = os.RemoveAll(temp + asideEnd)
		}
	}
}

// unlock lets go of the temporary directory.
func (d *Dir) unlock() {
	if d.lock != nil {
		_ = d.lock.Close()
	}
}

// Temp is the directory to write into, until Commit or Abort.
func (d *Dir) Temp() string { return d.temp }

// Commit moves the directory to its target. Files in it must be on disk already,
// as after File.Commit. On an error Commit does what Abort does. It swaps an
// existing target with the new directory where the system can (Linux), and
// otherwise moves it aside for a moment.
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
		_ = os.RemoveAll(old) // hidden and no longer needed
	}
	d.unlock()
	return d.Explain(err)
}

// place renames the directory, and returns where the previous target is now.
func (d *Dir) place() (old string, err error) {
	if !d.replace {
		return "", os.Rename(d.temp, d.target)
	}
	if err := swap(d.temp, d.target); err == nil {
		return d.temp, nil
	}
	old = d.temp + asideEnd
	if err := os.Rename(d.target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(d.temp, d.target); err != nil {
		_ = os.Rename(old, d.target) // the error to report is the first one
		return "", err
	}
	return old, nil
}

// Abort discards what was written and leaves the target unchanged. After Commit or
// Abort it does nothing.
func (d *Dir) Abort() {
	if !d.done {
		d.done = true
		_ = os.RemoveAll(d.temp)
		d.unlock()
	}
}

// Explain returns err as an *Error that names the directory and a remedy, even
// if err is an *Error about a file in it.
func (d *Dir) Explain(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Path != d.path {
		err = e.Err
	}
	return explain(d.path, err, true)
}
