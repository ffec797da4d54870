// This file holds Prepared: data that is computed once per graph so that pulls
// are fast.

package graph

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

func (a *arrays) Prepare() *placed.Prepared {
	p := (*Placed)(a)
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
			p.prep = *(*inner)(p.g).Prepare()
		}
		p.prep.MaxDegree = p.State().MaxDegree()
		p.prep.Elapsed = time.Since(start)
	})
	return &p.prep
}

func (i *inner) PreparedBytes() (bytes uint64) {
	g := (*Graph)(i)
	n := uint64(g.NumVertices())
	bitmap := (n + 63) / 64 * 8
	if g.in != nil {
		bytes = 4*n + bitmap + 4*((g.in.NumEdges()+n)/cutWork+2)
	}
	if long, pays := ell4Pay(g.out); pays {
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
	if !g.out.exactWeights() {
		return (32 + 48) * blocks
	}
	return 32 * blocks
}

// prepare computes it, with First only if firsts is set.
func prepare(in *CSR, workers int, firsts bool) placed.Prepared {
	n := in.NumVertices()
	words := (n + 63) / 64
	prep := placed.Prepared{NoIn: make([]uint64, words)}
	if firsts {
		prep.First = make([]uint32, n)
		hugepage.Advise(prep.First)
	}
	counts := make([]int, workers)
	var wg panics.Group
	for w := 0; w < workers; w++ {
		lo, hi := words*w/workers, words*(w+1)/workers
		wg.Go(func() {
			counts[w] = prepareWords(&prep, in, lo, hi)
		})
	}
	wg.Wait()
	for _, c := range counts {
		prep.Candidates += c
	}
	finishPrepared(&prep, in)
	return prep
}

// finishPrepared sets the fields that follow from First, NoIn and the offsets.
func finishPrepared(p *placed.Prepared, in *CSR) {
	for p.Words = len(p.NoIn); p.Words > 0 && p.NoIn[p.Words-1] == ^uint64(0); p.Words-- {
	}
	cutPrepared(p, in)
	p.Bytes = uint64(len(p.First))*4 + uint64(len(p.NoIn))*8 + uint64(len(p.Cuts))*4
}

// prepareWords fills in NoIn, and First if it is wanted, for a range of words, and counts the candidates.
func prepareWords(p *placed.Prepared, in *CSR, lo, hi int) int {
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

// cutPrepared sets Cuts.
func cutPrepared(p *placed.Prepared, in *CSR) {
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

func (a *arrays) MaxDegree() uint64 {
	p := (*Placed)(a)
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
