// This program finds the records of the same person (docs/cookbook/dedupe.md).
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"log"
	"os"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/components"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

func main() {
	f, err := os.Open("testdata/cookbook/customers.csv")
	check(err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll() // record, name, email, phone, born
	check(err)
	rows = rows[1:]

	ctx := context.Background()
	g, err := match(ctx, rows)
	check(err)
	dev, err := device.Open("auto")
	check(err)
	defer dev.Close()
	placed, err := g.On(dev)
	check(err)
	defer placed.Close()
	labels, err := components.Run(ctx, placed, traverse.Options{})
	check(err)
	defer labels.Close()
	label, err := labels.Slice()
	check(err)
	persons := map[uint32][]string{}
	for v := range label {
		persons[label[v]] = append(persons[label[v]], rows[v][0]+" "+rows[v][1])
	}
	for v := range label {
		if len(persons[uint32(v)]) > 1 {
			fmt.Printf("%q\n", persons[uint32(v)])
		}
	}
}

// match joins the records that have the same email address, or the same phone and year of birth. Vertex v is the
// record of row v.
func match(ctx context.Context, rows [][]string) (*graph.Graph, error) {
	seen := map[string]int64{} // the first row with a key
	var from, to []int64
	for i, row := range rows {
		email, phone, born := row[2], row[3], row[4]
		var keys []string
		if email != "" {
			keys = append(keys, "email "+email)
		}
		if phone != "" {
			keys = append(keys, "phone "+phone+" born "+born)
		}
		for _, key := range keys {
			if first, ok := seen[key]; ok {
				from, to = append(from, first), append(to, int64(i))
			} else {
				seen[key] = int64(i)
			}
		}
	}
	b := graph.NewBuilder(graph.Options{DenseIDs: true, Vertices: uint64(len(rows)), Order: graph.OrderGiven})
	if err := graph.AddInts(b, from, to, nil); err != nil {
		return nil, err
	}
	return b.Build(ctx)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
