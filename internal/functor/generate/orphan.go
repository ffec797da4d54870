// This file finds the generated file of a package whose last functor was removed. It doesn't
// compile any more.

package generate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/generate/gohost"
	"github.com/foray-graph/foray/internal/functor/generate/source"
)

// orphan reports whether a folder, for which nothing is generated because of err, has a file
// that was generated before. A functor in a file that isn't built here, and a file that somebody
// wrote by hand, keep it.
func orphan(dir string, err error) bool {
	empty := errors.Is(err, source.ErrPackage)
	if !empty && !errors.Is(err, ErrNone) {
		return false
	}
	old, err := os.ReadFile(filepath.Join(dir, source.FileName))
	if err != nil || !bytes.HasPrefix(old, []byte(gohost.Header)) {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || e.Name() == source.FileName {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if empty || err != nil || slices.ContainsFunc(bytes.Split(text, []byte("\n")), marks) {
			return false
		}
	}
	return true
}

// marks reports a line that marks a functor.
func marks(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(line), []byte("//foray:functor"))
}
