// This file holds rows with their weights side by side, for pushes of functors that are written in
// Go and look at weights.

package advance

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/hugepage"
	"github.com/foray-graph/foray/internal/made"
	"github.com/foray-graph/foray/internal/panics"
	"github.com/foray-graph/foray/internal/prefetch"
	"github.com/foray-graph/foray/internal/tuning"
)

// pairs is what pushes know of the rows of a placed graph. It is made on the first push of a functor
// that would take pairedRows, and lays them out once such pushes have gone over enough
// edges (tuning.PairsAfter).
type pairs struct {
	pay    bool // the graph's rows are short
	least  uint64
	edges  atomic.Uint64 // that were gone over
	once   sync.Once
	layout pairedRows
}

// pairedRows is the rows of a graph of low degree with their weights, in blocks of half a line of
// memory: four targets, then their weights. A push over the CSR needs three lines of memory for a
// row, those of its offset, its targets and its weights. This is one.
//
// Block v is that of vertex v. A row of fewer than four targets ends with graph.NoVertex. One of
// more has no target there, but at longAt the first of its blocks behind those of the
// vertices, at longLen its length.
type pairedRows struct {
	blocks [][8]uint32
	// The blocks as functors get them: edge i of block b has index 8*b+i in both.
	targets []uint32
	weights []float32
}

const (
	weightAt = 4 // where a block's weights begin
	longAt   = 5
	longLen  = 6
)

type pairsKey struct{}

// pairsOf returns what pushes know of the rows of the Advancer's graph.
func (a *onHost) pairsOf() *pairs {
	if a.pairs == nil {
		x, err := a.p.Once(pairsKey{}, func() (any, error) {
			g := a.p.Graph()
			return &pairs{pay: g.NumDirectedEdges() <= 4*uint64(g.NumVertices()) && a.p.MaxDegree() <= tuning.ShortRows, least: tuning.PairsAfter * g.NumDirectedEdges()}, nil
		})
		if err != nil {
			return &pairs{} // the placed graph was freed, as the push will find
		}
		a.pairs = x.(*pairs)
	}
	return a.pairs
}

// pair readies the functor, of which the push has looked at the weights, for rows with their
// weights side by side, where the graph has them. Its edges have other indices there, so it must not
// look at those.
func (j *pushHost) pair(m made.Functor) {
	c := m.Code()
	if !c.Weights || c.IDs || c.Index || j.rows == nil || j.within != nil || j.all > 0 {
		return
	}
	p := j.a.pairsOf()
	if !p.pay {
		return
	}
	j.counted = &p.edges
	if p.edges.Load() < p.least {
		return
	}
	p.once.Do(func() { p.layout.fill(j.csr, j.a.s.Workers()) })
	if len(p.layout.blocks) == 0 {
		return
	}
	j.paired, j.targets = &p.layout, p.layout.targets
	s := m.State(made.Key{})
	s.Weights = p.layout.weights
	j.byTarget = s.ByTarget(c)
}

// fill lays the rows out. A graph with a target that no vertex is gets none.
func (r *pairedRows) fill(c *graph.CSR, workers int) {
	n := c.NumVertices()
	starts := make([]int, workers+1) // of the blocks of long rows, by part
	parts := func(do func(w, lo, hi int)) {
		var wg panics.Group
		for w := range workers {
			wg.Go(func() { do(w, n*w/workers, n*(w+1)/workers) })
		}
		wg.Wait()
	}
	parts(func(w, lo, hi int) {
		for v := lo; v < hi; v++ {
			if d := int(c.Offsets[v+1] - c.Offsets[v]); d > weightAt {
				starts[w+1] += blocksOf(d)
			}
		}
	})
	for w := range workers {
		starts[w+1] += starts[w]
	}
	total := n + starts[workers]
	if uint64(total) >= uint64(graph.NoVertex) {
		return
	}
	blocks := make([][8]uint32, total)
	hugepage.Advise(blocks)
	var wrong atomic.Bool
	parts(func(w, lo, hi int) {
		long := n + starts[w]
		for v := lo; v < hi; v++ {
			first, last := c.Offsets[v], c.Offsets[v+1]
			targets, weights := c.Targets[first:last], c.Weights[first:last]
			for _, t := range targets {
				if uint64(t) >= uint64(n) {
					wrong.Store(true)
				}
			}
			d := len(targets)
			if d <= weightAt {
				fillBlock(&blocks[v], targets, weights)
				continue
			}
			fillBlock(&blocks[v], nil, nil)
			blocks[v][longAt], blocks[v][longLen] = uint32(long), uint32(d)
			for i := 0; i < d; i += weightAt {
				end := min(i+weightAt, d)
				fillBlock(&blocks[long], targets[i:end], weights[i:end])
				long++
			}
		}
	})
	if wrong.Load() {
		return
	}
	r.blocks = blocks
	words := unsafe.Slice(&blocks[0][0], 8*total)
	r.targets = words
	r.weights = unsafe.Slice((*float32)(unsafe.Pointer(&words[weightAt])), 8*total-weightAt)
}

// blocksOf is how many blocks a row takes.
func blocksOf(degree int) int { return (degree + weightAt - 1) / weightAt }

// fillBlock writes a row of up to four targets.
func fillBlock(b *[8]uint32, targets []uint32, weights []float32) {
	*b = [8]uint32{graph.NoVertex, graph.NoVertex, graph.NoVertex, graph.NoVertex}
	copy(b[:weightAt], targets)
	copy(unsafe.Slice((*float32)(unsafe.Pointer(&b[weightAt])), weightAt), weights)
}

// degree returns the length of a row of up to four targets.
func (r *pairedRows) degree(v uint32) uint64 {
	b := &r.blocks[v]
	switch {
	case b[3] != graph.NoVertex:
		return 4
	case b[2] != graph.NoVertex:
		return 3
	case b[1] != graph.NoVertex:
		return 2
	case b[0] != graph.NoVertex:
		return 1
	}
	return 0
}

// addPaired is add over rows with their weights side by side.
func (j *pushHost) addPaired(worker int, l *local, vs []uint32) {
	r, n := j.paired, uint32(len(j.csr.Offsets)-1)
	for _, v := range vs {
		if v >= n {
			j.fault.report(j.noVertex(v))
			return
		}
		d := r.degree(v)
		if d > 0 {
			j.row(worker, l, v, 8*uint64(v), d)
			continue
		}
		b, left := uint64(r.blocks[v][longAt]), uint64(r.blocks[v][longLen])
		for left > 0 {
			d := min(left, weightAt)
			j.row(worker, l, v, 8*b, d)
			b, left = b+1, left-d
		}
	}
}

// fetch prefetches where add will look first.
func (j *pushHost) fetch(vs []uint32) {
	if j.paired != nil {
		prefetch.Eights(j.paired.blocks, vs)
		return
	}
	prefetch.Offsets(j.csr.Offsets, vs)
}
