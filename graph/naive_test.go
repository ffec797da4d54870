// This file defines the graph that building makes, as briefly as possible, for
// tests to compare with.

package graph

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/foray-graph/foray/internal/engine/tuning"
)

func init() { tuning.IDPart = 3 } // so that small graphs have many parts

// naiveEdge is an edge between external ids: ordered keys, or strings.
type naiveEdge struct {
	src, dst string // 8 bytes big-endian of the ordered key where ids are integers
	w        float32
	id       uint64
}

type naiveGraph struct {
	ids     []string // by vertex
	out, in [][]naiveEntry
	stats   BuildStats
	order   Order
}

type naiveEntry struct {
	target uint32
	weight float32
	id     uint64
}

// lighter is the order of weights: -0 before 0 and NaN last.
func lighter(x, y float32) int {
	nan := func(w float32) int {
		if math.IsNaN(float64(w)) {
			return 1
		}
		return 0
	}
	return cmp.Or(nan(x)-nan(y), cmp.Compare(x, y), cmp.Compare(1/x, 1/y))
}

// naiveBuild builds by the definition. others are ids that are vertices too.
func naiveBuild(o Options, edges []naiveEdge, others []string) *naiveGraph {
	g := &naiveGraph{}
	g.stats.InputEdges = uint64(len(edges))
	set := map[string]bool{}
	for _, id := range others {
		set[id] = true
	}
	type arc struct{ u, v string }
	type load struct {
		w  float32
		id uint64
	}
	lightest := func(x, y load) int { return cmp.Or(lighter(x.w, y.w), cmp.Compare(x.id, y.id)) }
	arcs := map[arc][]load{}
	for _, e := range edges {
		set[e.src], set[e.dst] = true, true
		if e.src == e.dst && !o.KeepSelfLoops {
			g.stats.SelfLoops++
			continue
		}
		arcs[arc{e.src, e.dst}] = append(arcs[arc{e.src, e.dst}], load{e.w, e.id})
		if !o.Directed && e.src != e.dst {
			arcs[arc{e.dst, e.src}] = append(arcs[arc{e.dst, e.src}], load{e.w, e.id})
		}
	}
	degree := map[string]int{}
	for a, ws := range arcs {
		slices.SortFunc(ws, lightest)
		if !o.KeepDuplicates {
			g.stats.Duplicates += uint64(len(ws) - 1)
			switch one := ws[0]; {
			case !o.Weights || o.Combine == CombineMin:
				ws = ws[:1]
			case o.Combine == CombineMax:
				for _, x := range ws[1:] {
					if lighter(x.w, one.w) > 0 {
						one = x
					}
				}
				ws = []load{one}
			case o.Combine == CombineFirst:
				ws = []load{slices.MinFunc(ws, func(x, y load) int { return cmp.Compare(x.id, y.id) })}
			case len(ws) > 1:
				sum := float64(one.w)
				for _, x := range ws[1:] {
					sum += float64(x.w)
					one.id = min(one.id, x.id)
				}
				one.w = float32(sum)
				ws = []load{one}
			}
		}
		arcs[a] = ws
		degree[a.u] += len(ws)
		if o.Directed {
			degree[a.v] += len(ws)
		}
	}
	if o.combines() {
		g.stats.Combined = o.Combine
	}
	for id := range set {
		g.ids = append(g.ids, id)
	}
	slices.Sort(g.ids)
	g.order = o.Order
	if o.Order == OrderAuto {
		n, sum, squares := 0.0, 0.0, 0.0
		for _, d := range degree {
			n++
			sum += float64(d)
			squares += float64(d) * float64(d)
		}
		g.order = OrderGiven
		if n > 0 && squares/n >= skewed*(sum/n)*(sum/n) {
			g.order = OrderDegree
		}
	}
	if g.order == OrderDegree {
		sort.SliceStable(g.ids, func(i, j int) bool { return degree[g.ids[i]] > degree[g.ids[j]] })
	}
	vertex := map[string]uint32{}
	for v, id := range g.ids {
		vertex[id] = uint32(v)
	}
	g.out, g.in = make([][]naiveEntry, len(g.ids)), make([][]naiveEntry, len(g.ids))
	for a, ws := range arcs {
		u, v := vertex[a.u], vertex[a.v]
		for _, w := range ws {
			g.out[u] = append(g.out[u], naiveEntry{v, w.w, w.id})
			g.in[v] = append(g.in[v], naiveEntry{u, w.w, w.id})
		}
	}
	for _, rows := range [][][]naiveEntry{g.out, g.in} {
		for _, row := range rows {
			slices.SortFunc(row, func(x, y naiveEntry) int {
				return cmp.Or(cmp.Compare(x.target, y.target), lighter(x.weight, y.weight), cmp.Compare(x.id, y.id))
			})
		}
	}
	return g
}
