// This file tests Hold.

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestHold(t *testing.T) {
	canLock(t)
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	hold := func(path string) func() {
		t.Helper()
		release, err := Hold(path)
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	hold(path)() // nothing is there
	if err := begin(t, path, "one").Commit(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	release := hold(link)
	if _, err := Hold(path); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	f := begin(t, link, "two") // the holder may write it
	if _, err := Hold(path); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	next := hold(path) // the new file
	release()
	if _, err := Hold(link); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	next()
	hold(link)()
	hold(dir)() // no regular file
	only(t, dir, "a", "link")
}
