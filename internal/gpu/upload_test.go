// This file tests and times the transfer between host and GPU.

package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu/driver"
)

func opened(t testing.TB) *Device {
	t.Helper()
	d, err := Open(0)
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGPUTransfer checks that any piece of uploaded data comes back, whole or in parts,
// and each byte once.
func TestGPUTransfer(t *testing.T) {
	d := opened(t)
	r := rand.New(rand.NewPCG(91, 1))
	for _, size := range []int{1, 100, stageBytes - 1, stageBytes, 3*stageBytes + 5, 9 * stageBytes} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		m, err := d.Alloc(uint64(size))
		if err == nil {
			err = d.Upload(m, uint64(size), func(at uint64, part []byte) { copy(part, data[at:]) })
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			lo := 0
			if i > 0 {
				lo = r.IntN(size)
			}
			want := data[lo:]
			if i > 1 {
				want = want[:r.IntN(len(want)+1)]
			}
			got, times := make([]byte, len(want)), make([]byte, len(want))
			if err := d.Download(got, m, uint64(lo)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%d bytes at %d of %d differ", len(want), lo, size)
			}
			clear(got)
			err := d.Fetch(m, uint64(lo), uint64(len(want)), func(at uint64, part []byte) {
				copy(got[at:], part)
				for j := range part {
					times[at+uint64(j)]++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) || bytes.Count(times, []byte{1}) != len(want) {
				t.Fatalf("%d bytes at %d of %d, fetched, differ", len(want), lo, size)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Fetch(nil, 0, 1, nil); !errors.Is(err, device.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// BenchmarkTransfer copies 1 GiB each way with numbers of workers of which
// stageWorkers is one, and by the driver's own way to memory that isn't pinned.
func BenchmarkTransfer(b *testing.B) {
	d := opened(b)
	defer d.Close()
	data := make([]byte, 1<<30)
	for i := 0; i < len(data); i += 1 << 10 {
		data[i] = 1 // its pages are there
	}
	m, err := d.Alloc(uint64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	b.Run("down/driver", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if err := d.c.Download(data, driver.Ptr(m.Pointer())); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, workers := range []int{4, 8, 12, 16} {
		d.workers = workers
		b.Run(fmt.Sprintf("up/workers=%d", workers), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := d.Upload(m, uint64(len(data)), func(at uint64, part []byte) { copy(part, data[at:]) }); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("down/workers=%d", workers), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := d.Download(data, m, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
