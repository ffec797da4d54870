// This file converts numbers to bytes, as ranks send them. All ranks have the same
// byte order: MPI is opened on little-endian machines only.

package engine

import (
	"context"
	"unsafe"

	"github.com/foray-graph/foray/internal/text"
)

// number is what messages consist of.
type number interface{ ~uint32 | ~uint64 }

// bytesOf returns the memory of numbers.
func bytesOf[T number](s []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(x)))
}

// numbersOf is the inverse of bytesOf, of memory that is aligned.
func numbersOf[T number](b []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(x)))
}

// join returns lists one after the other. A single one that isn't empty isn't copied.
func join[T number](lists ...[]T) []T {
	n, last := 0, []T(nil)
	for _, l := range lists {
		n += len(l)
		if len(l) > 0 {
			last = l
		}
	}
	if n == len(last) {
		return last
	}
	all := make([]T, 0, n)
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func plural(n uint64) string { return text.Plural(n, "edge") }

// anywhere reports whether something holds on any rank.
func (p *Part) anywhere(ctx context.Context, holds bool) (bool, error) {
	n := []uint64{0}
	if holds {
		n[0] = 1
	}
	err := p.comm.Max(ctx, n)
	return n[0] > 0, err
}

// bins are lists by worker and rank.
func bins[T number](workers, ranks int) [][][]T {
	b := make([][][]T, workers)
	for w := range b {
		b[w] = make([][]T, ranks)
	}
	return b
}
