// This file holds Prepared: data that is computed once per graph so that pulls
// are fast.

package graph

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// Prepared has data for pulls, computed once per graph, on first use.
type Prepared struct {
	// First holds the first in-neighbor of every vertex: with vertices ordered by degree, the one with
	// the most neighbors, which a frontier is most likely to hold. A pull probes it before it touches
	// the row. For a vertex without in-neighbors it is the vertex itself. It is nil if the graph was
	// built on the device on which it is placed, where the array exists only on that device.
	First []uint32
	// NoIn has a bit per vertex, set if the vertex has no in-neighbor and so is
	// never a candidate of a pull. Bits past the last vertex are set.
	NoIn []uint64
	// Candidates is the number of vertices that have an in-neighbor.
	Candidates int
	// MaxDegree is the largest out-degree.
	MaxDegree uint64
	// Words is the number of words of NoIn up to the last one that has a
	// candidate.
	Words int
	// Cuts divide the words of NoIn into ranges of about equal work (edges and
	// vertices): range i is Cuts[i] to Cuts[i+1].
	Cuts []int32
	// Elapsed is the time of computing it, Bytes its memory.
	Elapsed time.Duration
	Bytes   uint64
}

// Prepare computes, once, the data that pulls need. Later calls return the same value, which belongs
// to the placed graph and must not be written to. Operators call it when they need it, so call it only
// to keep it out of a measured time. It returns nil if the graph has no reverse, and an empty value if
// the graph was closed and freed before the first call.
func (p *Placed) Prepare() *Prepared {
	if p.g.in == nil {
		return nil
	}
	p.prepared.Do(func() {
		release, err := p.g.Hold()
		if err != nil {
			return
		}
		defer release()
		start := time.Now()
		if p.took {
			p.prep = prepare(p.g.in, runtime.GOMAXPROCS(0), false)
		} else {
			p.prep = *p.g.Prepare()
		}
		p.prep.MaxDegree = p.MaxDegree()
		p.prep.Elapsed = time.Since(start)
	})
	return &p.prep
}

// PreparedBytes returns the maximum memory on the host of Prepare, Fours, and the rows of low degree
// that pushes lay out with their weights. It computes none of them; for a graph of low degree it takes
// a pass over the offsets.
func (g *Graph) PreparedBytes() (bytes uint64) {
	n := uint64(g.NumVertices())
	bitmap := (n + 63) / 64 * 8
	if g.in != nil {
		bytes = 4*n + bitmap + 4*((g.in.NumEdges()+n)/cutWork+2)
	}
	if long, pays := foursPay(g.out); pays {
		bytes += 16 * n
		if long > 0 {
			bytes += bitmap
		}
	}
	return bytes + g.pairedBytes()
}

// pairedBytes returns the memory of the layout of rows with their weights (operators/advance): 32 bytes a
// vertex, and as much for every four further edges of a row. If float32 can't represent the weights there may be
// a second layout with float64 weights, of 48 bytes.
func (g *Graph) pairedBytes() uint64 {
	n := uint64(g.NumVertices())
	if !g.weighted() || g.out.NumEdges() > 4*n {
		return 0
	}
	blocks := n
	for v := range n {
		d := g.out.Offsets[v+1] - g.out.Offsets[v]
		if d > tuning.ShortRows {
			return 0
		}
		if d > 4 {
			blocks += (d + 3) / 4
		}
	}
	if !g.ExactWeights() {
		return (32 + 48) * blocks
	}
	return 32 * blocks
}

// prepare computes it, with First only if firsts is set.
func prepare(in *CSR, workers int, firsts bool) Prepared {
	n := in.NumVertices()
	words := (n + 63) / 64
	prep := Prepared{NoIn: make([]uint64, words)}
	if firsts {
		prep.First = make([]uint32, n)
		hugepage.Advise(prep.First)
	}
	counts := make([]int, workers)
	var wg panics.Group
	for w := 0; w < workers; w++ {
		lo, hi := words*w/workers, words*(w+1)/workers
		wg.Go(func() {
			counts[w] = prep.words(in, lo, hi)
		})
	}
	wg.Wait()
	for _, c := range counts {
		prep.Candidates += c
	}
	prep.finish(in)
	return prep
}

// finish sets the fields that follow from First, NoIn and the offsets.
func (p *Prepared) finish(in *CSR) {
	for p.Words = len(p.NoIn); p.Words > 0 && p.NoIn[p.Words-1] == ^uint64(0); p.Words-- {
	}
	p.cut(in)
	p.Bytes = uint64(len(p.First))*4 + uint64(len(p.NoIn))*8 + uint64(len(p.Cuts))*4
}

// words fills in NoIn, and First if it is wanted, for a range of words, and counts the candidates.
func (p *Prepared) words(in *CSR, lo, hi int) int {
	n, count := in.NumVertices(), 0
	for w := lo; w < hi; w++ {
		none := uint64(0)
		for i := 0; i < 64; i++ {
			v := w*64 + i
			switch {
			case v >= n:
				none |= 1 << i
			case in.Offsets[v] == in.Offsets[v+1]:
				none |= 1 << i
				if p.First != nil {
					p.First[v] = uint32(v)
				}
			default:
				if p.First != nil {
					p.First[v] = in.Targets[in.Offsets[v]]
				}
				count++
			}
		}
		p.NoIn[w] = none
	}
	return count
}

// cut sets Cuts.
func (p *Prepared) cut(in *CSR) {
	n := uint64(in.NumVertices())
	p.Cuts = append(p.Cuts[:0], 0)
	last := uint64(0)
	for w := 0; w < p.Words; w++ {
		end := min(uint64(w+1)*64, n)
		if work := in.Offsets[end] + end; work-last >= cutWork || w == p.Words-1 {
			p.Cuts = append(p.Cuts, int32(w+1))
			last = work
		}
	}
}

// MaxDegree returns the largest out-degree, computed on the first call; 0 if the
// graph was closed and freed before that.
func (p *Placed) MaxDegree() uint64 {
	p.degreeOnce.Do(func() {
		if release, err := p.g.Hold(); err == nil {
			defer release()
			p.maxDegree = maxDegree(p.g.out)
		}
	})
	return p.maxDegree
}

func maxDegree(out *CSR) uint64 {
	n := out.NumVertices()
	c := newCrew(context.Background(), Options{})
	most := make([]uint64, c.parts(n))
	_ = c.each("", len(most), func(_, i int) error { // no part fails
		lo, hi := span(n, len(most), i)
		d := uint64(0)
		for v := lo; v < hi; v++ {
			d = max(d, out.Offsets[v+1]-out.Offsets[v])
		}
		most[i] = d
		return nil
	})
	return slices.Max(most)
}
