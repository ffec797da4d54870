//go:build linux && (amd64 || arm64) && !gorgonia && !nocuda

// This file loads the fake where the library is opened at run time, and holds
// the tests of what can be missing from a library.

package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
)

func stdIsFake() bool { return false }

// fakeSystem returns a system of its own on the fake, which starts afresh.
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

// notSupported fails the test unless a probe of the library says that it can't
// be used, for a reason that has all of the words, and keeps saying so.
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
		t.Skip(err)
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
