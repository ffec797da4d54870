package main

import (
	"strings"
	"testing"
)

// TestHiddenWeights: a negative weight is refused where the weight of a repeated edge would hide it.
func TestHiddenWeights(t *testing.T) {
	edges := write(t, "hidden.csv", "src,dst,weight\n1,2,5\n2,3,1\n1,2,-2\n")
	for _, command := range []string{"katz --weighted --alpha 0.01", "eigenvector --weighted", "hits --weighted", "degree --weighted", "pagerank --weighted", "topo --directed --weighted", "sssp --source 1"} {
		_, stderr := foray(t, 1, append(strings.Fields(command), edges)...)
		contains(t, stderr, "the edge from 1 to 2 weighs -2")
		if name := strings.Fields(command)[0]; name != "sssp" && name != "topo" {
			_, stderr = foray(t, 1, "run", edges, "--do", command)
			contains(t, stderr, "the edge from 1 to 2 weighs -2")
		}
	}
	foray(t, 0, "cc", edges)
	foray(t, 0, "degree", edges)
}
