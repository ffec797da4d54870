// This file holds the functors. Threads are vertices: each makes an equal part of a batch's walks.

package walks

import (
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// uniform walks along edges that are equally likely.
//
//foray:functor
type uniform struct {
	Offsets []uint64 // of rows
	Targets []uint32
	Start   []uint32 // of each walk
	Repeat  []uint32 // the walk's number among those of its start
	Path    []uint32 // Steps+1 vertices of each walk
	Length  []uint32 // how many of them the walk has

	Walks, Steps, Seed, Threads uint64
	Back, Far, Most             float64 // 1/P, 1/Q, the largest of both and 1
	Second                      bool    // steps depend on the vertex before
}

// Vertex makes some walks.
func (f *uniform) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Walks)
	for w := lo; w < hi; w++ {
		at, before, out := f.Start[w], uint32(0), w*(f.Steps+1)
		a, n := uint64(at), uint32(1)
		f.Path[out] = at
		for step := uint64(0); step < f.Steps; step++ {
			first, end := f.Offsets[at], f.Offsets[at+1]
			if first == end {
				break
			}
			c := counter(f.Repeat[w], step)
			e := first + random.Below(end-first, f.Seed, a, c)
			if f.Second && step > 0 {
				accepted := false
				for try := uint64(1); try <= tries; try++ {
					if random.Float64(f.Seed, a, c+2*try-1)*f.Most < bias(f.Offsets, f.Targets, before, f.Targets[e], f.Back, f.Far) {
						accepted = true
						break
					}
					e = first + random.Below(end-first, f.Seed, a, c+2*try)
				}
				if !accepted { // the whole distribution
					total, sum := 0.0, 0.0
					for i := first; i < end; i++ {
						total += bias(f.Offsets, f.Targets, before, f.Targets[i], f.Back, f.Far)
					}
					goal := random.Float64(f.Seed, a, c+lastDraw) * total
					e = end - 1
					for i := first; i < end; i++ {
						sum += bias(f.Offsets, f.Targets, before, f.Targets[i], f.Back, f.Far)
						if sum > goal {
							e = i
							break
						}
					}
				}
			}
			before, at = at, f.Targets[e]
			f.Path[out+uint64(n)] = at
			n++
		}
		f.Length[w] = n
	}
}

// weighted walks along edges in proportion to their weights.
//
//foray:functor
type weighted struct {
	Offsets []uint64 // of rows
	Targets []uint32
	Sums    []float64 // of weights, along each row
	Start   []uint32  // of each walk
	Repeat  []uint32  // the walk's number among those of its start
	Path    []uint32  // Steps+1 vertices of each walk
	Length  []uint32  // how many of them the walk has

	Walks, Steps, Seed, Threads uint64
	Back, Far, Most             float64 // 1/P, 1/Q, the largest of both and 1
	Second                      bool    // steps depend on the vertex before
}

// Vertex makes some walks.
func (f *weighted) Vertex(v traverse.Vertex) {
	lo, hi := part(v.ID, f.Threads, f.Walks)
	for w := lo; w < hi; w++ {
		at, before, out := f.Start[w], uint32(0), w*(f.Steps+1)
		a, n := uint64(at), uint32(1)
		f.Path[out] = at
		for step := uint64(0); step < f.Steps; step++ {
			c := counter(f.Repeat[w], step)
			e, ok := random.Choose(f.Offsets, f.Sums, at, random.Float64(f.Seed, a, c))
			if !ok {
				break
			}
			if f.Second && step > 0 {
				accepted := false
				for try := uint64(1); try <= tries; try++ {
					if random.Float64(f.Seed, a, c+2*try-1)*f.Most < bias(f.Offsets, f.Targets, before, f.Targets[e], f.Back, f.Far) {
						accepted = true
						break
					}
					e, _ = random.Choose(f.Offsets, f.Sums, at, random.Float64(f.Seed, a, c+2*try))
				}
				if !accepted { // the whole distribution
					first, end := f.Offsets[at], f.Offsets[at+1]
					total, sum, last := 0.0, 0.0, 0.0
					for i := first; i < end; i++ {
						total += (f.Sums[i] - last) * bias(f.Offsets, f.Targets, before, f.Targets[i], f.Back, f.Far)
						last = f.Sums[i]
					}
					goal := random.Float64(f.Seed, a, c+lastDraw) * total
					last = 0
					for i := first; i < end; i++ {
						weight := f.Sums[i] - last
						last = f.Sums[i]
						if weight == 0 {
							continue
						}
						e = i
						if sum += weight * bias(f.Offsets, f.Targets, before, f.Targets[i], f.Back, f.Far); sum > goal {
							break
						}
					}
				}
			}
			before, at = at, f.Targets[e]
			f.Path[out+uint64(n)] = at
			n++
		}
		f.Length[w] = n
	}
}

// part returns the share of a thread: the numbers from lo to before hi.
func part(thread uint32, threads, all uint64) (lo, hi uint64) {
	return uint64(thread) * all / threads, (uint64(thread) + 1) * all / threads
}

// counter returns the second word of the counter of a step's first random number. The first word is the start.
func counter(repeat uint32, step uint64) uint64 { return uint64(repeat)<<repeatBits | step<<stepBits }

// bias returns what node2vec multiplies the weight of an edge to x by, if the walk was at before.
func bias(offsets []uint64, targets []uint32, before, x uint32, back, far float64) float64 {
	if x == before {
		return back
	}
	lo, hi := offsets[before], offsets[before+1]
	end := hi
	for range 64 { // a binary search for the first that is at least x
		if lo >= hi {
			break
		}
		if middle := (lo + hi) / 2; targets[middle] < x {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	if lo < end && targets[lo] == x {
		return 1
	}
	return far
}
