// This file holds rows with their weights side by side, for pushes of functors that are written in
// Go and look at weights.

package advance

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/prefetch"
	"github.com/foray-graph/foray/operators"
)

// pairs is what pushes know of the rows of a placed graph. It is made on the first push of a functor
// that would take pairedRows, and lays them out once such pushes have gone over enough
// edges (tuning.PairsAfter).
type pairs struct {
	pay          bool // the graph's rows are short
	least        uint64
	narrow, wide layout // of weights of float32, and of float64
}

// layout is rows that are laid out, or may come to be.
type layout struct {
	edges atomic.Uint64 // that were gone over
	once  sync.Once
	rows  pairedRows
}

// pairedRows is the rows of a graph of low degree with their weights, in blocks of four targets and
// their weights. A push over the CSR needs three lines of memory for a row, those of its offset, its
// targets and its weights. With weights of float32 this is one: a block is half a line, four targets,
// then their weights. With weights of float64 it is two, whose places are known from the vertex: targets and
// weights are blocks of their own.
//
// Block v belongs to vertex v. A row of fewer than four targets ends with graph.NoVertex. One of
// more has no target there, but where weights are the first of its blocks behind those of the
// vertices, and its length.
type pairedRows struct {
	blocks [][8]uint32  // of weights of float32
	ell4   [][4]uint32  // of weights of float64: the targets
	eights [][4]float64 // and the weights
	// The blocks as functors get them: edge i of block b has index b*stride+i in both.
	targets []uint32
	weights []float32
	wide    []float64
	stride  uint64
}

const (
	weightAt = 4 // where a block's weights begin, and how many there are
	longAt   = 5
	longLen  = 6
)

type pairsKey struct{ placed.Of[*pairs] }

// pairsOf returns what pushes know of the rows of the Advancer's graph.
func (a *onHost) pairsOf() *pairs {
	if a.pairs == nil {
		x, err := placed.LoadOrMake(a.p.State(), pairsKey{}, func() (*pairs, error) {
			g := a.p.Graph()
			return &pairs{pay: g.NumDirectedEdges() <= 4*uint64(g.NumVertices()) && a.p.State().MaxDegree() <= tuning.ShortRows, least: tuning.PairsAfter * g.NumDirectedEdges()}, nil
		})
		if err != nil {
			return &pairs{} // the placed graph was closed, as the push will find
		}
		a.pairs = x
	}
	return a.pairs
}

// wideOf returns the weights of the graph's edges in float64, if the functor looks at those by the edges' indices.
func (j *pushHost) wideOf(m link.Functor) []float64 {
	b, ok := placed.Lookup(j.a.p.State(), placed.FloatWeights)
	if !ok {
		return nil
	}
	if at := m.State(link.Key{}).WideAt(m.Code()); at == 0 || at != b.Pointer() {
		return nil
	}
	return b.Host()
}

// pair readies the functor, of which the push has looked at the weights, for rows with their
// weights side by side, where the graph has them. Its edges have other indices there, so it must not
// look at those.
func (j *pushHost) pair(m link.Functor) {
	c := m.Code()
	if c.IDs || j.rows == nil || j.within != nil || j.all > 0 {
		return
	}
	p := j.a.pairsOf()
	if !p.pay {
		return
	}
	l := &p.narrow
	switch {
	case j.wide != nil && !c.Weights:
		l = &p.wide
	case c.Index:
		return
	}
	j.counted = &l.edges
	if l.edges.Load() < p.least {
		return
	}
	l.once.Do(func() { l.rows.fill(j.csr, j.wide, j.a.s.Workers()) })
	r := &l.rows
	if r.stride == 0 {
		return
	}
	j.paired, j.targets = r, r.targets
	s := m.State(link.Key{})
	if j.wide != nil {
		s.Wide = r.wide
	} else {
		s.Weights = r.weights
	}
	j.byTarget, j.far = s.ByTarget(c), c.ByTarget64
}

