// This file holds the suite's parts for memory and copies.

package driver

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"
)

func testMemory(b *bench) {
	free, _, err := b.ctx.MemInfo()
	b.ok(err)
	var ms []*Memory
	for _, n := range []uint64{1, 3, 4096, 1 << 20, 64 << 20} {
		m := must(b.ctx.Alloc(n))(b)
		if m.Size() != n || m.Ptr() == 0 || m.Ptr()%256 != 0 {
			b.Errorf("%d bytes: %d at %#x", n, m.Size(), m.Ptr())
		}
		ms = append(ms, m)
	}
	if live := b.ctx.Live(); live.Memory != 5 || live.Bytes != 1+3+4096+1<<20+64<<20 {
		b.Errorf("%+v", live)
	}
	now, _, err := b.ctx.MemInfo()
	b.ok(err)
	if now > free-64<<20 && b.fake != nil {
		b.Errorf("%d bytes were free, %d are after allocating", free, now)
	}
	for _, m := range ms {
		b.ok(m.Close())
		b.is(m.Close(), ErrClosed, "closed")
	}
	none := must(b.ctx.Alloc(0))(b)
	if none.Ptr() != 0 {
		b.Errorf("no bytes at %#x", none.Ptr())
	}
	b.ok(none.Close())

	// Memory of someone else's is used and forgotten.
	m := b.words(1, 2)
	lent := b.ctx.Adopt(m.Ptr(), m.Size())
	if got := b.read(lent.Ptr(), 2); !slices.Equal(got, []uint32{1, 2}) {
		b.Errorf("adopted: %v", got)
	}
	b.ok(lent.Close())
	if got := b.read(m.Ptr(), 2); !slices.Equal(got, []uint32{1, 2}) {
		b.Errorf("after forgetting it: %v", got)
	}
	b.is(m.FreeAsync(b.stream()), ErrInvalid)

	// Stand-ins for the driver don't share memory between processes; a driver lets another process map it.
	shared, err := m.Share()
	if b.fake != nil {
		b.is(err, ErrNotSupported, "memory of several processes")
	} else {
		b.ok(err)
	}
	_, err = b.ctx.Map(shared)
	if err == nil {
		b.Error("a process maps its own memory")
	}
}

func testPinned(b *bench) {
	_, err := b.ctx.AllocHost(0)
	b.is(err, ErrInvalid)
	h := must(b.ctx.AllocHost(4000))(b)
	b.made = append(b.made, h.Close)
	if len(h.Bytes()) != 4000 || h.Size() != 4000 || h.Ptr() == 0 {
		b.Fatalf("%d bytes, size %d, at %#x", len(h.Bytes()), h.Size(), h.Ptr())
	}
	// A kernel writes to it in place.
	s := b.stream()
	b.ok(s.Launch(b.function("fill"), Config{Grid: Dim{X: 4}, Block: Dim{X: 256}}, NewArgs().Ptr(h.Ptr()).U32(0x01010101).U64(1000)))
	b.ok(s.Sync())
	if !bytes.Equal(h.Bytes(), bytes.Repeat([]byte{1}, 4000)) {
		b.Error("the kernel's words aren't there")
	}
	// Copies take any part of it.
	m := b.words(make([]uint32, 1000)...)
	for i := range h.Bytes() {
		h.Bytes()[i] = byte(i)
	}
	b.ok(s.ToDevice(m.Ptr(), h, 4, 3996))
	b.ok(s.ToHost(h, 0, m.Ptr(), 100))
	b.ok(s.ToDevice(m.Ptr(), h, 4000, 0))
	b.ok(s.Sync())
	if got := h.Bytes(); got[0] != 4 || got[99] != 103 || got[100] != 100 {
		b.Errorf("got %v", got[:101])
	}
	for _, c := range []struct{ offset, n uint64 }{{0, 4001}, {4000, 1}, {4001, 0}, {1, math.MaxUint64}, {math.MaxUint64, 2}} {
		b.is(s.ToDevice(m.Ptr(), h, c.offset, c.n), ErrInvalid, "of 4000")
		b.is(s.ToHost(h, c.offset, m.Ptr(), c.n), ErrInvalid, "of 4000")
	}
}

