// This file holds the suite that every driver must pass: the machine's own,
// where it has a device, and the fake. Its parts for memory and for launches
// are in files beside this one.

package driver

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

//go:generate go run ../../tools/fatbin -o testdata/kernels.fatbin testdata/kernels.cu

//go:embed testdata/kernels.fatbin
var kernels []byte

// bench is what a part of the suite works with.
type bench struct {
	*testing.T
	sys  *system
	ctx  *Context
	fake *control // nil for a real driver
	mod  *Module
	made []func() error
}

func TestFake(t *testing.T) {
	sys, fake := fakeSystem(t)
	suite(t, sys, fake)
}

func TestDevice(t *testing.T) {
	found, err := Probe()
	if errors.Is(err, ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if stdIsFake() {
		t.Skip("needs a GPU: this build has the fake driver (tag gorgonia in .ci/run)")
	}
	t.Logf("%+v", found)
	suite(t, std, nil)
}

func suite(t *testing.T, sys *system, fake *control) {
	for _, part := range []struct {
		name string
		run  func(*bench)
	}{
		{"device", testDevice}, {"memory", testMemory}, {"pinned", testPinned}, {"registered", testRegistered}, {"pool", testPool},
		{"copies", testCopies}, {"outOfMemory", testOutOfMemory}, {"failAlloc", testFailAlloc},
		{"module", testModule}, {"launch", testLaunch}, {"arguments", testArguments}, {"structs", testStructs},
		{"cooperative", testCooperative}, {"shared", testShared}, {"cluster", testCluster},
		{"events", testEvents}, {"goroutines", testGoroutines}, {"do", testDo},
		{"allocations", testAllocations}, {"peers", testPeers}, {"closing", testClosing},
	} {
		t.Run(part.name, func(t *testing.T) {
			ctx, err := sys.openContext(0)
			if err != nil {
				t.Fatal(err)
			}
			b := &bench{T: t, sys: sys, ctx: ctx, fake: fake}
			defer b.end()
			part.run(b)
		})
	}
}

// end frees what the part's helpers made, and looks for leaks.
func (b *bench) end() {
	for i := len(b.made) - 1; i >= 0; i-- {
		if err := b.made[i](); err != nil {
			b.Error(err)
		}
	}
	if b.Failed() {
		return
	}
	if live := b.ctx.Live(); !live.Zero() {
		b.Errorf("left: %v", live)
	}
	if err := b.ctx.Close(); err != nil {
		b.Error(err)
	}
}

// must fails the test at once on an error: must(f())(b).
func must[T any](v T, err error) func(*bench) T {
	return func(b *bench) T {
		b.Helper()
		b.ok(err)
		return v
	}
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// is fails the test unless err wraps want and says all of the words.
func (b *bench) is(err, want error, words ...string) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Errorf("got %v, want %v", err, want)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			b.Errorf("%q isn't in: %v", w, err)
		}
	}
}

func (b *bench) stream() *Stream {
	s := must(b.ctx.NewStream())(b)
	b.made = append(b.made, s.Close)
	return s
}

// words returns device memory that holds those words.
func (b *bench) words(data ...uint32) *Memory {
	b.Helper()
	m := must(b.ctx.Alloc(uint64(4 * len(data))))(b)
	b.made = append(b.made, m.Close)
	b.ok(b.ctx.Upload(m.Ptr(), bytesOfWords(data)))
	return m
}

// read returns n words of device memory.
func (b *bench) read(p Ptr, n int) []uint32 {
	b.Helper()
	data := make([]uint32, n)
	b.ok(b.ctx.Download(bytesOfWords(data), p))
	return data
}

func (b *bench) function(name string) *Function {
	b.Helper()
	if b.mod == nil {
		b.mod = must(b.ctx.Load(kernels))(b)
		b.made = append(b.made, b.mod.Close)
	}
	return must(b.mod.Function(name))(b)
}

