// This file holds the tests of the prefix sum.

package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/scan"
)

// Scans tests prefix sums of all widths and lengths, in place and not, against
// the definition.
func (s Suite) Scans(t *testing.T) {
	stream, err := s.Device.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c, err := scan.New(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
	}()
	// Sizes around the shares of a thread, a block, one launch and a worker, and, at the
	// end, parts of several tiles.
	ns := []int{0, 1, 7, 8, 9, 255, 2047, 2048, 2049, 16383, 16384, 16385, 20_000, 50_001}
	if s.GPU && !s.Small {
		ns = append(ns, 1<<22, 1<<22+1, 9_000_001)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range ns {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			scans[uint32, uint32](t, s.Device, c, r, n)
			scans[uint32, uint64](t, s.Device, c, r, n)
			scans[uint64, uint32](t, s.Device, c, r, n)
			scans[uint64, uint64](t, s.Device, c, r, n)
		})
	}
	if s.GPU {
		t.Run("many tiles a part", func(t *testing.T) { scans[uint32, uint32](t, s.Device, c, r, 1<<22+5) })
	}
}

func scans[In, Out interface{ uint32 | uint64 }](t *testing.T, dev device.Device, c *scan.Scanner, r *rand.Rand, n int) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	draw := make([]In, n+3)
	for i := range draw {
		switch draw[i] = In(r.Uint64()); r.IntN(3) { // sums wrap around, or stay small
		case 0:
			draw[i] >>= 40 % (8 * sizeOf[In]())
		case 1:
			draw[i] = 0
		}
	}
	sum, want := uint64(0), make([]Out, n)
	for i := range want {
		want[i] = Out(sum)
		sum += uint64(draw[i])
	}
	in, err := device.NewBuffer[In](dev, n+3)
	must(err)
	defer in.Close()
	must(in.Write(dev, 0, draw))
	const mark = 0x55555555
	for _, beyond := range []int{0, 1, 3} {
		out, err := device.NewBuffer[Out](dev, n+beyond)
		must(err)
		if beyond > 0 {
			must(out.Write(dev, n, []Out{mark, mark, mark}[:beyond]))
		}
		got, err := scan.Exclusive(c, in, out, n)
		must(err)
		have := make([]Out, n+beyond)
		must(out.Read(dev, 0, have))
		must(out.Close())
		if got != sum {
			t.Fatalf("sum %d, want %d", got, sum)
		}
		if i := differ(have, want); i < n {
			t.Fatalf("entry %d is %d, want %d", i, have[i], want[i])
		}
		if beyond > 0 && have[n] != Out(sum) || beyond > 1 && (have[n+1] != mark || have[n+2] != mark) {
			t.Fatalf("behind the last entry there is %d, want the sum, %d, and nothing else changed", have[n:], sum)
		}
	}
	// In place.
	same, ok := any(in).(*device.Buffer[Out])
	if !ok {
		return
	}
	got, err := scan.Exclusive(c, in, same, n)
	must(err)
	have := make([]Out, n+3)
	must(same.Read(dev, 0, have))
	if i := differ(have, want); got != sum || i < n {
		t.Fatalf("in place: sum %d, want %d; first difference at %d", got, sum, i)
	}
	for i, x := range have[n:] {
		if x != Out(draw[n+i]) {
			t.Fatalf("in place: entry %d of %d was changed", n+i, n)
		}
	}
}

func sizeOf[T interface{ uint32 | uint64 }]() int {
	if T(1)<<31<<1 == 0 {
		return 4
	}
	return 8
}
