package functor_test

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/foray-graph/foray/functor"
)

// Generated loops change a float by its word, and only if that lowers it.
func Example() {
	distance := float32(7)
	word := functor.Word32(&distance)
	for _, next := range []float32{9, 5} {
		if old := math.Float32frombits(atomic.LoadUint32(word)); functor.Lowers32(next, old) {
			atomic.CompareAndSwapUint32(word, math.Float32bits(old), math.Float32bits(next))
		}
	}
	fmt.Println(distance)
	// Output: 5
}
