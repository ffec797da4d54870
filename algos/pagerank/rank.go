// This file holds the rounds.

package pagerank

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// hastens reports whether rounds may get momentum: the eigenvalues of an undirected graph are
// real, those of a directed one may be such that it diverges.
func hastens(p *graph.Placed, o Options) bool {
	return p.Err() == nil && !p.Graph().Directed() && o.Tolerance > 0 && !wide(p, o)
}

// ranking is a run.
type ranking[T float32 | float64] struct {
	t                        *traverse.Traversal
	o                        Options
	b                        *books
	n                        float64
	even                     float64 // of the personalization, where it is nil
	share, sum, strength, to *device.Buffer[T]
	rank                     *device.Buffer[float64]
	all, change              *operators.Scalar[float64] // what all received in a round, and by how much it changed ranks
	factors                  factors
	received, stretch        *device.Buffer[float64] // factors of rounds: of one, or of many on a GPU
	err                      error                   // of a copy
	made                     int                     // rounds
	last                     float64
	gather                   operators.Step
}

// known reports whether all rounds have one pass. What vertices with edges receive in all is known before
// a round, since a vertex without out-edges receives nothing; with weights there could be a file that has an
// edge one way only. On a GPU two passes take 4% less where a round goes over many edges (bench/notes/algorithms-gpu.md).
func known(p *graph.Placed, o Options) bool {
	return p.Err() == nil && onHost(p) && !p.Graph().Directed() && !o.Weighted && o.Decay.none()
}

// onHost reports whether the host launches each round: on the host, and on several GPUs.
func onHost(p *graph.Placed) bool { return p.Remote() == nil }

func rank[T float32 | float64](t *traverse.Traversal, o Options, b *books) (*Result, error) {
	r := &ranking[T]{t: t, o: o, b: b, n: float64(t.Placed().NumVertices())}
	r.share, r.sum, r.strength, r.rank = traverse.Uninitialized[T](t), traverse.Uninitialized[T](t), traverse.Uninitialized[T](t), traverse.Uninitialized[float64](t)
	r.all, r.change = traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[float64](t, operators.Sum)
	if err := r.personalize(); err != nil {
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
	t.Do(t.All(), foreach.All(newHeld(r.share, r.strength), total), foreach.All(newFinish(r.share, r.strength, r.rank, total.Array()), nil))
	ranks, err := traverse.Result(t, r.rank)
	if err != nil {
		return nil, err
	}
	return &Result{Ranks: ranks, Iterations: r.made, Change: r.last, Converged: o.Tolerance > 0 && r.last < o.Tolerance}, nil
}

// personalize brings the personalization to the device, so that it adds up to 1.
func (r *ranking[T]) personalize() (err error) {
	r.even = 1 / r.n
	if r.o.Personalization == nil {
		return nil
	}
	sum, err := r.o.sum()
	if err != nil {
		return err
	}
	a := make([]T, len(r.o.Personalization))
	for v, x := range r.o.Personalization {
		a[v] = T(x / sum)
	}
	r.even = 0
	r.to = traverse.Uninitialized[T](r.t)
	traverse.Get(r.t, r.change) // waits for earlier steps that use the array
	if err := r.t.Err(); err != nil {
		return err
	}
	return run.Write(r.t.Placed(), r.to, a)
}

// own returns what vertices have of the personalization; or, if all have the same, another array, which isn't read
// then. A functor that takes both must not write the other one.
func (r *ranking[T]) own(other *device.Buffer[T]) *device.Buffer[T] {
	if r.to == nil {
		return other
	}
	return r.to
}

// badWeight is the error of the first edge that has one. Where every weight is right, those of some
// vertex add up to more than there are numbers for.
func badWeight(g *graph.Graph) error {
	c, ids := g.Out(), g.IDs()
	for v := range c.NumVertices() {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			if w := c.FloatWeight(e); !(w >= 0) || math.IsInf(w, 1) {
				return fmt.Errorf("%w: the edge from %s to %s weighs %v; ranks are shared out by weights of 0 or more: leave such edges out, or change them before loading",
					errWeights, ids.Format(uint32(v)), ids.Format(c.Targets[e]), w)
			}
		}
	}
	return fmt.Errorf("%w: those of a vertex add up to infinity; scale them down before loading", errWeights)
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
	t, p := r.t, r.t.Placed()
	lone, alone := traverse.Scalar[float64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum)
	switch {
	case wide(p, r.o):
		s, err := r.shares()
		if err != nil {
			return err
		}
		t.Do(t.All(), foreach.All(newDegrees(s.gives, r.strength, r.own(r.share), r.even, alone), lone))
		r.gather = reduce.In(newReceiveShares(doubles(r.share), s.in, doubles(r.sum)), r.all)
	case r.o.Weighted:
		t.Do(t.All(), reduce.Out(newStrengths(r.strength, r.own(r.share), r.even, alone), lone))
		r.gather = reduce.In(newReceiveWeighted(r.share, r.sum), r.all)
	default:
		t.Do(t.All(), foreach.All(newDegrees(traverse.Degrees(t), r.strength, r.own(r.share), r.even, alone), lone))
		if !known(p, r.o) {
			r.gather = reduce.In(newReceive(r.share, r.sum), r.all)
		}
	}
	first, isolated, byTo, byStrength := 1/r.n, 0.0, 0.0, 0.0
	if known(p, r.o) || hastens(p, r.o) {
		have, count := traverse.Get(t, lone), float64(traverse.Get(t, alone))
		r.factors = factors{damping: r.o.Damping, part: max(0, 1-have), mass: (r.n - count) / r.n, momentum: -1}
		if hastens(p, r.o) {
			// Isolated vertices begin with the rank that they end with, so that nothing moves between
			// them and the others.
			isolated = (1 - r.o.Damping) / (1 - r.o.Damping*have)
			r.factors.mass = max(0, 1-isolated*have)
			first = r.factors.mass / max(r.n-count, 1)
			if all := r.total(); all > 0 && byStrengthPays(p, r.o) {
				// Beyond their part of the personalization: there walkers are who don't jump.
				first, byTo, byStrength = 0, isolated, max(0, 1-isolated)/all
			}
		}
	}
	if r.o.Start != nil {
		if done, err := r.resume(isolated); done || err != nil {
			return err
		}
	}
	t.Do(t.All(), foreach.All(newStart(r.strength, r.share, r.own(r.sum), r.even, isolated, first, byTo, byStrength), nil))
	return t.Err()
}

