// This program finds the customers who bought most of the same products as a given one
// (docs/cookbook/similar.md).
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: similar CUSTOMER")
	}
	g, err := arrow.Load(context.Background(), "testdata/cookbook/purchases.parquet",
		arrow.Options{Source: "customer:customer", Target: "product:product"})
	check(err)
	customer, err := g.ParseVertex("customer:" + os.Args[1])
	check(err)
	all := similar(g.Out(), customer)
	if len(all) == 0 {
		log.Fatal("no other customer bought the same products")
	}
	for _, c := range all[:min(4, len(all))] {
		fmt.Printf("%s  %d in common, similarity %.2f\n", g.IDs().Format(c.vertex), c.common, c.similarity)
	}
	fmt.Println("suggested:", suggest(g, customer, all[0].vertex))
}

// A candidate is another customer.
type candidate struct {
	vertex     uint32
	common     int     // products that both bought
	similarity float64 // Jaccard: these divided by the products that either bought
}

// similar returns the customers who share a product with v, the most similar first.
func similar(edges *graph.CSR, v uint32) []candidate {
	common := map[uint32]int{}
	for _, product := range edges.Neighbors(v) {
		for _, other := range edges.Neighbors(product) {
			common[other]++
		}
	}
	delete(common, v)
	var all []candidate
	for other, n := range common {
		either := edges.Degree(v) + edges.Degree(other) - uint64(n)
		all = append(all, candidate{other, n, float64(n) / float64(either)})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.vertex, b.vertex))
	})
	return all
}

// suggest returns the products that only the other customer bought.
func suggest(g *graph.Graph, customer, other uint32) (products []string) {
	for _, p := range g.Out().Neighbors(other) {
		if !slices.Contains(g.Out().Neighbors(customer), p) {
			products = append(products, g.IDs().Format(p))
		}
	}
	return products
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
