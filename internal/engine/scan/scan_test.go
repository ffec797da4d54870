package scan_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/host"
)

// What scans compute is tested in internal/testing/conformance, on every device.

func buffer[T device.Elem](t testing.TB, dev device.Device, n int) *device.Buffer[T] {
	t.Helper()
	b, err := device.NewBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestMisuse(t *testing.T) {
	dev := host.New(2)
	ctx, cancel := context.WithCancel(context.Background())
	s := dev.Stream(ctx)
	if _, err := scan.New(nil); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("no stream: %v", err)
	}
	if _, err := scan.New((*host.Stream)(nil)); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("a nil stream: %v", err)
	}
	var none *scan.Scanner
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	a, b := buffer[uint32](t, dev, 5), buffer[uint64](t, dev, 5)
	if _, err := scan.Exclusive(none, a, b, 5); !errors.Is(err, device.ErrNotSupported) {
		t.Errorf("a nil Scanner: %v", err)
	}
	c, err := scan.New(s)
	if err != nil {
		t.Fatal(err)
	}
	if c.Bind(nil) || !c.Bind(s) {
		t.Error("Bind takes no stream, or not its own")
	}
	var nothing *device.Buffer[uint32]
	for _, n := range []int{-1, 6, 1 << 40} {
		if _, err := scan.Exclusive(c, a, b, n); !errors.Is(err, device.ErrSize) {
			t.Errorf("%d entries of 5: %v", n, err)
		}
	}
	if _, err := scan.Exclusive(c, nothing, b, 1); !errors.Is(err, device.ErrSize) {
		t.Errorf("a nil input: %v", err)
	}
	if _, err := scan.Exclusive(c, a, nothing, 1); !errors.Is(err, device.ErrSize) {
		t.Errorf("a nil output: %v", err)
	}
	if sum, err := scan.Exclusive(c, nothing, nothing, 0); sum != 0 || err != nil {
		t.Errorf("nothing at all: %d, %v", sum, err)
	}
	b.Host()[0] = 7
	if sum, err := scan.Exclusive(c, nothing, b, 0); sum != 0 || err != nil || b.Host()[0] != 0 {
		t.Errorf("no entries but room for the sum: %d, %v, %d", sum, err, b.Host()[0])
	}
	cancel()
	if _, err := scan.Exclusive(c, a, b, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := scan.Exclusive(c, a, b, 5); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a closed stream: %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if _, err := scan.Exclusive(c, a, b, 5); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a freed Scanner: %v", err)
	}
}

func TestAllocatesNothing(t *testing.T) {
	dev := host.New(2)
	s := dev.Stream(context.Background())
	defer s.Close()
	c, err := scan.New(s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := buffer[uint32](t, dev, 1<<16), buffer[uint64](t, dev, 1<<16)
	if allocs := testing.AllocsPerRun(10, func() {
		if _, err := scan.Exclusive(c, a, b, 1<<16); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkExclusive(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 16, 1 << 22} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d/workers=%d", n, workers), func(b *testing.B) {
				dev := host.New(workers)
				s := dev.Stream(context.Background())
				defer s.Close()
				c, err := scan.New(s)
				if err != nil {
					b.Fatal(err)
				}
				in, out := buffer[uint32](b, dev, n), buffer[uint64](b, dev, n)
				b.SetBytes(int64(12 * n))
				for b.Loop() {
					if _, err := scan.Exclusive(c, in, out, n); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
