// Command fatbin compiles a kernel source into a fatbin for the GPUs that Foray
// knows: machine code for sm_80 and sm_90, PTX for what came before and comes
// after. It is run by go generate in the folder of the source; nvcc 11.8 must
// be on the PATH (Debian: nvidia-cuda-toolkit). A name that ends in .zst asks for
// a fatbin that is packed (internal/kernelimage).
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/kernelimage"
)

// release is the compiler whose output is committed; another one's differs.
const release = "release 11.8"

var targets = []string{
	"arch=compute_80,code=sm_80",
	"arch=compute_90,code=sm_90",
	"arch=compute_70,code=compute_70",
	"arch=compute_90,code=compute_90",
}

func main() {
	out := flag.String("o", "", "the fatbin to write")
	ptx := flag.Bool("ptx", false, "PTX only, for the oldest GPUs and for those that have clusters, which the driver compiles: a third of the size, for tests and examples")
	newest := flag.Bool("newest", false, "machine code for sm_90 alone, and PTX for what came before and comes after: two thirds of the size, for kernels of machines with several GPUs")
	skeletons := flag.Bool("skeletons", false, "PTX with holes for functors written in Go, packed in parts (internal/splice)")
	flag.Parse()
	if *skeletons {
		if err := compileSkeletons(*out, flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, "fatbin:", err)
			os.Exit(1)
		}
		return
	}
	if *ptx {
		targets = []string{"arch=compute_70,code=compute_70", "arch=compute_90,code=compute_90"}
	}
	if *newest {
		targets = []string{"arch=compute_90,code=sm_90", "arch=compute_70,code=compute_70"}
	}
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fatbin:", err)
		os.Exit(1)
	}
}

func run(out string, sources []string) error {
	root, source, to, err := paths(out, sources)
	if err != nil {
		return err
	}
	packed := strings.HasSuffix(to, kernelimage.Suffix)
	raw, compress := to, "-Xfatbin=-compress-all"
	if packed { // what nvcc has compressed is hard to compress again
		dir, err := os.MkdirTemp("", "foray-fatbin-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		raw, compress = filepath.Join(dir, "fatbin"), "--no-compress"
	}
	args := []string{"-std=c++17", "-O3", "-I.", "--fatbin", compress, "-o", raw}
	for _, t := range targets {
		args = append(args, "-gencode", t)
	}
	cmd := exec.Command("nvcc", append(args, source)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil || !packed {
		return err
	}
	image, err := os.ReadFile(raw)
	if err != nil {
		return err
	}
	if image, err = kernelimage.Pack(image); err != nil {
		return err
	}
	return os.WriteFile(to, image, 0o666)
}

// paths checks the compiler and returns the project's root, the source as seen from there,
// so that the output doesn't depend on where that is, and the file to write.
func paths(out string, sources []string) (root, source, to string, err error) {
	if out == "" || len(sources) != 1 {
		return "", "", "", fmt.Errorf("want -o FILE SOURCE")
	}
	version, err := exec.Command("nvcc", "--version").Output()
	if err != nil {
		return "", "", "", fmt.Errorf("nvcc --version: %w (Debian: apt install nvidia-cuda-toolkit, component non-free)", err)
	}
	if !strings.Contains(string(version), release) {
		return "", "", "", fmt.Errorf("nvcc is not %s, whose output is committed:\n%s", release, version)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", "", "", err
	}
	root = here
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			return "", "", "", fmt.Errorf("no go.mod above %s", here)
		}
		root = filepath.Dir(root)
	}
	if source, err = filepath.Rel(root, filepath.Join(here, sources[0])); err != nil {
		return "", "", "", err
	}
	to, err = filepath.Abs(out)
	return root, source, to, err
}