// fill lays the rows out, with weights of float64 if wide isn't nil. A graph with a target that no vertex is gets none.
func (r *pairedRows) fill(c *graph.CSR, wide []float64, workers int) {
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
	var x pairedRows
	x.allocate(total, wide != nil)
	var wrong atomic.Bool
	parts(func(w, lo, hi int) {
		long := n + starts[w]
		for v := lo; v < hi; v++ {
			first, last := c.Offsets[v], c.Offsets[v+1]
			for _, t := range c.Targets[first:last] {
				if uint64(t) >= uint64(n) {
					wrong.Store(true)
				}
			}
			d := last - first
			if d <= weightAt {
				x.put(v, c, wide, first, last)
				continue
			}
			x.put(v, c, wide, first, first)
			x.setLong(v, uint32(long), uint32(d))
			for ; first < last; first += weightAt {
				x.put(long, c, wide, first, min(first+weightAt, last))
				long++
			}
		}
	})
	if !wrong.Load() {
		*r = x
	}
}

// allocate makes room for blocks.
func (r *pairedRows) allocate(total int, wide bool) {
	if wide {
		r.ell4, r.eights, r.stride = make([][4]uint32, total), make([][4]float64, total), weightAt
		hugepage.Advise(r.ell4)
		hugepage.Advise(r.eights)
		r.targets, r.wide = unsafe.Slice(&r.ell4[0][0], weightAt*total), unsafe.Slice(&r.eights[0][0], weightAt*total)
		return
	}
	r.blocks, r.stride = make([][8]uint32, total), 2*weightAt
	hugepage.Advise(r.blocks)
	r.targets = unsafe.Slice(&r.blocks[0][0], 2*weightAt*total)
	r.weights = unsafe.Slice((*float32)(unsafe.Pointer(&r.targets[weightAt])), 2*weightAt*total-weightAt)
}

// blocksOf is how many blocks a row takes.
func blocksOf(degree int) int { return (degree + weightAt - 1) / weightAt }

// put writes block b: up to four edges.
func (r *pairedRows) put(b int, c *graph.CSR, wide []float64, first, last uint64) {
	at := uint64(b) * r.stride
	targets := r.targets[at : at+weightAt]
	for i := copy(targets, c.Targets[first:last]); i < weightAt; i++ {
		targets[i] = graph.NoVertex
	}
	if wide != nil {
		copy(r.wide[at:], wide[first:last])
	} else {
		copy(r.weights[at:], c.Weights[first:last])
	}
}

// setLong writes, of a row of more than four targets, the first of its blocks and its length.
func (r *pairedRows) setLong(v int, first, length uint32) {
	if r.wide != nil {
		r.eights[v][0] = math.Float64frombits(uint64(first)<<32 | uint64(length))
	} else {
		r.blocks[v][longAt], r.blocks[v][longLen] = first, length
	}
}

// long returns what setLong wrote.
func (r *pairedRows) long(v uint32) (first, length uint64) {
	if r.wide != nil {
		x := math.Float64bits(r.eights[v][0])
		return x >> 32, x & math.MaxUint32
	}
	return uint64(r.blocks[v][longAt]), uint64(r.blocks[v][longLen])
}

// degree returns the length of a row of up to four targets, without branches, which no processor predicts here.
func (r *pairedRows) degree(v uint32) uint64 {
	b := (*[weightAt]uint32)(r.targets[uint64(v)*r.stride:])
	const next = uint64(graph.NoVertex) + 1 // only NoVertex and 1 come to that
	return weightAt - (uint64(b[0])+1)/next - (uint64(b[1])+1)/next - (uint64(b[2])+1)/next - (uint64(b[3])+1)/next
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
			if l.n == groupVertices || l.edges+d > tileEdges {
				j.tile(worker, l)
			}
			l.rows[l.n] = operators.Row{First: r.stride * uint64(v), Source: v, Len: uint32(d)}
			l.n++
			l.edges += d
			continue
		}
		b, left := r.long(v)
		for left > 0 {
			d := min(left, weightAt)
			j.row(worker, l, v, r.stride*b, d)
			b, left = b+1, left-d
		}
	}
}

// fetch prefetches where add will look first.
func (j *pushHost) fetch(vs []uint32) {
	switch {
	case j.short != nil:
		prefetch.Ell4(j.short.Rows, vs)
	case j.paired == nil:
		prefetch.Offsets(j.csr.Offsets, vs)
	case j.paired.wide != nil:
		prefetch.Ell4(j.paired.ell4, vs)
		prefetch.Eights(j.paired.eights, vs)
	default:
		prefetch.Eights(j.paired.blocks, vs)
	}
}
