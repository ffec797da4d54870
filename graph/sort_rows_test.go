package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortRowsTogether: sorting rows together gives the same rows as sorting each alone.
func TestSortRowsTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	lengths := []int{0, 1, 2, 5, insertionMax, insertionMax + 1, 30, 100, 1000, togetherMax - 1, togetherMax, togetherMax + 1}
	for _, most := range []uint32{1, 2, 300, 1 << 11, 1<<11 + 1, 1 << 22, 1<<23 + 5, NoVertex} {
		for kind := range 4 {
			c := &CSR{Offsets: []uint64{0}}
			var ends []uint64
			for v := range 3000 {
				n := r.IntN(40)
				if v%100 == 0 {
					n = lengths[v/100%len(lengths)]
				}
				lo := c.Offsets[v]
				ends = append(ends, lo+uint64(n))
				c.Offsets = append(c.Offsets, lo+uint64(n+r.IntN(3))) // with gaps
			}
			m := int(c.Offsets[len(ends)])
			c.Targets = make([]uint32, m)
			if kind&1 != 0 {
				c.Weights = make([]float32, m)
			}
			if kind&2 != 0 {
				c.EdgeIDs = make([]uint64, m)
			}
			for i := range m {
				c.Targets[i] = r.Uint32N(most)
				if c.Weights != nil {
					c.Weights[i] = float32(r.IntN(9)) - 4
				}
				if c.EdgeIDs != nil {
					c.EdgeIDs[i] = r.Uint64N(1000)
				}
			}
			want := &CSR{Offsets: c.Offsets, Targets: slices.Clone(c.Targets), Weights: slices.Clone(c.Weights), EdgeIDs: slices.Clone(c.EdgeIDs)}
			var one, many rowSorter
			for v, end := range ends {
				one.sort(want.row(c.Offsets[v], end))
			}
			many.rows(c, ends, 0, 1000)
			many.rows(c, ends, 1000, 1001)
			many.rows(c, ends, 1001, len(ends))
			if !slices.Equal(c.Targets, want.Targets) || !slices.Equal(c.Weights, want.Weights) || !slices.Equal(c.EdgeIDs, want.EdgeIDs) {
				t.Fatalf("targets below %d, weights %v, ids %v: rows differ from those sorted one by one", most, c.Weights != nil, c.EdgeIDs != nil)
			}
		}
	}
}
