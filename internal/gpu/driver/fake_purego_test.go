//go:build linux && (amd64 || arm64) && !gorgonia && !nocuda

// This file builds the fake with the C compiler, if there is one, and loads
// it as a library that is opened at run time. Its tests cover functions that
// a library may lack.

package driver

import (
	"embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

//go:embed testdata/fake
var fakeSource embed.FS

var builds struct {
	sync.Mutex
	dir  string
	made map[string]string
}

// TestMain removes what buildFake built.
func TestMain(m *testing.M) {
	code := m.Run()
	if builds.dir != "" {
		os.RemoveAll(builds.dir)
	}
	os.Exit(code)
}

// buildFake builds the fake, with a macro that leaves something out, and
// returns its path.
func buildFake(t testing.TB, lacks string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if path := builds.made[lacks]; path != "" {
		return path
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		testlong.Missing(t, "compiler", "needs gcc, to build the fake driver: install gcc")
	}
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "fake-libcuda-")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, fakeSource); err != nil {
			t.Fatal(err)
		}
		builds.dir, builds.made = dir, map[string]string{}
	}
	sources, err := filepath.Glob(filepath.Join(builds.dir, "testdata/fake/*.c"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("the fake's source: %v", err)
	}
	path := filepath.Join(builds.dir, "libfake"+lacks+".so")
	args := append([]string{"-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-DFAKE" + lacks, "-o", path}, sources...)
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("building the fake driver: %v\n%s", err, out)
	}
	builds.made[lacks] = path
	return path
}

func stdIsFake() bool { return false }

// fakeSystem returns a new system on the fake driver, whose state is reset.
func fakeSystem(t testing.TB) (*system, *control) {
	path := buildFake(t, "")
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	c := controlOf(lib)
	c.reset()
	return &system{open: func() (driver, error) { return openLibrary(path) }}, c
}

// notSupported fails the test unless a probe of the library reports, and keeps reporting, that
// it can't be used, with a reason that contains all the words.
func notSupported(t *testing.T, path string, words ...string) {
	t.Helper()
	opened := 0
	sys := &system{open: func() (driver, error) { opened++; return openLibrary(path) }}
	for range 2 {
		_, err := sys.probe()
		if !errors.Is(err, ErrNotSupported) {
			t.Fatalf("got %v", err)
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q isn't in: %v", w, err)
			}
		}
		if _, again := sys.openContext(0); again != err {
			t.Errorf("opening a context: %v, want %v", again, err)
		}
	}
	if opened != 1 {
		t.Errorf("the library was opened %d times", opened)
	}
}

func TestNoLibrary(t *testing.T) {
	notSupported(t, filepath.Join(t.TempDir(), "libcuda.so.1"), "no driver library", "libcuda.so.1")
	garbage := filepath.Join(t.TempDir(), "garbage.so")
	if err := os.WriteFile(garbage, []byte("this is no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	notSupported(t, garbage, "no driver library", "garbage.so")
	libc := "libc.so.6" // a library, but no driver
	notSupported(t, libc, "driver too old", "cuInit", "this needs CUDA 11.2")
}

func TestLibraryLacks(t *testing.T) {
	testlong.Project(t)
	notSupported(t, buildFake(t, "_LACKS_POOLS"), "driver too old", "it offers CUDA 12.4 and lacks cuMemAllocAsync, cuMemFreeAsync;")

	// What is optional is missed where it is used only.
	path := buildFake(t, "_LACKS_EX")
	sys := &system{open: func() (driver, error) { return openLibrary(path) }}
	ctx, err := sys.openContext(0)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, sys: sys, ctx: ctx}
	defer b.end()
	if d := ctx.Device(); d.Clusters || !d.Cooperative {
		t.Errorf("%+v", d)
	}
	f := b.function("nothing")
	cfg := Config{Grid: Dim{X: 4}, Block: Dim{X: 32}, Cluster: Dim{X: 2}}
	b.is(b.stream().Launch(f, cfg, nil), ErrNotSupported, "driver too old", "cuLaunchKernelEx", "CUDA 12.4")
	_, err = f.MaxClusters(cfg)
	b.is(err, ErrNotSupported, "driver too old")
}

// TestSymbols looks for every function in the machine's own library, which may
// be there without a device.
func TestSymbols(t *testing.T) {
	lib, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Skip("needs the driver's library, libcuda.so.1:", err)
	}
	for s := range symbolCount {
		for name := range strings.FieldsSeq(symbols[s]) {
			if _, err := purego.Dlsym(lib, name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	d, err := openDriver()
	if err != nil {
		t.Fatal(err)
	}
	v, c := d.version()
	if c != codeOK {
		t.Fatal(c)
	}
	t.Logf("driver of CUDA %v; code 700 is %s, %q", v, d.errorName(700), d.errorText(700))
}
