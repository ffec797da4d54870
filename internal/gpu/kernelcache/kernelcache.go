// Package kernelcache keeps machine code of kernels in files, so that a process loads what an earlier process
// compiled. Several processes may use a folder at once. Since the files are executed, the package reads only
// files that belong to this user or the superuser and that no other user can write, in such a folder.
package kernelcache

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Variable is the environment variable that names another folder, or turns the cache off by the word off.
const Variable = "FORAY_KERNEL_CACHE"

// mostBytes bounds a folder. Machine code of a kernel has 9 to 265 KB: 64 MB hold the kernels of some 200 programs
// with 10 kernels each. keptBytes is what Put leaves once the folder has more.
const (
	mostBytes = 64 << 20
	keptBytes = mostBytes / 4 * 3
)

// mostFile bounds a file that is read. The largest machine code of a kernel has 0.3 MB.
const mostFile = 16 << 20

// A read updates a file's time if that is older than touchAfter: reading stays free of writes in a program that
// starts often. Files that a process left half-written are removed after staleAfter.
const (
	touchAfter = time.Minute
	staleAfter = time.Hour
)

// magic begins a file; the key, the checksum and the code follow.
const magic = "FORAYKC1"

const (
	suffix  = ".cubin"
	partial = ".part"
)

// ErrUntrusted: a folder or file that others own or can write.
var ErrUntrusted = errors.New("another user owns it or can write to it")

// Key identifies machine code by everything that it was made from.
type Key [sha256.Size]byte

// KeyOf returns the key of the parts that machine code is made from. Different lists of parts have different keys.
func KeyOf(parts ...[]byte) Key {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return Key(h.Sum(nil))
}

// KeyOfFile returns the key of a file of a folder by its name, or the zero key.
func KeyOfFile(name string) (k Key) {
	b, err := hex.DecodeString(strings.TrimSuffix(name, suffix))
	if err == nil && len(b) == len(k) {
		k = Key(b)
	}
	return k
}

func (k Key) file() string { return hex.EncodeToString(k[:]) + suffix }

// Folder is a folder of machine code. The zero Folder is off: it has no code and takes none.
type Folder struct {
	path string
	most int64 // bytes
	kept int64
}

// Default returns the folder that Variable names, or else foray/kernels in the user's folder for caches. It is off
// if Variable is off or no absolute path, and if the user has no such folder.
func Default() Folder {
	path := os.Getenv(Variable)
	if strings.EqualFold(path, "off") || path != "" && !filepath.IsAbs(path) { // else each folder would get one
		return Folder{}
	}
	if path == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return Folder{}
		}
		path = filepath.Join(caches, "foray", "kernels")
	}
	return At(path)
}

// At returns the folder of a path. Put makes it if it is missing.
func At(path string) Folder { return Folder{path: path, most: mostBytes, kept: keptBytes} }

// Path returns the path of the folder, or "" if it is off.
func (f Folder) Path() string { return f.path }

// Usage returns how many kernels the folder has, and their bytes. The error says why the folder isn't used; a folder that
// is missing is empty.
func (f Folder) Usage() (kernels int, bytes int64, err error) {
	root, err := f.open()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return 0, 0, err
	}
	defer dir.Close()
	files, _, err := list(dir)
	for _, info := range files {
		bytes += info.Size()
	}
	return len(files), bytes, err
}

// Get returns the machine code of a key, or nil. It removes a file that is damaged or untrusted.
func (f Folder) Get(k Key) []byte {
	if f.path == "" {
		return nil
	}
	root, err := f.open()
	if err != nil {
		return nil
	}
	defer root.Close()
	code, err := read(root, k)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		root.Remove(k.file())
	}
	return code
}

// Remove removes the machine code of a key, if it is there.
func (f Folder) Remove(k Key) {
	if root, err := f.open(); err == nil {
		root.Remove(k.file())
		root.Close()
	}
}

// Writable reports whether Put can succeed. It makes the folder.
func (f Folder) Writable() bool {
	if f.path == "" || os.MkdirAll(f.path, 0o700) != nil {
		return false
	}
	root, err := f.open()
	if err != nil {
		return false
	}
	defer root.Close()
	return writable(f.path)
}

// Put keeps the machine code of a key. The file is complete or absent. If the folder outgrows its bound, Put removes
// the files that were not used for the longest time.
func (f Folder) Put(k Key, code []byte) (err error) {
	if f.path == "" {
		return fs.ErrNotExist
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return err
	}
	root, err := f.open()
	if err != nil {
		return err
	}
	defer root.Close()
	name := rand.Text() + partial
	w, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(content(k, code))
	if err = errors.Join(err, w.Close()); err == nil {
		err = root.Rename(name, k.file())
	}
	if err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return f.shrink(root)
}

// open opens the folder, if it can be trusted.
func (f Folder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil && !trusted(info) {
		err = fmt.Errorf("%s: %w", f.path, ErrUntrusted)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// content is what a file has.
func content(k Key, code []byte) []byte {
	sum := sha256.Sum256(code)
	return slices.Concat([]byte(magic), k[:], sum[:], code)
}

// read returns the machine code in the file of a key. Errors other than fs.ErrNotExist mean that the file is of no
// use.
func read(root *os.Root, k Key) ([]byte, error) {
	info, err := root.Lstat(k.file())
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrUntrusted
	}
	r, err := root.Open(k.file())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if info, err = r.Stat(); err != nil { // of the open file
		return nil, err
	}
	if !info.Mode().IsRegular() || !trusted(info) {
		return nil, ErrUntrusted
	}
	if info.Size() > mostFile {
		return nil, errDamaged
	}
	b, err := io.ReadAll(io.LimitReader(r, mostFile))
	if err != nil {
		return nil, err
	}
	code, err := codeOf(k, b)
	if err != nil {
		return nil, err
	}
	if now := time.Now(); now.Sub(info.ModTime()) > touchAfter {
		_ = root.Chtimes(k.file(), now, now) // a folder that can't be written loses nothing
	}
	return code, nil
}

var errDamaged = errors.New("damaged")

// codeOf returns the machine code in a file's content.
func codeOf(k Key, b []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(rest) <= 2*sha256.Size || !bytes.Equal(rest[:sha256.Size], k[:]) {
		return nil, errDamaged
	}
	code := rest[2*sha256.Size:]
	if sum := sha256.Sum256(code); !bytes.Equal(sum[:], rest[sha256.Size:2*sha256.Size]) {
		return nil, errDamaged
	}
	return code, nil
}

// shrink removes files until the folder keeps its bound, the oldest first, and files that were left half-written.
func (f Folder) shrink(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	files, parts, err := list(dir)
	if err != nil {
		return err
	}
	for _, info := range parts {
		if time.Since(info.ModTime()) > staleAfter {
			root.Remove(info.Name())
		}
	}
	total := int64(0)
	for _, info := range files {
		total += info.Size()
	}
	if total <= f.most {
		return nil
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		if total <= f.kept {
			break
		}
		root.Remove(info.Name())
		total -= info.Size()
	}
	return nil
}

// list returns the files of kernels in a folder, and those that are half-written.
func list(dir *os.File) (kernels, parts []fs.FileInfo, err error) {
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular(): // another process removed it
		case strings.HasSuffix(e.Name(), partial):
			parts = append(parts, info)
		case strings.HasSuffix(e.Name(), suffix):
			kernels = append(kernels, info)
		}
	}
	return kernels, parts, nil
}
