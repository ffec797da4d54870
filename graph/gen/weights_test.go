// This file tests weights: their range, what they depend on, and that they stay the same.

package gen

import (
	"errors"
	"hash/fnv"
	"math"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// weightsOf returns the weight of every edge, in order.
func weightsOf(t *testing.T, spec string) (src, dst []uint32, weights []float32) {
	t.Helper()
	w := parse(t, spec).(*weightedEdges)
	if err := Ordered(background, w, 3, func(_ int, s, d []uint32) error {
		src, dst = append(src, s...), append(dst, d...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	weights = make([]float32, len(src))
	w.Weights(src, dst, weights)
	return src, dst, weights
}

func TestWeights(t *testing.T) {
	for spec, c := range map[string]struct {
		lo, hi float64
		whole  bool
		hash   uint64
	}{
		"kron10:weights=1:100":                             {1, 100, true, 0x43b5b15a196c3ef4},
		"kron10:weights=1:100,weightseed=1":                {1, 100, true, 0xce44d30339750fce},
		"kron10:weights=1.0:100":                           {1, 100, false, 0x9f5ca78238390133},
		"grid2d:100x100,weights=-7:7":                      {-7, 7, true, 0x7ebb3a222c2f3a68},
		"urand10:weights=0:1":                              {0, 1, true, 0x7b478d7860829018},
		"urand10:weights=5:5":                              {5, 5, true, 0xcdbb8206cbb62325},
		"urand10:weights=0.1:0.1":                          {0.1, 0.1, false, 0xd7aa2c3f593aa325},
		"urand10:weights=-3.4e38:3.4e38":                   {-3.4e38, 3.4e38, false, 0x21d055e5c7fa6bf9},
		"urand10:weights=-16777216:16777216":               {-1 << 24, 1 << 24, true, 0x4b9dc240fe0cb5ea},
		"star:100,weights=1e-40:1e-39":                     {1e-40, 1e-39, false, 0x894b8408d40e8cb7},
		"smallworld:n=100,weights=0.25:4,p=1":              {0.25, 4, false, 0xa26af47f9117598c},
		"road:50x50,seed=3,weights=1:2":                    {1, 2, true, 0xfc03240b8257ec58},
		"road:50x50,weights=1:2,weightseed=3":              {1, 2, true, 0x9ef2493a1b3cd2c8},
		"cycle:1000,weights=1:4,seed=18446744073709551615": {1, 4, true, 0x98fc03d0d5d73d65},
	} {
		src, dst, weights := weightsOf(t, spec)
		_, _, again := weightsOf(t, parse(t, spec).Name())
		back := make([]float32, len(src))
		parse(t, spec).(*weightedEdges).Weights(dst, src, back)
		h := fnv.New64a()
		sum, counts := 0.0, map[float32]int{}
		for i, x := range weights {
			if float32(c.lo) > x || x > float32(c.hi) || c.whole && float64(x) != math.Trunc(float64(x)) || x != again[i] || x != back[i] {
				t.Fatalf("%s: edge %d to %d has %v, again %v, backwards %v", spec, src[i], dst[i], x, again[i], back[i])
			}
			sum += (float64(x) - c.lo) / max(c.hi-c.lo, 1e-300)
			counts[x]++
			b := math.Float32bits(x)
			h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
		if mean := sum / float64(len(weights)); c.lo < c.hi && math.Abs(mean-0.5) > 2/math.Sqrt(float64(len(weights))) {
			t.Errorf("%s: mean at %v of the range", spec, mean)
		}
		if c.whole && c.hi-c.lo < 20 && len(counts) != int(c.hi-c.lo)+1 {
			t.Errorf("%s: %d values", spec, len(counts))
		}
		if h.Sum64() != c.hash {
			t.Errorf("%s: hash %#x, want %#x", spec, h.Sum64(), c.hash)
		}
	}
}

// TestBuildWeights: a built graph has the weight of each edge in both directions, also of
// edges that were repeated.
func TestBuildWeights(t *testing.T) {
	for _, spec := range []string{"kron9:weights=1:1000", "star:50,weights=0.5:2", "urand9:weights=-1:1,edgefactor=40"} {
		w := parse(t, spec).(*weightedEdges)
		for _, o := range []graph.Options{{}, {Directed: true, Reverse: true}, {KeepDuplicates: true, KeepSelfLoops: true, Workers: 2}} {
			o.Weights = true
			g, err := Build(background, w, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []*graph.CSR{g.Out(), g.In()} {
				if c == nil {
					continue
				}
				for v := range uint32(c.NumVertices()) {
					for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
						var want [1]float32
						ids := g.IDs()
						w.Weights([]uint32{uint32(ids.Int(v))}, []uint32{uint32(ids.Int(c.Targets[e]))}, want[:])
						if c.Weights[e] != want[0] {
							t.Fatalf("%s, %+v: edge %d to %d has %v, want %v", spec, o, v, c.Targets[e], c.Weights[e], want[0])
						}
					}
				}
			}
		}
		if g, err := Build(background, w, graph.Options{}); err != nil || g.Out().Weights != nil {
			t.Errorf("%s: weights that weren't asked for: %v", spec, err)
		}
	}
}

func TestWithWeights(t *testing.T) {
	g := parse(t, "kron8:weights=1:2,seed=5")
	w, err := newWeighted(g, weightOptions{Min: 3, Max: 4})
	if err != nil || w.Name() != "kron8:seed=5,weights=3.0:4.0,weightseed=0" {
		t.Error(w.Name(), err)
	}
	if _, err := newWeighted(g, weightOptions{Min: 0.5, Max: 2, Integers: true}); !errors.Is(err, errParameter) {
		t.Error(err)
	}
	if _, err := newWeighted(g, weightOptions{Min: math.Inf(-1)}); !errors.Is(err, errParameter) {
		t.Error(err)
	}
}
