// This file tests that a file is there whole or not at all, whatever fails.

package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// badDisk passes to a real file what fits, then fails like a full disk, or
// fails in one of the other calls.
type badDisk struct {
	handle
	room               int
	sync, close, write error
}

func (d *badDisk) Write(p []byte) (int, error) {
	if d.write == nil || len(p) <= d.room {
		d.room -= len(p)
		return d.handle.Write(p)
	}
	n, err := d.handle.Write(p[:d.room])
	d.room -= n
	return n, errors.Join(err, d.write)
}

func (d *badDisk) Sync() error {
	if d.sync != nil {
		return d.sync
	}
	return d.handle.Sync()
}

func (d *badDisk) Close() error { return errors.Join(d.handle.Close(), d.close) }

// only fails the test unless the directory holds exactly the named files.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the directory holds %q, want %q", got, want)
	}
}

func contents(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
}

func TestCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	for _, text := range []string{"first", "second, over the first"} {
		f, err := Create(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		if f.Path() != path {
			t.Errorf("Path() = %q", f.Path())
		}
		if globbed, _ := filepath.Glob(filepath.Join(dir, "*.csv")); len(globbed) > 1 {
			t.Errorf("a glob finds the temporary file: %q", globbed)
		}
		for _, b := range []byte(text) {
			if n, err := f.Write([]byte{b}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		contents(t, path, text)
		only(t, dir, "a.csv")
		f.Abort()
		contents(t, path, text)
		if _, err := f.Write([]byte("late")); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Write after Commit: %v", err)
		}
		if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Commit after Commit: %v", err)
		}
	}
}

func TestCommitAfterAbort(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(context.Background(), filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Abort: %v", err)
	}
	only(t, dir)
}

func TestFailures(t *testing.T) {
	io := errors.New("input/output error")
	for name, c := range map[string]struct {
		disk badDisk
		want error
	}{
		"full at once":   {badDisk{write: syscall.ENOSPC}, syscall.ENOSPC},
		"full later":     {badDisk{room: 5, write: syscall.ENOSPC}, syscall.ENOSPC},
		"quota":          {badDisk{room: 5, write: syscall.EDQUOT}, syscall.EDQUOT},
		"full at sync":   {badDisk{sync: syscall.ENOSPC}, syscall.ENOSPC},
		"error at close": {badDisk{close: io}, io},
	} {
		for _, existing := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "a")
				if existing {
					if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				f, err := Create(context.Background(), path)
				if err != nil {
					t.Fatal(err)
				}
				disk := c.disk
				disk.handle = f.f
				f.f = &disk
				var werr error
				for range 4 {
					if _, err := f.Write([]byte("1234")); err != nil {
						werr = err
					}
				}
				err = f.Commit()
				if werr != nil && err != werr {
					t.Errorf("Commit returned %v after the write error %v", err, werr)
				}
				var e *Error
				if !errors.Is(err, c.want) || !errors.As(err, &e) {
					t.Fatalf("got %v (%T), want %v", err, err, c.want)
				}
				if msg := err.Error(); e.Path != path || !strings.Contains(msg, path) || strings.Contains(msg, ".tmp") ||
					!strings.Contains(msg, e.Remedy) || !strings.Contains(e.Remedy, "nothing half-written is left") {
					t.Errorf("the message doesn't help: %s", msg)
				}
				if existing {
					only(t, dir, "a")
					contents(t, path, "before")
				} else {
					only(t, dir)
				}
			})
		}
	}
}

func TestRenameFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f, err := Create(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	// A directory of that name appears while the file is being written.
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := f.Commit(); !errors.As(err, &e) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("got %v", err)
	}
	only(t, dir, "a")
}

func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink("nowhere", dangling); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	for _, c := range []struct {
		path, remedy string
		want         error
	}{
		{filepath.Join(dir, "missing", "a"), "make the directory " + filepath.Join(dir, "missing"), fs.ErrNotExist},
		{dir, "name a file in that directory, such as " + filepath.Join(dir, "out.parquet"), syscall.EISDIR},
		{dir + "/new/", "name a file in that directory", syscall.EISDIR},
		{"", "name a file", syscall.EISDIR},
		{filepath.Join(file, "a"), "not a directory", syscall.ENOTDIR},
		{filepath.Join(dir, strings.Repeat("n", 300)), "shorter", syscall.ENAMETOOLONG},
		{dangling, "remove the link", fs.ErrNotExist},
	} {
		f, err := Create(context.Background(), c.path)
		var e *Error
		if f != nil || !errors.Is(err, c.want) || !errors.As(err, &e) || !strings.Contains(e.Remedy, c.remedy) {
			t.Errorf("Create(%q): %v, want %v and %q", c.path, err, c.want, c.remedy)
		}
	}
	only(t, dir, "dangling", "file")
	// What /proc says to a new file: the directory is there.
	if got, want := remedy(filepath.Join(dir, "a"), fs.ErrNotExist), "the directory "+dir+" takes no new files: write elsewhere"; got != want {
		t.Errorf("remedy %q, want %q", got, want)
	}
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs a user other than root, who may write everywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("before"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(context.Background(), path); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a read-only file: %v", err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	_, err := Create(context.Background(), filepath.Join(dir, "b"))
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "change the permissions of "+dir) {
		t.Errorf("a read-only directory: %v", err)
	}
	only(t, dir, "a")
}

func TestKeepsPermissionsAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs Unix permissions, which Windows lacks")
	}
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	target, link := filepath.Join(sub, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	f, err := Create(context.Background(), link)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("after")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	contents(t, target, "after")
	only(t, sub, "a")
	only(t, dir, "link", "sub")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions are now %v, %v", info.Mode(), err)
	}
}

func TestLongName(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("n", 255)
	f, err := Create(context.Background(), filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	only(t, dir, name)
}

func TestDevices(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full, as Linux has")
	}
	f, err := Create(context.Background(), "/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(bytes.Repeat([]byte("x"), 100))
	if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "nothing half-written") {
		t.Errorf("writing to /dev/full: %v", err)
	}
	if err := f.Commit(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("committing /dev/full: %v", err)
	}

	f, err = Create(context.Background(), "/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	for _, dev := range []string{"/dev/null", "/dev/full"} {
		if info, err := os.Stat(dev); err != nil || info.Mode()&fs.ModeDevice == 0 {
			t.Errorf("%s is no device any more: %v, %v", dev, info.Mode(), err)
		}
	}
}

func TestExplain(t *testing.T) {
	if Explain("a", nil) != nil {
		t.Error("no error became one")
	}
	for err, want := range map[error]string{
		context.Canceled:         "run it again",
		context.DeadlineExceeded: "more time",
		syscall.ENOSPC:           "free space",
		syscall.EDQUOT:           "quota",
		syscall.EFBIG:            "ulimit",
		syscall.EPIPE:            "has ended",
		syscall.EROFS:            "read-only",
		syscall.EIO:              "check the file system of /d",
	} {
		e := Explain("/d/a", err)
		if !errors.Is(e, err) || !strings.Contains(e.Error(), want) || !strings.Contains(e.Error(), "/d/a") {
			t.Errorf("%v became %v, which lacks %q", err, e, want)
		}
		if e := Explain(Stdout, err); !strings.Contains(e.Error(), "standard output") || strings.Contains(e.Error(), "file system of") {
			t.Errorf("on standard output: %v", e)
		}
		if again := Explain("b", e); again != e {
			t.Errorf("explained twice: %v", again)
		}
	}
}
