// This file holds what choices cost: the automatic ones compared with the best fixed one, and the factors of direction-
// optimizing search.

package paper

import (
	"math"

	"github.com/foray-graph/foray/bench"
)

// factors returns direction-optimizing search with several values of alpha and of beta, each with the default of the other.
func factors() []bench.Algorithm {
	list := []bench.Algorithm{{Kind: bench.DOBFS}}
	for _, alpha := range []float64{1, 4, 15, 60, 240} {
		list = append(list, bench.Algorithm{Kind: bench.DOBFS, Alpha: alpha, Beta: 18})
	}
	for _, beta := range []float64{2, 6, 54, 162} {
		list = append(list, bench.Algorithm{Kind: bench.DOBFS, Alpha: 15, Beta: beta})
	}
	return list
}

// regret returns the fastest of the algorithms that are no automatic choice, and by what part the automatic one is
// slower. Both times are sums over the sources of the trials' medians.
func regret(auto bench.Result, fixed []bench.Result) (best string, loss float64) {
	least := math.Inf(1)
	for _, r := range fixed {
		if t := total(r); t < least {
			best, least = r.Algorithm, t
		}
	}
	if best == "" || least == 0 {
		return best, 0
	}
	return best, max(total(auto)/least-1, 0)
}

func total(r bench.Result) float64 {
	sum := 0.0
	for _, s := range r.Sources {
		sum += s.MedianMS
	}
	return sum
}
