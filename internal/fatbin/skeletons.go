// This file compiles kernels with holes to PTX.

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/foray-graph/foray/internal/splice/container"
)

// compileSkeletons writes the PTX of a source of kernels with holes, for the oldest GPUs and for
// those that have clusters.
func compileSkeletons(out string, sources []string) error {
	root, source, to, err := paths(out, sources)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "foray-skeletons-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	texts := map[int][]byte{}
	for _, arch := range container.Arches {
		file := filepath.Join(dir, "ptx")
		cmd := exec.Command("nvcc", "-std=c++17", "-O3", "-I.", "-ptx", fmt.Sprintf("-arch=compute_%d", arch), "-o", file, source)
		cmd.Dir, cmd.Stdout, cmd.Stderr = root, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
		if texts[arch], err = os.ReadFile(file); err != nil {
			return err
		}
	}
	packed, err := container.Pack(texts)
	if err != nil {
		return err
	}
	return os.WriteFile(to, packed, 0o666)
}
