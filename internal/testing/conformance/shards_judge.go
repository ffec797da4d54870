// This file tests the code that checks searches over several devices on those devices.

package conformance

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/depthcheck"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// ShardsJudge checks depths of searches over several devices, and finds depths that are wrong.
func (s Suite) ShardsJudge(t *testing.T) {
	defer func(wide bool) { tuning.WideOffsets = wide }(tuning.WideOffsets)
	used := s.used()
	before := used()
	r := rand.New(rand.NewPCG(testlong.Seed(149), 1))
	for i := range testlong.Rounds(s.times(75, 10), s.times(3000, 100)) {
		tuning.WideOffsets = r.IntN(2) == 0
		g := s.shardsGraph(t, r)
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		s.judge(t, r, g, p)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if left := used(); left != before {
			t.Errorf("%d bytes are left", left-before)
		}
		if t.Failed() {
			t.Fatalf("input %d", i)
		}
	}
}

func (s Suite) judge(t *testing.T, r *rand.Rand, g *graph.Graph, p *graph.Placed) {
	t.Helper()
	var sources []uint32
	for range 1 + r.IntN(3) {
		sources = append(sources, uint32(r.IntN(g.NumVertices())))
	}
	limit := 0
	if r.IntN(3) == 0 {
		limit = 1 + r.IntN(4)
	}
	depths := oracle.Depths(g.Out(), sources...)
	cut(depths, limit, nil)
	v, err := depthcheck.Depths(t.Context(), p, sources, depths, limit)
	if !g.HasReverse() {
		if !errors.Is(err, device.ErrNotSupported) {
			t.Errorf("without a reverse: %v", err)
		}
		return
	}
	if err != nil {
		t.Errorf("right depths: %v", err)
		return
	}
	want := depthcheck.Verdict{}
	for u, d := range depths {
		if d >= 0 {
			want.Reached++
			want.Edges += g.Degree(uint32(u))
		}
	}
	if v.Reached != want.Reached || v.Edges != want.Edges {
		t.Errorf("%d vertices reached, with %d edges; want %d and %d", v.Reached, v.Edges, want.Reached, want.Edges)
	}
	for range 4 {
		wrong := slices.Clone(depths)
		u := r.IntN(len(wrong))
		wrong[u] = []int32{-1, 0, wrong[u] + 1, wrong[u] - 1, 1 << 20}[r.IntN(5)]
		if wrong[u] < 0 { // all unreached vertices have the same depth
			wrong[u] = -1
		}
		if wrong[u] == depths[u] || s.mayBe(g, wrong, sources, limit) {
			continue
		}
		v, err := depthcheck.Depths(t.Context(), p, sources, wrong, limit)
		if !errors.Is(err, depthcheck.ErrWrong) {
			t.Errorf("vertex %d has depth %d, which should be %d: %+v, %v", u, wrong[u], depths[u], v, err)
		}
	}
	if n := len(depths); n > 1 {
		if _, err := depthcheck.Depths(t.Context(), p, sources, depths[1:], limit); !errors.Is(err, depthcheck.ErrWrong) {
			t.Errorf("too few depths: %v", err)
		}
	}
}

// mayBe reports whether the rules hold of depths, by their definition: of a search that ended at a limit, a vertex
// that is at the limit and shouldn't be, or isn't and should be, may keep them.
func (s Suite) mayBe(g *graph.Graph, depths []int32, sources []uint32, limit int) bool {
	for u, d := range depths {
		if d < 0 {
			continue
		}
		if (d == 0) != slices.Contains(sources, uint32(u)) {
			return false
		}
		for _, x := range g.Out().Neighbors(uint32(u)) {
			if depths[x] > d+1 || depths[x] < 0 && int(d) != limit {
				return false
			}
		}
		if d > 0 && !slices.ContainsFunc(g.In().Neighbors(uint32(u)), func(x uint32) bool { return depths[x] == d-1 }) {
			return false
		}
	}
	for _, x := range sources {
		if depths[x] != 0 {
			return false
		}
	}
	return true
}