// testRegistered pins memory of the program where it is.
func testRegistered(b *bench) {
	_, err := b.ctx.RegisterHost(nil)
	b.is(err, ErrInvalid)
	own := make([]byte, 1<<20)
	for i := range own {
		own[i] = byte(i)
	}
	h := must(b.ctx.RegisterHost(own))(b)
	if h.Size() != 1<<20 || &h.Bytes()[0] != &own[0] || h.Ptr() == 0 {
		b.Fatalf("%d bytes at %#x", h.Size(), h.Ptr())
	}
	if _, err := b.ctx.RegisterHost(own); err == nil || errors.Is(err, ErrOutOfMemory) {
		b.Errorf("twice: %v", err)
	}
	s, m := b.stream(), b.words(make([]uint32, 1)...)
	b.ok(s.ToDevice(m.Ptr(), h, 8, 4))
	b.ok(s.Sync())
	got := make([]byte, 4)
	b.ok(b.ctx.Download(got, m.Ptr()))
	if !bytes.Equal(got, own[8:12]) {
		b.Errorf("got %v", got)
	}
	b.ok(h.Close())
	b.is(h.Close(), ErrClosed)
	b.ctx.FailAlloc(1)
	_, err = b.ctx.RegisterHost(own)
	b.is(err, ErrOutOfMemory, "FailAlloc", "cuMemHostRegister")
	b.ok(must(b.ctx.RegisterHost(own))(b).Close())
	if live := b.ctx.Live(); live.HostMemory != 0 {
		b.Errorf("left: %v", live)
	}
}

func testPool(b *bench) {
	s := b.stream()
	if !b.ctx.Device().Pools {
		_, err := s.Alloc(1)
		b.is(err, ErrNotSupported)
		b.is(b.ctx.PoolKeep(1), ErrNotSupported)
		b.Skip("needs a device with memory pools")
	}
	b.ok(b.ctx.PoolKeep(1 << 30))
	for range 3 {
		m := must(s.Alloc(1 << 20))(b)
		b.ok(s.Memset32(m.Ptr(), 7, 1<<18))
		got := make([]uint32, 1<<18)
		b.ok(s.Download(bytesOfWords(got), m.Ptr()))
		if got[0] != 7 || got[1<<18-1] != 7 {
			b.Errorf("got %d and %d", got[0], got[1<<18-1])
		}
		reserved, used, err := b.ctx.PoolInfo()
		b.ok(err)
		if used < 1<<20 || reserved < used {
			b.Errorf("%d bytes reserved, %d used", reserved, used)
		}
		b.ok(m.FreeAsync(s))
		b.is(m.FreeAsync(s), ErrClosed)
		b.is(m.Close(), ErrClosed)
	}
	m := must(s.Alloc(100))(b)
	b.ok(s.Sync())
	b.ok(m.Close()) // out of order, once it is at rest
	none := must(s.Alloc(0))(b)
	b.ok(none.FreeAsync(s))
	b.ok(s.Sync())
	b.ok(b.ctx.PoolKeep(0))
	b.ok(b.ctx.PoolTrim(0))
	_, used, err := b.ctx.PoolInfo()
	b.ok(err)
	if used != 0 && b.fake == nil {
		b.Errorf("%d bytes are in use after all was freed", used)
	}
}

func testCopies(b *bench) {
	const n = 300_000 // words: past what a driver stages at once
	in := make([]uint32, n)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	m := b.words(in...)
	two := b.words(make([]uint32, n)...)
	same := func(what string, p Ptr, want []uint32) {
		b.Helper()
		if !slices.Equal(b.read(p, len(want)), want) {
			b.Errorf("%s: not what was copied", what)
		}
	}
	same("there and back", m.Ptr(), in)
	b.ok(b.ctx.Copy(two.Ptr(), m.Ptr(), 4*n))
	same("on the device", two.Ptr(), in)

	s := b.stream()
	b.ok(s.Memset8(two.Ptr(), 0xab, 4*n-4))
	b.ok(s.Memset32(two.Ptr()+4*(n-1), 5, 1))
	want := slices.Repeat([]uint32{0xabababab}, n)
	want[n-1] = 5
	got := make([]uint32, n)
	b.ok(s.Download(bytesOfWords(got), two.Ptr()))
	if !slices.Equal(got, want) {
		b.Error("filled: not what was asked for")
	}
	b.ok(s.Upload(two.Ptr(), bytesOfWords(in)))
	b.ok(s.Memset32(m.Ptr(), 9, n))
	b.ok(s.Copy(m.Ptr(), two.Ptr()+4, 4*(n-1)))
	b.ok(s.Sync())
	same("in the stream", m.Ptr(), append(slices.Clone(in[1:]), 9))

	// Nothing is nothing, wherever it is.
	b.ok(errors.Join(b.ctx.Upload(0, nil), b.ctx.Download(nil, 0), b.ctx.Copy(0, 0, 0), s.Copy(0, 0, 0), s.Memset8(0, 1, 0),
		s.Memset32(0, 1, 0), s.Upload(0, nil), s.Download(nil, 0)))
	if b.fake != nil { // a real driver may find out later
		b.is(b.ctx.Upload(m.Ptr()+4, bytesOfWords(in)), ErrInvalid, "cuMemcpyHtoD", "1.20 MB", "Fake 0")
		b.is(s.Memset32(m.Ptr()+1, 0, 1), ErrInvalid, "cuMemsetD32Async")
		b.is(s.Download(bytesOfWords(got), 0), ErrInvalid, "cuMemcpyDtoHAsync")
	}
}

