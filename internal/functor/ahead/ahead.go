// Package ahead compiles the kernels of functors to machine code before a program runs: with ptxas, for GPUs of compute
// capability 8.0 and 9.0. A kernel with functors in it depends on the steps of a traversal, so it is known only after the
// traversal has run: tests run it on the emulated GPU, and package link records the modules.
package ahead

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/klauspost/compress/zstd"
)

// RecordVariable is the environment variable with the folder that foraytest saves modules in.
const RecordVariable = "FORAY_RECORD_KERNELS"

// window is how far back a pack refers: more than the codes of a package have.
const window = 32 << 20

// Save writes a module to a file, from which Read reads it.
func Save(folder string, m gpu.Ahead) error {
	name := fmt.Sprintf("%d.%s.%x.ptx", m.Major, m.Kernel, sha256.Sum256(m.PTX))
	return os.WriteFile(filepath.Join(folder, name), m.PTX, 0o600)
}

// Read returns the distinct modules in a folder.
func Read(folder string) ([]gpu.Ahead, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.ptx"))
	if err != nil {
		return nil, err
	}
	var all []gpu.Ahead
	for _, file := range files {
		number, rest, _ := strings.Cut(filepath.Base(file), ".")
		kernel, _, _ := strings.Cut(rest, ".")
		major, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("%s: no module: %w", file, err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, gpu.Ahead{Kernel: kernel, Major: major, PTX: text})
	}
	return Distinct(all), nil
}

// Distinct returns one module for each key, in an order that depends on the modules alone and has neighbors that are
// alike. ptxas puts a hash of the whole text into the code, so the code of others would differ by that.
func Distinct(all []gpu.Ahead) []gpu.Ahead {
	slices.SortFunc(all, func(a, b gpu.Ahead) int {
		for _, c := range []int{a.Major - b.Major, strings.Compare(a.Kernel, b.Kernel), bytes.Compare(a.PTX, b.PTX)} {
			if c != 0 {
				return c
			}
		}
		return 0
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(m gpu.Ahead) bool {
		key := m.Key()
		known := seen[key]
		seen[key] = true
		return known
	})
}

// Release returns the release of the ptxas on the PATH, such as V11.8.89.
func Release(ctx context.Context) (string, error) {
	said, err := exec.CommandContext(ctx, "ptxas", "--version").Output()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("ptxas compiles the kernels: %w; install the CUDA toolkit (Debian: apt install nvidia-cuda-toolkit), or put its bin folder on the PATH", err)
	}
	for word := range strings.FieldsSeq(string(said)) {
		if len(word) > 1 && word[0] == 'V' && word[1] >= '0' && word[1] <= '9' {
			return word, nil
		}
	}
	return "", fmt.Errorf("ptxas --version names no release: %q", said)
}

// Compile sets the machine code of modules, as many at a time as there are processors.
func Compile(ctx context.Context, all []gpu.Ahead) error {
	folder, err := os.MkdirTemp("", "foray-ahead-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var (
		wg   sync.WaitGroup
		room = make(chan struct{}, runtime.NumCPU())
		errs = make([]error, len(all))
	)
	for i := range all {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			all[i].Code, errs[i] = assemble(ctx, all[i], filepath.Join(folder, fmt.Sprint(i)))
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// assemble compiles a module, with files whose names begin so.
func assemble(ctx context.Context, m gpu.Ahead, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.WriteFile(name+".ptx", bytes.TrimSuffix(m.PTX, []byte{0}), 0o600); err != nil {
		return nil, err
	}
	target := fmt.Sprintf("sm_%d0", m.Major)
	if said, err := exec.CommandContext(ctx, "ptxas", "-arch="+target, "-o", name+".cubin", name+".ptx").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("ptxas, %s for %s: %w\n%s", m.Kernel, target, err, said)
	}
	return os.ReadFile(name + ".cubin")
}

// packed compresses the codes of a pack. Foray's own pack is compressed by the zstd command, which takes a fifth less.
func packed(plain []byte) ([]byte, error) {
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(window), zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(plain, nil), e.Close()
}
