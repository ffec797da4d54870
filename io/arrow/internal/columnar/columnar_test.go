// This file tests what the readers of both formats share.

package columnar

import (
	"context"
	"math"
	"testing"
)

func TestHalf(t *testing.T) {
	for _, c := range []struct {
		bits uint16
		want float64
	}{{0x3c00, 1}, {0xc000, -2}, {0x7bff, 65504}, {1, math.Ldexp(1, -24)}, {0x8400, -math.Ldexp(1, -14)},
		{0x8200, -math.Ldexp(1, -15)}, {0x7c00, math.Inf(1)}, {0xfc00, math.Inf(-1)}, {0, 0}} {
		if got := Half(c.bits); float64(got) != c.want {
			t.Errorf("%#x is %v, want %v", c.bits, got, c.want)
		}
	}
	if x := Half(0x7e00); x == x {
		t.Errorf("%v is a number", x)
	}
}

// TestTurns: whoever needs more than its share waits for the one that has the
// turn, and gets none past its limit.
func TestTurns(t *testing.T) {
	p := NewPool(0)
	a, b := NewMemory(p), NewMemory(p)
	a.Begin(context.Background(), 0)
	big, err := Grow[byte](a, nil, sharedFloor+1)
	if err != nil || !a.End() {
		t.Fatalf("%v, %v", err, a.End())
	}
	if _, err := Grow(a, big, holderFloor); err == nil {
		t.Error("no error past the limit")
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.Begin(ctx, 0)
	got := make(chan error)
	go func() {
		_, err := Grow[byte](b, nil, 100)
		got <- err
	}()
	cancel()
	if err := <-got; err != context.Canceled {
		t.Errorf("%v while another has the turn", err)
	}
	a.Reset()
	b.Begin(context.Background(), 0)
	if _, err := Grow[byte](b, nil, sharedFloor+1); err != nil || !b.End() {
		t.Errorf("%v, %v when it is free", err, b.End())
	}
	b.Reset()
	if n := p.used.Load(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}
