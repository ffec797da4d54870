// This file holds the temporary file of a File: its name, and how to detect that its writer is gone.

package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// errLocked means that another File holds the lock.
var errLocked = errors.New("locked")

// makeTemp creates the temporary file, and sets temp and lock. Its name is hidden and has a special extension,
// so that no glob over a directory of results matches a half-written file. It takes the first name of a fixed series
// that is unused. So a later writer finds what a killed process left without reading the directory.
//
// A temporary file is locked from its creation until it has been renamed or removed, through an open file that is
// private to the writer. The system releases the lock when the process ends, however it ends. So a file that can be
// locked has no writer and is removed, whichever name it has. On systems and file systems without such locks, no file
// can be locked, and no file is removed.
func (f *File) makeTemp() (*os.File, error) {
	dir, base := filepath.Split(f.target)
	prefix := filepath.Join(dir, "."+base[:min(len(base), maxBase)]+".")
	for i := range tempNames {
		h, lock, err := claim(prefix + strconv.Itoa(i) + ".tmp")
		if err != nil {
			return nil, err
		}
		if h != nil {
			f.temp, f.lock = h.Name(), lock
			for i++; lock != nil && i < tempNames; i++ {
				sweep(prefix + strconv.Itoa(i) + ".tmp")
			}
			return h, nil
		}
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	f.temp = prefix + hex.EncodeToString(random[:]) + ".tmp"
	return os.OpenFile(f.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// claim creates the file of that name and locks it. It first removes an existing file if that isn't
// locked. It returns nil for a file that another writer has, or may have, locked.
func claim(name string) (h, lock *os.File, err error) {
	for range claims { // another process may remove and create it meanwhile
		h, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			lock, err := lockOf(name)
			if err == nil && isAt(h, name) && isAt(lock, name) {
				return h, lock, nil
			}
			if lock != nil {
				_ = lock.Close()
			}
			if err != nil && !errors.Is(err, errLocked) && isAt(h, name) {
				if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
					return h, nil, nil // other processes can't lock it either
				}
				return nil, nil, errors.Join(err, h.Close(), os.Remove(name))
			}
			_ = h.Close() // another writer took it for a leftover, and removes it
			continue
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		if err := sweep(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}

// sweep removes the file of that name if it isn't locked. The error says why it can't be locked.
func sweep(name string) error {
	old, err := lockOf(name)
	if err != nil {
		return err
	}
	if isAt(old, name) { // or another process has removed it, and the file there is new
		_ = os.Remove(name)
	}
	return old.Close()
}

// lockOf opens a file that isn't locked, and locks it. The error is errLocked if the file is locked.
func lockOf(name string) (*os.File, error) {
	if info, err := os.Lstat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.ErrUnsupported
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// isAt reports whether an open file is the one of that name.
func isAt(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(name)
	return err == nil && os.SameFile(a, b)
}

func (f *File) unlock() {
	if f.lock != nil {
		_ = f.lock.Close()
	}
}
