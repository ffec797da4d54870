// This file holds directories for the temporary files of a run.

package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
)

// Scratch is a directory that is locked while it is used. Remove removes it; the next NewScratch with the same
// prefix removes what killed processes left.
type Scratch struct {
	Path string
	lock *os.File
}

// NewScratch makes a directory in dir whose name begins with prefix, and removes those that no process uses.
func NewScratch(dir, prefix string) (*Scratch, error) {
	left, _ := filepath.Glob(filepath.Join(dir, prefix+"*")) // dir and prefix have no pattern, or nothing is found
	for _, name := range left {
		if mark, err := hex.DecodeString(filepath.Base(name)[len(prefix):]); err == nil && len(mark) == markBytes {
			sweepDir(name)
		}
	}
	for range claims {
		var random [markBytes]byte
		if _, err := rand.Read(random[:]); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, prefix+hex.EncodeToString(random[:]))
		made, lock, err := claimDir(path)
		if err != nil {
			return nil, err
		}
		if made {
			return &Scratch{path, lock}, os.Chmod(path, 0o700)
		}
	}
	return nil, errors.New("no directory for temporary files could be made in " + dir)
}

// Remove removes the directory and its contents.
func (s *Scratch) Remove() error {
	err := os.RemoveAll(s.Path)
	if s.lock != nil {
		_ = s.lock.Close()
	}
	return err
}

// Hide removes a file's name from the directory while the file stays open, so that its space is freed when the process
// ends, however it ends. It returns a path by which the file can be opened until then. If the system can't do
// that, the file is renamed to name, in the directory. keep must be closed last.
func (s *Scratch) Hide(file, name string) (path string, keep *os.File, err error) {
	path = filepath.Join(s.Path, name)
	if keep, err = os.Open(file); err != nil {
		return "", nil, err
	}
	if to, ok := openName(keep); ok && os.Symlink(to, path) == nil {
		if again, err := os.Open(path); err == nil {
			is := isAt(again, file)
			_ = again.Close()
			if is && os.Remove(file) == nil {
				if again, err = os.Open(path); err == nil { // also without a name
					return path, keep, again.Close()
				}
				return "", keep, err
			}
		}
		_ = os.Remove(path)
	}
	return path, keep, os.Rename(file, path)
}
