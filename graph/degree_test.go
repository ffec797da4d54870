// This file holds the tests of the degree histogram against its definition.

package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveHistogram is the definition, by a row of each vertex.
func naiveHistogram(rows [][]uint32, directed bool) DegreeHistogram {
	h := DegreeHistogram{MaxVertex: NoVertex}
	edges := 0
	entered := map[uint32]bool{}
	for _, row := range rows {
		for _, v := range row {
			entered[v] = true
		}
	}
	for v, row := range rows {
		d := len(row)
		edges += d
		for k := 0; ; k++ {
			if k == len(h.Bins) {
				h.Bins = append(h.Bins, 0)
			}
			if lo, hi := binRange(k); uint64(d) >= lo && uint64(d) <= hi {
				h.Bins[k]++
				break
			}
		}
		if h.MaxVertex == NoVertex || uint64(d) > h.Max {
			h.Max, h.MaxVertex = uint64(d), uint32(v)
		}
		if d == 0 && !(directed && entered[uint32(v)]) {
			h.Isolated++
		}
	}
	if len(rows) > 0 {
		h.Mean = float64(edges) / float64(len(rows))
	}
	return h
}

// rowsToCSR packs rows.
func rowsToCSR(rows [][]uint32) CSR {
	c := CSR{Offsets: []uint64{0}}
	for _, row := range rows {
		c.Targets = append(c.Targets, row...)
		c.Offsets = append(c.Offsets, uint64(len(c.Targets)))
	}
	return c
}

func checkHistogram(t *testing.T, rows [][]uint32, directed, reverse bool) {
	t.Helper()
	csr := rowsToCSR(rows)
	var in *CSR
	if reverse {
		r := csr.Transpose()
		in = &r
	}
	g, err := FromCSR(csr, CSROptions{In: in, Directed: directed})
	if err != nil {
		t.Fatal(err)
	}
	got, want := g.DegreeHistogram(), naiveHistogram(rows, directed)
	if !slices.Equal(got.Bins, want.Bins) || got.Max != want.Max || got.MaxVertex != want.MaxVertex ||
		got.Mean != want.Mean || got.Isolated != want.Isolated {
		t.Errorf("directed %v, reverse %v, rows %v:\ngot  %+v\nwant %+v", directed, reverse, rows, got, want)
	}
}

func TestDegreeHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := r.IntN(150)
		rows := make([][]uint32, n)
		// Few edges, so that some vertices are isolated, and hubs.
		for range r.IntN(2*n + 1) {
			u, v := r.IntN(n), uint32(r.IntN(n))
			if r.IntN(2) == 0 {
				u = u * u / n * u / n
			}
			rows[u] = append(rows[u], v)
		}
		checkHistogram(t, rows, true, false)
		checkHistogram(t, rows, true, true)

		both := make([][]uint32, n)
		for u, row := range rows {
			for _, v := range row {
				both[u] = append(both[u], v)
				if int(v) != u {
					both[v] = append(both[v], uint32(u))
				}
			}
		}
		checkHistogram(t, both, false, false)
	}
}


// binRange returns the smallest and the largest degree of a bin, as the documentation of Bins has it.
func binRange(k int) (lo, hi uint64) {
	if k == 0 {
		return 0, 0
	}
	return 1 << (k - 1), 1<<k - 1
}
