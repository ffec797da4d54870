package modularity

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/internal/host"
)

// TestTally compares totals by label, in arrays and in tables, with those of a map.
func TestTally(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 47))
		n := 1 + r.IntN(500)
		var tally tally
		for range 4 { // levels
			labels := 1 + r.IntN(n)
			dense, weighted := r.IntN(2) == 0, r.IntN(2) == 0
			tally.prepare(labels, dense, weighted)
			for range 5 { // rows
				want, entries := map[uint32]int64{}, r.IntN(200)
				tally.begin(uint64(entries))
				for entries > 0 {
					k := 1 + r.IntN(entries)
					entries -= k
					keys, weights := make([]uint32, k), []int64(nil)
					for i := range keys {
						keys[i] = r.Uint32N(uint32(labels))
						w := int64(1)
						if weighted {
							w = r.Int64N(3) << r.IntN(50)
							weights = append(weights, w)
						}
						want[keys[i]] += w
					}
					tally.add(keys, weights)
				}
				for range 3 {
					if k := r.Uint32N(uint32(labels)); tally.of(k) != want[k] {
						t.Fatalf("seed %d: the total of %d is %d, want %d", seed, k, tally.of(k), want[k])
					}
				}
				keys, sums := tally.end()
				for i, k := range keys {
					if sums[i] != 0 && sums[i] != want[k] {
						t.Fatalf("seed %d, dense %v: the total of %d is %d, want %d", seed, dense, k, sums[i], want[k])
					}
					if sums[i] != 0 {
						delete(want, k)
					}
				}
				for k, sum := range want {
					if sum != 0 {
						t.Fatalf("seed %d, dense %v: no total of %d, want %d", seed, dense, k, sum)
					}
				}
			}
		}
	}
}

// TestGroups: each vertex with edges is in one part, the one of its rank, and pieces cover a part.
func TestGroups(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 48))
		l := &level{n: r.IntN(3 * groupVertices), offsets: []uint64{0}}
		for range l.n {
			l.offsets = append(l.offsets, l.offsets[len(l.offsets)-1]+uint64(r.IntN(3)*r.IntN(1+r.IntN(2*turnEdges))))
		}
		l.ends = l.offsets[1:]
		for _, v := range r.Perm(l.n) {
			l.rank = append(l.rank, uint32(v))
		}
		var g groups
		if err := g.divide(testTeam(t), l, seed); err != nil {
			t.Fatal(err)
		}
		met, next := make([]bool, l.n), uint32(0)
		for k, cuts := range g.cuts {
			for i := range len(cuts) - 1 {
				if cuts[i] != next || cuts[i+1] <= next || cuts[i+1]-next > turnVertices {
					t.Fatalf("seed %d: part %d has the pieces %v", seed, k, cuts)
				}
				for _, v := range g.order[cuts[i]:cuts[i+1]] {
					if met[v] || part(seed, l.parts(), l.rank[v]) != uint32(k) {
						t.Fatalf("seed %d: vertex %d is in part %d", seed, v, k)
					}
					met[v] = true
				}
				next = cuts[i+1]
			}
		}
		for v, is := range met {
			if is != (l.ends[v] > l.offsets[v]) {
				t.Fatalf("seed %d: vertex %d with %d edges is in a part: %v", seed, v, l.ends[v]-l.offsets[v], is)
			}
		}
	}
}

func testTeam(t *testing.T) *team {
	t.Helper()
	s := host.New(3).Stream(t.Context())
	t.Cleanup(func() { s.Close() })
	return &team{s: s}
}
