package arrow_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/io/arrow"
)

// Zachary's karate club: 34 members, 78 friendships.
func ExampleLoad() {
	g, err := arrow.Load(context.Background(), "../../testdata/karate.parquet", arrow.Options{Source: "src", Target: "dst"})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := g.Vertex(34)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.NumVertices(), "members,", g.NumEdges(), "friendships,", g.Out().Degree(v), "of member 34")
	// Output: 34 members, 78 friendships, 17 of member 34
}

func ExampleOpen() {
	ctx := context.Background()
	d, err := arrow.Open(ctx, []string{"../../testdata/karate.parquet"}, arrow.Options{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range d.Info().Columns {
		fmt.Println(c.Name, c.Type)
	}
	for b, err := range d.Batches(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(len(b.Src), "edges, the first from", b.Src[0], "to", b.Dst[0])
	}
	// Output:
	// src int64
	// dst int64
	// 78 edges, the first from 1 to 2
}
