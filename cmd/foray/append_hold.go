// This file holds how append keeps others from changing the graph at the same time.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/foray-graph/foray/internal/files/atomicfile"
)

// hold keeps other appends from the graph while this one reads and replaces it, so that none is lost.
func (f *appendFlags) hold(path string) (release func(), err error) {
	if inStore(path) || stat(path) == nil || !leadTo(path, f.output) {
		return func() {}, nil // what is read stays
	}
	if release, err = atomicfile.Hold(path); errors.Is(err, atomicfile.ErrHeld) {
		err = fmt.Errorf("%s: another foray append is changing it; nothing was changed here: try again when that one has ended", path)
	}
	return release, err
}

// leadTo reports whether two paths lead to the same file. Names are compared first: another append may
// replace the file between two looks at it.
func leadTo(a, b string) bool {
	if a == b {
		return true
	}
	to, errA := filepath.EvalSymlinks(a)
	too, errB := filepath.EvalSymlinks(b)
	if errA == nil && errB == nil && to == too {
		return true
	}
	x, y := stat(a), stat(b)
	return x != nil && y != nil && os.SameFile(x, y)
}

// stat returns what is known of a file, or nil.
func stat(path string) fs.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}
