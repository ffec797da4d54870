// This file tests that what a killed process left is removed, and nothing that is being written.

package atomicfile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
)

func canLock(t *testing.T) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := tryLock(f); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("needs a file system with file locks:", err)
	} else if err != nil {
		t.Fatal(err)
	}
}

func begin(t *testing.T, path, text string) *File {
	t.Helper()
	f, err := Create(context.Background(), path)
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestLeftBehind: a process that is killed while it writes leaves a file, which the next write of the same target
// removes; those that others are writing, in this process and another one, stay.
func TestLeftBehind(t *testing.T) {
	const command = "FORAY_TEST_ATOMICFILE"
	if path := os.Getenv(command); path != "" {
		f, err := Create(context.Background(), path)
		if err != nil {
			os.Exit(1)
		}
		if _, err := f.Write([]byte("half")); err != nil {
			os.Exit(1)
		}
		os.Stdout.Write([]byte{'.'})
		select {} // until it is killed
	}
	canLock(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	start := func() (kill func()) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLeftBehind$")
		cmd.Env = append(os.Environ(), command+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		return func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	kill := start()
	here := begin(t, path, "here")
	only(t, dir, ".a.0.tmp", ".a.1.tmp")
	begin(t, path, "while both write").Abort()
	only(t, dir, ".a.0.tmp", ".a.1.tmp")
	kill()
	only(t, dir, ".a.0.tmp", ".a.1.tmp")
	begin(t, filepath.Join(dir, "b"), "").Abort() // another target's
	only(t, dir, ".a.0.tmp", ".a.1.tmp")
	next := begin(t, path, "next")
	only(t, dir, ".a.0.tmp", ".a.1.tmp")
	if err := next.Commit(); err != nil {
		t.Fatal(err)
	}
	contents(t, path, "next")
	only(t, dir, ".a.1.tmp", "a")
	if err := here.Commit(); err != nil {
		t.Fatal(err)
	}
	contents(t, path, "here")
	only(t, dir, "a")
}

// TestManyLeftBehind: after several writers were killed at the same time, the next write removes all their files,
// and no file of a running writer.
func TestManyLeftBehind(t *testing.T) {
	canLock(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	first, dead, last := begin(t, path, "first"), []*File{}, (*File)(nil)
	for i := range tempNames - 1 {
		f := begin(t, path, "half")
		if i == 4 {
			last = f
		} else {
			dead = append(dead, f)
		}
	}
	only(t, dir, slots(tempNames)...)
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, f := range dead { // what the system does when a process ends
		_ = f.f.Close()
		f.unlock()
	}
	next := begin(t, path, "next")
	only(t, dir, ".a.0.tmp", ".a.5.tmp", "a")
	if err := last.Commit(); err != nil {
		t.Fatal(err)
	}
	contents(t, path, "half")
	if err := next.Commit(); err != nil {
		t.Fatal(err)
	}
	contents(t, path, "next")
	only(t, dir, "a")
}

// slots returns the first n names of temporary files, sorted.
func slots(n int) (names []string) {
	for i := range n {
		names = append(names, ".a."+strconv.Itoa(i)+".tmp")
	}
	slices.Sort(names)
	return names
}

// TestClaimed: other things of such a name stay.
func TestClaimed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.Mkdir(filepath.Join(dir, ".a.0.tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	names := []string{".a.0.tmp", "a", "other"}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("other", filepath.Join(dir, ".a.1.tmp")); err != nil {
			t.Fatal(err)
		}
		names = []string{".a.0.tmp", ".a.1.tmp", "a", "other"}
	}
	if err := begin(t, path, "a").Commit(); err != nil {
		t.Fatal(err)
	}
	contents(t, path, "a")
	contents(t, filepath.Join(dir, "other"), "other")
	only(t, dir, names...)
}

// TestManyWriters: of many at the same time, more than there are names, all end well.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	var wg sync.WaitGroup
	for range 2*tempNames + 5 {
		wg.Go(func() {
			for i := range 20 {
				f, err := Create(context.Background(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := f.Write([]byte("whole")); err != nil {
					t.Error(err)
				}
				if i%3 == 0 {
					f.Abort()
				} else if err := f.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	contents(t, path, "whole")
	only(t, dir, "a")
}
