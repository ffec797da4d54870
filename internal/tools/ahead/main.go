// Command ahead compiles the kernels of Foray's algorithms to machine code for sm_80 and sm_90, so that the driver
// doesn't compile them in each new process. It runs the algorithms on the emulated GPU (internal/testing/emulator),
// records the modules that they make of kernels and functors, compiles these with ptxas, and packs them into
// algos/internal/ahead/ahead.bin. It needs g++ and zstd, and the ptxas of nvcc 11.8 on the PATH.
//
//	go run ./internal/tools/ahead
//
// Run it in the root of the repository after a change of a functor, of a kernel with holes (internal/functor/ahead) or
// of the steps of an algorithm. It takes 2 minutes of two cores. With -check it compiles again and compares, with -missing
// it names the modules that the file lacks, which takes no ptxas.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ahead"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/tools/pack"
)

//go:generate go run . -root ../../..

// release is the compiler whose output is committed.
const release = "V11.8."

// file is the pack, below the root.
const file = "algos/internal/ahead/ahead.bin"

func main() {
	root := flag.String("root", ".", "the root of the repository")
	check := flag.Bool("check", false, "compare with the file instead of writing it")
	missing := flag.Bool("missing", false, "name the modules that the file lacks")
	flag.Parse()
	if err := run(*root, *check, *missing); err != nil {
		fmt.Fprintln(os.Stderr, "ahead:", err)
		os.Exit(1)
	}
}

func run(root string, check, missing bool) error {
	if err := emulate(root); err != nil {
		return err
	}
	ctx := context.Background()
	all, err := record(ctx)
	if err != nil {
		return err
	}
	if missing {
		return lacking(all)
	}
	there, err := ahead.Release(ctx)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(there, release) {
		return fmt.Errorf("this is ptxas %s, want %s (Debian 12: apt install nvidia-cuda-toolkit, component non-free)", there, release)
	}
	if err := ahead.Compile(ctx, all); err != nil {
		return err
	}
	if check {
		return compare(all)
	}
	made, err := gpu.PackAhead(all, pack.Pack)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d modules, %d bytes\n", file, len(all), len(made))
	return os.WriteFile(filepath.Join(root, file), made, 0o644)
}

// lacking returns an error that names the modules that the program's pack lacks.
func lacking(all []gpu.Ahead) error {
	var errs []error
	for _, m := range all {
		if gpu.CodeAhead(m.PTX, m.Major) == nil {
			errs = append(errs, fmt.Errorf("%s lacks %s for sm_%d0: go run ./internal/tools/ahead", file, m.Kernel, m.Major))
		}
	}
	return errors.Join(errs...)
}

// compare returns an error that names modules whose machine code is another one than the program's pack has.
func compare(all []gpu.Ahead) error {
	var errs []error
	for _, m := range all {
		if !bytes.Equal(gpu.CodeAhead(m.PTX, m.Major), m.Code) {
			errs = append(errs, fmt.Errorf("%s has other code of %s for sm_%d0 than ptxas makes: go run ./internal/tools/ahead", file, m.Kernel, m.Major))
		}
	}
	return errors.Join(errs...)
}
