// This file holds Hold, by which one process at a time changes a file.

package atomicfile

import (
	"errors"
	"path/filepath"
)

// ErrHeld is returned if another caller holds the file.
var ErrHeld = errors.New("another writer is changing the file")

// Hold prevents other callers of Hold, in this and other processes, from changing the file of that path, until release
// is called or the process ends: they get ErrHeld. It doesn't wait, and it doesn't prevent reading or writing.
// A symbolic link stands for its target. The holder may replace the file; then the next caller holds the new
// file. If the file can't be locked or doesn't exist, it isn't held, and Hold returns no error: that is so on systems
// other than Linux and macOS, on some network file systems, and for a file without write permission.
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
