package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: trace PLACE DATE")
	}
	date, err := time.Parse(time.DateOnly, os.Args[2])
	check(err)
	ctx := context.Background()
	g, err := arrow.Load(ctx, "testdata/cookbook/deliveries.parquet", arrow.Options{
		Weight: "day",
		Graph:  graph.Options{Directed: true, KeepDuplicates: true}, // each delivery is an edge
	})
	check(err)
	place, err := g.ParseVertex(os.Args[1])
	check(err)
	dev, err := device.Open("auto")
	check(err)
	defer dev.Close()
	placed, err := g.On(dev)
	check(err)
	defer placed.Close()

	t := traverse.New(ctx, placed)
	defer t.Close()
	result, err := traverse.Result(t, arrivals(t, place, float32(date.YearDay())))
	check(err)
	defer result.Close()
	days, err := result.Slice()
	check(err)
	show(g, days, date.Year())
}

// show prints the places that goods reach, by date.
func show(g *graph.Graph, days []float32, year int) {
	var reached []uint32
	for v, day := range days {
		if !math.IsInf(float64(day), 1) {
			reached = append(reached, uint32(v))
		}
	}
	slices.SortStableFunc(reached, func(a, b uint32) int { return cmp.Compare(days[a], days[b]) })
	for _, v := range reached {
		first := time.Date(year, time.January, int(days[v]), 0, 0, 0, 0, time.UTC)
		fmt.Println(first.Format(time.DateOnly), g.IDs().Format(v))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
