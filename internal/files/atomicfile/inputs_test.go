package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestInputs: what was read isn't written over, by whichever name, nor is anything written into a table.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, d := range []string{"in", "table/_delta_log", "parts/k=1", "elsewhere"} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"in/a", "in/b", "parts/k=1/x", "elsewhere/far", "late", "base"} {
		if err := os.WriteFile(f, []byte("before"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"link": "in/a", "into": "table", "soft-parts": "parts"} {
		if err := os.Symlink(to, from); err != nil {
			testlong.Without(t, "needs symbolic links", err)
		}
	}
	if err := os.Link("in/a", "hard"); err != nil {
		testlong.Without(t, "needs hard links", err)
	}
	ctx := WithInputs(context.Background())
	note := func(name string) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		NoteFile(ctx, name, info)
	}
	note("in/a")
	note("base")
	note("parts/k=1/x")
	NoteTable(ctx, "table")
	NoteName(ctx, "elsewhere/far")
	NoteObject(ctx, "s3://b/in/a")
	NoteTable(ctx, "s3://b/table")
	for _, path := range []string{"in/a", "./in/../in/a", filepath.Join(dir, "in/a"), "hard", "link", "elsewhere/far", "table/new", "table/_delta_log/0.json", "into/new", "base",
		"s3://b/in/a", "s3://b/table/x", "s3://b/in/"} {
		if err := CheckInputs(ctx, path); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "write it elsewhere") {
			t.Errorf("%s: %v", path, err)
		}
		if strings.HasPrefix(path, "s3://") {
			continue
		}
		if f, err := Create(ctx, path); !errors.Is(err, ErrInput) {
			f.Abort()
			t.Errorf("%s is created: %v", path, err)
		}
	}
	for _, path := range []string{"parts", "soft-parts", "table/parts", "into/parts", "table"} {
		if d, err := CreateDir(ctx, path, func(string) error { return nil }); !errors.Is(err, ErrInput) {
			d.Abort()
			t.Errorf("%s is created: %v", path, err)
		}
	}
	MayReplace(ctx, "base")
	for _, path := range []string{"in/b", "in/new", "tables", "base", "/dev/null", "s3://b/in/b", "s3://b/tables", "s3://b2/in/a"} {
		if err := CheckInputs(ctx, path); err != nil {
			t.Error(err)
		}
	}
	if err := CheckInputs(context.Background(), "in/a"); err != nil {
		t.Error(err)
	}
	// An input that is opened after the output was is one too.
	f, err := Create(ctx, "late")
	if err != nil {
		t.Fatal(err)
	}
	note("late")
	if _, err := f.Write([]byte("after")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); !errors.Is(err, ErrInput) {
		t.Errorf("committed: %v", err)
	}
	for _, f := range []string{"in/a", "in/b", "parts/k=1/x", "elsewhere/far", "late", "base"} {
		contents(t, f, "before")
	}
	only(t, ".", "base", "elsewhere", "hard", "in", "into", "late", "link", "parts", "soft-parts", "table")
}

// TestLeftDirectories: the next write removes what a killed process left, and what another process uses stays.
func TestLeftDirectories(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	create := func() *Dir {
		t.Helper()
		d, err := CreateDir(context.Background(), path, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.Temp(), "half"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return d
	}
	used, killed, last := create(), create(), create()
	if used.lock == nil {
		t.Skip("needs locks of directories, as Linux and macOS have")
	}
	killed.unlock() // as the system does
	last.unlock()
	next := create()
	only(t, dir, filepath.Base(used.Temp()), filepath.Base(next.Temp()))
	if err := next.Commit(); err != nil {
		t.Fatal(err)
	}
	only(t, dir, filepath.Base(used.Temp()), "out")
	used.Abort()
	only(t, dir, "out")
	// Killed between the two renames that stand for a swap, or after them.
	aside := filepath.Join(dir, ".out.3.tmp.old")
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	create().Abort()
	only(t, dir, "out")
	if err := os.Mkdir(aside, 0o777); err != nil {
		t.Fatal(err)
	}
	create().Abort()
	only(t, dir, "out")
	contents(t, filepath.Join(path, "half"), "")
	// A link isn't followed, and a file that has the name stays.
	if err := os.Symlink(path, filepath.Join(dir, ".out.0.tmp")); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	create().Abort()
	only(t, dir, ".out.0.tmp", "out")
	contents(t, filepath.Join(path, "half"), "")
}

// TestScratch: the directory of a run that was killed goes with the next one, and a hidden file has no room then.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "foray-x-mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	killed, err := NewScratch(dir, "foray-x-")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(killed.Path, "copy")
	if err := os.WriteFile(copied, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, keep, err := killed.Hide(copied, "stdin.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer keep.Close()
	contents(t, path, "text")
	if _, ok := openName(keep); ok {
		if info, err := os.Lstat(path); err != nil || info.Mode().IsRegular() {
			t.Errorf("%v, %v", info, err)
		}
		only(t, killed.Path, "stdin.txt")
	}
	used, err := NewScratch(dir, "foray-x-")
	if err != nil {
		t.Fatal(err)
	}
	if killed.lock == nil {
		t.Skip("needs locks of directories, as Linux and macOS have")
	}
	if err := killed.lock.Close(); err != nil { // as the system does
		t.Fatal(err)
	}
	next, err := NewScratch(dir, "foray-x-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed.Path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, s := range []*Scratch{used, next} {
		if _, err := os.Stat(s.Path); err != nil {
			t.Error(err)
		}
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	}
	only(t, dir, "foray-x-mine")
}
