// This file makes arrays, in huge pages if they are large: most accesses are at random.

package modularity

import (
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// zeros returns an array of zeros.
func zeros[T uint32 | int32 | int64 | uint64](n int) []T {
	a := make([]T, n)
	hugepage.Expect(a)
	return a
}

// array returns an array that is about to be written completely.
func array[T uint32 | int32 | int64 | uint64](n int) []T {
	a := pages.Uncleared[T](n)
	hugepage.Expect(a)
	return a
}
