// Command build builds the emulator of CUDA that tests run kernels on. See
// package emulator.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/foray-graph/foray/internal/testing/emulator"
)

func main() {
	out := flag.String("o", "", "the folder to build libcuda.so.1 into")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string) error {
	if out == "" || flag.NArg() != 0 {
		return fmt.Errorf("build: want -o FOLDER, in the project's root")
	}
	if _, err := os.Stat("go.mod"); err != nil {
		return fmt.Errorf("build: not in the project's root: %w", err)
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	all, err := emulator.Find(".")
	if err != nil {
		return err
	}
	return emulator.Build(".", out, all)
}
