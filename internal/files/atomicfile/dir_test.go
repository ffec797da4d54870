// This file tests that a directory is there whole or not at all.

package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fill writes a file into the directory being made.
func fill(t *testing.T, d *Dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.Temp(), name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestDir(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "out")
	may := func(string) error { return nil }

	d, err := CreateDir(context.Background(), path+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, d, "a", "1")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v", err)
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	d.Abort()
	only(t, parent, "out")
	only(t, path, "a")
	if err := d.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a second Commit: %v", err)
	}

	// What is there stays, unless it may be replaced.
	if _, err := CreateDir(context.Background(), path, nil); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("over a directory: %v", err)
	}
	refused := errors.New("it is dear to me")
	if _, err := CreateDir(context.Background(), path, func(string) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("over one that mustn't be replaced: %v", err)
	}
	d, err = CreateDir(context.Background(), path, may)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, d, "b", "2")
	d.Abort()
	only(t, parent, "out")
	only(t, path, "a")
	d, err = CreateDir(context.Background(), path, may)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, d, "b", "2")
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	only(t, parent, "out")
	only(t, path, "b")

	// Through a symbolic link, which stays one.
	link := filepath.Join(parent, "link")
	if err := os.Symlink("out", link); err == nil {
		d, err := CreateDir(context.Background(), link, may)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, d, "c", "3")
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		only(t, parent, "link", "out")
		only(t, path, "c")
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link is now %v, %v", info, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("nowhere", link); err != nil {
			t.Fatal(err)
		}
		if _, err := CreateDir(context.Background(), link, may); err == nil || !strings.Contains(err.Error(), "remove the link") {
			t.Errorf("a link that leads nowhere: %v", err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}

	// Something appears in the meantime.
	other := filepath.Join(parent, "other")
	d, err = CreateDir(context.Background(), other, nil)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, d, "a", "1")
	if err := os.Mkdir(other, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "theirs"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); err == nil || !strings.Contains(err.Error(), other) {
		t.Errorf("over what appeared: %v", err)
	}
	only(t, parent, "other", "out")
	only(t, other, "theirs")
}

func TestDirErrors(t *testing.T) {
	parent := t.TempDir()
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	may := func(string) error { return nil }
	for path, want := range map[string]error{
		"":                               syscall.ENOENT,
		".":                              syscall.EBUSY,
		"/":                              syscall.EBUSY,
		file:                             fs.ErrExist,
		filepath.Join(file, "x"):         syscall.ENOTDIR,
		filepath.Join(parent, "no", "x"): fs.ErrNotExist,
		filepath.Join(parent, strings.Repeat("x", 300)): syscall.ENAMETOOLONG,
	} {
		var e *Error
		if _, err := CreateDir(context.Background(), path, may); !errors.Is(err, want) || !errors.As(err, &e) || e.Path != path || e.Remedy == "" {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
	only(t, parent, "file")
	d, err := CreateDir(context.Background(), filepath.Join(parent, "d"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Abort()
	inner := Explain(filepath.Join(d.Temp(), "a"), syscall.ENOSPC)
	if got := d.Explain(inner).Error(); strings.Contains(got, ".tmp") || !strings.Contains(got, "free space") || !strings.Contains(got, "untouched") {
		t.Errorf("a full disk is explained as %s", got)
	}
}
