// This file holds Host, the part of a Space that is on the host.

package bfs

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/bitmap"
	"github.com/foray-graph/foray/internal/engine/run"
)

// Host is a search on the host.
type hostSearch struct {
	*workspace

	lease *run.Host

	// array labels instead of visitor while claims says that the result's own
	// array marks what was visited, not the bitmap Seen.
	array  arrayVisitor
	claims claims
	fill   fillHost
	small  small
	marks  marks

	// the arrays by external id
	depthsByID  *device.Buffer[int32]
	parentsByID *device.Buffer[uint32]
	gathering   gatherHost
}

// admit lets all searches pass: the host's memory is the system's.
func (*hostSearch) admit(workspaceOptions) error { return nil }

func (h *hostSearch) begin(sources []uint32, o workspaceOptions) error {
	if err := h.workspace.ready(o); err != nil {
		return err
	}
	if o.Depths {
		h.visitor.Depths = h.depths.Host()
	}
	if o.Parents {
		h.visitor.Parents = h.parents.Host()
	}
	began := h.small.begin(h)
	for _, f := range []*frontier.Frontier{h.Cur, h.Next} {
		if err := f.Clear(frontier.Queue); err != nil {
			return err
		}
	}
	if !began {
		if err := h.Seen.Clear(frontier.Bitmap); err != nil {
			return err
		}
	}
	h.visitor.Seen = h.Seen.Bits()
	h.claims = byBitmap
	if o.Depths || o.Parents {
		h.claims = chooseClaims(h.Placed, h.lease.Stream.Workers(), o)
	}
	if h.claims == byArray {
		h.array = arrayVisitor{depths: h.visitor.Depths, parents: h.visitor.Parents, ahead: true}
		if !began {
			h.marks.run(h, marksClear)
		}
	}
	for i, v := range sources {
		if !bitmap.ClaimAlone(h.visitor.Seen, v) {
			continue // given twice
		}
		h.label(v)
		if err := h.Cur.Add(sources[i : i+1]...); err != nil { // a slice of one allocates nothing
			return err
		}
	}
	return nil
}

// label labels a source.
func (h *hostSearch) label(v uint32) {
	if h.visitor.Depths != nil {
		h.visitor.Depths[v] = 0
	}
	if h.visitor.Parents != nil {
		h.visitor.Parents[v] = v
	}
}

func (h *hostSearch) loop(a *algorithm, l *loop) error {
	if a.variant != nil {
		return variantLoop(a.variant, l)
	}
	return hostLoop(h, l)
}

func (h *hostSearch) push(level int32) (uint64, error) {
	if h.claims == byArray {
		h.array.level = level
		return h.Advance.Push(h.Cur, h.Next, &h.array)
	}
	h.visitor.Level = level
	return h.Advance.Push(h.Cur, h.Next, &h.visitor)
}

// pulls makes the bitmap the marks of visited vertices; the frontier Cur is the
// level before.
func (h *hostSearch) pulls(level int32) {
	if h.claims == byArray {
		h.labelFrontier(level - 1)
		h.marks.run(h, marksSeen)
		h.claims = byBitmap
	}
}

// labelFrontier writes the depth of a frontier that wasn't expanded.
func (h *hostSearch) labelFrontier(level int32) {
	if h.array.lazy() {
		for _, v := range h.Cur.Queue() {
			h.array.depths[v] = level
		}
	}
}

func (h *hostSearch) note(f *frontier.Frontier) { h.small.reached(f) }

func (*hostSearch) settle(*loop, *frontier.Frontier) error { return nil }

func (h *hostSearch) outEdges(f *frontier.Frontier, sample int) float64 {
	offsets, sum, vs := h.Placed.Graph().State().Offsets(), uint64(0), f.Queue()
	step := max(len(vs)/sample, 1)
	count := 0
	for i := 0; i < len(vs); i += step {
		sum += offsets[vs[i]+1] - offsets[vs[i]]
		count++
	}
	return float64(sum) * float64(len(vs)) / float64(max(count, 1))
}

func (h *hostSearch) claimsByArray() bool { return h.claims == byArray }

func (h *hostSearch) visited(v uint32) bool {
	switch {
	case h.claims == byBitmap:
		return h.visitor.Seen[v>>6]>>(v&63)&1 != 0
	case h.array.parents != nil && !h.array.byDepth:
		return h.array.parents[v] != graph.NoVertex
	}
	return h.array.depths[v] >= 0
}

func (*hostSearch) sync() {}

func (h *hostSearch) complete(r *Result) error {
	if h.claims == byArray {
		h.labelFrontier(int32(r.Levels - 1))
		if h.array.lazy() && r.Reached < h.Placed.NumVertices() && !h.small.began {
			h.marks.run(h, marksFill)
		}
	} else if !h.small.began { // else they say so already
		h.fill.run(h)
	}
	if h.byID && !h.small.gather(h) {
		if err := h.gathering.run(h); err != nil {
			return err
		}
	}
	h.small.end(h, r)
	return nil
}

func (h *hostSearch) hand(r *Result) {
	r.byID, r.depthsByID, r.parentsByID = h.byID, h.depthsByID, h.parentsByID
	h.depthsByID, h.parentsByID = nil, nil
}

func (h *hostSearch) reclaim(r *Result) {
	h.small.reclaim(r)
	if r.depthsByID != nil {
		h.depthsByID = r.depthsByID
	}
	if r.parentsByID != nil {
		h.parentsByID = r.parentsByID
	}
}

func (h *hostSearch) ended() { h.array = arrayVisitor{} }

// ahead leaves all searches to come one by one: each takes all workers.
func (*hostSearch) ahead(*work, batch) (rest int, err error) { return 0, nil }

func (h *hostSearch) stowArrays() {
	keep(h.Placed, h.depthsByID)
	keep(h.Placed, h.parentsByID)
	h.depthsByID, h.parentsByID = nil, nil
	h.small = small{} // others may write to the arrays
}

// lists has searches list what they reach: those of a Searcher, which alone has the arrays.
func (h *hostSearch) lists() { h.small.on = true }

func (h *hostSearch) freeArrays() error {
	return errors.Join(h.depthsByID.Close(), h.parentsByID.Close())
}
func (*hostSearch) close() error { return nil }
