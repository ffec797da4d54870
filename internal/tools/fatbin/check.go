// This file checks that the committed images are what the compiler makes of their sources.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"

	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/tools/pack"
)

// parts is the number of checks that together compile every image once, whatever the record says: each check compiles
// one part of the images. Compiling a sixteenth keeps the check of unchanged images below half a minute of two cores.
const parts = 16

// check compares all images with freshly compiled ones. It doesn't compile an image whose inputs and hash match the
// record, unless it is the image's turn. With notes, it records the inputs of images that it compiled
// and found unchanged.
func check(w io.Writer, root, version string, turn int, notes bool) error {
	all, err := find(root)
	if err != nil {
		return err
	}
	known, err := record(root)
	if err != nil {
		return err
	}
	var (
		mu   sync.Mutex
		errs []error
		wg   sync.WaitGroup
		room = make(chan struct{}, runtime.NumCPU())
	)
	for i, im := range all {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			said, err := im.check(version, known[im.file], turn < 0 || i%parts == turn%parts, notes)
			mu.Lock()
			defer mu.Unlock()
			if errs = append(errs, err); said != "" {
				fmt.Fprintln(w, said)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// check returns a message about an image that is correct.
func (im image) check(version string, known noted, turn, notes bool) (said string, err error) {
	there, err := os.ReadFile(filepath.Join(im.root, im.file))
	if err != nil {
		return "", err
	}
	inputs, err := im.inputs(version)
	if err != nil {
		return "", err
	}
	same := known == noted{inputs, hash(there)}
	if same && !turn {
		return "", nil
	}
	made, err := im.compile(pack.Not)
	if err != nil {
		return "", err
	}
	if same, err := im.equal(made, there); !same || err != nil {
		return "", errors.Join(err, fmt.Errorf("%s isn't what nvcc makes of %s: go generate ./%s", im.file, im.source, filepath.ToSlash(filepath.Dir(im.file))))
	}
	if !same && notes {
		return im.file + ": compiled, and the same, which is noted", note(im, inputs, there)
	}
	if !same {
		return im.file + ": compiled, and the same; " + recordName + " isn't of these sources or headers, -check -note brings it up to date", nil
	}
	return im.file + ": compiled, and the same", nil
}

// equal reports whether two files have the same kernels, however tightly they are packed.
func (im image) equal(a, b []byte) (bool, error) {
	if im.kind == "skeletons" {
		return link.SameKernels(a, b), nil
	}
	one, err := gpu.UnpackImage(a)
	other, err2 := gpu.UnpackImage(b)
	return bytes.Equal(one, other), errors.Join(err, err2)
}

// repack packs all images again. Those that get smaller are written, and noted.
func repack(w io.Writer, root string) error {
	all, err := find(root)
	if err != nil {
		return err
	}
	for _, im := range all {
		path := filepath.Join(root, im.file)
		there, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		made := there
		switch {
		case im.kind == "skeletons":
			made, err = link.RepackKernels(there, pack.Pack)
		case im.packed():
			if made, err = gpu.UnpackImage(there); err == nil {
				made, err = pack.Pack(made)
			}
		}
		if err != nil {
			return err
		}
		known, err := record(root)
		if err != nil {
			return err
		}
		if len(made) >= len(there) || known[im.file].image != hash(there) {
			continue
		}
		fmt.Fprintf(w, "%s: %d bytes, %d before\n", im.file, len(made), len(there))
		if err := errors.Join(os.WriteFile(path, made, 0o666), note(im, known[im.file].inputs, made)); err != nil {
			return err
		}
	}
	return nil
}

var line = regexp.MustCompile(`(?m)^//go:generate go run \S*/(?:internal/)?tools/fatbin (?:-(\w+) )?-o (\S+) (\S+)$`)

// find lists the images of all lines of go generate. A file that looks like an image and has no such line is an error.
// The image that takes longest comes first.
func find(root string) ([]image, error) {
	var all []image
	files := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "build"):
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		if strings.Contains(e.Name(), ".fatbin") || strings.HasSuffix(e.Name(), "skeletons.bin") {
			rel, err := filepath.Rel(root, path)
			files[filepath.ToSlash(rel)] = true
			return err
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range line.FindAllSubmatch(text, -1) {
			dir := filepath.Dir(path)
			im, err := named(root, string(m[1]), filepath.Join(dir, string(m[2])), []string{filepath.Join(dir, string(m[3]))})
			if _, known := targets[im.kind]; err == nil && !known && im.kind != "skeletons" {
				err = fmt.Errorf("%s: no kind of image is called %s", path, im.kind)
			}
			if err != nil {
				return err
			}
			all = append(all, im)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, im := range all {
		delete(files, im.file)
	}
	for file := range files {
		return nil, fmt.Errorf("%s: no line of go generate has it compiled", file)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no image is generated below %s", root)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].kind == "skeletons" && all[j].kind != "skeletons" })
	return all, nil
}
