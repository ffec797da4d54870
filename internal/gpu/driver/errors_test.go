//go:build linux && (amd64 || arm64) && !nocuda && (!gorgonia || cgo)

// This file tests errors, with a fake driver that gives them on demand.

package driver

import (
	"errors"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	for _, c := range []struct {
		what  string
		set   func(f *control)
		final bool // not supported, and not asked again
		words []string
	}{
		{"too old", func(f *control) { f.set("version", 11010) }, true, []string{"driver too old", "offers CUDA 11.1", "needs 11.2"}},
		{"not loaded", func(f *control) { f.set("version", 0) }, true, []string{"no driver is loaded"}},
		{"no device", func(f *control) { f.failing("cuInit", 100, 1) }, true, []string{"no device", "CUDA_ERROR_NO_DEVICE (100)"}},
		{"no devices", func(f *control) { f.set("devices", 0) }, true, []string{"no device"}},
		{"stub", func(f *control) { f.failing("cuInit", 34, 1) }, true, []string{"a stub", "error 34"}},
		{"broken", func(f *control) { f.failing("cuInit", 999, 1) }, false, []string{"cuInit: error 999"}},
		{"mismatch", func(f *control) { f.failing("cuInit", 803, 1) }, false, []string{"cuInit: error 803"}},
		{"version fails", func(f *control) { f.failing("cuDriverGetVersion", 1, 1) }, false, []string{"cuDriverGetVersion: CUDA_ERROR_INVALID_VALUE (1), invalid argument"}},
		{"count fails", func(f *control) { f.failing("cuDeviceGetCount", 3, 1) }, false, []string{"cuDeviceGetCount: error 3"}},
	} {
		sys, fake := fakeSystem(t)
		c.set(fake)
		found, err := sys.probe()
		if err == nil || errors.Is(err, ErrNotSupported) != c.final || found != (Found{}) {
			t.Errorf("%s: %+v, %v", c.what, found, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q isn't in: %v", c.what, w, err)
			}
		}
		if strings.Count(err.Error(), "cuda: ") != 1 {
			t.Errorf("%s: not one name of the package in: %v", c.what, err)
		}
		var call *Error
		if strings.Contains(err.Error(), "cuInit") && !errors.As(err, &call) {
			t.Errorf("%s: the driver's error isn't in: %v", c.what, err)
		}
		// Once all is well again, only a failure was worth a second try.
		fake.reset()
		found, again := sys.probe()
		if c.final && again != err || !c.final && (again != nil || found.Devices != 3 || found.Driver != 12040) {
			t.Errorf("%s: the second time %+v, %v", c.what, found, again)
		}
	}

	// What was found is kept.
	sys, fake := fakeSystem(t)
	first, err := sys.probe()
	if err != nil || first.Devices != 3 {
		t.Fatalf("%+v, %v", first, err)
	}
	fake.set("devices", 0)
	if again, err := sys.probe(); again != first || err != nil {
		t.Errorf("%+v, %v", again, err)
	}
	fake.reset()
}

func TestQueryFails(t *testing.T) {
	for _, call := range []string{"cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetUuid_v2", "cuDeviceGetPCIBusId", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"} {
		sys, fake := fakeSystem(t)
		if _, err := sys.probe(); err != nil {
			t.Fatal(err)
		}
		fake.failing(call, 999, 1)
		ctx, err := sys.openContext(1)
		if ctx != nil || err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(call, "_v2")) || !strings.Contains(err.Error(), "device 1") && call != "cuDevicePrimaryCtxRetain" {
			t.Errorf("%s fails: %v", call, err)
		}
		fake.reset()
	}
}

func TestOldDevice(t *testing.T) {
	sys, fake := fakeSystem(t)
	ctx, err := sys.openContext(2)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, sys: sys, ctx: ctx, fake: fake}
	defer b.end()
	if d := ctx.Device(); d.Clusters || d.Cooperative || d.Pools || d.Name != "Fake 2" || d.Major != 5 || d.PCI != "0000:19:00.0" || d.UUID != "GPU-02122232-4252-6272-8292-a2b2c2d2e2f2" {
		t.Errorf("%+v", d)
	}
	testPool2 := func() {
		s := b.stream()
		_, err := s.Alloc(1)
		b.is(err, ErrNotSupported, "Fake 2")
		b.is(ctx.PoolTrim(0), ErrNotSupported)
		f := b.function("cluster_ring")
		cfg := Config{Grid: Dim{X: 2}, Block: Dim{X: 32}, Cluster: Dim{X: 2}}
		b.is(s.Launch(f, cfg, nil), ErrNotSupported, "Fake 2", "5.2")
		cfg.Cluster, cfg.Cooperative = Dim{}, true
		b.is(s.Launch(f, cfg, nil), ErrNotSupported, "cuLaunchCooperativeKernel")
	}
	testPool2()
	one, err := sys.openContext(0)
	b.ok(err)
	defer func() { b.ok(one.Close()) }()
	if can := must(one.CanAccess(ctx))(b); can {
		t.Error("devices 0 and 2 can't reach each other")
	}
	b.is(one.EnablePeer(ctx), ErrNotSupported, "cuCtxEnablePeerAccess", "device 0 (Fake 0) to device 2 (Fake 2)")
}

