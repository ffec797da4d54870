// Command fatbin compiles a kernel source into a fatbin for the GPUs that Foray
// supports: machine code for sm_80 and sm_90, PTX for older and newer
// GPUs. go generate runs it in the folder of the source; nvcc 11.8 must
// be on the PATH (Debian: nvidia-cuda-toolkit). A name that ends in .zst requests
// a packed fatbin (internal/gpu/images.go).
//
// With -check it checks that all images are what the compiler makes of their sources (check.go).
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/tools/pack"
)

// release is the compiler whose output is committed; other releases produce other output.
const release = "release 11.8"

// An image is a compiled source, as a line of go generate declares it.
type image struct {
	root         string // of the project
	source, file string // relative to that, with slashes
	kind         string // a flag's name, or nothing: machine code for both GPUs, and PTX
}

// targets are what an image of a kind has.
var targets = map[string][]string{
	"":       {"arch=compute_80,code=sm_80", "arch=compute_90,code=sm_90", "arch=compute_70,code=compute_70", "arch=compute_90,code=compute_90"},
	"ptx":    {"arch=compute_70,code=compute_70", "arch=compute_90,code=compute_90"},
	"newest": {"arch=compute_90,code=sm_90", "arch=compute_70,code=compute_70"},
}

func main() {
	out := flag.String("o", "", "the fatbin to write")
	kinds := map[string]*bool{
		"ptx":       flag.Bool("ptx", false, "PTX only, for the oldest GPUs and for those that have clusters, which the driver compiles: a third of the size, for tests, examples and what is only measured"),
		"newest":    flag.Bool("newest", false, "machine code for sm_90 alone, and PTX for what came before and comes after: two thirds of the size, for kernels of machines with several GPUs"),
		"skeletons": flag.Bool("skeletons", false, "PTX with holes for functors written in Go, packed in parts (internal/functor/link)"),
	}
	checks := flag.Bool("check", false, "compile what may not be what is committed, and compare")
	turn := flag.Int("turn", 0, "with -check, which part of the other images is compiled as well; less than 0: all of them")
	notes := flag.Bool("note", false, "with -check, note the inputs of images that are the same although their inputs differ, as after a move")
	again := flag.Bool("repack", false, "pack all images again, which takes no nvcc, and keep those that get smaller")
	flag.Parse()
	kind := ""
	for name, is := range kinds {
		if *is {
			kind = name
		}
	}
	err := func() error {
		if *again {
			root, err := rootOf()
			if err != nil {
				return err
			}
			return repack(os.Stdout, root)
		}
		root, version, err := compiler()
		if err != nil || *checks {
			if err == nil {
				err = check(os.Stdout, root, version, *turn, *notes)
			}
			return err
		}
		im, err := named(root, kind, *out, flag.Args())
		if err != nil {
			return err
		}
		return generate(im, version)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fatbin:", err)
		os.Exit(1)
	}
}

// generate compiles an image into its file, and notes what of.
func generate(im image, version string) error {
	sum, err := im.inputs(version)
	if err != nil {
		return err
	}
	made, err := im.compile(pack.Pack)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(im.root, im.file), made, 0o666); err != nil {
		return err
	}
	return note(im, sum, made)
}

// commands are the compiler's arguments, for output into a folder, and the files that it writes there.
func (im image) commands(dir string) (args [][]string, files []string) {
	add := func(name string, a ...string) {
		files = append(files, filepath.Join(dir, name))
		args = append(args, append(append([]string{"-std=c++17", "-O3", "-I."}, a...), "-o", filepath.Join(dir, name), im.source))
	}
	if im.kind == "skeletons" {
		for _, arch := range link.Arches {
			add(fmt.Sprint("ptx", arch), "-ptx", fmt.Sprintf("-arch=compute_%d", arch))
		}
		return args, files
	}
	compress := "-Xfatbin=-compress-all"
	if im.packed() { // the compressor can't compress nvcc's compressed output further
		compress = "--no-compress"
	}
	a := []string{"--fatbin", compress}
	for _, t := range targets[im.kind] {
		a = append(a, "-gencode", t)
	}
	add("fatbin", a...)
	return args, files
}

func (im image) packed() bool { return strings.HasSuffix(im.file, gpu.ImageSuffix) }

// compile returns the contents of the image's file. pack compresses.
func (im image) compile(pack func([]byte) ([]byte, error)) ([]byte, error) {
	dir, err := os.MkdirTemp("", "foray-fatbin-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all, files := im.commands(dir)
	var made [][]byte
	for i, args := range all {
		cmd := exec.Command("nvcc", args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = im.root, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", im.source, err)
		}
		b, err := os.ReadFile(files[i])
		if err != nil {
			return nil, err
		}
		made = append(made, b)
	}
	switch {
	case im.kind == "skeletons":
		texts := map[int][]byte{}
		for i, arch := range link.Arches {
			texts[arch] = made[i]
		}
		return link.PackKernels(texts, pack)
	case im.packed():
		return pack(made[0])
	}
	return made[0], nil
}

// compiler returns the project's root and the compiler's version text. It returns an error if the compiler isn't
// the release whose output is committed.
func compiler() (root, version string, err error) {
	said, err := exec.Command("nvcc", "--version").Output()
	if err != nil {
		return "", "", fmt.Errorf("nvcc --version: %w (Debian: apt install nvidia-cuda-toolkit, component non-free)", err)
	}
	if !strings.Contains(string(said), release) {
		return "", "", fmt.Errorf("nvcc is not %s, whose output is committed:\n%s", release, said)
	}
	root, err = rootOf()
	return root, string(said), err
}

// rootOf returns the project's root, which is here or above.
func rootOf() (root string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for root = here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root, nil
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("no go.mod above %s", here)
		}
	}
}

// named returns the image that arguments name, with paths relative to the root, so that the output doesn't
// depend on the root's place.
func named(root, kind, out string, sources []string) (image, error) {
	if out == "" || len(sources) != 1 {
		return image{}, fmt.Errorf("want -o FILE SOURCE")
	}
	im := image{root: root, kind: kind}
	for name, to := range map[string]*string{out: &im.file, sources[0]: &im.source} {
		path, err := filepath.Abs(name)
		if err == nil {
			path, err = filepath.Rel(root, path)
		}
		if err != nil {
			return image{}, err
		}
		*to = filepath.ToSlash(path)
	}
	return im, nil
}
