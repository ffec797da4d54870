// This file holds Ell4: the rows of a graph of low degree, four targets each
// at a fixed place, so that a push needs no offsets and no loop.

package graph

import (
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

func (a *arrays) Ell4() *placed.Ell4 {
	p := (*Placed)(a)
	p.ell4Once.Do(func() {
		release, err := p.g.Hold()
		if err != nil {
			return
		}
		defer release()
		start := time.Now()
		if f := (*inner)(p.g).Ell4(); f != nil {
			f.Elapsed = time.Since(start)
			p.ell4 = f
		}
	})
	return p.ell4
}

// ell4Pay reports whether ELL4 rows pay, and how many vertices have more
// than four targets if they do.
func ell4Pay(c *CSR) (long int, pays bool) {
	n := c.NumVertices()
	if n == 0 || c.NumEdges() > 4*uint64(n) {
		return 0, false
	}
	for v := 0; v < n; v++ {
		if c.Offsets[v+1]-c.Offsets[v] > 4 {
			if long++; long > n/ell4Long {
				return 0, false
			}
		}
	}
	return long, true
}

func newEll4(c *CSR, workers int) *placed.Ell4 {
	long, pays := ell4Pay(c)
	if !pays {
		return nil
	}
	n := c.NumVertices()
	f := &placed.Ell4{Rows: make([][4]uint32, n)}
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
				if fillEll4(f, c, i*64, min((i+chunk)*64, n)) {
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

// fillEll4 writes the rows lo to hi-1, and reports a self-loop in one; lo is a multiple of 64.
func fillEll4(f *placed.Ell4, c *CSR, lo, hi int) (loops bool) {
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