// byStrengthPays reports whether ranks begin by strength. That is nearer to where they end, but each component
// begins with what its edges are worth, not with what it has of the vertices, which it ends with. Where
// degrees are skewed there are small components whose ranks then converge slowly.
func byStrengthPays(p *graph.Placed, o Options) bool {
	mean := p.Graph().NumDirectedEdges() / uint64(max(p.NumVertices(), 1))
	return o.Tolerance >= coarse || uint64(p.State().MaxDegree()) <= skewed*(mean+1)
}

// total returns what the strengths of vertices add up to.
func (r *ranking[T]) total() float64 {
	if !r.o.Weighted {
		return float64(r.t.Placed().Graph().NumDirectedEdges())
	}
	sum := traverse.Scalar[float64](r.t, operators.Sum)
	if r.t.Err() != nil {
		return 0
	}
	r.t.Do(r.t.All(), foreach.All(newTotal(r.strength), sum))
	return traverse.Get(r.t, sum)
}

// rounds repeats until the ranks have converged, or for as many rounds as were asked for.
func (r *ranking[T]) rounds() error {
	if r.n == 0 {
		return r.failed()
	}
	plain := r.passes
	if p := r.t.Placed(); !known(p, r.o) {
		update := foreach.All(newUpdate(r.sum, r.share, r.strength, r.own(r.strength), r.even, r.all.Array(), r.o.Damping), r.change)
		plain = func(most int) bool { return r.repeat(most, r.gather, update) }
	}
	if !hastens(r.t.Placed(), r.o) {
		plain(r.o.Iterations)
		return r.failed()
	}
	if g := r.t.Placed().Graph(); g.NumDirectedEdges() > sparse*uint64(r.n) {
		if known(r.t.Placed(), r.o) {
			r.hurry(mixing)
		}
		if !plain(1) {
			return r.failed()
		}
		for some := 1; ; some = min(2*some, lookEvery) {
			before, made := r.last, r.made
			if !plain(some) {
				return r.failed()
			}
			if r.last >= before*math.Pow(slow, float64(r.made-made)) {
				break
			}
		}
	}
	r.hurry(r.o.Damping)
	r.passes(r.o.Iterations)
	return r.failed()
}

// failed returns the first error, of the traversal or of a copy.
func (r *ranking[T]) failed() error {
	if err := r.t.Err(); err != nil {
		return err
	}
	return r.err
}

// repeat makes so many rounds of steps at most, and no more than were asked for in all. It reports
// whether there are more to make.
func (r *ranking[T]) repeat(most int, steps ...operators.Step) bool {
	most = min(most, r.o.Iterations-r.made)
	if most < 1 || r.t.Err() != nil {
		return false
	}
	if r.o.Tolerance > 0 {
		steps = append(steps, traverse.Below(r.change, r.o.Tolerance))
	}
	rounds := r.t.Stats().Rounds
	r.t.Repeat(r.t.All(), append(steps, traverse.MaxRounds(most))...)
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
