// This file holds compaction on the host: chunks are filtered in place, then
// moved together.

package filter

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// keepHost is one Keep. It is a host.Job.
type keepHost struct {
	s     *host.Stream
	list  []uint32
	all   bool       // list is all vertices, which aren't written down yet
	own   [][]uint32 // then of each worker
	p     Predicate
	w     operators.Worker // but for its ID
	n     uint32           // vertices of the graph
	kept  []int            // per chunk
	next  atomic.Int64
	phase int
	spare []uint32
	at    []int
	bad   atomic.Pointer[error] // the first broken promise of the predicate
}

// keep calls the predicate on a piece of the queue, writes what it keeps to the front of part, and checks what it says.
func (j *keepHost) keep(worker, lo, hi int, part []uint32) int {
	in := j.list[lo:hi]
	if j.all {
		in = j.own[worker][:len(part)]
		for i := range in {
			in[i] = uint32(lo + i)
		}
	}
	_, ours := j.p.(*predicates)
	k := j.p.Keep(operators.Worker{ID: worker, Alone: j.w.Alone, Level: j.w.Level}, in, part)
	if k < 0 || k > len(part) {
		err := wrongCount(j.p, k, len(part))
		j.bad.CompareAndSwap(nil, &err)
		return 0
	}
	if !ours && !areVertices(part[:k], j.n) {
		err := keptNoVertex(j.p, slices.Max(part[:k]), j.n)
		j.bad.CompareAndSwap(nil, &err)
		return 0
	}
	return k
}

// noVertex reports an entry of the queue that is no vertex.
func (j *keepHost) noVertex(v, n uint32) {
	err := noVertex(v, n)
	j.bad.CompareAndSwap(nil, &err)
}

// fault returns what the predicate did wrong, if anything, and empties the
// queue, of which some was kept by no rule.
func (j *keepHost) fault(fr *frontier.Frontier) error {
	p := j.bad.Swap(nil)
	if p == nil {
		return nil
	}
	fr.SetLen(0)
	j.list, j.p, j.s = nil, nil, nil
	return *p
}

func (j *keepHost) run(s *host.Stream, level int32, fr *frontier.Frontier, p Predicate) error {
	j.p, j.s, j.n, j.all = p, s, uint32(fr.Placed().NumVertices()), fr.Form() == frontier.All
	if j.all {
		if err := fr.Reset(frontier.Queue); err != nil {
			return err
		}
		fr.SetLen(int(j.n))
		for len(j.own) < s.Workers() {
			j.own = append(j.own, make([]uint32, chunk))
		}
	}
	j.list = fr.Queue()
	n := len(j.list)
	j.bad.Store(nil) // of a call that panicked, or was canceled
	j.w = operators.Worker{Alone: n <= serialBelow || s.Workers() == 1, Level: level}
	if j.w.Alone {
		total := 0
		for i := 0; i < n && !s.Stopped(); i += chunk {
			hi := min(i+chunk, n)
			k := j.keep(0, i, hi, j.list[i:hi])
			total += copy(j.list[total:], j.list[i:i+k])
		}
		fr.SetLen(total)
		if err := j.fault(fr); err != nil {
			return err
		}
		j.list, j.p, j.s = nil, nil, nil
		return s.Err()
	}
	chunks := (n + chunk - 1) / chunk
	if cap(j.kept) < chunks {
		j.kept, j.at = make([]int, chunks), make([]int, chunks)
	}
	if cap(j.spare) < n {
		j.spare = make([]uint32, n)
	}
	j.kept, j.at, j.spare = j.kept[:chunks], j.at[:chunks], j.spare[:n]
	total := 0
	for j.phase = 0; j.phase < 2; j.phase++ {
		if j.phase == 1 {
			for i, k := range j.kept {
				j.at[i] = total
				total += k
			}
		}
		j.next.Store(0)
		s.Run(j)
		if err := s.Err(); err != nil {
			return err
		}
		if err := j.fault(fr); err != nil {
			return err
		}
	}
	fr.SetLen(total)
	j.list, j.p, j.s = nil, nil, nil
	return nil
}

// Run is the share of one worker: phase 0 filters a chunk into spare memory, phase 1 moves the chunks back, together.
func (j *keepHost) Run(worker int) {
	n := len(j.list)
	for !j.s.Stopped() {
		i := int(j.next.Add(chunk)) - chunk
		if i >= n {
			return
		}
		c, hi := i/chunk, min(i+chunk, n)
		switch j.phase {
		case 0:
			j.kept[c] = j.keep(worker, i, hi, j.spare[i:hi])
		case 1:
			copy(j.list[j.at[c]:], j.spare[i:i+j.kept[c]])
		}
	}
}

// wordsHost is a filter of a bitmap against a bitmap. It is a host.Job.
type wordsHost struct {
	s        *host.Stream
	fr, seen []uint64
	claim    bool
	next     atomic.Int64
	left     atomic.Int64
}

func (j *wordsHost) run(s *host.Stream, fr, seen *frontier.Frontier, claim bool) error {
	j.s, j.fr, j.seen, j.claim = s, fr.Bits(), seen.Bits(), claim
	j.next.Store(0)
	j.left.Store(0)
	if len(j.fr) <= serialBelow {
		j.Run(0)
	} else {
		s.Run(j)
	}
	fr.SetLen(int(j.left.Load()))
	if claim {
		seen.SetLen(seen.Len() + fr.Len())
	}
	j.s, j.fr, j.seen = nil, nil, nil
	return s.Err()
}

// Run is the share of one worker.
func (j *wordsHost) Run(int) {
	left := 0
	for !j.s.Stopped() {
		i := int(j.next.Add(chunk)) - chunk
		if i >= len(j.fr) {
			break
		}
		hi := min(i+chunk, len(j.fr))
		seen := j.seen[i:hi]
		for k, w := range j.fr[i:hi] {
			w &^= seen[k]
			j.fr[i+k] = w
			left += bits.OnesCount64(w)
			if j.claim {
				seen[k] |= w
			}
		}
	}
	j.left.Add(int64(left))
}
