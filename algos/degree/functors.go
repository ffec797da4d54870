// This file holds the functors.

package degree

import "github.com/foray-graph/foray/traverse"

//go:generate go run ../../cmd/generate

// count adds the number of a vertex's edges.
//
//foray:functor
type count struct {
	Degree []uint64
	Again  uint64 // 1: a self-loop counts once more
}

func (f *count) Gather(e traverse.Edge) uint64 {
	if e.Source == e.Target {
		return 1 + f.Again
	}
	return 1
}

func (f *count) Apply(v traverse.Vertex, total uint64) { f.Degree[v.ID] += total }

// weigh adds the weights of a vertex's edges.
//
//foray:functor
type weigh struct {
	Strength []float64
	Again    float64
}

func (f *weigh) Gather(e traverse.Edge) float64 {
	w := float64(e.Weight)
	if e.Source == e.Target {
		w += f.Again * w
	}
	return w
}

func (f *weigh) Apply(v traverse.Vertex, total float64) { f.Strength[v.ID] += total }

// weighWide is weigh with weights of 64 bits.
//
//foray:functor
type weighWide struct {
	Strength []float64
	Weight   []float64 // of every edge of the rows
	Again    float64
}

func (f *weighWide) Gather(e traverse.Edge) float64 {
	w := f.Weight[e.Index]
	if e.Source == e.Target {
		w += f.Again * w
	}
	return w
}

func (f *weighWide) Apply(v traverse.Vertex, total float64) { f.Strength[v.ID] += total }

// share divides degrees by the number of other vertices, and returns them.
//
//foray:functor
type share struct {
	Degree     []uint64
	Centrality []float64
	Others     float64 // 0: every vertex has 1
}

func (f *share) Vertex(v traverse.Vertex) uint64 {
	d := f.Degree[v.ID]
	if f.Others == 0 {
		f.Centrality[v.ID] = 1
	} else {
		f.Centrality[v.ID] = float64(d) / f.Others
	}
	return d
}
