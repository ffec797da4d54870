// This file holds weights: a function of an edge's two ends and a seed.

package gen

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// maxInteger is the largest whole number up to which a float32 has all.
const maxInteger = 1 << 24

// weightOptions say which weights edges have.
type weightOptions struct {
	// Min and Max are the least and the largest weight that an edge may have. They are
	// finite; with Integers they are whole numbers from -2^24 to 2^24.
	Min, Max float64
	// Integers makes all weights whole numbers.
	Integers bool
	Seed     uint64
}

// weightedEdges is a Generator whose edges have weights, uniform between two bounds. The weight
// of an edge depends on its ends and the seed alone: both directions of an edge, and all
// copies of one that is repeated, have the same. As the edges do, weights stay the same on
// any machine and in later versions.
type weightedEdges struct {
	Generator
	o   weightOptions
	key uint64
}

// newWeighted gives the edges of a generator weights; one that has weights gets these
// instead. The error is errParameter.
func newWeighted(g Generator, o weightOptions) (*weightedEdges, error) {
	if w, ok := g.(*weightedEdges); ok {
		g = w.Generator
	}
	whole := func(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= maxInteger }
	switch {
	case !(math.Abs(o.Min) <= math.MaxFloat32 && math.Abs(o.Max) <= math.MaxFloat32): // NaN too
		return nil, fmt.Errorf("%w: weights from %v to %v; the bounds are finite and at most %v", errParameter, o.Min, o.Max, math.MaxFloat32)
	case o.Min > o.Max:
		return nil, fmt.Errorf("%w: weights from %v to %v; the lower bound stands first", errParameter, o.Min, o.Max)
	case o.Integers && !(whole(o.Min) && whole(o.Max)):
		return nil, fmt.Errorf("%w: integer weights from %v to %v; the bounds are whole numbers from -2^24 to 2^24, as far as float32 has all of them", errParameter, o.Min, o.Max)
	}
	return &weightedEdges{g, o, keyed(o.Seed, keyWeights)}, nil
}

// Name is the spec of the graph with its weights.
func (w *weightedEdges) Name() string {
	s := w.Generator.Name()
	seeded := strings.Contains(s, "seed=")
	if strings.Contains(s, ":") {
		s += ","
	} else {
		s += ":"
	}
	s += "weights=" + w.o.bound(w.o.Min) + ":" + w.o.bound(w.o.Max)
	if w.o.Seed != 0 || seeded { // else it would be that of the graph
		s += fmt.Sprintf(",weightseed=%d", w.o.Seed)
	}
	return s
}

// bound writes a bound as parseBound reads it.
func (o *weightOptions) bound(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if o.Integers {
		return strconv.FormatInt(int64(x), 10)
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// width returns how many whole numbers there are.
func (o *weightOptions) width() uint64 { return uint64(int64(o.Max)-int64(o.Min)) + 1 }

// Weights writes the weight of the edge between src[i] and dst[i], in either direction, to
// weights[i]. All three are of one length.
func (w *weightedEdges) Weights(src, dst []uint32, weights []float32) {
	lo, hi := w.o.Min, w.o.Max
	width := uint64(0)
	if w.o.Integers {
		width = w.o.width()
	}
	for i, u := range src {
		a, b := min(u, dst[i]), max(u, dst[i])
		x := mix64(w.key + (uint64(a)<<32|uint64(b))*gamma)
		if width > 0 {
			at, _ := bits.Mul64(x, width)
			weights[i] = float32(int64(lo) + int64(at))
			continue
		}
		// The conversions keep the two operations from being fused into one, whose result
		// some machines round otherwise.
		share := float64(x>>11) / (1<<53 - 1)
		weights[i] = float32(min(max(float64(lo*(1-share))+float64(hi*share), lo), hi))
	}
}

// weights gives a generator the weights that its spec asks for.
func (a *args) weights(g Generator) (Generator, error) {
	s := a.values["weights"]
	from, to, ok := strings.Cut(strings.TrimPrefix(s, "uniform:"), ":")
	lo, errLo := strconv.ParseFloat(from, 64)
	hi, errHi := strconv.ParseFloat(to, 64)
	if !ok || errLo != nil || errHi != nil {
		return nil, a.fail("weights=%s: write MIN:MAX, as in weights=1:100 for whole numbers or weights=0.5:2 for others, all equally likely (uniform:MIN:MAX is the same)", s)
	}
	o := weightOptions{Min: lo, Max: hi, Seed: a.uint("weightseed", a.uint("seed", 0))}
	_, errLo = strconv.ParseInt(from, 10, 64)
	_, errHi = strconv.ParseInt(to, 10, 64)
	o.Integers = errLo == nil && errHi == nil
	if a.err != nil {
		return nil, a.err
	}
	return newWeighted(g, o)
}

// WeightType returns the type of the weights.
func (w *weightedEdges) WeightType() graph.WeightType {
	if w.o.Integers {
		return graph.WeightsInt64
	}
	return graph.WeightsFloat64
}
