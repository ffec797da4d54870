package kernelcache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// codeFor returns the machine code that tests keep by a key: only this one is right.
func codeFor(k Key) []byte {
	r := rand.New(rand.NewPCG(uint64(k[0])<<8|uint64(k[1]), 1))
	b := make([]byte, 1+r.IntN(100_000))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func key(i int) Key { return KeyOf([]byte(strconv.Itoa(i))) }

func only(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: elsewhere the cache is off")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// names lists the files of a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestKept(t *testing.T) {
	only(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	f := At(dir)
	if f.Get(key(1)) != nil {
		t.Error("a missing folder has code")
	}
	if !f.Writable() {
		t.Error("a folder that can be made isn't writable")
	}
	for i := range 20 {
		must(t, f.Put(key(i), codeFor(key(i))))
	}
	for i := range 20 {
		if !bytes.Equal(f.Get(key(i)), codeFor(key(i))) {
			t.Errorf("key %d: other code", i)
		}
	}
	if f.Get(key(20)) != nil {
		t.Error("there is code for a key that nobody put")
	}
	f.Remove(key(3))
	if f.Get(key(3)) != nil || f.Get(key(4)) == nil {
		t.Error("Remove removed the wrong code, or none")
	}
	for _, path := range []string{filepath.Dir(dir), dir, filepath.Join(dir, names(t, dir)[0])} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
}

// Parts of a key can't be mistaken for others.
func TestKeys(t *testing.T) {
	seen := map[Key]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"", "ab"}, {"ab", ""}, {"a", "", "b"}, {"b", "a"},
		{"a\x00\x00\x00\x00\x00\x00\x00b"}, {"\x01\x00\x00\x00\x00\x00\x00\x00a"}} {
		var all [][]byte
		for _, p := range parts {
			all = append(all, []byte(p))
		}
		k := KeyOf(all...)
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %s have one key", parts, other)
		}
		seen[k] = fmt.Sprintf("%q", parts)
	}
}

// A damaged file gives no code, is removed, and makes room for a good one.
func TestDamaged(t *testing.T) {
	only(t)
	dir, k := t.TempDir(), key(1)
	f, path := At(dir), filepath.Join(dir, key(1).file())
	code := codeFor(k)[:200]
	good := content(k, code)
	wrong := func(what string, b []byte) {
		t.Helper()
		must(t, os.WriteFile(path, b, 0o600))
		if f.Get(k) != nil {
			t.Errorf("%s: there is code", what)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s: the file stays", what)
		}
		must(t, f.Put(k, code))
		if !bytes.Equal(f.Get(k), code) {
			t.Errorf("%s: a good file isn't taken afterwards", what)
		}
	}
	for n := range good {
		wrong(fmt.Sprintf("cut after %d bytes", n), good[:n])
	}
	for bit := range 8 * len(good) {
		if bit%7 != 0 && testing.Short() {
			continue
		}
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		wrong(fmt.Sprintf("bit %d is flipped", bit), bad)
	}
	wrong("one byte more", append(bytes.Clone(good), 0))
	wrong("the code of another key", content(key(2), code))
	wrong("machine code alone", code)
	must(t, os.Truncate(path, mostFile+1))
	if f.Get(k) != nil {
		t.Error("a huge file has code")
	}
}

