// Package pagerank is a custom traversal: PageRank by gathering along in-edges, as
// the GAP Benchmark Suite defines it. pagerank.cu has its functor's device side.
package pagerank

import (
	"context"
	_ "embed"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../internal/fatbin -ptx -o pagerank.fatbin.zst pagerank.cu

//go:embed pagerank.fatbin.zst
var image []byte

var kernel = operators.Kernel{Image: image, Name: "pagerank"}

// update makes a vertex's rank of the sum of what its in-neighbours share out.
type update struct {
	sum, rank, share *device.Buffer[float32]
	degree           *device.Buffer[uint32]
	damping          float32
}

// Visit returns by how much the ranks change.
func (f *update) Visit(_ operators.Worker, vs []uint32) (change float64) {
	sum, rank, share, degree := f.sum.Host(), f.rank.Host(), f.share.Host(), f.degree.Host()
	base := (1 - f.damping) / float32(len(rank))
	for _, v := range vs {
		now := base + f.damping*sum[v]
		change += math.Abs(float64(now - rank[v]))
		rank[v], share[v] = now, now/float32(max(degree[v], 1))
	}
	return change
}

func (f *update) Kernel() operators.Kernel { return kernel }
func (f *update) Fields(x *operators.Fields) {
	x.Put(f.sum, f.rank, f.share, f.degree, f.damping, uint32(f.rank.Len()))
}

// Run returns the ranks, after so many rounds or once they change by less than epsilon in sum.
func Run(ctx context.Context, p *graph.Placed, damping float32, rounds int, epsilon float64, o traverse.Options) (*traverse.Values[float32], error) {
	t := traverse.New(ctx, p, o)
	defer t.Close()
	sum, rank, share := traverse.Array[float32](t, 0), traverse.Array[float32](t, 0), traverse.Array[float32](t, 0)
	change := traverse.Scalar[float64](t, operators.Sum)
	t.Repeat(t.All(), reduce.In(&reduce.Sum{Values: share, Totals: sum, On: kernel}, nil),
		foreach.All(&update{sum, rank, share, traverse.Degrees(t), damping}, change),
		traverse.Below(change, epsilon), traverse.AtMost(rounds))
	return traverse.Result(t, rank)
}
