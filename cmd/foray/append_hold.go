// This file holds how append keeps others from changing the graph at the same time.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/foray-graph/foray/internal/atomicfile"
)

// hold keeps other appends from the graph while this one reads and replaces it, so that none is lost.
func (f *appendFlags) hold(path string) (release func(), err error) {
	if a, b := stat(path), stat(f.output); inStore(path) || a == nil || b == nil || !os.SameFile(a, b) {
		return func() {}, nil // what is read stays
	}
	if release, err = atomicfile.Hold(path); errors.Is(err, atomicfile.ErrHeld) {
		err = fmt.Errorf("%s: another foray append is changing it; nothing was changed here: try again when that one has ended", path)
	}
	return release, err
}

// stat returns what is known of a file, or nil.
func stat(path string) fs.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}
