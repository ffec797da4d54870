// This file holds Fours: the rows of a graph of low degree, four targets each
// at a fixed place, so that a push needs no offsets and no loop.

package graph

import (
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

func (a *arrays) Fours() *placed.Fours {
	p := (*Placed)(a)
	p.foursOnce.Do(func() {
		release, err := p.g.Hold()
		if err != nil {
			return
		}
		defer release()
		start := time.Now()
		if f := (*inner)(p.g).Fours(); f != nil {
			f.Elapsed = time.Since(start)
			p.fours = f
		}
	})
	return p.fours
}

// foursPay reports whether rows at fixed width pay, and how many vertices have more
// than four targets if they do.
func foursPay(c *CSR) (long int, pays bool) {
	n := c.NumVertices()
	if n == 0 || c.NumEdges() > 4*uint64(n) {
		return 0, false
	}
	for v := 0; v < n; v++ {
		if c.Offsets[v+1]-c.Offsets[v] > 4 {
			if long++; long > n/foursLong {
				return 0, false
			}
		}
	}
	return long, true
}

func newFours(c *CSR, workers int) *placed.Fours {
	long, pays := foursPay(c)
	if !pays {
		return nil
	}
	n := c.NumVertices()
	f := &placed.Fours{Rows: make([][4]uint32, n)}
	hugepage.Advise(f.Rows)
	words := (n + 63) / 64
	if long > 0 {
		f.Long = make([]uint64, words)
	}
	const chunk = 1 << 9
	var next atomic.Int64
	var loops atomic.Bool
	var wg panics.Group
	for range workers {
		wg.Go(func() {
			for {
				i := int(next.Add(chunk)) - chunk
				if i >= words {
					return
				}
				if fillFours(f, c, i*64, min((i+chunk)*64, n)) {
					loops.Store(true)
				}
			}
		})
	}
	wg.Wait()
	f.Loops = loops.Load
	f.Bytes = uint64(n)*16 + uint64(len(f.Long))*8
	return f
}

// fillFours writes the rows lo to hi-1, and reports a self-loop in one; lo is a multiple of 64.
func fillFours(f *placed.Fours, c *CSR, lo, hi int) (loops bool) {
	for v := lo; v < hi; v++ {
		row := c.Targets[c.Offsets[v]:c.Offsets[v+1]]
		r := [4]uint32{uint32(v), uint32(v), uint32(v), uint32(v)}
		for _, t := range row[:copy(r[:], row)] {
			loops = loops || t == uint32(v)
		}
		f.Rows[v] = r
		if len(row) > 4 {
			f.Long[v>>6] |= 1 << (v & 63)
		}
	}
	return loops
}