func bytesOfWords(w []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

func testDevice(b *bench) {
	d := b.ctx.Device()
	type fields Device // without its String
	b.Logf("%+v", fields(d))
	if d.Name == "" || d.Driver < MinVersion || d.Memory == 0 || d.Major < 5 || d.SMs < 1 || d.L2 < 1 || d.Warp != 32 ||
		d.ThreadsPerSM < 1024 || d.BlocksPerSM < 1 || d.MaxThreads < 1024 || d.SharedMax < 48<<10 || d.SharedPerSM < d.SharedMax ||
		len(d.UUID) != len("GPU-01234567-0123-0123-0123-0123456789ab") || strings.Count(d.PCI, ":") != 2 {
		b.Errorf("%+v", d)
	}
	again := must(b.sys.device(0))(b)
	if again != d {
		b.Errorf("asked again: %+v", again)
	}
	free, total, err := b.ctx.MemInfo()
	b.ok(err)
	if free == 0 || free > total || total > d.Memory {
		b.Errorf("%d bytes of %d are free, the device has %d", free, total, d.Memory)
	}
	for _, i := range []int{-1, must(b.sys.probe())(b).Devices} {
		_, err := b.sys.openContext(i)
		b.is(err, ErrNotFound, "numbered from 0")
	}
	b.ok(b.ctx.Sync())
	b.ok(b.ctx.Broken())
	if can := must(b.ctx.CanAccess(b.ctx))(b); !can {
		b.Error("a device can't reach itself")
	}
	b.ok(b.ctx.EnablePeer(b.ctx))
}

func testClosing(b *bench) {
	// Nothing is closed twice, and nothing closed is used.
	c := must(b.sys.openContext(0))(b)
	s, e := must(c.NewStream())(b), must(c.NewEvent(0))(b)
	mod := must(c.Load(kernels))(b)
	f := must(mod.Function("nothing"))(b)
	m, h := must(c.Alloc(100))(b), must(c.AllocHost(100))(b)
	b.is(c.Close(), ErrInUse, "1 piece of device memory (100 B)", "1 piece of pinned memory (100 B)", "1 stream", "1 event", "1 module")
	if want := (Live{Bytes: 100, Memory: 1, HostBytes: 100, HostMemory: 1, Streams: 1, Events: 1, Modules: 1}); c.Live() != want {
		b.Errorf("%+v, want %+v", c.Live(), want)
	}
	b.ok(e.Close())
	b.ok(mod.Close())
	b.ok(m.Close())
	b.ok(h.Close())
	for _, err := range []error{
		e.Close(), mod.Close(), m.Close(), h.Close(), e.Sync(), s.Record(e), s.Wait(e), s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, nil),
		s.ToDevice(m.Ptr(), h, 0, 1), s.ToHost(h, 0, m.Ptr(), 1), f.SetAttribute(FuncCarveout, -1),
	} {
		b.is(err, ErrClosed)
	}
	if h.Bytes() != nil {
		b.Error("freed memory can still be had")
	}
	_, err := mod.Function("nothing")
	b.is(err, ErrClosed)
	_, _, err = mod.Global("global_words")
	b.is(err, ErrClosed)
	_, err = e.Since(e)
	b.is(err, ErrClosed)
	b.ok(s.Close())
	for _, err := range []error{s.Close(), s.Sync(), s.Memset8(m.Ptr(), 0, 1), s.Do(func() error { return nil })} {
		b.is(err, ErrClosed)
	}
	for range 2 { // the second time does nothing
		b.ok(c.Close())
	}
	_, err = c.Alloc(1)
	b.is(err, ErrClosed)
	_, err = c.NewStream()
	b.is(err, ErrClosed)
	b.is(c.Sync(), ErrClosed)
	b.is(c.Do(func() error { return nil }), ErrClosed)
	for _, err := range []error{(*Memory)(nil).Close(), (*Host)(nil).Close(), (*Stream)(nil).Close(), (*Event)(nil).Close(), (*Module)(nil).Close()} {
		b.ok(err)
	}
}

func testGoroutines(b *bench) {
	f := b.function("add")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := b.addMany(f, uint32(g)); err != nil {
				b.Error(err)
			}
		}()
	}
	wg.Wait()
}

// addMany adds in its own stream and moves between threads meanwhile.
func (b *bench) addMany(f *Function, g uint32) (err error) {
	const n, rounds = 1000, 50
	s, err := b.ctx.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	m, err := b.ctx.Alloc(8 * n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	sum, one := m.Ptr(), m.Ptr()+4*n
	if err := errors.Join(s.Memset32(sum, g, n), s.Memset32(one, 1, n)); err != nil {
		return err
	}
	args := NewArgs()
	for range rounds {
		args.Reset().Ptr(sum).Ptr(sum).Ptr(one).U64(n)
		if err := s.Launch(f, Config{Grid: Dim{X: 4}, Block: Dim{X: 128}}, args); err != nil {
			return err
		}
		runtime.Gosched()
	}
	data := make([]uint32, n)
	if err := s.Download(bytesOfWords(data), sum); err != nil {
		return err
	}
	for i, v := range data {
		if v != g+rounds {
			return fmt.Errorf("goroutine %d: element %d is %d, want %d", g, i, v, g+rounds)
		}
	}
	return nil
}

func testDo(b *bench) {
	s, f := b.stream(), b.function("add")
	m := b.words(0, 0, 0, 1, 2, 3)
	args := NewArgs().Ptr(m.Ptr()).Ptr(m.Ptr()).Ptr(m.Ptr() + 12).U64(3)
	b.ok(s.Do(func() error {
		for range 10 {
			if err := s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 32}}, args); err != nil {
				return err
			}
		}
		// Inside, calls on the context and Do itself work as outside.
		if _, _, err := b.ctx.MemInfo(); err != nil {
			return err
		}
		return s.Do(s.Sync)
	}))
	if got := b.read(m.Ptr(), 3); !slices.Equal(got, []uint32{10, 20, 30}) {
		b.Errorf("got %v", got)
	}
	wrong := errors.New("wrong")
	if err := s.Do(func() error { return wrong }); err != wrong {
		b.Errorf("Do returned %v", err)
	}
	if err := b.ctx.Do(func() error { return wrong }); err != wrong {
		b.Errorf("the context's Do returned %v", err)
	}
	b.ok(b.ctx.Do(s.Sync))
	if b.fake != nil {
		if d := b.fake.get("depth"); d != 0 {
			b.Errorf("a context is left current on this thread, %d deep", d)
		}
	}
}

