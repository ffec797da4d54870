// This file holds peeling on the host of graphs of short rows, stage by stage. A worker continues with the vertices that
// it finds, so a stage has no rounds.

package kcore

import (
	"sync/atomic"

	"github.com/foray-graph/foray/algos/kcore/internal/mesh"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// stageScan keeps the vertices that leave when a stage begins: no vertex that is left has fewer neighbors. It is a predicate
// of filter.Keep. A vertex that has left keeps its degree, which is below the next stage.
type stageScan struct {
	degree []uint32 // within the remaining graph
	from   []uint32 // what a first scan copies into degree, or nil
	rows   *graph.CSR
	stage  uint32
	own    []scanned // of each worker
}

// scanned is what a scan has found.
type scanned struct {
	above   uint32 // the least degree above the stage, or pile.Never
	leaving uint64 // edges of the vertices that leave
	left    uint64 // edges of other vertices above the stage
	_       [104]byte
}

// Keep looks at some vertices.
func (s *stageScan) Keep(w operators.Worker, in, out []uint32) int {
	degree, stage, k := s.degree, s.stage, 0
	above, left := uint32(pile.Never), uint64(0)
	for _, v := range in {
		d := degree[v]
		if s.from != nil {
			d = s.from[v]
			degree[v] = d
		}
		if d > stage {
			above, left = min(above, d), left+uint64(d)
		} else if d == stage {
			out[k] = v
			k++
		}
	}
	x := &s.own[w.ID]
	x.above, x.leaving, x.left = min(x.above, above), x.leaving+uint64(k)*uint64(stage), x.left+left
	return k
}

// found returns what the scan has found, and readies the next one.
func (s *stageScan) found() scanned {
	sum := scanned{above: pile.Never}
	for w := range s.own {
		x := &s.own[w]
		sum.above, sum.leaving, sum.left = min(sum.above, x.above), sum.leaving+x.leaving, sum.left+x.left
		*x = scanned{above: pile.Never}
	}
	return sum
}

// recounts counts, for each vertex above the stage, the neighbors above the stage, and keeps the vertices that leave. It
// replaces a push of the vertices that leave, and needs no atomic operation per edge.
type recounts struct{ *stageScan }

// Keep looks at some vertices. The degree of a vertex that leaves stays above the stage until all have been counted.
func (s recounts) Keep(w operators.Worker, in, out []uint32) int {
	degree, stage, k := s.degree, s.stage, 0
	leaving, left := uint64(0), uint64(0)
	for _, v := range in {
		d := atomic.LoadUint32(&degree[v])
		if d <= stage {
			continue
		}
		row, n := s.rows.Neighbors(v), uint32(0)
		for _, u := range row {
			n += uint32((uint64(stage) - uint64(atomic.LoadUint32(&degree[u]))) >> 63) // 1 above the stage: no branch that is hard to predict
		}
		if n <= stage {
			out[k] = v
			k++
			leaving += uint64(len(row))
			continue
		}
		left += uint64(n)
		if n != d {
			atomic.StoreUint32(&degree[v], n)
		}
	}
	x := &s.own[w.ID]
	x.leaving, x.left = x.leaving+leaving, x.left+left
	return k
}

// leaves lowers degrees to the stage. It is a functor of foreach.Each.
type leaves struct{ *stageScan }

// Visit lowers some degrees.
func (s leaves) Visit(_ operators.Worker, vs []uint32) uint64 {
	for _, v := range vs {
		s.degree[v] = s.stage
	}
	return 0
}

// peelNearby peels a graph of short rows, and returns the last stage.
func peelNearby(t *traverse.Traversal, cur *traverse.Frontier, degree *device.Buffer[uint32], none *pile.Pile) (stage uint32) {
	near := newPeelNear(degree, 0)
	peels, refill := advance.PushNear(near, none, advance.NearOptions{AnyRound: true}), pile.Refill(none, near)
	from := traverse.Degrees(t)
	if t.Err() != nil {
		return 0
	}
	s := &stageScan{degree: degree.Host(), from: from.Host(), rows: t.Placed().Graph().Out(), stage: 1, own: make([]scanned, workers(t.Placed()))}
	s.found()
	begins, counts, leave := filter.Keep(s), filter.Keep(recounts{s}), foreach.Each[uint64](leaves{s}, nil)
	few := uint64(t.Placed().NumVertices() / recountShare)
	local, tiles := hasTiles(t.Placed()), &mesh.Tiles{Degree: s.degree}
	for {
		t.Fill(cur)
		t.Do(cur, begins)
		s.from = nil
		x := s.found()
		switch {
		case t.Err() != nil || cur.Len() == 0 && x.above == pile.Never:
			return stage
		case cur.Len() == 0:
			s.stage = x.above
			continue
		}
		stage = s.stage
		for near.stage = stage; t.Next(cur); {
			switch {
			case x.left == 0: // all remaining vertices leave: no degree needs updating
				t.Replace(cur)
			case x.leaving > few && recountFactor*x.leaving > x.left:
				t.Fill(cur)
				t.Do(cur, counts)
				x = s.found()
				t.Do(cur, leave)
			case local && cur.Len() < t.Placed().NumVertices()/fewBegin:
				tiles.Stage = stage
				t.Do(cur, tiles)
			default:
				t.Repeat(cur, peels, refill)
			}
		}
		if x.left == 0 || t.Err() != nil {
			return stage
		}
		s.stage = stage + 1
	}
}

// localKey is what it is kept under whether neighbors are near in number.
type localKey struct{ placed.Of[*bool] }

// hasTiles reports whether most edges are within tiles of the vertex numbers, by a sample of vertices.
func hasTiles(p *graph.Placed) bool {
	local, err := placed.LoadOrMake(p.State(), localKey{}, func() (*bool, error) {
		rows, n, in, all := p.Graph().Out(), p.NumVertices(), 0, 0
		shift := mesh.TileShift(n, workers(p))
		for i := range min(n, tileSamples) {
			v := uint32(i * n / min(n, tileSamples))
			for _, u := range rows.Neighbors(v) {
				all++
				if u>>shift == v>>shift {
					in++
				}
			}
		}
		local := localShare*(all-in) <= all
		return &local, nil
	})
	return err == nil && *local // else the traversal finds out why
}
