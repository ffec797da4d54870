// Package filter holds the operator that drops vertices from a frontier: those
// seen before (culling by bitmask), those that are there twice (exact dedupe),
// those that a predicate turns down; and closes the gaps (compaction).
package filter

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// Claim sets bit v and reports whether this call was the one that set it. It
// is safe for concurrent use. The bit is tested before the atomic operation,
// which most calls of a traversal then save (Agarwal et al., SC 2010).
func Claim(words []uint64, v uint32) bool {
	w, bit := &words[v>>6], uint64(1)<<(v&63)
	return atomic.LoadUint64(w)&bit == 0 && atomic.OrUint64(w, bit)&bit == 0
}

// ClaimAlone is Claim for a caller that is the only one to touch words.
func ClaimAlone(words []uint64, v uint32) bool {
	w, bit := &words[v>>6], uint64(1)<<(v&63)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	return true
}

// Has reports whether bit v is set. Bits that others set at the same time may
// or may not be seen.
func Has(words []uint64, v uint32) bool {
	return atomic.LoadUint64(&words[v>>6])>>(v&63)&1 != 0
}

// Predicate says which vertices stay. It writes those of in that stay to the
// front of out, which is as long as in and may be in itself, and returns how
// many there are.
type Predicate interface {
	Keep(worker int, in, out []uint32) int
}

// Func makes a Predicate of a function.
type Func func(worker int, in, out []uint32) int

// Keep calls the function.
func (f Func) Keep(worker int, in, out []uint32) int { return f(worker, in, out) }

// Filterer runs filter operators over one placed graph on one stream. It keeps
// what they need between calls, so that a level allocates nothing; it belongs
// to one search and isn't safe for concurrent use.
type Filterer struct {
	p    *graph.Placed
	s    *host.Stream
	pred predicates
	job  keepHost
	word wordsHost
	mask *frontier.Frontier // Unique's own

	gpu   *remote            // on a GPU, else nil
	spare *frontier.Frontier // there: what compaction writes to
}

// New returns a Filterer over a placed graph, on a stream of its device.
func New(s device.Stream, p *graph.Placed) (*Filterer, error) {
	if s == nil {
		return nil, fmt.Errorf("filter: no stream")
	}
	f := &Filterer{p: p}
	if !f.Bind(s) {
		return nil, fmt.Errorf("filter: %w: no operators on %s", device.ErrNotSupported, s.Device().Info().Name)
	}
	return f, nil
}

// Bind makes the Filterer run on another stream. It reports whether that is
// one of the host.
func (f *Filterer) Bind(s device.Stream) bool {
	if gs, ok := s.(*gpu.Stream); ok && f.p.Remote() != nil {
		if f.gpu == nil {
			f.gpu = &remote{g: f.p.Remote()}
		}
		f.gpu.s = gs
		return true
	}
	hs, ok := s.(*host.Stream)
	if !ok {
		return false
	}
	f.s = hs
	return true
}

// Free gives back what the Filterer holds.
func (f *Filterer) Free() error {
	var err error
	for _, fr := range []**frontier.Frontier{&f.mask, &f.spare} {
		if *fr != nil {
			if e := (*fr).Free(); err == nil {
				err = e
			}
			*fr = nil
		}
	}
	if f.gpu != nil {
		if e := f.gpu.free(); err == nil {
			err = e
		}
	}
	return err
}

// Cull drops the vertices of f that are in the bitmap seen, which is only
// read: culling by bitmask. Duplicates stay. A queue keeps its order.
func (f *Filterer) Cull(fr, seen *frontier.Frontier) error {
	return f.against(fr, seen, false)
}

// Unvisited drops the vertices of f that are in the bitmap seen and all but
// one of those that are there several times, and adds the rest to seen. Which
// copy of a queue's duplicates stays isn't said.
func (f *Filterer) Unvisited(fr, seen *frontier.Frontier) error {
	return f.against(fr, seen, true)
}

func (f *Filterer) against(fr, seen *frontier.Frontier, claim bool) error {
	if fr.Placed() != f.p || seen.Placed() != f.p {
		return fmt.Errorf("filter: a frontier of another placed graph")
	}
	if seen.Form() != frontier.Bitmap {
		return fmt.Errorf("filter: the mask is a %s, want a bitmap", seen.Form())
	}
	if fr == seen {
		return fmt.Errorf("filter: a frontier as its own mask")
	}
	if f.gpu != nil {
		if f.spare == nil {
			f.spare = frontier.New(f.p)
		}
		if err := f.gpu.against(fr, f.spare, seen, claim); err != nil || !claim {
			return err
		}
		return seen.Remote().Join(fr.Remote())
	}
	if fr.Form() == frontier.Bitmap {
		if err := f.s.Err(); err != nil {
			return err
		}
		return f.word.run(f.s, fr, seen, claim)
	}
	f.pred = predicates{words: seen.Bits(), claim: claim}
	err := f.Keep(fr, &f.pred)
	if claim && err == nil {
		seen.SetLen(seen.Len() + fr.Len())
	}
	return err
}

// Unique drops all but one of the vertices that are in f several times: exact
// dedupe. A bitmap has none.
func (f *Filterer) Unique(fr *frontier.Frontier) error {
	if fr.Form() == frontier.Bitmap {
		return nil
	}
	if f.mask == nil {
		f.mask = frontier.New(f.p)
	}
	if err := f.mask.Clear(frontier.Bitmap); err != nil {
		return err
	}
	return f.Unvisited(fr, f.mask)
}

// Keep drops the vertices of a queue that the predicate turns down and closes
// the gaps; those that stay keep their order (compaction by prefix sum).
func (f *Filterer) Keep(fr *frontier.Frontier, p Predicate) error {
	if fr.Form() != frontier.Queue {
		return fmt.Errorf("filter: keep: want a queue, got a %s", fr.Form())
	}
	if f.gpu != nil {
		return fmt.Errorf("filter: keep: %w: the predicate %T has no kernels", device.ErrNotSupported, p)
	}
	if err := f.s.Err(); err != nil {
		return err
	}
	return f.job.run(f.s, fr, p)
}

// predicates are the built-in ones: tiles against a bitmap.
type predicates struct {
	words []uint64
	claim bool
}

// Keep keeps the vertices whose bit isn't set.
func (p *predicates) Keep(_ int, in, out []uint32) int {
	k, words := 0, p.words
	if p.claim {
		for _, v := range in {
			if Claim(words, v) {
				out[k] = v
				k++
			}
		}
		return k
	}
	for _, v := range in {
		out[k] = v
		k += int(^(atomic.LoadUint64(&words[v>>6]) >> (v & 63)) & 1)
	}
	return k
}
