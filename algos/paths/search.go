// This file holds a search from a target along in-edges.

package paths

import (
	"context"
	"math"

	"github.com/foray-graph/foray/graph"
)

// label is the way from a vertex to the target: the shortest one, and among equal ones that of the fewest edges.
type label struct {
	length float64
	edges  uint32
}

func (a label) less(b label) bool {
	return a.length < b.length || a.length == b.length && a.edges < b.edges
}

// entry is a vertex that waits.
type entry struct {
	bound float64 // of a path from the source through it
	label
	v uint32
}

func (a entry) before(b entry) bool {
	return a.bound < b.bound || a.bound == b.bound && a.label.less(b.label)
}

const (
	unseen  = uint8(iota)
	waiting // its label may get smaller
	settled // its label is final
	blocked // it is on the path before
)

// backward is a search from a target. It settles vertices in ascending order of their bounds, and can continue later.
type backward struct {
	ctx      context.Context
	in       *graph.CSR
	weighted bool
	ahead    func(v uint32) float64 // a lower bound of the length from the source to v; nil: 0

	length  []float64
	edges   []uint32
	state   []uint8
	touched []uint32
	heap    []entry
	steps   int

	// Edges from spur to the vertices in barred, and all edges from blocked vertices, can't be used.
	spur   uint32
	barred []uint32
}

func newBackward(ctx context.Context, g *graph.Graph, weighted bool) *backward {
	n := g.NumVertices()
	in := g.In()
	if !g.Directed() {
		in = g.Out()
	}
	return &backward{ctx: ctx, in: in, weighted: weighted, length: make([]float64, n), edges: make([]uint32, n), state: make([]uint8, n), spur: graph.NoVertex}
}

// begin forgets the search before, and begins another.
func (b *backward) begin(target uint32, block []uint32, spur uint32, barred []uint32) {
	for _, v := range b.touched {
		b.state[v] = unseen
	}
	b.touched, b.heap, b.spur, b.barred = b.touched[:0], b.heap[:0], spur, barred
	for _, v := range block {
		b.state[v] = blocked
		b.touched = append(b.touched, v)
	}
	b.reach(target, label{})
}

// at returns the label of a vertex that isn't unseen.
func (b *backward) at(v uint32) label { return label{b.length[v], b.edges[v]} }

// reach lowers the label of a vertex.
func (b *backward) reach(v uint32, l label) {
	switch b.state[v] {
	case unseen:
		b.touched = append(b.touched, v)
	case waiting:
		if !l.less(b.at(v)) {
			return
		}
	default:
		return
	}
	b.state[v], b.length[v], b.edges[v] = waiting, l.length, l.edges
	bound := l.length
	if b.ahead != nil {
		bound += b.ahead(v)
	}
	b.push(entry{bound, l, v})
}

// settle continues until a vertex is settled, with all vertices of its shortest ways. It reports whether there is a way.
func (b *backward) settle(v uint32) (bool, error) {
	for len(b.heap) > 0 && b.state[v] != settled {
		if err := b.step(); err != nil {
			return false, err
		}
	}
	if b.state[v] != settled {
		return false, nil
	}
	if b.ahead == nil { // vertices come in the order of their labels
		return true, nil
	}
	return true, b.advance((b.length[v]+b.bound(v))*more, math.MaxInt)
}

// advance settles vertices whose bounds are at most a limit, as many as steps allow.
func (b *backward) advance(limit float64, steps int) error {
	for ; len(b.heap) > 0 && b.heap[0].bound <= limit && steps > 0; steps-- {
		if err := b.step(); err != nil {
			return err
		}
	}
	return nil
}

// step settles the next vertex.
func (b *backward) step() error {
	x := b.pop()
	if b.state[x.v] != waiting || b.at(x.v) != x.label {
		return nil
	}
	b.state[x.v] = settled
	if b.steps++; b.steps%lookSteps == 0 && b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	for e := b.in.Offsets[x.v]; e < b.in.Offsets[x.v+1]; e++ {
		u, w := b.in.Targets[e], 1.0
		if b.weighted {
			w = b.in.FloatWeight(e)
		}
		if u == b.spur && b.bars(x.v) {
			continue
		}
		b.reach(u, label{x.length + w, x.edges + 1})
	}
	return nil
}

func (b *backward) bound(v uint32) float64 {
	if b.ahead == nil {
		return 0
	}
	return b.ahead(v)
}

// bars reports whether the edge from spur to a vertex can't be used.
func (b *backward) bars(v uint32) bool {
	for _, x := range b.barred {
		if x == v {
			return true
		}
	}
	return false
}

// push and pop keep a heap, whose nodes have four children.
func (b *backward) push(x entry) {
	b.heap = append(b.heap, x)
	i := len(b.heap) - 1
	for i > 0 && x.before(b.heap[(i-1)/4]) {
		b.heap[i] = b.heap[(i-1)/4]
		i = (i - 1) / 4
	}
	b.heap[i] = x
}

func (b *backward) pop() entry {
	top, last := b.heap[0], b.heap[len(b.heap)-1]
	b.heap = b.heap[:len(b.heap)-1]
	n, i := len(b.heap), 0
	for n > 0 {
		child := 4*i + 1
		if child >= n {
			break
		}
		for k := child + 1; k < min(4*i+5, n); k++ {
			if b.heap[k].before(b.heap[child]) {
				child = k
			}
		}
		if !b.heap[child].before(last) {
			break
		}
		b.heap[i] = b.heap[child]
		i = child
	}
	if n > 0 {
		b.heap[i] = last
	}
	return top
}

// unreached is the label of a vertex without a way.
var unreached = label{math.Inf(1), math.MaxUint32}
