// This file holds rounds of one pass each, on undirected graphs: what all vertices receive in a round
// is known before it. A round reads the shares that the one before has left, and writes where those of
// the one before that are.

package pagerank

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// factors are what differs from round to round: what vertices with edges receive, and by how much a
// round is stretched (stretched). The first round with momentum has 1.
type factors struct {
	damping  float64
	mass     float64 // that vertices with edges receive in the next round
	part     float64 // of the personalization, theirs
	momentum int     // rounds with it so far, -1 without any
	radius   float64 // of the eigenvalues that it is for
	stretch  float64 // of the last one
}

// next returns those of the next round.
func (f *factors) next() (received, stretch float64) {
	received = f.mass
	f.mass = f.part*(1-f.damping*f.mass) + f.damping*f.mass
	// Chebyshev's iteration for eigenvalues of -radius to radius. Those up to damping converge too.
	switch d := f.radius; {
	case f.momentum < 0:
		return received, 1
	case f.momentum == 0:
		f.stretch = 1
	case f.momentum == 1:
		f.stretch = 1 / (1 - d*d/2)
	default:
		f.stretch = 1 / (1 - d*d/4*f.stretch)
	}
	f.momentum++
	return received, f.stretch
}

// passes makes so many rounds at most, and reports whether there are more to make.
func (r *ranking[T]) passes(most int) bool {
	most = min(most, r.o.Iterations-r.made)
	if most < 1 || r.failed() != nil {
		return false
	}
	if onHost(r.t.Placed()) {
		r.byTurns(most)
	} else {
		r.inOneKernel(most)
	}
	return r.failed() == nil && !(r.o.Tolerance > 0 && r.last < r.o.Tolerance)
}

// hurry gives the rounds from now on momentum, for eigenvalues of such a radius. With it a round may end
// further off than it began: of the last one, which a plain round would hardly have changed, what it began
// with is taken.
func (r *ranking[T]) hurry(radius float64) { r.factors.momentum, r.factors.radius = 0, radius }

// byTurns makes rounds, a step each, on the host.
func (r *ranking[T]) byTurns(most int) {
	t, all := r.t, r.t.All()
	if r.received == nil {
		r.received, r.stretch = traverse.ArrayN(t, 1, 0.0), traverse.ArrayN(t, 1, 0.0)
	}
	if t.Err() != nil {
		return
	}
	shares := [2]*device.Buffer[T]{r.share, r.sum}
	var turns [2]operators.Step
	for i := range turns {
		from, into := shares[i], shares[1-i]
		if r.o.Weighted {
			turns[i] = reduce.In(newPassWeighted(from, into, r.strength, r.own(r.strength), r.even, r.received, r.o.Damping, r.stretch), r.change)
		} else {
			turns[i] = reduce.In(newPass(from, into, r.strength, r.own(r.strength), r.even, r.received, r.o.Damping, r.stretch), r.change)
		}
	}
	r.b.made = r.made - t.Level() // Next continues to count
	for k := 0; k < most && t.Next(all); k++ {
		mass, by := r.factors.next()
		traverse.Set(t, r.received, 0, mass)
		traverse.Set(t, r.stretch, 0, by)
		t.Do(all, turns[k&1])
		r.last = traverse.Get(t, r.change)
		r.made++
		if r.share, r.sum = shares[1-k&1], shares[k&1]; t.Err() != nil {
			break
		}
		if r.last < r.o.Tolerance {
			if r.factors.momentum >= 0 {
				r.share, r.sum = r.sum, r.share
			}
			break
		}
	}
	t.Next(t.From()) // without a vertex there is no other round; the last one is over
}

// inOneKernel makes rounds in kernels of roundsAtOnce each, on a GPU.
func (r *ranking[T]) inOneKernel(most int) {
	t, dev := r.t, r.t.Placed().Device()
	if r.received == nil {
		r.received, r.stretch = traverse.ArrayN(t, 1+roundsAtOnce, 0.0), traverse.ArrayN(t, 1+roundsAtOnce, 0.0)
	}
	for most > 0 && r.failed() == nil {
		some := min(most, roundsAtOnce)
		received, stretch := make([]float64, 1+some), make([]float64, 1+some)
		for k := range some {
			received[1+k], stretch[1+k] = r.factors.next()
		}
		traverse.Get(t, r.change) // waits for the zeros, and for rounds before
		if t.Err() != nil {
			return
		}
		if r.err = errors.Join(r.received.Write(dev, 0, received), r.stretch.Write(dev, 0, stretch)); r.err != nil {
			return
		}
		a, b := r.share, r.sum
		var round operators.Step
		if r.o.Weighted {
			round = reduce.In(newTurnWeighted(a, b, r.strength, r.own(r.strength), r.even, r.received, r.stretch, r.o.Damping), r.change)
		} else {
			round = reduce.In(newTurn(a, b, r.strength, r.own(r.strength), r.even, r.received, r.stretch, r.o.Damping), r.change)
		}
		before := r.made
		more := r.repeat(some, round)
		back := !more && r.o.Tolerance > 0 && r.last < r.o.Tolerance && r.factors.momentum >= 0
		if (r.made-before)&1 == 1 != back {
			r.share, r.sum = b, a
		}
		if !more {
			return
		}
		most -= some
	}
}