func TestImages(t *testing.T) {
	sys, fake := fakeSystem(t)
	b := &bench{T: t, sys: sys, ctx: must(sys.openContext(0))(&bench{T: t}), fake: fake}
	defer b.end()
	_, err := b.ctx.Load([]byte("NOCODE"))
	b.is(err, ErrNotSupported, "no code for this device", "capability 9.0")
	_, err = b.ctx.Load([]byte("NEWPTX"))
	b.is(err, ErrNotSupported, "driver too old: it offers CUDA 12.4", "Unsupported .version 9.9; current version is '8.4'")
	_, err = b.ctx.Load([]byte("garbage"))
	b.is(err, ErrInvalid, "image of 7 B")
}

// TestCodes gives every code to every kind of call, and looks at what becomes
// of the context.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		code   Code
		is     error
		breaks bool
	}{
		{1, ErrInvalid, false}, {2, ErrOutOfMemory, false}, {3, nil, false}, {4, ErrClosed, false}, {46, nil, false},
		{101, ErrInvalid, false}, {201, nil, false}, {209, ErrNotSupported, false}, {214, ErrBroken, true}, {218, ErrInvalid, false},
		{220, ErrBroken, true}, {222, ErrNotSupported, false}, {400, ErrInvalid, false}, {500, ErrNotFound, false},
		{700, ErrBroken, true}, {701, ErrTooLarge, false}, {702, ErrBroken, true}, {709, ErrClosed, false}, {710, ErrBroken, true},
		{714, ErrBroken, true}, {715, ErrBroken, true}, {716, ErrBroken, true}, {717, ErrBroken, true}, {718, ErrBroken, true},
		{719, ErrBroken, true}, {720, ErrTooLarge, false}, {800, ErrNotPermitted, false}, {801, ErrNotSupported, false},
		{912, ErrInvalid, false}, {999, nil, false},
	} {
		sys, fake := fakeSystem(t)
		b := &bench{T: t, sys: sys, ctx: must(sys.openContext(0))(&bench{T: t}), fake: fake}
		f, s := b.function("nothing"), b.stream()
		e := must(b.ctx.NewEvent(0))(b)
		m, h := must(b.ctx.Alloc(64))(b), must(b.ctx.AllocHost(64))(b)
		p := must(s.Alloc(64))(b)
		b.made = append(b.made, e.Close, m.Close, h.Close, func() error { return p.FreeAsync(s) })
		cfg := Config{Grid: Dim{X: 2}, Block: Dim{X: 32}}
		for call, do := range map[string]func() error{
			"cuCtxSynchronize":          b.ctx.Sync,
			"cuStreamSynchronize":       s.Sync,
			"cuEventSynchronize":        e.Sync,
			"cuEventRecord":             func() error { return s.Record(e) },
			"cuStreamWaitEvent":         func() error { return s.Wait(e) },
			"cuStreamQuery":             func() error { _, err := s.Done(); return err },
			"cuEventQuery":              func() error { _, err := e.Done(); return err },
			"cuLaunchKernel":            func() error { return s.Launch(f, cfg, nil) },
			"cuMemcpyDtoHAsync_v2":      func() error { return s.ToHost(h, 0, m.Ptr(), 64) },
			"cuMemcpyHtoDAsync_v2":      func() error { return s.ToDevice(m.Ptr(), h, 0, 64) },
			"cuMemcpyDtoDAsync_v2":      func() error { return s.Copy(m.Ptr(), p.Ptr(), 64) },
			"cuMemcpyHtoD_v2":           func() error { return b.ctx.Upload(m.Ptr(), make([]byte, 64)) },
			"cuMemcpyDtoH_v2":           func() error { return b.ctx.Download(make([]byte, 64), m.Ptr()) },
			"cuMemcpyDtoD_v2":           func() error { return b.ctx.Copy(m.Ptr(), p.Ptr(), 64) },
			"cuMemsetD8Async":           func() error { return s.Memset8(m.Ptr(), 1, 64) },
			"cuMemsetD32Async":          func() error { return s.Memset32(m.Ptr(), 1, 16) },
			"cuMemGetInfo_v2":           func() error { _, _, err := b.ctx.MemInfo(); return err },
			"cuMemAlloc_v2":             func() error { _, err := b.ctx.Alloc(1); return err },
			"cuMemAllocAsync":           func() error { _, err := s.Alloc(1); return err },
			"cuStreamCreate":            func() error { _, err := b.ctx.NewStream(); return err },
			"cuEventCreate":             func() error { _, err := b.ctx.NewEvent(0); return err },
			"cuModuleLoadDataEx":        func() error { _, err := b.ctx.Load(kernels); return err },
			"cuModuleGetFunction":       func() error { _, err := b.mod.Function("add"); return err },
			"cuFuncGetAttribute":        func() error { _, err := f.Attribute(FuncRegisters); return err },
			"cuDeviceGetDefaultMemPool": func() error { return b.ctx.PoolTrim(0) },
			"cuMemPoolTrimTo":           func() error { return b.ctx.PoolTrim(0) },
		} {
			fake.failing(call, c.code, 1)
			err := do()
			var e *Error
			if !errors.As(err, &e) || e.Code != c.code || strings.TrimSuffix(call, "_v2") != e.Call {
				t.Errorf("%s with code %d: %v", call, c.code, err)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%s with code %d: %v isn't %v", call, c.code, err, c.is)
			}
			broken := b.ctx.Broken()
			if (broken != nil) != c.breaks {
				t.Errorf("%s with code %d: broken: %v", call, c.code, broken)
			}
			fake.reset()
			if c.breaks {
				// Each later call returns the error that broke the context, without calling the driver.
				calls := fake.get("calls")
				for _, err := range []error{s.Sync(), s.Launch(f, cfg, nil), b.ctx.Sync(), s.Memset8(m.Ptr(), 0, 1), b.ctx.Upload(m.Ptr(), []byte{1})} {
					var b *BrokenError
					if !errors.As(err, &b) || b.Cause != e || !errors.Is(err, ErrBroken) || !strings.HasSuffix(err.Error(), " by: "+e.text()) {
						t.Errorf("after %s with code %d: %v", call, c.code, err)
					}
				}
				if fake.get("calls") != calls {
					t.Error("a broken context is still used")
				}
				b.ctx.broken.Store(nil)
			}
		}
		b.end()
	}
}

