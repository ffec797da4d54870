package graph

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestSortRows has rows on both sides of every switch between ways of sorting.
func TestSortRows(t *testing.T) {
	testlong.Only(t)
	r := rand.New(rand.NewPCG(11, 12))
	var s rowSorter
	for _, n := range []int{0, 1, 2, insertionMax, insertionMax + 1, 1000, scratchMax, scratchMax + 1, 3 * scratchMax} {
		if !testlong.Long() && n > 2*scratchMax {
			continue
		}
		for _, most := range []uint32{1, 2, 3, 255, 256, 1 << 20, NoVertex} {
			type entry struct {
				target uint32
				weight float32
			}
			want := make([]entry, n)
			row, weights := make([]uint32, n), make([]float32, n)
			for i := range want {
				row[i], weights[i] = r.Uint32N(most), float32(r.IntN(50))-25
				if most == 3 && i%1000 != 0 {
					row[i] = 2
				}
				want[i] = entry{row[i], weights[i]}
			}
			plain := slices.Clone(row)
			// Ids that tell entries of one target and weight apart, in some order.
			ids, alike := make([]uint64, n), uint64(0)
			for i := range ids {
				ids[i] = uint64(i) * 7 % 13
				alike += ids[i]
			}
			marked := cells{slices.Clone(row), slices.Clone(weights), ids}
			s.sort(marked)
			s.sort(cells{targets: plain})
			s.sort(cells{targets: row, weights: weights})
			slices.SortFunc(want, func(x, y entry) int {
				return cmp.Or(cmp.Compare(x.target, y.target), cmp.Compare(x.weight, y.weight))
			})
			for i, e := range want {
				if marked.targets[i] != e.target || marked.weights[i] != e.weight ||
					i > 0 && want[i-1] == e && ids[i-1] > ids[i] {
					t.Fatalf("%d below %d, with ids, entry %d: %d of weight %v, id %d; want %v", n, most, i, marked.targets[i], marked.weights[i], ids[i], e)
				}
				alike -= ids[i]
				if plain[i] != e.target || row[i] != e.target || weights[i] != e.weight {
					t.Fatalf("%d below %d, entry %d: %d, and %d of weight %v; want %v", n, most, i, plain[i], row[i], weights[i], e)
				}
			}
			if alike != 0 {
				t.Fatalf("%d below %d: ids were lost", n, most)
			}
		}
	}
}

// TestSortRowsTogether: sorting rows together gives the same rows as sorting each alone.
func TestSortRowsTogether(t *testing.T) {
	testlong.Project(t)
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
