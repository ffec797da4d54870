// Package emulator builds an emulator of CUDA for tests: a libcuda.so.1 that
// runs the project's kernels on the CPU, compiled from the same sources as the
// fatbins. The library doesn't use it; tests find it if
// LD_LIBRARY_PATH names its folder, or by its path (Cached). It needs
// g++. It interprets functors written in Go, which are PTX.
//
// In addition to results, it checks barriers and warp intrinsics that not all
// threads reach, addresses out of bounds, misaligned addresses, and freed memory.
// The threads of a kernel take turns in a random order, from a seed, and
// may lose their turn at any access to memory. src/settings.cc lists the settings
// that the environment can change.
package emulator

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/foray-graph/foray/internal/gpu"
)

//go:embed src
var sources embed.FS

// A Kernels is a source of kernels and the module that is compiled from it.
type Kernels struct {
	Source string // relative to the root
	Module string // the fatbin, relative to the root
	Image  []byte // what programs give the driver: the fatbin, unpacked
	Packed []byte // the file, if it isn't the image
}

// older are the sources whose kernels differ on devices older than
// compute capability 9.0. Other sources are compiled once for all devices.
var older = []string{
	"algos/bfs/deep.cu",
	"internal/testing/functors/steps.cu", "internal/testing/functors/byhand/byhand.cu", "internal/functor/link/skeletons.cu",
	"internal/gpu/driver/testdata/kernels.cu", "internal/testing/emulator/testdata/defects.cu",
}

// Find lists the sources that go generate makes fatbins of.
func Find(root string) ([]Kernels, error) {
	generate := regexp.MustCompile(`(?m)^//go:generate go run \S*/fatbin (?:-\w+ )*-o (\S+) (\S+)$`)
	var all []Kernels
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "build") {
			return filepath.SkipDir
		}
		if e.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, m := range generate.FindAllSubmatch(text, -1) {
			k := Kernels{Source: filepath.Join(dir, string(m[2])), Module: filepath.Join(dir, string(m[1]))}
			if k.Packed, err = os.ReadFile(filepath.Join(root, k.Module)); err != nil {
				return err
			}
			if k.Image, err = gpu.UnpackImage(k.Packed); err != nil {
				return fmt.Errorf("emulator: %s: %w", k.Module, err)
			}
			all = append(all, k)
		}
		return nil
	})
	if err == nil && all == nil {
		err = fmt.Errorf("emulator: no fatbin is generated below %s", root)
	}
	return all, err
}

// Image makes an image of a module that no compiler made, for kernels that only
// the emulator runs.
func Image(name string) []byte {
	b := []byte{0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, byte(len(name)), 0, 0, 0, 0, 0, 0, 0}
	return append(b, name...)
}

// Hash returns the number by which the emulator identifies an image.
func Hash(image []byte) uint64 {
	h := fnv.New64a()
	h.Write(image)
	return h.Sum64()
}

// Build builds the library into a folder, which must be there, as libcuda.so.1, and beside it
// an emulated NCCL for its devices, libnccl.so.2. root is the project's root.
func Build(root, folder string, all []Kernels) error {
	work, err := os.MkdirTemp("", "foray-emulator-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, sources); err != nil {
		return err
	}
	b := build{root: root, work: work, kept: keep(), began: time.Now()}
	src := filepath.Join(work, "src")
	parts, err := filepath.Glob(filepath.Join(src, "*.cc"))
	if err != nil {
		return err
	}
	var tables bytes.Buffer
	var modules strings.Builder
	tables.WriteString("#include \"emu.h\"\nnamespace emu {\n")
	for _, k := range all {
		arches := []int{700}
		for _, o := range older {
			if k.Source == o {
				arches = []int{700, 900}
			}
		}
		image, packed := Hash(k.Image), Hash(k.Packed)
		for _, arch := range arches {
			n := fmt.Sprintf("%x_%d", Hash([]byte(filepath.ToSlash(k.Source))), arch) // the same whatever else is built
			fmt.Fprintf(&tables, "extern const Kernel kernels_%s[];\nextern const Global globals_%s[];\n", n, n)
			fmt.Fprintf(&modules, "  {%q, %#xull, %#xull, %d, kernels_%s, globals_%s},\n", k.Module, image, packed, arch, n, n)
			b.start(func() error { return b.kernels(k.Source, n, arch, len(arches) == 1) })
		}
	}
	fmt.Fprintf(&tables, "extern const Module modules[] = {\n%s  {}};\n}\n", modules.String())
	list := filepath.Join(src, "tables.cc")
	if err := os.WriteFile(list, tables.Bytes(), 0o666); err != nil {
		return err
	}
	own, err := hashOwn()
	if err != nil {
		return err
	}
	for _, p := range append(parts, list) {
		b.start(func() error {
			what := own
			if p == list {
				what = append(what[:len(what):len(what)], tables.Bytes()...)
			}
			return b.object(filepath.Base(p), what, "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-I"+src, "-I"+filepath.Join(src, "include"), "-c", p)
		})
	}
	wires, err := filepath.Glob(filepath.Join(src, "nccl", "*.cc"))
	if err != nil {
		return err
	}
	b.start(func() error {
		return b.compile(append([]string{"-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-Wl,-soname,libnccl.so.2", "-o", filepath.Join(folder, "libnccl.so.2")}, wires...)...)
	})
	if err := b.wait(); err != nil {
		return err
	}
	objects, err := filepath.Glob(filepath.Join(work, "*.o"))
	if err != nil {
		return err
	}
	return b.compile(append([]string{"-shared", "-Wl,-soname,libcuda.so.1", "-o", filepath.Join(folder, "libcuda.so.1")}, objects...)...)
}