func testOutOfMemory(b *bench) {
	s := b.stream()
	for _, n := range []uint64{1 << 45, math.MaxUint64} {
		_, err := b.ctx.Alloc(n)
		b.is(err, ErrOutOfMemory, "cuMemAlloc", "wanted", "free", b.ctx.Device().Name)
		var e *Error
		if !errors.As(err, &e) || e.Wanted != n || e.Free == 0 || e.Free > b.ctx.Device().Memory {
			b.Errorf("%+v", e)
		}
		if b.ctx.Device().Pools {
			_, err = s.Alloc(n)
			b.is(err, ErrOutOfMemory, "cuMemAllocAsync")
		}
		if b.fake != nil || n == math.MaxUint64 { // a system may try hard before it gives up
			_, err = b.ctx.AllocHost(n)
			b.is(err, ErrOutOfMemory, "cuMemHostAlloc")
		}
	}
	b.ok(b.ctx.Broken())
	if live := b.ctx.Live(); live.Memory != 0 || live.Bytes != 0 || live.HostMemory != 0 {
		b.Errorf("failed allocations count: %v", live)
	}
}

func testFailAlloc(b *bench) {
	s := b.stream()
	// An allocation of each kind, in turn; k is the one that fails.
	for k := 1; k <= 4; k++ {
		b.ctx.FailAlloc(k)
		failed := 0
		for i := 1; i <= 3; i++ {
			var err error
			switch i {
			case 1:
				var m *Memory
				if m, err = b.ctx.Alloc(10); err == nil {
					b.ok(m.Close())
				}
			case 2:
				var h *Host
				if h, err = b.ctx.AllocHost(10); err == nil {
					b.ok(h.Close())
				}
			case 3:
				if !b.ctx.Device().Pools {
					continue
				}
				var m *Memory
				if m, err = s.Alloc(10); err == nil {
					b.ok(m.FreeAsync(s))
				}
			}
			if err != nil {
				failed = i
				b.is(err, ErrOutOfMemory, "FailAlloc", "10 B")
			}
		}
		if want := k % 4; failed != want && b.ctx.Device().Pools {
			b.Errorf("FailAlloc(%d): allocation %d failed", k, failed)
		}
	}
	b.ctx.FailAlloc(1)
	b.ctx.FailAlloc(0)
	b.ok(must(b.ctx.Alloc(1))(b).Close())
}

func testAllocations(b *bench) {
	s, f := b.stream(), b.function("fill")
	m := b.words(make([]uint32, 256)...)
	h := must(b.ctx.AllocHost(1024))(b)
	b.made = append(b.made, h.Close)
	e := must(b.ctx.NewEvent(NoTiming))(b)
	b.made = append(b.made, e.Close)
	args := NewArgs()
	cluster := Config{Grid: Dim{X: 2}, Block: Dim{X: 128}, Cluster: Dim{X: 2}}
	for name, do := range map[string]func() error{
		"launch": func() error {
			args.Reset().Ptr(m.Ptr()).U32(3).U64(256)
			return s.Launch(f, Config{Grid: Dim{X: 2}, Block: Dim{X: 128}}, args)
		},
		"cooperative": func() error {
			args.Reset().Ptr(m.Ptr()).U32(3).U64(256)
			return s.Launch(f, Config{Grid: Dim{X: 2}, Block: Dim{X: 128}, Cooperative: true}, args)
		},
		"cluster": func() error {
			if !b.ctx.Device().Clusters {
				return nil
			}
			args.Reset().Ptr(m.Ptr()).U32(3).U64(256)
			return s.Launch(f, cluster, args)
		},
		"memset":   func() error { return s.Memset32(m.Ptr(), 1, 256) },
		"copies":   func() error { return errors.Join(s.ToHost(h, 0, m.Ptr(), 1024), s.ToDevice(m.Ptr(), h, 0, 1024)) },
		"event":    func() error { return s.Record(e) },
		"download": func() error { return s.Sync() },
	} {
		var failed error
		allocs := testing.AllocsPerRun(100, func() {
			if err := do(); err != nil && failed == nil {
				failed = err
			}
		})
		b.ok(failed)
		if allocs != 0 && !raceEnabled {
			b.Errorf("%s: %v allocations a call", name, allocs)
		}
	}
	b.ok(s.Sync())
}
