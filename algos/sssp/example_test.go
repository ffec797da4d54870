package sssp_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/io/arrow"
)

// The way over two edges is shorter than the direct one.
func ExampleRun() {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 3}, []int64{1, 2, 2, 0}, 1.5, 5, 2, 1)
	defer p.Close()
	r, err := sssp.Run(context.Background(), p, 0, sssp.Options{Parents: true})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	distances, err := r.Distances.Slice()
	if err != nil {
		log.Fatal(err)
	}
	parents, err := r.Parents.Slice()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Reached, "vertices, at", distances)
	fmt.Println("vertex 2 comes after", parents[2])
	// Output:
	// 3 vertices, at [0 1.5 3.5 +Inf]
	// vertex 2 comes after 1
}

// A search for one target ends as soon as its distance is certain.
func ExampleNewSearcher() {
	p := testgraph.Placed(graph.Options{}, []int64{0, 1, 2, 3}, []int64{1, 2, 3, 4}, 1, 1, 1, 1)
	defer p.Close()
	s, err := sssp.NewSearcher(p, sssp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for source := range uint32(3) {
		r, err := s.Run(context.Background(), sssp.Query{Sources: []uint32{source}, Targets: []uint32{3}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("from", source, "the distance is", r.Limit, "and", r.Reached, "vertices are as near")
	}
	// Output:
	// from 0 the distance is 3 and 4 vertices are as near
	// from 1 the distance is 2 and 4 vertices are as near
	// from 2 the distance is 1 and 3 vertices are as near
}

// A path to each target is a row of a table.
func ExampleResult_Tree() {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 3}, []int64{1, 2, 2, 0}, 1.5, 5, 2, 1)
	defer p.Close()
	r, err := sssp.Run(context.Background(), p, 0, sssp.Options{Parents: true})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	tree, err := r.Tree()
	if err != nil {
		log.Fatal(err)
	}
	targets := []uint32{1, 2, 3}
	err = arrow.WritePaths(context.Background(), "-", p.Graph(), tree, targets, arrow.WriteOptions{Format: "csv", Stdout: os.Stdout})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// target,depth,distance,path
	// 1,1,1.5,0;1
	// 2,2,3.5,0;1;2
	// 3,-1,,
}
