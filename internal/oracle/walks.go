package oracle

import (
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/random"
)

// WalkOptions are the options of random walks; 0 stands for 1 of P and Q.
type WalkOptions struct {
	Starts        []uint32 // nil: all vertices
	Count, Length int
	Seed          uint64
	Weighted      bool
	P, Q          float64
}

// Walks makes random walks one step after the other, with the random numbers that package walks names: a step has the
// counter of its start, and of its walk and its own number.
func Walks(g *graph.Graph, o WalkOptions) [][]uint32 {
	w := &walker{g.Out(), o}
	if w.o.P == 0 {
		w.o.P = 1
	}
	if w.o.Q == 0 {
		w.o.Q = 1
	}
	starts := o.Starts
	if starts == nil {
		for v := range g.NumVertices() {
			starts = append(starts, uint32(v))
		}
	}
	var list [][]uint32
	for _, start := range starts {
		for i := range uint64(o.Count) {
			walk := []uint32{start}
			for step := range uint64(o.Length) {
				next, ok := w.step(walk, uint64(start), i<<40|step<<16)
				if !ok {
					break
				}
				walk = append(walk, next)
			}
			list = append(list, walk)
		}
	}
	return list
}

type walker struct {
	c *graph.CSR
	o WalkOptions
}

// step draws the next vertex of a walk.
func (w *walker) step(walk []uint32, a, b uint64) (uint32, bool) {
	at := walk[len(walk)-1]
	row := w.c.Neighbors(at)
	sums, total := make([]float64, len(row)), 0.0
	for i := range row {
		if w.o.Weighted {
			total += w.c.FloatWeight(w.c.Offsets[at] + uint64(i))
		}
		sums[i] = total
	}
	draw := func(b uint64) int {
		if !w.o.Weighted {
			return int(random.Below(uint64(len(row)), w.o.Seed, a, b))
		}
		goal := random.Float64(w.o.Seed, a, b) * total
		return slices.IndexFunc(sums, func(sum float64) bool { return sum > goal || sum == total })
	}
	if len(row) == 0 || w.o.Weighted && total == 0 {
		return 0, false
	}
	i := draw(b)
	if len(walk) == 1 || w.o.P == 1 && w.o.Q == 1 {
		return row[i], true
	}
	before := walk[len(walk)-2]
	bias := func(x uint32) float64 {
		switch {
		case x == before:
			return 1 / w.o.P
		case slices.Contains(w.c.Neighbors(before), x):
			return 1
		}
		return 1 / w.o.Q
	}
	for try := range uint64(32) {
		if random.Float64(w.o.Seed, a, b+2*try+1)*max(1, 1/w.o.P, 1/w.o.Q) < bias(row[i]) {
			return row[i], true
		}
		i = draw(b + 2*try + 2)
	}
	all, last := 0.0, 0.0
	weights := make([]float64, len(row))
	for i, x := range row {
		if weights[i] = 1; w.o.Weighted {
			weights[i], last = sums[i]-last, sums[i]
		}
		weights[i] *= bias(x)
		all += weights[i]
	}
	goal, sum := random.Float64(w.o.Seed, a, b+(1<<16-1))*all, 0.0
	for i, x := range row {
		if sum += weights[i]; sum > goal {
			return x, true
		}
	}
	for i := len(row) - 1; ; i-- { // rounding
		if weights[i] > 0 {
			return row[i], true
		}
	}
}
