package emulator

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFolder: without a folder for caches there is one for temporary files, unless others can write to it.
func TestFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the emulator is for Linux")
	}
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", home)
	if got, err := Folder(); err != nil || got != filepath.Join(home, ".cache", "foray", "emulated-gpu") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("HOME", "")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	folder, err := Folder()
	if err != nil || filepath.Dir(folder) != temporary {
		t.Fatalf("%q, %v", folder, err)
	}
	if again, err := Folder(); again != folder || err != nil {
		t.Errorf("%q, %v", again, err)
	}
	if k := keep(); k != nil && filepath.Dir(k.folder) != folder {
		t.Errorf("objects are in %q", k.folder)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("a folder that all can write to: %v", err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, folder); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(); err == nil {
		t.Error("a link is taken for the folder")
	}
}
