// This file tests what the readers of both formats share.

package columnar

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
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

// TestTurns: a worker that needs more than its share waits for the one that has the
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

// TestAppendStrings: strings of all lengths around the one that is copied at
// once, in all the ways to add them, come out as they went in.
func TestAppendStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var v Vector
	for range 300 {
		n := r.IntN(60)
		if err := v.Reset(Unlimited(), Strings, 4*n); err != nil {
			t.Fatal(err)
		}
		var want []string
		for range n {
			from := make([]byte, r.IntN(3*wide))
			for i := range from {
				from[i] = byte(r.Uint32())
			}
			lo := r.IntN(len(from) + 1)
			hi := lo + r.IntN(len(from)-lo+1)
			var err error
			switch r.IntN(4) {
			case 0:
				want = append(want, string(from[lo:hi]))
				err = v.AppendString(Unlimited(), from[lo:hi])
			case 1:
				want = append(want, string(from[:lo]), string(from[lo:hi]))
				err = v.AppendRun(Unlimited(), from[:hi], []int64{int64(lo), int64(hi - lo)})
			case 2:
				half := len(from) / 2
				want = append(want, string(from[:half]), string(from[half:2*half]))
				err = v.AppendFixed(Unlimited(), from[:2*half], half, 2)
			default:
				want = append(want, string(from[lo:hi]))
				err = v.AppendFrom(Unlimited(), from, int64(lo), int64(hi))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if v.Len() != len(want) {
			t.Fatalf("%d strings, want %d", v.Len(), len(want))
		}
		for i, s := range want {
			if got := v.Data[v.Offsets[i]:v.Offsets[i+1]]; string(got) != s {
				t.Fatalf("string %d is %q, want %q", i, got, s)
			}
		}
	}
	long := make([]byte, MaxIDBytes+1)
	for _, err := range []error{v.AppendString(Unlimited(), long), v.AppendFrom(Unlimited(), long, 0, MaxIDBytes+1),
		v.AppendRun(Unlimited(), long, []int64{MaxIDBytes + 1}), v.AppendFixed(Unlimited(), long, MaxIDBytes+1, 1)} {
		if !errors.Is(err, ErrUnsupported) {
			t.Errorf("a string that is too long: %v", err)
		}
	}
}

// TestPlaceAt: a place is said once, the nearer one where there are two.
func TestPlaceAt(t *testing.T) {
	cause := errors.New("cause")
	for want, err := range map[string]error{
		`block 0, column "a": cause`: PlaceAt(-1, "b", PlaceAt(0, "a", cause)),
		`block 1, column "b": cause`: PlaceAt(1, "a", PlaceAt(-1, "b", cause)),
		`block 2, column "a": cause`: PlaceAt(3, "a", PlaceAt(2, "", cause)),
		`column "a": cause`:          PlaceAt(-1, "", PlaceAt(-1, "a", cause)),
	} {
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if PlaceAt(0, "a", nil) != nil {
		t.Error("an error without a cause")
	}
}
