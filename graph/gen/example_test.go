// This file holds the examples of the documentation.

package gen_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/graph/gen"
)

func ExampleParse() {
	for _, spec := range []string{"kron20", "grid2d:300x200,torus", "road", "smallworld:n=1000,k=6,p=0.05"} {
		g, err := gen.Parse(spec)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(g.Name(), g.NumVertices(), g.NumEdges())
	}
	_, err := gen.Parse("krone20")
	fmt.Println(err)
	// Output:
	// kron20 1048576 16777216
	// grid2d:300x200,torus 60000 120000
	// road 4000000 4795125
	// smallworld:n=1000,k=6,p=0.05 1000 3000
	// gen: spec "krone20": no graph "krone20"; there are kronS, urandS, grid2d, grid3d, hubs, road, mesh, kkt, fem, banded, cliques, web, smallworld, star, path, cycle
}

// Self-loops of a uniform graph, counted by all cores.
func ExampleEdges() {
	g, err := gen.Parse("urand:n=1000,edgefactor=1000,seed=42")
	if err != nil {
		fmt.Println(err)
		return
	}
	var loops atomic.Int64
	err = gen.Edges(context.Background(), g, 0, func(_ int, src, dst []uint32) error {
		n := int64(0)
		for e := range src {
			if src[e] == dst[e] {
				n++
			}
		}
		loops.Add(n)
		return nil
	})
	fmt.Println(loops.Load() > 900, loops.Load() < 1100, err)
	// Output: true true <nil>
}

// An edge has the same weight in both directions.
func ExampleGenerator() {
	g, err := gen.Parse("path:4,weights=1:100")
	if err != nil {
		fmt.Println(err)
		return
	}
	weights := make([]float32, 3)
	g.Weights([]uint32{0, 1, 2}, []uint32{1, 2, 3}, weights)
	fmt.Println(g.Name(), weights)
	g.Weights([]uint32{1, 2, 3}, []uint32{0, 1, 2}, weights)
	fmt.Println(weights)
	// Output:
	// path:4,weights=1:100 [8 5 3]
	// [8 5 3]
}

// An edge list, always in the same order.
func ExampleOrdered() {
	g, err := gen.Parse("cycle:4")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = gen.Ordered(context.Background(), g, 2, func(_ int, src, dst []uint32) error {
		for e := range src {
			fmt.Println(src[e], dst[e])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 1
	// 1 2
	// 2 3
	// 3 0
}
