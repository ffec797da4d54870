// This file keeps built libraries, for programs outside of the project.

package emulator

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ErrNoCompiler: the emulator can't be built here, because the compiler is missing or the system
// isn't supported.
var ErrNoCompiler = errors.New("emulator: it needs g++, on Linux on amd64 or arm64")

const modulePath = "github.com/foray-graph/foray"

// Root returns the folder with the project's sources, which are those that this program was
// built from, or those of the module that the go command finds.
func Root() (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok {
		root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
		if _, err := os.Stat(filepath.Join(root, "internal", "testing", "emulator", "src")); err == nil {
			return root, nil
		}
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	if root := strings.TrimSpace(string(out)); err == nil && root != "" {
		return root, nil
	}
	return "", fmt.Errorf("emulator: the sources of %s aren't there; run go mod download, without -trimpath and -mod=vendor", modulePath)
}

// unwanted are kernels that only the project's own tests and examples run.
func unwanted(source string) bool {
	s := filepath.ToSlash(source)
	return strings.HasPrefix(s, "examples/") || strings.HasPrefix(s, "internal/testing/functors/") || strings.Contains(s, "/testdata/")
}

// Cached returns the path of the library for the kernels of a root. The library is in a folder
// that is kept between programs, and is built if it isn't there: once, if several programs
// need it at the same time. Other sources or another compiler make another library.
// Libraries that weren't requested for a week are removed.
func Cached(root, folder string) (string, error) {
	library, wanted, err := cached(root, folder)
	if err != nil || there(library) {
		return library, err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	unlock, err := Lock(filepath.Join(folder, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if there(library) {
		return library, nil
	}
	removeOld(folder)
	work, err := os.MkdirTemp(folder, "building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := Build(root, work, wanted); err != nil {
		return "", err
	}
	// Remains of a killed build don't prevent this one.
	if err := os.Rename(work, filepath.Dir(library)); err != nil {
		return "", err
	}
	return library, nil
}

// Built reports whether Cached would return a library without building it.
func Built(root, folder string) bool {
	library, _, err := cached(root, folder)
	return err == nil && there(library)
}

// cached returns the path of the library, and the kernels that it is built from.
func cached(root, folder string) (library string, wanted []Kernels, err error) {
	compiler, err := exec.Command("g++", "--version").Output()
	if err != nil || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return "", nil, ErrNoCompiler
	}
	all, err := Find(root)
	if err != nil {
		return "", nil, err
	}
	wanted = all[:0]
	for _, k := range all {
		if !unwanted(k.Source) {
			wanted = append(wanted, k)
		}
	}
	key, err := hashOf(root, compiler, wanted)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(folder, key, "libcuda.so.1"), wanted, nil
}

// there reports whether a library is there, and records that it is needed.
func there(library string) bool {
	now := time.Now()
	return os.Chtimes(library, now, now) == nil
}

func removeOld(folder string) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range list {
		if e.Name() == objectsName {
			continue
		}
		at := filepath.Join(folder, e.Name())
		info, err := os.Stat(filepath.Join(at, "libcuda.so.1"))
		if err != nil {
			info, err = os.Stat(at)
		}
		if err == nil && e.IsDir() && time.Since(info.ModTime()) > keptFor {
			os.RemoveAll(at)
		}
	}
}

// hashOf hashes everything that a library is built from.
func hashOf(root string, compiler []byte, kernels []Kernels) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", runtime.GOARCH, compiler)
	add := func(name string, open func() (io.ReadCloser, error)) error {
		f, err := open()
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(h, "file %s\n", name)
		_, err = io.Copy(h, f)
		return err
	}
	err := fs.WalkDir(sources, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return add(path, func() (io.ReadCloser, error) { return sources.Open(path) })
	})
	if err != nil {
		return "", err
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "build"):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".cu" && filepath.Ext(path) != ".cuh":
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return add(name, func() (io.ReadCloser, error) { return os.Open(path) })
	})
	for _, k := range kernels {
		fmt.Fprintf(h, "%s %s %x %x\n", k.Source, k.Module, Hash(k.Image), Hash(k.Packed))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), err
}
