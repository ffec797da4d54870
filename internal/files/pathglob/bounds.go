// This file checks where files may be that metadata names.

package pathglob

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Bounds is a directory that must contain all files that its contents name. It is safe for
// concurrent use.
type Bounds struct {
	dir            string
	links, outside bool

	once sync.Once
	abs  string // dir, with its own links
	real string // dir, without links
	mu   sync.Mutex
	in   map[string]bool // directories that are inside it
}

// OutsideError reports a file outside of the directory.
type OutsideError struct{ Path, Dir string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("the metadata names %s, which lies outside of %s; set Options.AllowOutside to have such files read", e.Path, e.Dir)
}

// NewBounds returns the bounds of a directory. If links is true, links may lead out of it; if
// outside is true, files may be anywhere.
func NewBounds(dir string, links, outside bool) *Bounds {
	return &Bounds{dir: dir, links: links, outside: outside, in: map[string]bool{}}
}

// Check returns an OutsideError if a path is outside the directory, and a LinkError if links lead outside.
func (b *Bounds) Check(path string) error {
	if b == nil || b.outside {
		return nil
	}
	b.once.Do(func() {
		b.abs = absolute(b.dir)
		b.real = b.abs
		if to, err := filepath.EvalSymlinks(b.abs); err == nil {
			b.real = to
		}
	})
	abs := absolute(path)
	up := filepath.Dir(abs)
	b.mu.Lock()
	known := b.in[up]
	b.mu.Unlock()
	if known {
		if info, err := os.Lstat(abs); err != nil || info.Mode()&os.ModeSymlink == 0 {
			return nil
		}
	}
	below := within(b.abs, abs) || within(b.real, abs)
	if below && b.links {
		return nil
	}
	to, err := filepath.EvalSymlinks(abs)
	switch {
	case err != nil && below: // it isn't there, which comes up when it is opened
		return nil
	case err == nil && within(b.real, to):
		if dir, err := filepath.EvalSymlinks(up); err == nil && within(b.real, dir) {
			b.mu.Lock()
			b.in[up] = true
			b.mu.Unlock()
		}
		return nil
	case below:
		return &LinkError{Link: path, To: to, Root: b.dir}
	}
	return &OutsideError{path, b.dir}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