// TestBrokenCloses breaks a context while much is alive: all of it can be freed,
// and the context closed.
func TestBrokenCloses(t *testing.T) {
	sys, fake := fakeSystem(t)
	b := &bench{T: t, sys: sys, ctx: must(sys.openContext(0))(&bench{T: t}), fake: fake}
	c := b.ctx
	s, e := must(c.NewStream())(b), must(c.NewEvent(0))(b)
	mod, m := must(c.Load(kernels))(b), must(c.Alloc(64))(b)
	h, p := must(c.AllocHost(64))(b), must(s.Alloc(64))(b)
	fake.breaks(0, 700)
	b.is(s.Sync(), ErrBroken, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered")
	for i, err := range []error{p.FreeAsync(s), m.Close(), h.Close(), e.Close(), mod.Close(), s.Close(), c.Close()} {
		if err != nil {
			t.Errorf("closing %d: %v", i, err)
		}
	}
	if n := fake.get("retained0"); n != 0 {
		t.Errorf("the primary context is held %d times", n)
	}
	fake.reset()

	// An error that is first seen when something is closed is returned.
	c = must(sys.openContext(0))(b)
	s = must(c.NewStream())(b)
	fake.failing("cuStreamSynchronize", 719, 1)
	b.is(s.Close(), ErrBroken, "719")
	b.ok(c.Close())
	fake.reset()
}

func TestThreadsAreLeftAlone(t *testing.T) {
	sys, fake := fakeSystem(t)
	b := &bench{T: t, sys: sys, ctx: must(sys.openContext(0))(&bench{T: t}), fake: fake}
	defer b.end()
	two := must(sys.openContext(1))(b)
	defer func() { b.ok(two.Close()) }()
	s := b.stream()
	m := b.words(1, 2, 3)
	// A call on another context within Do leaves the stream's context current.
	b.ok(s.Do(func() error {
		other, err := two.Alloc(8)
		if err != nil {
			return err
		}
		return errors.Join(s.Memset8(m.Ptr(), 0, 4), other.Close(), s.Sync(), b.ctx.Do(two.Sync), s.Sync())
	}))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		b.ok(s.Do(func() error { panic("on purpose") }))
	}()
	if d := fake.get("depth"); d != 0 {
		t.Errorf("a context is left current, %d deep", d)
	}
	b.ok(s.Sync())
}
