// This file holds the split on the host, and Keep of a bitmap, which is a split
// into the bitmap itself.

package filter

import (
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
)

// splitHost is one split. It is a host.Job.
type splitHost struct {
	s     *host.Stream
	p     Predicate
	w     operators.Worker // but for its ID
	n     uint32           // vertices
	list  []uint32         // the input, as a queue
	words []uint64         // or as a bitmap
	add   bool             // to no
	yes   output
	no    output // without a frontier: what is turned down is dropped
	own   []splitOwn
	next  atomic.Int64
	bad   atomic.Pointer[error] // the first broken promise of the predicate
}

// output is one of the two outputs.
type output struct {
	f     *frontier.Frontier
	room  []uint32 // of a queue
	words []uint64 // of a bitmap
	count atomic.Int64
}

func (o *output) open(f *frontier.Frontier, more int) error {
	o.f, o.room, o.words = f, nil, nil
	o.count.Store(0)
	if f == nil {
		return nil
	}
	if f.Form() == frontier.Bitmap {
		o.words = f.Bits()
		return nil
	}
	if err := f.Grow(f.Len() + more); err != nil {
		return err
	}
	o.room = f.Room()
	return nil
}

// splitOwn is what one worker has to itself.
type splitOwn struct {
	in  [piece]uint32
	out [piece + 1]uint32 // what is kept, and a mark behind it
}

// run splits in into yes and no, of which no may be nil and yes may be in where
// that is a bitmap.
func (j *splitHost) run(s *host.Stream, level int32, in, yes, no *frontier.Frontier, p Predicate, add bool) error {
	j.s, j.p, j.n, j.add = s, p, uint32(in.Placed().NumVertices()), add
	j.list, j.words = in.Queue(), in.Bits()
	entries := in.Len()
	if err := j.yes.open(yes, entries); err != nil {
		return err
	}
	if err := j.no.open(no, entries); err != nil {
		return err
	}
	if len(j.own) < s.Workers() {
		j.own = make([]splitOwn, s.Workers())
	}
	j.next.Store(0)
	j.bad.Store(nil) // of a call that panicked
	j.w = operators.Worker{Alone: len(j.list)+len(j.words) <= serialBelow || s.Workers() == 1, Level: level}
	if j.w.Alone {
		j.Run(0)
	} else {
		s.Run(j)
	}
	if j.yes.words != nil {
		yes.SetLen(int(j.yes.count.Load()))
	}
	if j.no.words != nil {
		had := 0
		if add {
			had = no.Len()
		}
		no.SetLen(had + int(j.no.count.Load()))
	}
	bad := j.bad.Swap(nil)
	j.s, j.p, j.list, j.words, j.yes.f, j.no.f = nil, nil, nil, nil, nil, nil
	if bad != nil {
		if err := yes.Clear(yes.Form()); err != nil {
			return err
		}
		return *bad
	}
	return s.Err()
}

// Run is the share of one worker.
func (j *splitHost) Run(worker int) {
	own, n := &j.own[worker], len(j.list)+len(j.words)
	for !j.s.Stopped() && j.bad.Load() == nil {
		i := int(j.next.Add(chunk)) - chunk
		if i >= n {
			return
		}
		hi := min(i+chunk, n)
		if j.words != nil {
			j.bitmap(worker, own, i, hi)
			continue
		}
		for ; i < hi; i += piece {
			j.ask(worker, own, j.list[i:min(i+piece, hi)], -1, -1)
		}
	}
}

// bitmap asks about the vertices of some words.
func (j *splitHost) bitmap(worker int, own *splitOwn, lo, hi int) {
	k, first := 0, lo
	for i := lo; i < hi; i++ {
		w := j.words[i]
		if k+bits.OnesCount64(w) > piece {
			j.ask(worker, own, own.in[:k], first, i)
			k, first = 0, i
		}
		for ; w != 0; w &= w - 1 {
			own.in[k] = uint32(i*64 + bits.TrailingZeros64(w))
			k++
		}
	}
	j.ask(worker, own, own.in[:k], first, hi)
}

// ask asks the predicate about some vertices and sends them where they belong.
// In a bitmap they are all of the words lo to hi.
func (j *splitHost) ask(worker int, own *splitOwn, vs []uint32, lo, hi int) {
	if _, indexes := j.p.(indexer); indexes || j.no.words != nil {
		for _, v := range vs {
			if v >= j.n {
				j.fault(noVertex(v, j.n))
				return
			}
		}
	}
	out := own.out[:len(vs)]
	k := 0
	if len(vs) > 0 {
		k = j.p.Keep(operators.Worker{ID: worker, Alone: j.w.Alone, Level: j.w.Level}, vs, out)
	}
	if k < 0 || k > len(vs) {
		j.fault(wrongCount(j.p, k, len(vs)))
		return
	}
	// What is kept is a part of what was asked about, in its order; the rest is
	// moved to the front of own.in, at or before where it was. No branch, since
	// it would be mispredicted.
	own.out[k] = graph.NoVertex
	at, left := 0, 0
	for _, v := range vs {
		own.in[left] = v
		is := 0
		if own.out[at] == v {
			is = 1
		}
		at += is
		left += 1 - is
	}
	kept, rest := own.out[:k], own.in[:left]
	switch {
	case at > k:
		j.fault(noVertex(graph.NoVertex, j.n))
		return
	case at < k && kept[at] >= j.n:
		j.fault(keptNoVertex(j.p, kept[at], j.n))
		return
	case at < k:
		j.fault(keptOther(j.p, kept[at]))
		return
	}
	if j.words != nil && j.yes.words != nil {
		clear(j.yes.words[lo:hi])
		mark(j.yes.words, kept)
		j.yes.count.Add(int64(k))
	} else {
		j.yes.put(kept)
	}
	switch {
	case j.no.f == nil:
	case j.words != nil && j.no.words != nil:
		if !j.add {
			clear(j.no.words[lo:hi])
		}
		j.no.count.Add(int64(mark(j.no.words, rest)))
	default:
		j.no.put(rest)
	}
}

func (j *splitHost) fault(err error) { j.bad.CompareAndSwap(nil, &err) }

// mark sets the bits of vertices whose words are this worker's, and returns how
// many weren't set.
func mark(words []uint64, vs []uint32) (set int) {
	for _, v := range vs {
		w, bit := &words[v>>6], uint64(1)<<(v&63)
		if *w&bit == 0 {
			*w |= bit
			set++
		}
	}
	return set
}

// put adds vertices to an output that other workers add to as well.
func (o *output) put(vs []uint32) {
	if o.words == nil {
		copy(o.room[o.f.Reserve(len(vs)):], vs)
		return
	}
	set := 0
	for _, v := range vs {
		if Claim(o.words, v) {
			set++
		}
	}
	o.count.Add(int64(set))
}
