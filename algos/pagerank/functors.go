// This file holds the functors: what happens at edges and vertices in a round.

package pagerank

import (
	"math"

	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// receive adds up what the in-neighbors of a vertex share out. What all vertices received
// goes to the step's scalar: the rest of the mass, 1 in all, was with vertices without
// out-edges.
//
//foray:functor
type receive[T float32 | float64] struct {
	Share []T // of every vertex, what each of its out-edges brings
	Sum   []T
}

func (r *receive[T]) Gather(e traverse.Edge) float64 { return float64(r.Share[e.Source]) }

func (r *receive[T]) Apply(v traverse.Vertex, total float64) float64 {
	r.Sum[v.ID] = T(total)
	return total
}

// receiveWeighted is receive where edges bring their weight times the share.
//
//foray:functor
type receiveWeighted[T float32 | float64] struct {
	Share []T
	Sum   []T
}

func (r *receiveWeighted[T]) Gather(e traverse.Edge) float64 {
	return float64(r.Share[e.Source]) * float64(e.Weight)
}

func (r *receiveWeighted[T]) Apply(v traverse.Vertex, total float64) float64 {
	r.Sum[v.ID] = T(total)
	return total
}

// receiveShares is receive where each edge brings a part of its source's share.
//
//foray:functor
type receiveShares struct {
	Share []float64
	Part  []float64 // of every in-edge
	Sum   []float64
}

func (r *receiveShares) Gather(e traverse.Edge) float64 { return r.Share[e.Source] * r.Part[e.Index] }

func (r *receiveShares) Apply(v traverse.Vertex, total float64) float64 {
	r.Sum[v.ID] = total
	return total
}

// update sets a vertex's rank to the sum that it received, and returns the change.
//
//foray:functor
type update[T float32 | float64] struct {
	Sum, Share []T
	Strength   []T       // of the vertex's out-edges: their number or sum of weights, 1 for none
	To         []T       // the personalization, where Even is 0
	Even       float64   // or what every vertex has of it
	Received   []float64 // by all vertices; one element
	Damping    float64
}

func (u *update[T]) Vertex(v traverse.Vertex) float64 {
	p := u.Even
	if p == 0 {
		p = float64(u.To[v.ID])
	}
	now := p*(1-u.Damping*u.Received[0]) + u.Damping*float64(u.Sum[v.ID])
	s := float64(u.Strength[v.ID])
	was := float64(u.Share[v.ID]) * s
	u.Share[v.ID] = T(now / s)
	return math.Abs(now - was)
}

// degrees sets the strength of vertices to their out-degree, counts those without out-edges,
// and returns what these have of the personalization.
//
//foray:functor
type degrees[T float32 | float64] struct {
	Degree       []uint32
	Strength, To []T
	Even         float64
	Alone        traverse.Sum[uint64]
}

func (d *degrees[T]) Vertex(v traverse.Vertex) float64 {
	d.Strength[v.ID] = T(d.Degree[v.ID])
	if d.Degree[v.ID] > 0 {
		return 0
	}
	d.Alone.Add(1)
	if d.Even != 0 {
		return d.Even
	}
	return float64(d.To[v.ID])
}

// extent finds the least weight, and what the weights of each vertex's out-edges add up to: sums that
// aren't finite, since a weight isn't, and those so small or so large that shares have to be float64.
//
//foray:functor
type extent struct {
	Smallest, Largest float64 // sums for which shares may be float32
	Least             traverse.Min[float64]
	Bad, Far          traverse.Sum[uint64]
}

func (x *extent) Gather(e traverse.Edge) float64 {
	x.Least.Add(float64(e.Weight))
	return float64(e.Weight)
}

func (x *extent) Apply(v traverse.Vertex, total float64) {
	if math.IsNaN(total) || math.IsInf(total, 0) {
		x.Bad.Add(1)
	}
	if total > x.Largest || total > 0 && total < x.Smallest {
		x.Far.Add(1)
	}
}

// strengths is degrees by the sums of weights.
//
//foray:functor
type strengths[T float32 | float64] struct {
	Strength, To []T
	Even         float64
	Alone        traverse.Sum[uint64]
}

func (s *strengths[T]) Gather(e traverse.Edge) float64 { return float64(e.Weight) }

func (s *strengths[T]) Apply(v traverse.Vertex, total float64) float64 {
	s.Strength[v.ID] = T(total)
	if total != 0 {
		return 0
	}
	s.Alone.Add(1)
	if s.Even != 0 {
		return s.Even
	}
	return float64(s.To[v.ID])
}

// start gives vertices their first rank and what each of their edges brings: a rank that all have, and more
// by their personalization and by the strength of their edges.
//
//foray:functor
type start[T float32 | float64] struct {
	Strength, Share, To   []T
	Even                  float64
	Alone                 float64 // of a vertex without out-edges, by its personalization; 0: All
	All, ByTo, ByStrength float64
}

func (s *start[T]) Vertex(v traverse.Vertex) {
	strength, rank, byTo := float64(s.Strength[v.ID]), s.All, s.ByTo
	if strength == 0 {
		s.Strength[v.ID], strength = 1, 1
		if s.Alone != 0 {
			rank, byTo = 0, s.Alone
		}
	} else {
		rank += s.ByStrength * strength
	}
	if byTo != 0 {
		p := s.Even
		if p == 0 {
			p = float64(s.To[v.ID])
		}
		rank += byTo * p
	}
	s.Share[v.ID] = T(rank / strength)
}

// begun returns what vertices with out-edges begin with.
//
//foray:functor
type begun[T float32 | float64] struct{ Strength, Share []T }

func (b *begun[T]) Vertex(v traverse.Vertex) float64 {
	if b.Strength[v.ID] == 0 {
		return 0
	}
	return float64(b.Share[v.ID])
}

// resume makes shares of ranks to begin with.
//
//foray:functor
type resume[T float32 | float64] struct {
	Strength, Share []T // Share has the ranks
	To              []T // the personalization, where Even is 0
	Even            float64
	Alone           float64 // the first rank of a vertex without out-edges, by its personalization; 0: as it is
	Scale           float64 // of the other ranks
}

func (r *resume[T]) Vertex(v traverse.Vertex) {
	strength, rank := float64(r.Strength[v.ID]), r.Scale*float64(r.Share[v.ID])
	if strength == 0 {
		r.Strength[v.ID], strength = 1, 1
		if r.Alone != 0 {
			p := r.Even
			if p == 0 {
				p = float64(r.To[v.ID])
			}
			rank = r.Alone * p
		}
	}
	r.Share[v.ID] = T(rank / strength)
}

// total returns the strength of vertices.
//
//foray:functor
type total[T float32 | float64] struct{ Strength []T }

func (t *total[T]) Vertex(v traverse.Vertex) float64 { return float64(t.Strength[v.ID]) }

// held returns the ranks of vertices.
//
//foray:functor
type held[T float32 | float64] struct{ Share, Strength []T }

func (h *held[T]) Vertex(v traverse.Vertex) float64 {
	return float64(h.Share[v.ID]) * float64(h.Strength[v.ID])
}

// finish makes ranks of shares, which add up to 1.
//
//foray:functor
type finish[T float32 | float64] struct {
	Share, Strength []T
	Rank            []float64
	Sum             []float64 // one element: what they add up to now
}

func (f *finish[T]) Vertex(v traverse.Vertex) {
	f.Rank[v.ID] = float64(f.Share[v.ID]) * float64(f.Strength[v.ID]) / f.Sum[0]
}

// pass is a round in one pass, on undirected graphs, with the momentum of Chebyshev's iteration: what a
// round brings is stretched from what the ranks were the round before the last, by 1 for none. It reads
// the shares that the round before has left, writes where those of the one before that are, and returns
// what a plain round would have changed.
//
//foray:functor
type pass[T float32 | float64] struct {
	From, Into   []T
	Strength, To []T
	Even         float64
	Received     []float64 // by vertices with edges in this round; one element
	Damping      float64
	Stretch      []float64 // of this round; one element
}

func (p *pass[T]) Gather(e traverse.Edge) float64 { return float64(p.From[e.Source]) }

func (p *pass[T]) Apply(v traverse.Vertex, total float64) float64 {
	to := p.Even
	if to == 0 {
		to = float64(p.To[v.ID])
	}
	now := to*(1-p.Damping*p.Received[0]) + p.Damping*total
	s := float64(p.Strength[v.ID])
	p.Into[v.ID] = T(stretched(float64(p.Into[v.ID]), now/s, p.Stretch[0]))
	return math.Abs(now - float64(p.From[v.ID])*s)
}

// stretched is what a share becomes, which was before two rounds ago and would be next without
// momentum. Momentum overshoots. Without any, by is 1, and before may be anything.
func stretched(before, next, by float64) float64 {
	if by != 1 {
		next = before + by*(next-before)
		if next < 0 {
			next = 0
		}
	}
	return next
}

// passWeighted is pass where edges bring their weight times the share.
//
//foray:functor
type passWeighted[T float32 | float64] struct {
	From, Into   []T
	Strength, To []T
	Even         float64
	Received     []float64
	Damping      float64
	Stretch      []float64
}

func (p *passWeighted[T]) Gather(e traverse.Edge) float64 {
	return float64(p.From[e.Source]) * float64(e.Weight)
}

func (p *passWeighted[T]) Apply(v traverse.Vertex, total float64) float64 {
	to := p.Even
	if to == 0 {
		to = float64(p.To[v.ID])
	}
	now := to*(1-p.Damping*p.Received[0]) + p.Damping*total
	s := float64(p.Strength[v.ID])
	p.Into[v.ID] = T(stretched(float64(p.Into[v.ID]), now/s, p.Stretch[0]))
	return math.Abs(now - float64(p.From[v.ID])*s)
}

// turn is pass for rounds that follow one another in one kernel: odd ones read A and write B, the
// others the other way round. On the host the choice takes time at each edge.
//
//foray:functor
type turn[T float32 | float64] struct {
	A, B         []T
	Strength, To []T
	Even         float64
	Received     []float64 // of each round
	Stretch      []float64 // of each round
	Damping      float64
}

func (t *turn[T]) Gather(e traverse.Edge) float64 {
	var share T
	if e.Level&1 == 1 {
		share = t.A[e.Source]
	} else {
		share = t.B[e.Source]
	}
	return float64(share)
}

// Apply writes to the array that Gather doesn't read in this round.
//
//foray:disjoint
func (t *turn[T]) Apply(v traverse.Vertex, total float64) float64 {
	to := t.Even
	if to == 0 {
		to = float64(t.To[v.ID])
	}
	now := to*(1-t.Damping*t.Received[v.Level]) + t.Damping*total
	s := float64(t.Strength[v.ID])
	was, before := t.A[v.ID], t.B[v.ID]
	fromA := v.Level&1 == 1
	if !fromA {
		was, before = before, was
	}
	next := T(stretched(float64(before), now/s, t.Stretch[v.Level]))
	if fromA {
		t.B[v.ID] = next
	} else {
		t.A[v.ID] = next
	}
	return math.Abs(now - float64(was)*s)
}

// turnWeighted is turn where edges bring their weight times the share.
//
//foray:functor
type turnWeighted[T float32 | float64] struct {
	A, B         []T
	Strength, To []T
	Even         float64
	Received     []float64 // of each round
	Stretch      []float64 // of each round
	Damping      float64
}

func (t *turnWeighted[T]) Gather(e traverse.Edge) float64 {
	var share T
	if e.Level&1 == 1 {
		share = t.A[e.Source]
	} else {
		share = t.B[e.Source]
	}
	return float64(share) * float64(e.Weight)
}

// Apply writes to the array that Gather doesn't read in this round.
//
//foray:disjoint
func (t *turnWeighted[T]) Apply(v traverse.Vertex, total float64) float64 {
	to := t.Even
	if to == 0 {
		to = float64(t.To[v.ID])
	}
	now := to*(1-t.Damping*t.Received[v.Level]) + t.Damping*total
	s := float64(t.Strength[v.ID])
	was, before := t.A[v.ID], t.B[v.ID]
	fromA := v.Level&1 == 1
	if !fromA {
		was, before = before, was
	}
	next := T(stretched(float64(before), now/s, t.Stretch[v.Level]))
	if fromA {
		t.B[v.ID] = next
	} else {
		t.A[v.ID] = next
	}
	return math.Abs(now - float64(was)*s)
}
