// This file holds an example and a benchmark; internal/testing/conformance has the tests.

package order_test

import (
	"cmp"
	"context"
	"fmt"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"os"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/order"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

func ExampleByDegree() {
	// Rows that another program made: 0-3, 1-3, 2-3, 0-1.
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 4, 5, 8}, Targets: []uint32{1, 3, 0, 3, 3, 0, 1, 2}}, graph.CSROptions{})
	if err != nil {
		panic(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		panic(err)
	}
	q, err := order.ByDegree(context.Background(), p)
	if err != nil {
		panic(err)
	}
	source, err := q.Graph().Vertex(2) // ids are what they were
	if err != nil {
		panic(err)
	}
	r, err := bfs.Run(context.Background(), q, source, bfs.Options{})
	if err != nil {
		panic(err)
	}
	for v, depth := range testgraph.Array(r.Depths()) {
		fmt.Println(q.Graph().IDs().Int(uint32(v)), depth)
	}
	// Output:
	// 3 1
	// 0 2
	// 1 2
	// 2 0
}

// BenchmarkByDegree numbers FORAY_BENCH_GRAPH, kron16 if not set, on the device
// FORAY_BENCH_DEVICE, "auto" if not set. Figures in ms are means over the runs:
//
//   - first: the first run, which loads kernels and makes buffers, is not in ns/op;
//   - kernels: all of them by the GPU's clock; kernel-NAME: one of them;
//   - until-kernels-end, until-downloads-end: from the start, by the host's clock;
//   - download: busy with downloads, while kernels run; download-waits: idle for lack
//     of what is ready;
//   - pages: till the pages for the downloads are there, beside all else;
//   - host-NAME: what nothing else goes on beside.
func BenchmarkByDegree(b *testing.B) {
	dev, err := device.Open(cmp.Or(os.Getenv("FORAY_BENCH_DEVICE"), "auto"))
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	spec, err := gen.Parse(cmp.Or(os.Getenv("FORAY_BENCH_GRAPH"), "kron16"))
	if err != nil {
		b.Fatal(err)
	}
	g, err := gen.Build(context.Background(), spec, graph.Options{Order: graph.OrderGiven})
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.On(dev)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	run := func(ctx context.Context) {
		q, err := order.ByDegree(ctx, p)
		if err == nil {
			err = q.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	run(context.Background())
	first := time.Since(start)
	ctx, took := order.Traced(context.Background())
	for b.Loop() {
		run(ctx)
	}
	b.ReportMetric(first.Seconds()*1e3, "first-ms")
	for name, d := range took() {
		b.ReportMetric(d.Seconds()*1e3/float64(b.N), name+"-ms")
	}
	b.Log(dev.Info().Name)
}
