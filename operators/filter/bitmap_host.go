// This file holds Keep of a bitmap on the host.

package filter

import (
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// keepBitmapHost is one Keep of a bitmap. It is a host.Job.
type keepBitmapHost struct {
	s     *host.Stream
	p     Predicate
	w     operators.Worker // except its ID
	n     uint32           // vertices
	words []uint64         // of the bitmap
	kept  atomic.Int64
	own   []bitmapPiece // of each worker
	next  atomic.Int64
	bad   atomic.Pointer[error] // the first broken promise of the predicate
}

// bitmapPiece is the memory of one worker.
type bitmapPiece struct {
	in  [piece]uint32
	out [piece + 1]uint32 // what is kept, and a mark behind it
}

// run drops the vertices of a bitmap that the predicate rejects.
func (j *keepBitmapHost) run(s *host.Stream, level int32, fr *frontier.Frontier, p Predicate) error {
	j.s, j.p, j.n, j.words = s, p, uint32(fr.Placed().NumVertices()), fr.Bits()
	if len(j.own) < s.Workers() {
		j.own = make([]bitmapPiece, s.Workers())
	}
	j.next.Store(0)
	j.kept.Store(0)
	j.bad.Store(nil) // of a call that panicked
	j.w = operators.Worker{Alone: len(j.words) <= serialBelow || s.Workers() == 1, Level: level}
	if j.w.Alone {
		j.Run(0)
	} else {
		s.Run(j)
	}
	fr.SetLen(int(j.kept.Load()))
	bad := j.bad.Swap(nil)
	j.s, j.p, j.words = nil, nil, nil
	if bad != nil {
		if err := fr.Clear(frontier.Bitmap); err != nil {
			return err
		}
		return *bad
	}
	return s.Err()
}

// Run is the share of one worker.
func (j *keepBitmapHost) Run(worker int) {
	own, n := &j.own[worker], len(j.words)
	for !j.s.Stopped() && j.bad.Load() == nil {
		i := int(j.next.Add(chunk)) - chunk
		if i >= n {
			return
		}
		k, first, hi := 0, i, min(i+chunk, n)
		for ; i < hi; i++ {
			w := j.words[i]
			if k+bits.OnesCount64(w) > piece {
				j.ask(worker, own, k, first, i)
				k, first = 0, i
			}
			for ; w != 0; w &= w - 1 {
				own.in[k] = uint32(i*64 + bits.TrailingZeros64(w))
				k++
			}
		}
		j.ask(worker, own, k, first, hi)
	}
}

// ask asks the predicate about the first entries of own.in, which are all vertices of the words
// lo to hi, and writes these words.
func (j *keepBitmapHost) ask(worker int, own *bitmapPiece, entries, lo, hi int) {
	if entries == 0 {
		return // the words are 0
	}
	vs := own.in[:entries]
	k := j.p.Keep(operators.Worker{ID: worker, Alone: j.w.Alone, Level: j.w.Level}, vs, own.out[:entries])
	if k < 0 || k > entries {
		j.fault(wrongCount(j.p, k, entries))
		return
	}
	// The predicate must keep a part of its input, in the same order.
	own.out[k] = graph.NoVertex
	at := 0
	for _, v := range vs {
		if own.out[at] == v {
			at++
		}
	}
	kept := own.out[:k]
	switch {
	case at < k && kept[at] >= j.n:
		j.fault(keptNoVertex(j.p, kept[at], j.n))
		return
	case at < k:
		j.fault(keptOther(j.p, kept[at]))
		return
	}
	clear(j.words[lo:hi])
	for _, v := range kept {
		j.words[v>>6] |= 1 << (v & 63)
	}
	j.kept.Add(int64(k))
}

func (j *keepBitmapHost) fault(err error) { j.bad.CompareAndSwap(nil, &err) }
