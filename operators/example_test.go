package operators_test

import (
	"fmt"

	"github.com/foray-graph/foray/operators"
)

// Join begins with what changes nothing, as functors by hand do.
func ExampleJoin() {
	least := operators.Identity[uint64](operators.Min)
	for _, x := range []uint64{7, 3, 5} {
		least = operators.Join(operators.Min, least, x)
	}
	fmt.Println(least, operators.Join(operators.Or, uint32(5), uint32(8)))
	// Output: 3 13
}
