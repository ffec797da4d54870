// This file holds the rule on committed files: no large ones, since every clone has them for ever.

package rules

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// trackedBytes is more than the largest file has, an archive of compiled kernels (internal/functor/link).
const trackedBytes = 1_400_000

func TestTracked(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	git := exec.Command("git", "ls-files", "-z")
	git.Dir = root
	out, err := git.Output()
	if err != nil {
		testlong.Missing(t, "git", "needs git, and a clone of the repository:", err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(names) < 2 {
		t.Fatalf("git names %d files", len(names))
	}
	for _, name := range names {
		switch info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); {
		case errors.Is(err, fs.ErrNotExist): // removed, and not committed yet
		case err != nil:
			t.Error(err)
		case info.Size() > trackedBytes:
			t.Errorf("%s has %d bytes, %d at most: is it a binary that was built there? What is committed weighs on every clone for ever", name, info.Size(), trackedBytes)
		}
	}
}
