package bfs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"golang.org/x/sync/errgroup"
)

// This search finds the distance of every account from account 42 in a follower network, and the account before it on a shortest path.
func ExampleRun() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Directed: true, Order: graph.OrderGiven})
	src := []int64{42, 42, 7, 99, 99, 5000}
	dst := []int64{7, 99, 1000, 1000, 5, 42}
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	dev, err := device.Open("host")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	source, err := g.Vertex(42)
	if err != nil {
		log.Fatal(err)
	}
	res, err := bfs.Run(ctx, p, source, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	fmt.Println(res.Reached, "reached in", res.Levels, "levels on", res.Device)
	depths, err := res.Depths()
	if err != nil {
		log.Fatal(err)
	}
	for v, d := range depths {
		fmt.Printf("%s at depth %d\n", g.IDs().Format(uint32(v)), d)
	}
	five, err := g.Vertex(5)
	if err != nil {
		log.Fatal(err)
	}
	parents, err := res.Parents()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("5 through", g.IDs().Format(parents[five]))
	fmt.Println("valid:", bfs.Validate(g, res) == nil)
	// Output:
	// 5 reached in 3 levels on host
	// 5 at depth 2
	// 7 at depth 1
	// 42 at depth 0
	// 99 at depth 1
	// 1000 at depth 2
	// 5000 at depth -1
	// 5 through 99
	// valid: true
}

// The distance from the nearest of several sources, two steps at most.
func ExampleRunMultiSource() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{DenseIDs: true})
	if err := graph.AddInts(b, []uint32{0, 1, 2, 3, 4, 5, 6}, []uint32{1, 2, 3, 4, 5, 6, 7}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	dev, err := device.Open("auto")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	res, err := bfs.RunMultiSource(ctx, p, []uint32{0, 7}, bfs.Options{DepthLimit: 2, Stats: true})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	depths, err := res.Depths()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(depths, "limited:", res.Limited)
	for _, l := range res.Stats {
		fmt.Println("level", l.Level, "expands", l.Frontier, "by", l.Direction)
	}
	// Output:
	// [0 1 2 -1 -1 2 1 0] limited: true
	// level 1 expands 2 by push
	// level 2 expands 2 by push
}

// Arrays in the order of the ids 10, 20, 30 ...: of one account, and of all with
// their parents.
func ExampleResult_DepthsByID() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{50, 50, 50, 40}, []int64{10, 20, 40, 30}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	dev, err := device.Open("auto")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	ten, err := g.Vertex(10)
	if err != nil {
		log.Fatal(err)
	}
	res, err := bfs.Run(ctx, p, ten, bfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	depths, err := res.DepthsByID()
	if err != nil {
		log.Fatal(err)
	}
	parents, err := res.ParentsByID()
	if err != nil {
		log.Fatal(err)
	}
	ids := g.IDs()
	thirty, err := g.Vertex(30)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("depths:", depths)
	fmt.Println("30 is at depth", depths[ids.Rank(thirty)])
	for i := range depths {
		vertex, parent := ids.AtRank(uint32(i)), ids.AtRank(parents[i]) // all were reached
		fmt.Println(ids.Format(vertex), "through", ids.Format(parent))
	}
	// Output:
	// depths: [0 2 3 2 1]
	// 30 is at depth 3
	// 10 through 10
	// 20 through 50
	// 30 through 40
	// 40 through 50
	// 50 through 10
}

// path returns a path of five vertices on the host.
func path() (*graph.Graph, *graph.Placed) {
	b := graph.NewBuilder(graph.Options{DenseIDs: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []uint32{0, 1, 2, 3}, []uint32{1, 2, 3, 4}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	return g, p
}

// How far is the vertex that is farthest? One search after another, in the same
// memory.
func ExampleSearcher_Batch() {
	_, p := path()
	defer p.Close()
	s, err := bfs.NewSearcher(p, bfs.Options{Outputs: bfs.Counts})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	sources := []uint32{0, 1, 2}
	for r, err := range s.Batch(context.Background(), sources) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("from", r.Sources[0], "at most", r.Levels-1)
	}
	// Output:
	// from 0 at most 4
	// from 1 at most 3
	// from 2 at most 2
}

// Any number of goroutines search, two at once at most, each in memory of its
// own.
func ExamplePool() {
	g, p := path()
	defer p.Close()
	one, err := bfs.NewSearcher(p, bfs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	pool, err := bfs.NewPool(p, bfs.Options{}, device.NewBudget(2*one.Bytes()))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	sums := make([]int32, g.NumVertices())
	var group errgroup.Group
	for v := range sums {
		group.Go(func() error {
			return pool.Run(context.Background(), bfs.Query{Sources: []uint32{uint32(v)}}, func(r *bfs.Result) error {
				depths, err := r.Depths() // the pool's: read while it is ours
				for _, d := range depths {
					sums[v] += d
				}
				return err
			})
		})
	}
	if err := group.Wait(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums)
	// Output:
	// [10 7 6 7 10]
}
