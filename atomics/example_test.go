package atomics_test

import (
	"fmt"

	"github.com/foray-graph/foray/atomics"
)

// Min and Max say by what they return whether they changed the element: what was there before.
func ExampleMin() {
	distance := []float32{0, 7}
	fmt.Println(5 < atomics.Min(&distance[1], 5), distance[1])
	fmt.Println(6 < atomics.Min(&distance[1], 6), distance[1])
	// Output:
	// true 5
	// false 5
}

func ExampleMax() {
	width := []int64{-3}
	fmt.Println(2 > atomics.Max(&width[0], 2), width[0])
	// Output: true 2
}

// Who counts first, or last, is told.
func ExampleAdd() {
	degree := []uint32{2}
	fmt.Println(atomics.Add(&degree[0], 3), degree[0])
	fmt.Println(atomics.Add(&degree[0], ^uint32(0)), degree[0]) // minus one
	// Output:
	// 2 5
	// 5 4
}

// A bit is claimed by whoever finds it 0.
func ExampleOr() {
	seen := []uint64{0}
	const bit = 1 << 7
	fmt.Println(atomics.Or(&seen[0], bit)&bit == 0, atomics.Or(&seen[0], bit)&bit == 0)
	// Output: true false
}

func ExampleAnd() {
	flags := []uint32{7}
	fmt.Println(atomics.And(&flags[0], 5), flags[0])
	// Output: 7 5
}

func ExampleExchange() {
	label := []int32{4}
	fmt.Println(atomics.Exchange(&label[0], 9), label[0])
	// Output: 4 9
}

// A compare-and-swap writes whatever it finds; a look before saves that where most would fail.
func ExampleCompareAndSwap() {
	depth := []int32{-1}
	for level := range int32(2) {
		fmt.Println(atomics.Load(&depth[0]) < 0 && atomics.CompareAndSwap(&depth[0], -1, level), depth[0])
	}
	// Output:
	// true 0
	// false 0
}

// Load and Store are for elements that others write at the same time.
func ExampleLoad() {
	parent := []uint32{0}
	atomics.Store(&parent[0], 6)
	fmt.Println(atomics.Load(&parent[0]))
	// Output: 6
}
