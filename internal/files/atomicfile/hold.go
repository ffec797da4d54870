// This file holds Hold, by which one process at a time changes a file.

package atomicfile

import (
	"errors"
	"path/filepath"
)

// ErrHeld: somebody else holds the file.
var ErrHeld = errors.New("somebody else is changing the file")

// Hold keeps others that call it from changing the file of that path, in this process and in others, until release
// is called or the process ends: for them it is ErrHeld. It doesn't wait, and it keeps nobody from reading or writing.
// A symbolic link stands for what it leads to. Whoever holds the file may replace it; then the next one holds the new
// one. What can't be locked, or isn't there, isn't held, which is no error: systems other than Linux and macOS, some
// network file systems, a file that mayn't be written.
func Hold(path string) (release func(), err error) {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	for range claims {
		f, err := lockOf(path)
		switch {
		case errors.Is(err, errLocked):
			return nil, ErrHeld
		case err != nil:
			return func() {}, nil
		case isAt(f, path):
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close() // it was replaced at this moment
	}
	return nil, ErrHeld
}