// Files that others may have written aren't read.
func TestUntrusted(t *testing.T) {
	only(t)
	dir, k := t.TempDir(), key(1)
	must(t, os.Chmod(dir, 0o700))
	f, path := At(dir), filepath.Join(dir, key(1).file())
	code := codeFor(k)
	for _, mode := range []fs.FileMode{0o602, 0o620, 0o666, 0o622} {
		must(t, f.Put(k, code))
		must(t, os.Chmod(path, mode))
		if f.Get(k) != nil {
			t.Errorf("a file of mode %o has code", mode)
		}
		must(t, f.Put(k, code))
		must(t, os.Chmod(dir, 0o700|mode&0o077))
		if f.Get(k) != nil {
			t.Errorf("a file in a folder of mode %o has code", 0o700|mode&0o077)
		}
		if f.Writable() || f.Put(k, code) == nil {
			t.Errorf("a folder of mode %o is written to", 0o700|mode&0o077)
		}
		must(t, os.Chmod(dir, 0o700))
	}
	for _, mode := range []fs.FileMode{0o700, 0o755, 0o750} {
		must(t, os.Chmod(dir, mode))
		if f.Get(k) == nil {
			t.Errorf("a folder of mode %o isn't read", mode)
		}
	}
	// A symbolic link may lead to a file of another folder.
	elsewhere := filepath.Join(t.TempDir(), "code")
	must(t, os.Rename(path, elsewhere))
	must(t, os.Symlink(elsewhere, path))
	if f.Get(k) != nil {
		t.Error("a symbolic link is followed")
	}
	must(t, os.Mkdir(path, 0o700))
	if f.Get(k) != nil {
		t.Error("a folder has code")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs the superuser for the rest: files of other users")
	}
	must(t, f.Put(k, code))
	must(t, os.Chown(path, 12345, -1))
	if f.Get(k) != nil {
		t.Error("a file of another user has code")
	}
	must(t, f.Put(k, code))
	must(t, os.Chown(dir, 12345, -1))
	if f.Get(k) != nil || f.Writable() {
		t.Error("the folder of another user is used")
	}
}

// Where nothing can be written, what is there is read.
func TestUnwritable(t *testing.T) {
	only(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{filepath.Join(file, "below"), file, "/proc/foray"} {
		f := At(path)
		if f.Writable() || f.Put(key(1), []byte("code")) == nil || f.Get(key(1)) != nil {
			t.Errorf("%s is used", path)
		}
	}
}

// TestPermission: a folder that can only be read is read.
func TestPermission(t *testing.T) {
	only(t)
	if os.Geteuid() == 0 {
		t.Skip("needs a user other than root, who may write everywhere")
	}
	dir := t.TempDir()
	f := At(dir)
	must(t, f.Put(key(1), []byte("code")))
	must(t, os.Chmod(dir, 0o500))
	if f.Writable() || f.Put(key(2), []byte("code")) == nil || f.Get(key(1)) == nil {
		t.Error("a folder that can't be written isn't read, or is written")
	}
	must(t, os.Chmod(dir, 0o700))
}

// What doesn't fit on the disk leaves nothing behind.
func TestFullDisk(t *testing.T) {
	only(t)
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a small file system: %s", out)
	}
	defer exec.Command("umount", dir).Run()
	f := At(dir)
	must(t, f.Put(key(1), make([]byte, 1000)))
	if f.Put(key(2), make([]byte, 1<<20)) == nil {
		t.Fatal("a megabyte fits into 64 KB")
	}
	if f.Get(key(2)) != nil || f.Get(key(1)) == nil {
		t.Error("code that doesn't fit is there, or other code is lost")
	}
	if n := names(t, dir); len(n) != 1 {
		t.Errorf("left behind: %q", n)
	}
}

func TestOff(t *testing.T) {
	for _, path := range []string{"off", ""} {
		t.Setenv(Variable, path)
		t.Setenv("HOME", "")
		t.Setenv("XDG_CACHE_HOME", "")
		f := Default()
		if f.Writable() || f.Put(key(1), []byte("code")) == nil || f.Get(key(1)) != nil {
			t.Errorf("%q doesn't turn the cache off", path)
		}
		f.Remove(key(1))
	}
	only(t)
	home, moved := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	must(t, Default().Put(key(1), []byte("code")))
	if At(filepath.Join(home, "foray", "kernels")).Get(key(1)) == nil {
		t.Error("the cache isn't in the user's folder for caches")
	}
	t.Setenv(Variable, moved)
	must(t, Default().Put(key(2), []byte("code")))
	if At(moved).Get(key(2)) == nil {
		t.Error("the variable doesn't move the cache")
	}
}

