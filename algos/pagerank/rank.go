// This file holds the rounds.

package pagerank

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// hastens reports whether rounds may get momentum: the eigenvalues of an undirected graph are
// real, those of a directed one may be such that it diverges.
func hastens(p *graph.Placed, o Options) bool {
	return p.Err() == nil && !p.Graph().Directed() && o.Tolerance > 0
}

// ranking is a run.
type ranking[T float32 | float64] struct {
	t                        *traverse.Traversal
	o                        Options
	b                        *books
	n                        float64
	even                     float64 // of the personalisation, where it is nil
	share, sum, strength, to *device.Buffer[T]
	rank                     *device.Buffer[float64]
	received, change         *operators.Scalar[float64]
	mass                     float64 // what all vertices receive in a round, where that is always the same
	made                     int     // rounds
	last                     float64
	gather                   operators.Step
}

func rank[T float32 | float64](t *traverse.Traversal, o Options, b *books) (*Result, error) {
	p := t.Placed()
	r := &ranking[T]{t: t, o: o, b: b, n: float64(p.NumVertices())}
	r.share, r.sum, r.strength = traverse.Array[T](t, 0), traverse.Array[T](t, 0), traverse.Array[T](t, 0)
	r.rank = traverse.Array[float64](t, 0)
	r.received, r.change = traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[float64](t, operators.Sum)
	if err := r.personalise(); err != nil {
		return nil, err
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	if err := r.rounds(); err != nil {
		return nil, err
	}
	total := traverse.Scalar[float64](t, operators.Sum)
	if t.Err() != nil {
		return nil, t.Err()
	}
	t.Do(t.All(), foreach.All(newFinish(r.share, r.strength, r.rank), total), foreach.All(newNorm(r.rank, total.Array()), nil))
	ranks, err := traverse.Result(t, r.rank)
	if err != nil {
		return nil, err
	}
	return &Result{Ranks: ranks, Iterations: r.made, Change: r.last, Converged: o.Tolerance > 0 && r.last < o.Tolerance}, nil
}

// upload returns an array of the run with these values.
func upload[T device.Elem, R float32 | float64](r *ranking[R], a []T) (*device.Buffer[T], error) {
	b := traverse.Entries[T](r.t, len(a), 0)
	traverse.Get(r.t, r.change) // waits for the zeros
	if err := r.t.Err(); err != nil {
		return nil, err
	}
	return b, b.Write(r.t.Placed().Device(), 0, a)
}

// personalise brings the personalisation to the device, so that it adds up to 1.
func (r *ranking[T]) personalise() (err error) {
	r.even, r.to = 1/r.n, r.share // which nobody reads
	if r.o.Personalisation == nil {
		return nil
	}
	sum, err := r.o.sum()
	if err != nil {
		return err
	}
	a := make([]T, len(r.o.Personalisation))
	for v, x := range r.o.Personalisation {
		a[v] = T(x / sum)
	}
	r.even = 0
	r.to, err = upload(r, a)
	return err
}

// badWeight is the error of the first edge that has one. Where every weight is right, those of some
// vertex add up to more than there are numbers for.
func badWeight(g *graph.Graph) error {
	c, ids := g.Out(), g.IDs()
	for v := range c.NumVertices() {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			if w := float64(c.Weights[e]); !(w >= 0) || math.IsInf(w, 1) {
				return fmt.Errorf("%w: the edge from %s to %s weighs %v; ranks are shared out by weights of 0 or more: leave such edges out, or change them before loading",
					ErrWeights, ids.Format(uint32(v)), ids.Format(c.Targets[e]), w)
			}
		}
	}
	return fmt.Errorf("%w: those of a vertex add up to infinity; scale them down before loading", ErrWeights)
}

// farWeights checks the weights, and reports whether those of some vertex add up to so little or so much that
// shares have to be float64.
func farWeights(t *traverse.Traversal) (bool, error) {
	least, bad, far := traverse.Scalar[float64](t, operators.Min), traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	if t.Err() != nil {
		return false, t.Err()
	}
	t.Do(t.All(), reduce.Out(newExtent(smallestStrength, largestStrength, least, bad, far), nil))
	if x := traverse.Get(t, least); x < 0 || traverse.Get(t, bad) > 0 {
		return false, badWeight(t.Placed().Graph())
	}
	return traverse.Get(t, far) > 0, t.Err()
}

