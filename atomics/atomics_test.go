package atomics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/foray-graph/foray/atomics"
)

type integer interface {
	int32 | uint32 | int64 | uint64
}

// values are numbers of T to combine: small, extreme, of both signs.
func integers[T integer]() []T {
	r := rand.New(rand.NewPCG(1, 2))
	out := []T{0, 1, 2, ^T(0), ^T(0) - 1}
	for s := range 64 {
		out = append(out, T(1)<<s, T(1)<<s-1, T(r.Uint64()))
	}
	return out
}

func testIntegers[T integer](t *testing.T) {
	t.Run(fmt.Sprintf("%T", T(0)), func(t *testing.T) {
		for _, a := range integers[T]() {
			for _, b := range integers[T]() {
				// Guards on both sides: an operation of the wrong width would hit them.
				for _, c := range []struct {
					name string
					do   func(p *T) T
					want T
				}{
					{"Min", func(p *T) T { return atomics.Min(p, b) }, min(a, b)},
					{"Max", func(p *T) T { return atomics.Max(p, b) }, max(a, b)},
					{"Add", func(p *T) T { return atomics.Add(p, b) }, a + b},
					{"Or", func(p *T) T { return atomics.Or(p, b) }, a | b},
					{"And", func(p *T) T { return atomics.And(p, b) }, a & b},
					{"Exchange", func(p *T) T { return atomics.Exchange(p, b) }, b},
					{"Store", func(p *T) T { atomics.Store(p, b); return a }, b},
					{"Load", func(p *T) T { return atomics.Load(p) }, a},
					{"CompareAndSwap", func(p *T) T {
						if !atomics.CompareAndSwap(p, a, b) {
							return a + 1
						}
						return a
					}, b},
					{"CompareAndSwap of another", func(p *T) T {
						if atomics.CompareAndSwap(p, a+1, b) {
							return a + 1
						}
						return a
					}, a},
				} {
					x := [3]T{7, a, 7}
					if old := c.do(&x[1]); old != a || x != [3]T{7, c.want, 7} {
						t.Fatalf("%s of %v and %v: returned %v, left %v, want %v", c.name, a, b, old, x, c.want)
					}
				}
			}
		}
	})
}

func TestIntegers(t *testing.T) {
	testIntegers[int32](t)
	testIntegers[uint32](t)
	testIntegers[int64](t)
	testIntegers[uint64](t)
}

func bitsOf[T float32 | float64](x T) uint64 {
	if x, ok := any(x).(float32); ok {
		return uint64(math.Float32bits(x))
	}
	return math.Float64bits(float64(x))
}

func testFloats[T float32 | float64](t *testing.T) {
	nan, zero := T(math.NaN()), T(0)
	values := []T{zero, -zero, T(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 3e-39, -3e-39, T(math.Inf(1)), T(math.Inf(-1)), nan}
	for _, a := range values {
		for _, b := range values {
			// Go's min and max have the same order of zeros, but NaN wins there.
			least, most := min(a, b), max(a, b)
			if b != b {
				least, most = a, a
			} else if a != a {
				least, most = b, b
			}
			for _, c := range []struct {
				name string
				do   func(p *T) T
				want T
			}{
				{"Min", func(p *T) T { return atomics.Min(p, b) }, least},
				{"Max", func(p *T) T { return atomics.Max(p, b) }, most},
				{"Add", func(p *T) T { return atomics.Add(p, b) }, a + b},
				{"Exchange", func(p *T) T { return atomics.Exchange(p, b) }, b},
				{"Store", func(p *T) T { old := atomics.Load(p); atomics.Store(p, b); return old }, b},
				{"CompareAndSwap", func(p *T) T {
					if !atomics.CompareAndSwap(p, a, b) {
						return 42
					}
					return a
				}, b},
			} {
				x := [3]T{7, a, 7}
				old := c.do(&x[1])
				same := bitsOf(x[1]) == bitsOf(c.want) || x[1] != x[1] && c.want != c.want
				if bitsOf(old) != bitsOf(a) || !same || x[0] != 7 || x[2] != 7 {
					t.Errorf("%s of %v and %v: returned %v, left %v, want %v", c.name, a, b, old, x, c.want)
				}
			}
		}
	}
	x := zero
	if atomics.CompareAndSwap(&x, T(math.Copysign(0, -1)), 1) {
		t.Error("CompareAndSwap takes -0 for 0")
	}
}

func TestFloats(t *testing.T) {
	testFloats[float32](t)
	testFloats[float64](t)
}

// TestShared has many goroutines at one element. Each decrease is seen by one of them.
func TestShared(t *testing.T) {
	const workers, each = 8, 2000
	var least, sum float32
	var most int64
	var or, turns uint32
	least = each * workers
	var mu sync.Mutex
	seen := map[float32]int{}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				x := float32((each-i)*workers + w)
				if old := atomics.Min(&least, x); x < old {
					mu.Lock()
					seen[x]++
					mu.Unlock()
				}
				atomics.Add(&sum, 1)
				atomics.Max(&most, int64(i*workers+w))
				atomics.Or(&or, 1<<(i%32))
				for old := atomics.Load(&turns); !atomics.CompareAndSwap(&turns, old, old+3); {
					old = atomics.Load(&turns)
				}
			}
		})
	}
	wg.Wait()
	if least != workers || sum != workers*each || most != workers*each-1 || or != math.MaxUint32 || turns != 3*workers*each {
		t.Error(least, sum, most, or, turns)
	}
	for x, n := range seen {
		if n != 1 {
			t.Errorf("%d goroutines lowered the element to %v", n, x)
		}
	}
	if seen[workers] != 1 {
		t.Errorf("%d goroutines lowered the element to the least value", seen[workers])
	}
}
