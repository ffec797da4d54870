// This file holds peeling on the host of graphs whose vertices are in order of degree. Most edges lead to the first
// vertices, the hubs, whose degrees all workers lower at the same time. An atomic operation waits for the line of
// memory that another worker wrote last, so each worker counts the edges of hubs separately.

package kcore

import (
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// hubPeel is peel, but counts the edges that hubs lose. It is a functor of advance.Push on the host.
type hubPeel struct {
	degree *device.Buffer[uint32]
	n      uint32     // hubs
	lost   [][]uint32 // of each worker: edges of each hub
}

func newHubPeel(degree *device.Buffer[uint32], n, workers int) *hubPeel {
	h := &hubPeel{degree: degree, n: uint32(n), lost: make([][]uint32, workers)}
	for w := range h.lost {
		h.lost[w] = make([]uint32, n)
	}
	return h
}

// Unique says that no vertex is let through twice.
func (h *hubPeel) Unique() bool { return true }

// Visit visits a row.
func (h *hubPeel) Visit(w operators.Worker, source uint32, _ uint64, targets, out []uint32) int {
	degree, lost, k := h.degree.Host(), h.lost[w.ID], 0
	stage := atomic.LoadUint32(&degree[source]) // since the degree of a vertex that leaves doesn't change
	for _, target := range targets {
		if uint64(target) < uint64(len(lost)) {
			lost[target]++
			continue
		}
		if atomic.LoadUint32(&degree[target]) <= stage {
			continue
		}
		switch now := atomic.AddUint32(&degree[target], ^uint32(0)); {
		case now == stage:
			out[k] = target
			k++
		case now < stage:
			atomic.AddUint32(&degree[target], 1) // others have been faster
		}
	}
	return k
}

// VisitRows visits rows.
func (h *hubPeel) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	k := 0
	for i := range rows {
		r := &rows[i]
		k += h.Visit(w, r.Source, r.First, targets[r.First:r.First+uint64(r.Len)], out[k:])
	}
	return k
}

// hubLeaves subtracts what workers have counted, and keeps the hubs that leave at the stage. It is a predicate of
// filter.Keep.
type hubLeaves struct {
	*hubPeel
	stage uint32
}

// Keep looks at some hubs.
func (h *hubLeaves) Keep(_ operators.Worker, in, out []uint32) int {
	degree, k := h.degree.Host(), 0
	for _, v := range in {
		lost := uint32(0)
		for _, of := range h.lost {
			lost += of[v]
			of[v] = 0
		}
		switch d := degree[v]; {
		case lost == 0 || d <= h.stage: // it left before
		case d-lost > h.stage:
			degree[v] = d - lost
		default:
			degree[v] = h.stage
			out[k] = v
			k++
		}
	}
	return k
}

// peelHubs peels after the first refill. Rounds of few vertices take edges from hubs at once.
func peelHubs(t *traverse.Traversal, cur *traverse.Frontier, degree *device.Buffer[uint32], waiting *pile.Pile, peels, refill operators.Step) {
	n := min(hubs, t.Placed().NumVertices())
	counts := newHubPeel(degree, n, workers(t.Placed()))
	leaves := &hubLeaves{hubPeel: counts}
	wide, settle, few := advance.Push(counts), filter.Keep(leaves), traverse.UntilFrontierExceeds(hubFrontier)
	all, leaving, counted := make([]uint32, n), t.From(), false
	for v := range all {
		all[v] = uint32(v)
	}
	for t.Err() == nil && cur.Len() > 0 {
		switch {
		case cur.Len() > hubFrontier:
			t.Next(cur)
			t.Do(cur, wide)
			counted = true
		case counted:
			t.Repeat(cur, peels, few)
		default:
			t.Repeat(cur, peels, refill, few)
		}
		if !counted || cur.Len() > 0 {
			continue
		}
		counted = false
		stage, err := waiting.Stage()
		if err != nil {
			return
		}
		leaves.stage = stage
		t.Replace(leaving, all...)
		t.Do(leaving, settle)
		if cur, leaving = leaving, cur; cur.Len() == 0 {
			t.Do(cur, refill)
		}
	}
}
