package operators_test

import (
	"fmt"
	"log"

	"github.com/foray-graph/foray/device/host"
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

// A scalar outside of a traversal; within one traverse.Scalar makes it.
func ExampleNewScalar() {
	s, err := operators.NewScalar[float64](host.New(1), operators.Sum)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Set(2.5); err != nil {
		log.Fatal(err)
	}
	x, err := s.Get()
	fmt.Println(x, err)
	// Output: 2.5 <nil>
}