func testEvents(b *bench) {
	s, other := b.stream(), b.stream()
	f := b.function("busy")
	event := func(flags EventFlags) *Event {
		e := must(b.ctx.NewEvent(flags))(b)
		b.made = append(b.made, e.Close)
		return e
	}
	start, end, plain := event(0), event(Blocking), event(NoTiming)
	if done := must(start.Done())(b); !done {
		b.Error("an event that was never recorded isn't reached")
	}
	b.ok(start.Sync())
	_, err := end.Since(start)
	b.is(err, ErrInvalid, "must be recorded")

	if b.fake != nil {
		b.fake.set("busy", 2)
	}
	const took = 0.05 // seconds
	b.ok(s.Record(start))
	b.ok(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, NewArgs().U64(took*1e9)))
	b.ok(s.Record(end))
	b.ok(s.Record(plain))
	if done := must(s.Done())(b); done {
		b.Error("the stream is done while its kernel runs")
	}
	if done := must(end.Done())(b); done {
		b.Error("the event is reached while the kernel before it runs")
	}
	b.ok(other.Wait(plain))
	b.ok(other.Sync())
	if done := must(end.Done())(b); !done {
		b.Error("a stream that waited for a later event is ahead of an earlier one")
	}
	seconds := must(end.Since(start))(b)
	b.Logf("a kernel of %v s took %v s", took, seconds)
	if seconds < took*0.9 || seconds > took*20 {
		b.Errorf("%v s", seconds)
	}
	if back, err := start.Since(end); err == nil && math.Abs(back+seconds) > 1e-5 {
		b.Errorf("%v s forth, %v s back", seconds, back)
	} else if err != nil {
		b.Logf("from the later event to the earlier: %v", err)
	}
	_, err = plain.Since(start)
	b.is(err, ErrInvalid)
	b.ok(end.Sync())
	b.ok(s.Sync())
	if done := must(s.Done())(b); !done {
		b.Error("the stream isn't done after waiting for it")
	}

	// One event, recorded and waited for more often than a driver's queue has room.
	b.ok(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 1}}, NewArgs().U64(10*took*1e9)))
	for range 3000 {
		b.ok(s.Record(end))
		b.ok(other.Wait(end))
	}
	b.ok(end.Sync())
	b.ok(other.Sync())
}

func testPeers(b *bench) {
	if n := must(b.sys.probe())(b).Devices; n < 2 {
		b.Skip("needs two GPUs: there is one")
	}
	two := must(b.sys.openContext(1))(b)
	defer func() { b.ok(two.Close()) }()
	m := must(two.Alloc(16))(b)
	defer func() { b.ok(m.Close()) }()
	s := b.stream()
	here := b.words(1, 2, 3, 4)

	b.ok(two.CopyPeer(m.Ptr(), here.Ptr(), b.ctx, 16))
	b.ok(b.ctx.Upload(here.Ptr(), make([]byte, 16)))
	b.ok(s.CopyPeer(here.Ptr(), b.ctx, m.Ptr(), two, 16))
	b.ok(s.Sync())
	if got := b.read(here.Ptr(), 4); !slices.Equal(got, []uint32{1, 2, 3, 4}) {
		b.Errorf("there and back: %v", got)
	}
	can := must(b.ctx.CanAccess(two))(b)
	b.Logf("direct access: %v", can)
	if !can {
		b.is(b.ctx.EnablePeer(two), ErrNotSupported)
		return
	}
	for range 2 { // the second time does nothing
		b.ok(b.ctx.EnablePeer(two))
	}
	f := b.function("add") // reads the other device's memory in place
	b.ok(s.Launch(f, Config{Grid: Dim{X: 1}, Block: Dim{X: 32}}, NewArgs().Ptr(here.Ptr()).Ptr(here.Ptr()).Ptr(m.Ptr()).U64(4)))
	b.ok(s.Sync())
	if got := b.read(here.Ptr(), 4); !slices.Equal(got, []uint32{2, 4, 6, 8}) {
		b.Errorf("added: %v", got)
	}
	for range 2 {
		b.ok(b.ctx.DisablePeer(two))
	}
}
