package foraytest_test

import (
	"fmt"

	"github.com/foray-graph/foray/foraytest"
)

// The graphs have weights and edge ids, and are the same for a seed.
func ExampleGraphs() {
	for _, g := range foraytest.Graphs(1)[:4] {
		fmt.Println(g.Name, g.Graph.NumVertices(), "vertices", g.Graph.NumDirectedEdges(), "edges", g.Graph.Out().Weights != nil)
	}
	// Output:
	// parallel 5 vertices 200 edges true
	// loops 40 vertices 198 edges true
	// clique-directed 30 vertices 435 edges true
	// star-reverse 300 vertices 299 edges true
}
