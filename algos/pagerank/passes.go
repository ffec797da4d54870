// This file holds rounds with momentum of one pass each, on the host.

package pagerank

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// passes makes rounds with momentum until the ranks have converged. What all vertices receive is
// the same in each round, and so is known before it: a round is one pass over the edges. It reads
// the shares that the one before has left, and writes where those of the one before that are. (On a
// GPU rounds have two passes, of which the first may reduce over slabs.)
func (r *ranking[T]) passes() error {
	t, all := r.t, r.t.All()
	stretch := traverse.Entries(t, 1, 1.0)
	if t.Err() != nil {
		return t.Err()
	}
	shares, factor := [2]*device.Buffer[T]{r.share, r.sum}, 1.0 // of which the first round doesn't look at the second
	var turns [2]operators.Step
	for i := range turns {
		from, into := shares[i], shares[1-i]
		if r.o.Weighted {
			turns[i] = reduce.In(newPassWeighted(from, into, r.strength, r.to, r.even, r.mass, r.o.Damping, stretch), r.change)
		} else {
			turns[i] = reduce.In(newPass(from, into, r.strength, r.to, r.even, r.mass, r.o.Damping, stretch), r.change)
		}
	}
	r.b.made = r.made - t.Level() // Next goes on counting
	for k := 0; r.made < r.o.Iterations && t.Next(all); k++ {
		if next := stretched(r.o.Damping, k+1, factor); next != factor {
			traverse.Set(t, stretch, 0, next)
			factor = next
		}
		t.Do(all, turns[k&1])
		r.last = traverse.Get(t, r.change)
		r.made++
		if r.share = shares[1-k&1]; t.Err() != nil {
			break
		}
		if r.last < r.o.Tolerance {
			// That little would a plain round have changed. With momentum the round may have ended
			// further off than it began.
			r.share = shares[k&1]
			break
		}
	}
	t.Next(t.From()) // without a vertex there is no other round; the last one is over
	return t.Err()
}

// stretched is the factor of round k of Chebyshev's iteration for eigenvalues of -damping to
// damping; that of the round before was the last. The first round has no momentum.
func stretched(damping float64, k int, last float64) float64 {
	switch k {
	case 0, 1:
		return 1
	case 2:
		return 1 / (1 - damping*damping/2)
	}
	return 1 / (1 - damping*damping/4*last)
}
