// Command ahead compiles the kernels of Foray's algorithms to machine code for sm_80 and sm_90, so that the driver
// doesn't compile them in each new process. It runs the algorithms on the emulated GPU (internal/testing/emulator),
// records the modules that they make of kernels and functors, compiles these with ptxas, and packs them into
// algos/internal/ahead/ahead.bin. It needs g++ and zstd, and the ptxas of nvcc 11.8 on the PATH.
//
//	go run ./internal/tools/ahead
//
// Run it in the root of the repository after a change of a functor, of a kernel with holes (internal/functor/link) or
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
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/tools/pack"
)

//go:generate go run . -root ../../..

// release is the compiler whose output is committed.
const release = "V11.8"

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
	all, err := record(context.Background())
	if err != nil {
		return err
	}
	if missing {
		return lacking(all)
	}
	said, err := exec.Command("ptxas", "--version").Output()
	if err != nil || !strings.Contains(string(said), release) {
		return fmt.Errorf("ptxas --version: %w (Debian 12: apt install nvidia-cuda-toolkit, component non-free): want %s\n%s", err, release, said)
	}
	codes, err := compile(all)
	if err != nil {
		return err
	}
	if check {
		return compare(all, codes)
	}
	made, err := gpu.PackAhead(codes, pack.Pack)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d modules, %d bytes\n", file, len(all), len(made))
	return os.WriteFile(filepath.Join(root, file), made, 0o644)
}

// lacking returns an error that names the modules that the program's pack lacks.
func lacking(all []link.Recorded) error {
	var errs []error
	for _, m := range all {
		if gpu.CodeAhead(m.PTX, targets[m.Arch]/10) == nil {
			errs = append(errs, fmt.Errorf("%s lacks %s for sm_%d: go run ./internal/tools/ahead", file, m.Kernel, targets[m.Arch]))
		}
	}
	return errors.Join(errs...)
}

// compare returns an error that names modules whose machine code is another one than the program's pack has.
func compare(all []link.Recorded, codes []gpu.Ahead) error {
	var errs []error
	for i, m := range all {
		if !bytes.Equal(gpu.CodeAhead(m.PTX, codes[i].Major), codes[i].Code) {
			errs = append(errs, fmt.Errorf("%s has other code of %s for sm_%d than ptxas makes: go run ./internal/tools/ahead", file, m.Kernel, targets[m.Arch]))
		}
	}
	return errors.Join(errs...)
}

// compile returns the machine code of modules.
func compile(all []link.Recorded) ([]gpu.Ahead, error) {
	codes := make([]gpu.Ahead, len(all))
	dir, err := os.MkdirTemp("", "foray-ahead-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var (
		wg   sync.WaitGroup
		room = make(chan struct{}, runtime.NumCPU())
		errs = make([]error, len(all))
	)
	for i, m := range all {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			codes[i], errs[i] = assemble(m, filepath.Join(dir, fmt.Sprint(i)))
		})
	}
	wg.Wait()
	return codes, errors.Join(errs...)
}

// assemble compiles a module, with files whose names begin so.
func assemble(m link.Recorded, name string) (gpu.Ahead, error) {
	target := targets[m.Arch]
	if err := os.WriteFile(name+".ptx", bytes.TrimSuffix(m.PTX, []byte{0}), 0o600); err != nil {
		return gpu.Ahead{}, err
	}
	if said, err := exec.Command("ptxas", fmt.Sprintf("-arch=sm_%d", target), "-o", name+".cubin", name+".ptx").CombinedOutput(); err != nil {
		return gpu.Ahead{}, fmt.Errorf("ptxas, %s for sm_%d: %w\n%s", m.Kernel, target, err, said)
	}
	code, err := os.ReadFile(name + ".cubin")
	return gpu.Ahead{Major: target / 10, PTX: m.PTX, Code: code}, err
}

// targets are the GPUs that machine code is for, by the architecture of the PTX that they get.
var targets = map[int]int{70: 80, 90: 90}
