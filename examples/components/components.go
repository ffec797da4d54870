// Package components is a custom traversal: the connected components of an
// undirected graph by label propagation. components.cu has its functor's device side.
package components

import (
	"context"
	_ "embed"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../internal/fatbin -ptx -o components.fatbin.zst components.cu

//go:embed components.fatbin.zst
var image []byte

// lower lowers the label of an edge's target to that of its source.
type lower struct{ label *device.Buffer[uint32] }

// Visit lets the targets through whose label got smaller.
func (f *lower) Visit(_ advance.Worker, source uint32, _ uint64, targets, out []uint32) int {
	label, k := f.label.Host(), 0
	mine := atomic.LoadUint32(&label[source])
	for _, t := range targets {
		for old := atomic.LoadUint32(&label[t]); mine < old; old = atomic.LoadUint32(&label[t]) {
			if atomic.CompareAndSwapUint32(&label[t], old, mine) {
				out[k] = t
				k++
				break
			}
		}
	}
	return k
}

func (f *lower) Kernel() operators.Kernel   { return operators.Kernel{Image: image, Name: "components"} }
func (f *lower) Fields(x *operators.Fields) { x.Put(f.label) }

// Algorithm finds, for every vertex, the smallest number of a vertex in its component.
func Algorithm() traverse.Algorithm[struct{}, *traverse.Values[uint32]] {
	return traverse.Algorithm[struct{}, *traverse.Values[uint32]]{
		Name: "components", Memory: traverse.Memory{Arrays: []int{4}},
		Run: func(t *traverse.Traversal, _ struct{}) (*traverse.Values[uint32], error) {
			label := traverse.Numbers(t)
			t.Repeat(t.All(), advance.Push(&lower{label}), filter.Unique())
			return traverse.Result(t, label)
		},
	}
}

// Run runs it once; a traverse.Searcher or Pool runs it again and again.
func Run(ctx context.Context, p *graph.Placed, o traverse.Options) (*traverse.Values[uint32], error) {
	return traverse.Run(ctx, p, Algorithm(), struct{}{}, o)
}
