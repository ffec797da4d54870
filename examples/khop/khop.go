// Package khop is a custom traversal: the vertices within so many hops over edges
// that aren't too heavy. khop.cu has its functor's device side.
package khop

import (
	"context"
	_ "embed"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../internal/fatbin -ptx -o khop.fatbin.zst khop.cu

//go:embed khop.fatbin.zst
var image []byte

// hop crosses edges that weigh no more than most, to vertices that weren't reached.
type hop struct {
	depth   *device.Buffer[int32] // of every vertex, -1 where not reached
	weights *device.Buffer[float32]
	most    float32
}

// Visit lets the targets through that are reached now.
func (f *hop) Visit(w advance.Worker, _ uint32, first uint64, targets, out []uint32) int {
	depth, weights, k := f.depth.Host(), f.weights.Host()[first:], 0
	for i, t := range targets {
		if weights[i] <= f.most && atomic.LoadInt32(&depth[t]) < 0 && atomic.CompareAndSwapInt32(&depth[t], -1, w.Level) {
			out[k] = t
			k++
		}
	}
	return k
}

func (f *hop) Unique() bool               { return true }
func (f *hop) Kernel() operators.Kernel   { return operators.Kernel{Image: image, Name: "khop"} }
func (f *hop) Fields(x *operators.Fields) { x.Put(f.depth, f.weights, f.most) }

// Run returns the hops from the source, over edges that weigh no more than most, to every
// vertex within hops; -1 for the others.
func Run(ctx context.Context, p *graph.Placed, source uint32, hops int, most float32, o traverse.Options) (*traverse.Values[int32], error) {
	t := traverse.New(ctx, p, o)
	defer t.Close()
	depth := traverse.Array[int32](t, -1)
	traverse.Set(t, depth, source, 0)
	weights := traverse.Weights(t)
	t.Repeat(t.From(source), advance.Push(&hop{depth, weights, most}), traverse.AtMost(hops))
	return traverse.Result(t, depth)
}
