package emulator

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestKept: an object is compiled again where anything that it is made of differs, but not for another
// folder of work.
func TestKept(t *testing.T) {
	k := &kept{t.TempDir(), []byte("g++ 12")}
	compiled := 0
	object := func(k *kept, text, flag string) string {
		work := t.TempDir()
		to := filepath.Join(work, "a.o")
		err := k.or(to, work, []byte("# 1 \""+work+"/a.h\"\n"+text), []string{flag, "-I" + work}, func() error {
			compiled++
			return os.WriteFile(to, []byte(text+flag), 0o666)
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	other := &kept{k.folder, []byte("g++ 13")}
	for i, c := range []struct {
		k          *kept
		text, flag string
		compiled   int
	}{{k, "x", "-O1", 1}, {k, "x", "-O1", 1}, {k, "y", "-O1", 2}, {k, "x", "-O2", 3}, {other, "x", "-O1", 4}, {k, "x", "-O1", 4}, {nil, "x", "-O1", 5}} {
		if got := object(c.k, c.text, c.flag); got != c.text+c.flag || compiled != c.compiled {
			t.Errorf("object %d is %q, and %d were compiled, want %d", i, got, compiled, c.compiled)
		}
	}
	failed := errors.New("failed")
	for range 2 { // what fails isn't kept
		if err := k.or(filepath.Join(k.folder, "b.o"), k.folder, []byte("z"), nil, func() error { return failed }); err != failed {
			t.Error(err)
		}
	}
}
