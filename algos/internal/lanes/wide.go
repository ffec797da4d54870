// This file holds what happens at edges and vertices while more than 64 lanes search. With one
// word the functors of functors.go are faster: an edge is one look there, and what it lets through
// needs no filter.

package lanes

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// pushWide is push for several words.
//
//foray:functor
type pushWide struct {
	Seen, New, Next []uint64
	Words           uint64
}

// Edge lets a target through when it is the first to reach one of its words, so a filter has to
// follow.
func (f *pushWide) Edge(e traverse.Edge) bool {
	from, to, first := uint64(e.Source)*f.Words, uint64(e.Target)*f.Words, false
	for k := range f.Words {
		d := f.New[from+k] &^ f.Seen[to+k]
		if d == 0 || d&^atomics.Load(&f.Next[to+k]) == 0 {
			continue
		}
		if atomics.Or(&f.Next[to+k], d) == 0 {
			first = true
		}
	}
	return first
}

// pullWide is pull for several words, of which it gathers four at a time: more are in the same
// line of the cache, but have no registers.
//
//foray:functor
type pullWide struct {
	Offsets []uint64
	Sources []uint32
	Seen    []uint64
	Next    []uint64
	Full    []uint64 // of each word
	Words   uint64   // a multiple of four
}

// Vertex looks at edges until no lane is missing.
func (f *pullWide) Vertex(v traverse.Vertex) {
	first, end := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for k := uint64(0); k < f.Words; k += 4 {
		at := uint64(v.ID)*f.Words + k
		s0, s1, s2, s3 := f.Seen[at], f.Seen[at+1], f.Seen[at+2], f.Seen[at+3]
		m0, m1, m2, m3 := f.Full[k]&^s0, f.Full[k+1]&^s1, f.Full[k+2]&^s2, f.Full[k+3]&^s3
		if m0|m1|m2|m3 == 0 {
			continue
		}
		w0, w1, w2, w3 := s0, s1, s2, s3
		for i := first; i < end; i++ {
			from := uint64(f.Sources[i])*f.Words + k
			w0 |= f.Seen[from]
			w1 |= f.Seen[from+1]
			w2 |= f.Seen[from+2]
			w3 |= f.Seen[from+3]
			if m0&^w0|m1&^w1|m2&^w2|m3&^w3 == 0 {
				break
			}
		}
		f.Next[at], f.Next[at+1], f.Next[at+2], f.Next[at+3] = w0&^s0, w1&^s1, w2&^s2, w3&^s3
	}
}

// settleWide is settle for several words.
//
//foray:functor
type settleWide struct {
	Seen  []uint64
	New   []uint64
	Next  []uint64
	Out   []uint64
	In    []uint64
	Full  []uint64 // of each word
	Any   []uint64 // of each word, lanes that reached anything
	Words uint64
	Done  traverse.Sum[uint64]
}

// Vertex returns the edges that a push will look at.
func (f *settleWide) Vertex(v traverse.Vertex) uint64 {
	at, any, missing := uint64(v.ID)*f.Words, uint64(0), uint64(0)
	for k := range f.Words {
		d, seen := f.Next[at+k], f.Seen[at+k]
		f.New[at+k] = d
		if d != 0 {
			any |= d
			seen |= d
			f.Next[at+k], f.Seen[at+k] = 0, seen
			if d&^atomics.Load(&f.Any[k]) != 0 {
				atomics.Or(&f.Any[k], d)
			}
		}
		missing |= f.Full[k] &^ seen
	}
	if any == 0 {
		return 0
	}
	if missing == 0 {
		f.Done.Add(f.In[int(v.ID)+1] - f.In[v.ID])
	}
	return f.Out[int(v.ID)+1] - f.Out[v.ID]
}