// Progress, if not nil, is called while a library is built, by several goroutines: so many of all files are compiled,
// in so long.
var Progress func(done, all int, took time.Duration)

// build is one under way: as many compilers run at once as there are processors.
type build struct {
	root, work string
	kept       *kept
	room       chan struct{}
	wg         sync.WaitGroup
	mu         sync.Mutex
	errs       []error
	began      time.Time
	all        int
}

func (b *build) start(f func() error) {
	if b.room == nil {
		b.room = make(chan struct{}, runtime.NumCPU())
	}
	b.wg.Add(1)
	b.mu.Lock()
	b.all++
	b.mu.Unlock()
	go func() {
		defer b.wg.Done()
		b.room <- struct{}{}
		err := f()
		<-b.room
		b.mu.Lock()
		b.errs = append(b.errs, err)
		done, all := len(b.errs), b.all
		b.mu.Unlock()
		if Progress != nil {
			Progress(done, all, time.Since(b.began))
		}
	}()
}

func (b *build) wait() error {
	b.wg.Wait()
	return errors.Join(b.errs...)
}

// object compiles an object of that name, unless it is kept. what is everything that it is
// compiled from.
func (b *build) object(name string, what []byte, args ...string) error {
	to := filepath.Join(b.work, name+".o")
	return b.kept.or(to, b.work, what, args, func() error { return b.compile(append(args, "-o", to)...) })
}

var always = []string{"-std=c++17", "-fPIC", "-fvisibility=hidden", "-pthread"}

// compile runs g++ in the root.
func (b *build) compile(args ...string) error {
	cmd := exec.Command("g++", append(always[:len(always):len(always)], args...)...)
	cmd.Dir = b.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("emulator: %s: %w\n%s", cmd, err, out)
	}
	return nil
}

// kernels compiles one source of kernels for one compute capability. once means
// that the result is the same for all.
func (b *build) kernels(source, n string, arch int, once bool) error {
	if once {
		arch = 900
	}
	include := filepath.Join(b.work, "src", "include")
	raw := filepath.Join(b.work, n+".raw")
	// Names of one source and another's of the same name are kept apart: block
	// sizes differ.
	err := b.compile("-E", "-x", "c++", "-include", filepath.Join(include, "device.h"), "-I"+include, "-I.",
		fmt.Sprintf("-D__CUDA_ARCH__=%d", arch), "-DFORAY_EMULATED", "-Dforay=foray_"+n, source, "-o", raw)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(raw)
	if err != nil {
		return err
	}
	if text, err = rewrite(text, n); err != nil {
		return fmt.Errorf("emulator: %s: %w", source, err)
	}
	whole := filepath.Join(b.work, n+".ii")
	if err := os.WriteFile(whole, text, 0o666); err != nil {
		return err
	}
	return b.object(n, text, "-O1", "-w", "-fsanitize=thread", "--param", "tsan-distinguish-volatile=1", "--param", "tsan-instrument-func-entry-exit=0",
		"-fno-strict-aliasing", "-c", whole)
}
