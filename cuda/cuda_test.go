//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// fake builds the fake driver, loads it, and returns the address of its
// variables. Tests that need it skip where there is no C compiler.
func fake(t *testing.T, flags ...string) (path string, variable func(string) *int32) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the fake driver with")
	}
	path = filepath.Join(t.TempDir(), "libcuda.so.1")
	args := append([]string{"-shared", "-fPIC", "-Wl,-Bsymbolic", "-o", path, "testdata/fake.c"}, flags...)
	if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	return path, func(name string) *int32 {
		p, err := purego.Dlsym(h, name)
		if err != nil {
			t.Fatal(err)
		}
		return (*int32)(foreign(p))
	}
}

// using makes the package use the driver at path, and what there is on this
// machine afterwards.
func using(t *testing.T, path string) error {
	t.Helper()
	before := functions
	t.Cleanup(func() {
		functions = before
		probed.done = false
	})
	probed.done = false
	return load(path)
}

// open opens the fake's first GPU.
func open(t *testing.T) (*Context, func(string) *int32) {
	t.Helper()
	path, variable := fake(t)
	if err := using(t, path); err != nil {
		t.Fatal(err)
	}
	probed.done, probed.count, probed.driver, probed.err = true, 2, 13000, nil
	c, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, variable
}

// TestNoDriver: what can't be used says why.
func TestNoDriver(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := using(t, missing); !errors.Is(err, ErrNotSupported) || !strings.Contains(err.Error(), "no NVIDIA driver") {
		t.Errorf("no library: %v", err)
	}
	if err := os.WriteFile(missing, []byte("no library at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := using(t, missing); !errors.Is(err, ErrNotSupported) {
		t.Errorf("a library that is none: %v", err)
	}
	old, _ := fake(t, "-DNO_GET_ERROR_NAME")
	if err := using(t, old); !errors.Is(err, ErrNotSupported) || !strings.Contains(err.Error(), "too old") || !strings.Contains(err.Error(), "cuGetErrorName") {
		t.Errorf("a function is missing: %v", err)
	}
}

// TestDevice: GPUs are described, others refused.
func TestDevice(t *testing.T) {
	c, _ := open(t)
	info, err := DeviceInfo(1)
	if err != nil || info.Name != "Fake Two" || info.Multiprocessors != 132 || info.Memory != 1<<30 || info.Driver() != "13.0" || info.Clusters {
		t.Errorf("%+v, %v", info, err)
	}
	for _, i := range []int{-1, 2} {
		if _, err := Open(i); !errors.Is(err, ErrNotSupported) {
			t.Errorf("GPU %d of 2: %v", i, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Alloc(1); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// TestMemory: bytes get there and back, and nothing stays in use.
func TestMemory(t *testing.T) {
	c, variable := open(t)
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	host, err := c.AllocHost(64)
	if err != nil {
		t.Fatal(err)
	}
	if l := c.Live(); l != (Live{Bytes: 64, Allocations: 1, Pinned: 1, Streams: 1}) {
		t.Errorf("%+v", l)
	}
	if err := errors.Join(s.Fill(p, 0x01020304, 16), s.ToHost(host, p, 64), s.Sync()); err != nil {
		t.Fatal(err)
	}
	if host.Bytes[0] != 4 || host.Bytes[63] != 1 {
		t.Errorf("%v", host.Bytes)
	}
	host.Bytes[5] = 99
	if err := errors.Join(s.ToDevice(p, host, 64), s.Sync()); err != nil || *(*byte)(foreign(uintptr(p) + 5)) != 99 {
		t.Errorf("%v", err)
	}
	*variable("fake_alloc") = codeOutOfMemory
	if _, err := c.Alloc(1 << 20); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "1048576 bytes of 4096 that are free") ||
		!strings.Contains(err.Error(), "CUDA_ERROR_OUT_OF_MEMORY (2)") {
		t.Errorf("%v", err)
	}
	*variable("fake_alloc") = 0
	c.FailAlloc(2)
	q, err := c.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Alloc(8); !errors.Is(err, ErrInjected) || !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("%v", err)
	}
	for range 2 { // the second time for host and stream, which may be freed twice
		if err := errors.Join(host.Free(), s.Close()); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(c.Free(p), c.Free(q)); err != nil || c.Live() != (Live{}) {
		t.Errorf("%v, %+v", err, c.Live())
	}
	if err := c.Free(p); err == nil {
		t.Error("freed twice")
	}
}

// TestLaunch: parameters arrive, and nothing is allocated.
func TestLaunch(t *testing.T) {
	c, variable := open(t)
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Load(nil); err == nil {
		t.Error("no code was loaded")
	}
	if _, err := c.Load([]byte("X")); err == nil || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_VALUE") {
		t.Errorf("%v", err)
	}
	m, err := c.Load([]byte("F"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Function("unknown"); err == nil || !strings.Contains(err.Error(), "kernel unknown") {
		t.Errorf("%v", err)
	}
	f, err := m.Function("known")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.BlocksPerMultiprocessor(256, 0); n != 8 || err != nil {
		t.Errorf("%d blocks, %v", n, err)
	}
	a, x := new(Args), new([2]uint64)
	x[0], x[1] = 77, math.MaxUint64
	launch := func() {
		a.Reset()
		a.Add(unsafe.Pointer(&x[0]))
		a.Add(unsafe.Pointer(&x[1]))
		if err := s.Launch(f, 5, 256, 48, a); err != nil {
			t.Fatal(err)
		}
	}
	launch()
	got := unsafe.Slice((*uint64)(unsafe.Pointer(variable("fake_args"))), 8)
	for i, want := range []uint64{5, 256, 48, 77, math.MaxUint64, 1, 0} {
		if got[i] != want {
			t.Errorf("parameter %d is %d, want %d", i, got[i], want)
		}
	}
	if n := testing.AllocsPerRun(100, launch); n > 0 && !race {
		t.Errorf("%v allocations a launch", n)
	}
	if err := s.LaunchCooperative(f, 3, 256, 0, a); err != nil || got[7] != 3 {
		t.Errorf("cooperative: %v", err)
	}
	e, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	if ms, err := e.Since(e); ms != 1.5 || err != nil {
		t.Errorf("%v ms, %v", ms, err)
	}
	if err := errors.Join(e.Close(), m.Close(), s.Close()); err != nil || c.Live() != (Live{}) {
		t.Errorf("%v, %+v", err, c.Live())
	}
}

// TestBroken: an error that ends a context stays with it; others don't.
func TestBroken(t *testing.T) {
	c, variable := open(t)
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	*variable("fake_query") = codeNotReady
	if done, err := s.Done(); done || err != nil {
		t.Errorf("not ready: %v, %v", done, err)
	}
	*variable("fake_query") = 0
	if done, err := s.Done(); !done || err != nil {
		t.Errorf("ready: %v, %v", done, err)
	}
	*variable("fake_sync") = 1
	if err := s.Sync(); err == nil || errors.Is(err, ErrBroken) || c.Err() != nil {
		t.Errorf("a wrong value: %v", err)
	}
	*variable("fake_sync") = 700
	if err := s.Sync(); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") {
		t.Errorf("an illegal address: %v", err)
	}
	*variable("fake_sync") = 0
	if _, err := c.Alloc(1); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") {
		t.Errorf("afterwards: %v", err)
	}
}
