// This file holds the filters on the host.

package filter

import (
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/bitmap"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// onHost is the part of a Filterer that runs on the workers of a stream.
type onHost struct {
	p    *graph.Placed
	s    *host.Stream
	pred predicates
	job  keepHost
	word wordsHost
	bits keepBitmapHost
}

func (h *onHost) bind(s device.Stream) bool {
	hs, err := host.StreamOf(s)
	if err != nil {
		return false
	}
	h.s = hs
	return true
}

func (h *onHost) stream() device.Stream { return h.s }
func (h *onHost) err() error            { return h.s.Err() }
func (*onHost) close() error            { return nil }
func (*onHost) takes(Predicate) error   { return nil }

// A traversal's step does this itself.
func (h *onHost) begin(m link.Functor) error { return link.Begin(m, h.p, 1, h.s.Stop(), false, 0, nil) }
func (*onHost) end(m link.Functor) error     { return link.End(m) }

func (h *onHost) against(fr, seen *frontier.Frontier, claim bool) error {
	if fr.Form() == frontier.Bitmap {
		return h.word.run(h.s, fr, seen, claim)
	}
	h.pred = predicates{words: seen.Bits(), claim: claim, n: uint32(h.p.NumVertices()), job: &h.job}
	err := h.job.run(h.s, 0, fr, &h.pred)
	if claim && err == nil {
		seen.SetLen(seen.Len() + fr.Len())
	}
	return err
}

func (h *onHost) keep(level int32, fr *frontier.Frontier, p Predicate) error {
	if fr.Form() == frontier.Bitmap {
		return h.bits.run(h.s, level, fr, p)
	}
	return h.job.run(h.s, level, fr, p)
}

// predicates are the built-in ones: tiles against a bitmap.
type predicates struct {
	words []uint64
	claim bool
	n     uint32 // vertices
	job   *keepHost
}

// Keep keeps the vertices whose bit isn't set.
func (p *predicates) Keep(_ operators.Worker, in, out []uint32) int {
	k, words := 0, p.words
	if p.claim {
		for _, v := range in {
			if v >= p.n {
				p.job.noVertex(v, p.n)
				return 0
			}
			if bitmap.Claim(words, v) {
				out[k] = v
				k++
			}
		}
		return k
	}
	for _, v := range in {
		if v >= p.n {
			p.job.noVertex(v, p.n)
			return 0
		}
		out[k] = v
		k += int(^(atomic.LoadUint64(&words[v>>6]) >> (v & 63)) & 1)
	}
	return k
}