// The folder keeps its bound: what wasn't used for the longest time goes.
func TestBound(t *testing.T) {
	only(t)
	dir := t.TempDir()
	f := Folder{dir, 10_000, 7_000}
	old := time.Now().Add(-24 * time.Hour)
	for i := range 9 {
		must(t, f.Put(key(i), make([]byte, 900)))
		at := old.Add(time.Duration(i) * time.Minute)
		must(t, os.Chtimes(filepath.Join(dir, key(i).file()), at, at))
	}
	left, fresh := filepath.Join(dir, "left"+partial), filepath.Join(dir, "fresh"+partial)
	other := filepath.Join(dir, "other")
	for _, name := range []string{left, fresh, other} {
		must(t, os.WriteFile(name, make([]byte, 5000), 0o600))
	}
	must(t, os.Chtimes(left, old, old))
	if f.Get(key(0)) == nil { // which is used now
		t.Fatal("no code")
	}
	must(t, f.Put(key(9), make([]byte, 900)))
	must(t, f.Put(key(10), make([]byte, 900)))
	var there []int
	for i := range 11 {
		if f.Get(key(i)) != nil {
			there = append(there, i)
		}
	}
	if want := []int{0, 5, 6, 7, 8, 9, 10}; !slices.Equal(there, want) {
		t.Errorf("%v stay, want %v", there, want)
	}
	for name, want := range map[string]bool{left: false, fresh: true, other: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
}

// TestConcurrent has goroutines and processes put, read, damage and remove the same files. They read the code that was put.
func TestConcurrent(t *testing.T) {
	only(t)
	if dir := os.Getenv("KERNELCACHE_TEST"); dir != "" {
		hammer(t, dir)
		return
	}
	dir := t.TempDir()
	self, err := os.Executable()
	must(t, err)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			c := exec.Command(self, "-test.run=^TestConcurrent$", "-test.v")
			c.Env = append(os.Environ(), "KERNELCACHE_TEST="+dir)
			if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	hammer(t, dir)
	wg.Wait()
	for _, name := range names(t, dir) {
		if strings.HasSuffix(name, partial) {
			t.Errorf("%s is left", name)
		}
	}
}

func hammer(t *testing.T, dir string) {
	f := Folder{dir, 600_000, 400_000} // half of the files
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(g)))
			for range 300 {
				k := key(r.IntN(20))
				switch r.IntN(10) {
				case 0:
					f.Remove(k)
				case 1: // another process is killed, and its file system loses the end
					os.Truncate(filepath.Join(dir, k.file()), int64(r.IntN(1000)))
				case 2, 3, 4:
					if err := f.Put(k, codeFor(k)); err != nil {
						t.Error(err)
					}
				default:
					if code := f.Get(k); code != nil && !bytes.Equal(code, codeFor(k)) {
						t.Error("other code came back")
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestUsage: what a folder has, and why it isn't used.
func TestUsage(t *testing.T) {
	only(t)
	dir := filepath.Join(t.TempDir(), "kernels")
	f := At(dir)
	usage := func(kernels int, bytes int64) {
		t.Helper()
		if k, b, err := f.Usage(); k != kernels || b != bytes || err != nil {
			t.Errorf("%d kernels, %d bytes, %v; want %d and %d", k, b, err, kernels, bytes)
		}
	}
	usage(0, 0)
	sum := int64(0)
	for i := range 3 {
		must(t, f.Put(key(i), codeFor(key(i))))
		sum += int64(len(content(key(i), codeFor(key(i)))))
		usage(i+1, sum)
	}
	must(t, os.WriteFile(filepath.Join(dir, "x"+partial), []byte("half"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "notes"), []byte("of the user"), 0o600))
	usage(3, sum)
	f.Remove(key(1))
	usage(2, sum-int64(len(content(key(1), codeFor(key(1))))))
	must(t, os.Chmod(dir, 0o777))
	if _, _, err := f.Usage(); !errors.Is(err, ErrUntrusted) {
		t.Errorf("a folder that all can write to: %v", err)
	}
}