// begin gives vertices their strength and first rank.
func (r *ranking[T]) begin() error {
	t := r.t
	lone, alone := traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	if r.o.Weighted {
		t.Do(t.All(), reduce.Out(newStrengths(r.strength, r.to, r.even, alone), lone))
		r.gather = reduce.In(newReceiveWeighted(r.share, r.sum), r.received)
	} else {
		t.Do(t.All(), foreach.All(newDegrees(traverse.Degrees(t), r.strength, r.to, r.even, alone), lone))
		r.gather = reduce.In(newReceive(r.share, r.sum), r.received)
	}
	first, isolated := 1/r.n, 0.0
	if hastens(t.Placed(), r.o) {
		// Isolated vertices begin with the rank that they end with, so that nothing moves
		// between them and the others.
		have, count := traverse.Get(t, lone), float64(traverse.Get(t, alone))
		isolated = (1 - r.o.Damping) / (1 - r.o.Damping*have)
		r.mass = max(0, 1-isolated*have)
		first = r.mass / max(r.n-count, 1)
	}
	t.Do(t.All(), foreach.All(newStart(r.strength, r.share, r.to, r.even, isolated, first), nil))
	return t.Err()
}

// rounds goes on until the ranks have converged, or for as many rounds as were asked for.
func (r *ranking[T]) rounds() error {
	if r.n == 0 {
		return r.t.Err()
	}
	plain := foreach.All(newUpdate(r.sum, r.share, r.strength, r.to, r.even, r.received.Array(), r.o.Damping), r.change)
	p := r.t.Placed()
	if !hastens(p, r.o) {
		r.repeat(plain, r.o.Iterations)
		return r.t.Err()
	}
	r.repeat(plain, 1)
	before := r.last
	if !r.repeat(plain, 1) {
		return r.t.Err()
	}
	if r.last < slow*before {
		r.repeat(plain, r.o.Iterations)
		return r.t.Err()
	}
	if p.Remote() == nil {
		return r.passes()
	}
	stretch, err := upload(r, stretches(r.o.Damping, r.o.Iterations-r.made))
	if err != nil {
		return err
	}
	old := traverse.Array[T](r.t, 0)
	// With momentum a round may end further off than it began, so the last one is plain.
	r.repeat(foreach.All(newHasten(r.sum, r.share, old, r.strength, r.to, r.even, r.received.Array(), r.o.Damping, stretch), r.change), r.o.Iterations-r.made-1)
	r.repeat(plain, r.o.Iterations)
	return r.t.Err()
}

// stretches are the factors of the rounds (stretched); there is no round 0.
func stretches(damping float64, rounds int) []float64 {
	a := make([]float64, rounds+1)
	for k := range a {
		a[k] = stretched(damping, k, a[max(k-1, 0)])
	}
	return a
}

// repeat makes so many rounds at most, and no more than were asked for in all. It reports
// whether there are more to make.
func (r *ranking[T]) repeat(update operators.Step, most int) bool {
	most = min(most, r.o.Iterations-r.made)
	if most < 1 || r.t.Err() != nil {
		return false
	}
	steps := []operators.Step{r.gather, update}
	if r.o.Tolerance > 0 {
		steps = append(steps, traverse.Below(r.change, r.o.Tolerance))
	}
	rounds := r.t.Stats().Rounds
	r.t.Repeat(r.t.All(), append(steps, traverse.AtMost(most))...)
	r.made += r.t.Stats().Rounds - rounds
	r.b.made = r.made
	r.last = traverse.Get(r.t, r.change)
	return r.t.Err() == nil && !(r.o.Tolerance > 0 && r.last < r.o.Tolerance)
}

// books count the rounds of several Repeats as one.
type books struct{ made int }

// progress returns a callback that numbers rounds from the first on.
func (b *books) progress(f func(traverse.Level)) func(traverse.Level) {
	if f == nil {
		return nil
	}
	return func(l traverse.Level) {
		l.Level += b.made
		f(l)
	}
}

// number does the same for those that were kept.
func (b *books) number(levels []traverse.Level) {
	next := 1
	for i := range levels {
		levels[i].Level = next
		next += levels[i].Levels
	}
}
