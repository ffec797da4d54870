// This file tests the ends of streams and devices, contexts, and what panics.

package host_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/host"
)

// caught runs f and returns what it panics with.
func caught(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// TestExits: a job whose function ends a worker's goroutine wasn't done.
func TestExits(t *testing.T) {
	s := host.New(3).Stream(context.Background())
	defer s.Close()
	var in atomic.Int32
	p := caught(func() {
		s.Run(jobFunc(func(w int) {
			for in.Add(1); in.Load() < 3; { // all have come
				runtime.Gosched()
			}
			if w == 1 {
				runtime.Goexit()
			}
		}))
	})
	if !strings.Contains(fmt.Sprint(p), "Goexit") {
		t.Errorf("the caller sees %v", p)
	}
	s.Run(jobFunc(func(int) {})) // the stream is usable
}

func TestPanics(t *testing.T) {
	boom := errors.New("boom")
	for _, workers := range []int{1, 2, 5} {
		s := host.New(workers).Stream(context.Background())
		for _, who := range []string{"the caller", "another", "all"} {
			if workers == 1 && who == "another" {
				continue
			}
			var in atomic.Int32
			bounded(t, "a job that panics", func() {
				p := caught(func() {
					s.Run(jobFunc(func(w int) {
						in.Add(1)
						for in.Load() < int32(workers) {
							runtime.Gosched()
						}
						if who == "all" || (who == "the caller") == (w == 0) {
							panic(boom)
						}
					}))
				})
				switch text, _ := p.(string); {
				case p == nil:
					t.Errorf("%d workers: the panic of %s is lost", workers, who)
				case who == "the caller" && p != any(boom):
					t.Errorf("%d workers: the caller's own panic came as %v", workers, p)
				case who == "another" && !(strings.Contains(text, "boom") && strings.Contains(text, "on worker")):
					t.Errorf("%d workers: %v doesn't say what happened on which worker", workers, p)
				}
				// As good as new, and nothing of the panic left over.
				for range 3 {
					meet(s)
				}
			})
		}
		s.Close()
	}
}

// goroutines waits until there are no more than so many.
func goroutines(t *testing.T, want int) {
	t.Helper()
	n := 0
	for range 1000 {
		if n = runtime.NumGoroutine(); n <= want {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines, want %d", n, want)
}

func TestCloseEndsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range 40 {
		s := host.New(1 + i%8).Stream(ctx)
		if i%2 == 0 {
			s.Run(jobFunc(func(int) {}))
		}
		if i%3 == 0 {
			time.Sleep(2 * time.Millisecond) // asleep, awake, or in between
		}
		bounded(t, "Close", func() {
			for range 2 {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	goroutines(t, before)
}

func TestContext(t *testing.T) {
	for _, workers := range []int{1, 3} {
		dev := host.New(workers)
		ctx, cancel := context.WithCancel(context.Background())
		s := dev.Stream(ctx)
		if s.Stopped() || s.Err() != nil || s.Sync() != nil {
			t.Error("stopped before the context is done")
		}
		// A job sees it while it runs.
		bounded(t, "a job that waits for the context", func() {
			s.Run(jobFunc(func(w int) {
				if w == 0 {
					cancel()
				}
				for !s.Stopped() {
					runtime.Gosched()
				}
			}))
		})
		if !errors.Is(s.Err(), context.Canceled) || !errors.Is(s.Sync(), context.Canceled) {
			t.Errorf("Err %v, Sync %v", s.Err(), s.Sync())
		}
		s.Close()

		late := dev.Stream(ctx)
		if !late.Stopped() || !errors.Is(late.Err(), context.Canceled) {
			t.Error("a stream of a context that is done isn't stopped")
		}
		late.Close()

		ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
		s = dev.Stream(ctx)
		for !s.Stopped() {
			runtime.Gosched()
		}
		if !errors.Is(s.Err(), context.DeadlineExceeded) {
			t.Errorf("past the deadline: %v", s.Err())
		}
		s.Close()
		cancel()
	}
}

// TestCallerSleeps: a job whose other workers take long ends when the last of
// them does, again and again, whether or not one of them panics.
func TestCallerSleeps(t *testing.T) {
	for _, workers := range []int{2, 5} {
		s := host.New(workers).Stream(context.Background())
		for round := range 30 {
			var in, out atomic.Int32
			p := any(nil)
			bounded(t, "a job whose caller has to wait", func() {
				p = caught(func() {
					s.Run(jobFunc(func(w int) {
						in.Add(1)
						if w == 0 { // the others must have begun to be waited for
							for in.Load() < 2 {
								runtime.Gosched()
							}
							return
						}
						time.Sleep(time.Duration(round%3) * time.Millisecond)
						out.Add(1)
						if round%5 == 4 {
							panic("boom")
						}
					}))
				})
			})
			if in.Load() != out.Load()+1 || (p != nil) != (round%5 == 4) {
				t.Fatalf("%d workers, round %d: %d came, %d left, panic %v", workers, round, in.Load(), out.Load()+1, p)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClosed: a closed stream, and a closed device, say so; closing again does
// nothing, and what a closed device gave out stays.
func TestClosed(t *testing.T) {
	for _, workers := range []int{1, 3} {
		dev := host.New(workers)
		ctx, cancel := context.WithCancel(context.Background())
		s := dev.Stream(ctx)
		mem, err := dev.Alloc(64)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		_, record := s.Record()
		for _, err := range []error{s.Err(), s.Sync(), record} {
			if !errors.Is(err, device.ErrClosed) {
				t.Errorf("the stream: got %v, want ErrClosed", err)
			}
		}
		cancel()
		if err := s.Err(); !errors.Is(err, device.ErrClosed) {
			t.Errorf("closed, then canceled: %v", err)
		}
		ran := 0
		bounded(t, "a job on a closed stream", func() { s.Run(jobFunc(func(int) { ran++ })) })
		if ran != 1 {
			t.Errorf("a job on a closed stream ran %d times", ran)
		}
		for range 2 {
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
		if m, err := dev.Alloc(8); !errors.Is(err, device.ErrClosed) || m != nil {
			t.Errorf("memory of a closed device: %v", err)
		}
		if s, err := dev.NewStream(context.Background()); !errors.Is(err, device.ErrClosed) || s != nil {
			t.Errorf("a stream of a closed device: %v", err)
		}
		mem.Host()[63] = 1
		if err := mem.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestEvents(t *testing.T) {
	stream, err := host.New(2).NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	first, err := stream.Record()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Millisecond)
	second, err := stream.Record()
	if err != nil {
		t.Fatal(err)
	}
	if d, err := second.Since(first); err != nil || d <= 0 {
		t.Errorf("%v seconds, %v", d, err)
	}
	if _, err := second.Since(foreign{}); err == nil {
		t.Error("an event of another device has a time")
	}
}

type foreign struct{}

func (foreign) Since(device.Event) (float64, error) { return 0, nil }

func (foreign) Close() error { return nil }

func TestDevice(t *testing.T) {
	if n := host.New(0).Workers(); n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers, want GOMAXPROCS", n)
	}
	if n := host.New(-3).Workers(); n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers, want GOMAXPROCS", n)
	}
	dev := host.New(3)
	info := dev.Info()
	if info.Kind != device.Host || info.Units != 3 || info.Driver != "" || info.MemoryFree > info.MemoryTotal {
		t.Errorf("%+v", info)
	}
	if runtime.GOOS == "linux" && info.MemoryTotal == 0 {
		t.Error("no memory")
	}
	s := dev.Stream(context.Background())
	defer s.Close()
	if s.Device() != device.Device(dev) {
		t.Error("the stream is of another device")
	}
	for _, n := range []uint64{0, 1, 7, 8, 4097, 5 << 20} {
		m, err := dev.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		if uint64(len(m.Host())) != n || n > 0 && m.Pointer()%8 != 0 {
			t.Errorf("%d bytes asked for: %d at %#x", n, len(m.Host()), m.Pointer())
		}
		for i, b := range m.Host() {
			if b != 0 {
				t.Fatalf("byte %d isn't zeroed", i)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := dev.Alloc(1 << 60); err == nil {
		t.Error("an exabyte")
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
