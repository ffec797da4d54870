// Package atomics holds the atomic operations that functors written in Go use on elements
// of their slices:
//
//	distance := []float32{0, 7}
//	fmt.Println(5 < atomics.Min(&distance[1], 5)) // true: it got smaller
//
// The guide is [docs/subset.md].
//
// foray generate turns the calls into the instructions of each device: those of a GPU, and
// plain memory operations where a single worker runs. Called as they are, from a test or a
// reference implementation, they work on the host.
//
// All but Load, Store and CompareAndSwap return the element as it was before: d <
// atomics.Min(&x, d) says that x got smaller. They order memory as sync/atomic does on the
// host; on a GPU they are relaxed: an element is updated as one, but nothing is said about
// the order in which other threads see updates of several elements.
//
// # Floating point
//
// Min and Max treat floats the same way on all devices: a NaN that is given is ignored, an
// element that is NaN is replaced, and -0 is less than 0. Add rounds as + does. As threads
// add in any order, sums of floats differ from run to run. CompareAndSwap compares bits: a
// NaN equals itself, and -0 doesn't equal 0.
//
// [docs/subset.md]: https://github.com/foray-graph/foray/blob/main/docs/subset.md
package atomics

import (
	"sync/atomic"
	"unsafe"
)

type integer interface {
	~int32 | ~uint32 | ~int64 | ~uint64
}

type number interface {
	integer | ~float32 | ~float64
}

// word32 is an element's address as that of its bits, word64 likewise.
func word32[T number](p *T) *uint32 { return (*uint32)(unsafe.Pointer(p)) }
func word64[T number](p *T) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

// narrow reports a type of 32 bits. Compilers know the answer for each type.
func narrow[T number]() bool {
	var x T
	return unsafe.Sizeof(x) == 4
}

// float reports a floating-point type: one that has a half.
func float[T number]() bool { return T(1)/T(2) != 0 }

// bits returns the bits of x.
func bits[T number](x T) uint64 {
	if narrow[T]() {
		return uint64(*word32(&x))
	}
	return *word64(&x)
}

// of returns the value that has these bits.
func of[T number](bits uint64) (x T) {
	if narrow[T]() {
		*word32(&x) = uint32(bits)
	} else {
		*word64(&x) = bits
	}
	return x
}

// less is <, but of -0 and 0 too: where values are equal, their bits only differ by the sign.
func less[T number](a, b T) bool { return a < b || a == b && bits(a) > bits(b) }

// Load returns the element.
func Load[T number](p *T) T {
	if narrow[T]() {
		return of[T](uint64(atomic.LoadUint32(word32(p))))
	}
	return of[T](atomic.LoadUint64(word64(p)))
}

// Store sets the element.
func Store[T number](p *T, x T) {
	if narrow[T]() {
		atomic.StoreUint32(word32(p), uint32(bits(x)))
	} else {
		atomic.StoreUint64(word64(p), bits(x))
	}
}

// CompareAndSwap sets the element to x if it is old, and reports whether it was. Floats are
// compared by their bits.
func CompareAndSwap[T number](p *T, old, x T) bool {
	if narrow[T]() {
		return atomic.CompareAndSwapUint32(word32(p), uint32(bits(old)), uint32(bits(x)))
	}
	return atomic.CompareAndSwapUint64(word64(p), bits(old), bits(x))
}

// Exchange sets the element to x and returns what it was.
func Exchange[T number](p *T, x T) T {
	if narrow[T]() {
		return of[T](uint64(atomic.SwapUint32(word32(p), uint32(bits(x)))))
	}
	return of[T](atomic.SwapUint64(word64(p), bits(x)))
}

// Min lowers the element to x if that is less, and returns what it was. Nothing is written
// where it doesn't get less. Of floats, a NaN given is ignored, an element that is NaN is
// replaced, and -0 is less than 0.
func Min[T number](p *T, x T) T {
	for {
		old := Load(p)
		if x != x || old == old && !less(x, old) || CompareAndSwap(p, old, x) {
			return old
		}
	}
}

// Max raises the element to x if that is greater, and returns what it was. Nothing is
// written where it doesn't get greater. Floats are as Min has them.
func Max[T number](p *T, x T) T {
	for {
		old := Load(p)
		if x != x || old == old && !less(old, x) || CompareAndSwap(p, old, x) {
			return old
		}
	}
}

// Add adds x to the element and returns what it was. Integers wrap.
func Add[T number](p *T, x T) T {
	if float[T]() {
		for {
			old := Load(p)
			if CompareAndSwap(p, old, old+x) {
				return old
			}
		}
	}
	if narrow[T]() {
		return of[T](uint64(atomic.AddUint32(word32(p), uint32(bits(x))))) - x
	}
	return of[T](atomic.AddUint64(word64(p), bits(x))) - x
}

// Or sets the bits of x in the element and returns what it was.
func Or[T integer](p *T, x T) T {
	if narrow[T]() {
		return of[T](uint64(atomic.OrUint32(word32(p), uint32(bits(x)))))
	}
	return of[T](atomic.OrUint64(word64(p), bits(x)))
}

// And clears the bits of the element that x doesn't have, and returns what it was.
func And[T integer](p *T, x T) T {
	if narrow[T]() {
		return of[T](uint64(atomic.AndUint32(word32(p), uint32(bits(x)))))
	}
	return of[T](atomic.AndUint64(word64(p), bits(x)))
}
