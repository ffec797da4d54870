package prefetch_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/internal/osmem/prefetch"
)

type row struct {
	First  uint64
	Source uint32
	Len    uint32
}

// TestNothingChanges: whatever is prefetched, of whatever length, is as it was
// before, and so is the list of indices. The ends of the arrays are among them.
func TestNothingChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 63, 1000, 1 << 16} {
		rows, offsets := make([][4]uint32, n), make([]uint64, n)
		eights := make([][8]uint32, n)
		ints, uints := make([]int32, n), make([]uint32, n)
		for i := range n {
			rows[i] = [4]uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
			eights[i] = [8]uint32{r.Uint32(), 7: r.Uint32()}
			offsets[i], ints[i], uints[i] = r.Uint64(), r.Int32(), r.Uint32()
		}
		small := make([]uint64, n) // offsets into uints
		for i := range small {
			small[i] = uint64(r.IntN(n + 1))
		}
		for _, k := range []int{0, 1, 2, 3, 64, 65, 257} {
			vs := make([]uint32, k)
			for i := range vs {
				vs[i] = uint32(r.IntN(n))
			}
			if k > 1 {
				vs[0], vs[k-1] = 0, uint32(n-1)
			}
			eights0 := slices.Clone(eights)
			rows0, offsets0, ints0, uints0, vs0 := slices.Clone(rows), slices.Clone(offsets), slices.Clone(ints), slices.Clone(uints), slices.Clone(vs)
			prefetch.Ell4(rows, vs)
			prefetch.Eights(eights, vs)
			ends := make([]row, k)
			for i := range ends {
				first := r.IntN(k)
				ends[i] = row{First: uint64(first), Source: vs[i], Len: uint32(1 + r.IntN(k-first))}
			}
			prefetch.Ends(uintptr(unsafe.Pointer(&uints[0])), ends, vs)
			prefetch.Ends64(uintptr(unsafe.Pointer(&offsets[0])), ends, vs)
			prefetch.Offsets(offsets, vs)
			prefetch.Write4(ints, vs)
			prefetch.Write4(uints, vs)
			prefetch.Seconds(uints, small, vs)
			if !slices.Equal(rows, rows0) || !slices.Equal(eights, eights0) || !slices.Equal(offsets, offsets0) || !slices.Equal(ints, ints0) || !slices.Equal(uints, uints0) || !slices.Equal(vs, vs0) {
				t.Fatalf("%d indices into %d elements: something has changed", k, n)
			}
		}
	}
}

// TestNothingToPrefetch: empty lists and empty arrays are left alone.
func TestNothingToPrefetch(t *testing.T) {
	prefetch.Ell4(nil, nil)
	prefetch.Ends[row](0, nil, nil)
	prefetch.Ends64[row](0, nil, nil)
	prefetch.Eights[[8]uint32](nil, nil)
	prefetch.Eights(make([][8]uint32, 3), nil)
	prefetch.Eights[[8]uint32](nil, []uint32{1, 2})
	prefetch.Offsets(nil, nil)
	prefetch.Write4[int32](nil, nil)
	prefetch.Ell4(make([][4]uint32, 3), nil)
	prefetch.Offsets(make([]uint64, 3), []uint32{})
	prefetch.Write4(make([]uint32, 3), nil)
	prefetch.Ell4(nil, []uint32{1, 2})
	prefetch.Offsets([]uint64{}, []uint32{1, 2})
	prefetch.Write4([]int32{}, []uint32{1, 2})
	prefetch.Seconds(nil, make([]uint64, 3), []uint32{1, 2})
	prefetch.Seconds(make([]uint32, 3), nil, []uint32{1, 2})
	prefetch.Seconds(make([]uint32, 3), make([]uint64, 3), nil)
}
