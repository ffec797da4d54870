package oracle

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// Modularity returns the modularity of labels (Newman 2004; of directed graphs Leicht and Newman 2008), with a resolution.
func Modularity(g *graph.Graph, label []uint32, resolution float64, weighted bool) float64 {
	inside, all := 0.0, 0.0
	from, to := map[uint32]float64{}, map[uint32]float64{}
	arcs(g, weighted, func(v, u uint32, w float64) {
		all += w
		from[label[v]] += w
		to[label[u]] += w
		if label[v] == label[u] {
			inside += w
		}
	})
	if all == 0 {
		return 0
	}
	sum := inside / all
	for c, x := range from {
		sum -= resolution * (x / all) * (to[c] / all)
	}
	return sum
}

// arcs calls do for each directed edge. An undirected edge is two, also a self-loop.
func arcs(g *graph.Graph, weighted bool, do func(v, u uint32, w float64)) {
	out := g.Out()
	for v := range uint32(g.NumVertices()) {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			u, w := out.Targets[e], 1.0
			if weighted {
				w = out.FloatWeight(e)
			}
			if do(v, u, w); u == v && !g.Directed() {
				do(v, u, w)
			}
		}
	}
}

// quotient is a graph of a level: links between two vertices in both directions, and the weights of out-edges and in-edges.
type quotient struct {
	links    []map[uint32]float64
	from, to []float64
	all      float64
	gamma    float64
}

func newQuotient(g *graph.Graph, resolution float64, weighted bool) *quotient {
	n := g.NumVertices()
	q := &quotient{links: make([]map[uint32]float64, n), from: make([]float64, n), to: make([]float64, n), gamma: resolution}
	for v := range q.links {
		q.links[v] = map[uint32]float64{}
	}
	arcs(g, weighted, func(v, u uint32, w float64) {
		q.all += w
		q.from[v] += w
		q.to[u] += w
		if u != v {
			q.links[v][u] += w
			q.links[u][v] += w
		}
	})
	return q
}

// expected is the weight that links between two sets of edges have by chance.
func (q *quotient) expected(from, to, otherFrom, otherTo float64) float64 {
	return q.gamma * (from*otherTo + to*otherFrom) / q.all
}

// move moves one vertex after the other to the community by which modularity rises most, until none rises.
func (q *quotient) move(label []uint32, r *rand.Rand) (moved bool) {
	n := len(label)
	from, to := make([]float64, n), make([]float64, n)
	for v, c := range label {
		from[c] += q.from[v]
		to[c] += q.to[v]
	}
	queue, waits := make([]uint32, 0, n), make([]bool, n)
	for _, v := range r.Perm(n) {
		queue, waits[v] = append(queue, uint32(v)), true
	}
	for len(queue) > 0 {
		v := queue[0]
		queue, waits[v] = queue[1:], false
		own := label[v]
		from[own] -= q.from[v]
		to[own] -= q.to[v]
		links := map[uint32]float64{own: 0}
		for u, w := range q.links[v] {
			links[label[u]] += w
		}
		best, most := own, links[own]-q.expected(q.from[v], q.to[v], from[own], to[own])
		for _, c := range sortedKeys(links) {
			if gain := links[c] - q.expected(q.from[v], q.to[v], from[c], to[c]); gain > most+1e-12*q.all {
				best, most = c, gain
			}
		}
		from[best] += q.from[v]
		to[best] += q.to[v]
		if best == own {
			continue
		}
		label[v], moved = best, true
		for _, u := range sortedKeys(q.links[v]) {
			if label[u] != best && !waits[u] {
				queue, waits[u] = append(queue, u), true
			}
		}
	}
	return moved
}

func sortedKeys(m map[uint32]float64) []uint32 {
	keys := make([]uint32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// refine merges single vertices with well connected parts of their communities (Traag, Waltman and van Eck 2019, MergeNodesSubset).
func (q *quotient) refine(label []uint32, r *rand.Rand) []uint32 {
	n := len(label)
	part, size := make([]uint32, n), make([]int, n)
	from, to := slices.Clone(q.from), slices.Clone(q.to) // of parts
	allFrom, allTo := make([]float64, n), make([]float64, n)
	links := make([]float64, n) // of parts, to the rest of their communities
	for v, c := range label {
		part[v], size[v] = uint32(v), 1
		allFrom[c] += q.from[v]
		allTo[c] += q.to[v]
		for u, w := range q.links[v] {
			if label[u] == c {
				links[v] += w
			}
		}
	}
	well := func(p, c uint32) bool {
		return links[p] >= q.expected(from[p], to[p], allFrom[c]-from[p], allTo[c]-to[p])-1e-12*q.all
	}
	for _, i := range r.Perm(n) {
		v, c := uint32(i), label[i]
		if part[v] != v || size[v] != 1 || !well(v, c) {
			continue
		}
		near := map[uint32]float64{}
		for u, w := range q.links[v] {
			if label[u] == c && w > 0 {
				near[part[u]] += w
			}
		}
		best, most := v, math.Inf(-1)
		for _, p := range sortedKeys(near) {
			gain := near[p] - q.expected(q.from[v], q.to[v], from[p], to[p])
			if p == v || gain < 0 || !well(p, c) {
				continue
			}
			if gain += 1e-4 * q.all / float64(n) * -math.Log(-math.Log(r.Float64())); gain > most {
				best, most = p, gain
			}
		}
		if best != v {
			links[best] += links[v] - 2*near[best]
			from[best] += q.from[v]
			to[best] += q.to[v]
			size[best]++
			part[v], size[v] = best, 0
		}
	}
	return part
}

// contract returns the graph of parts, and the number of each.
func (q *quotient) contract(part []uint32) (*quotient, []uint32) {
	number := make([]uint32, len(part))
	used := slices.Clone(part)
	slices.Sort(used)
	used = slices.Compact(used)
	for i, p := range used {
		number[p] = uint32(i)
	}
	to := &quotient{links: make([]map[uint32]float64, len(used)), from: make([]float64, len(used)), to: make([]float64, len(used)), all: q.all, gamma: q.gamma}
	for i := range to.links {
		to.links[i] = map[uint32]float64{}
	}
	for v, p := range part {
		a := number[p]
		to.from[a] += q.from[v]
		to.to[a] += q.to[v]
		for u, w := range q.links[v] {
			if b := number[part[u]]; a != b {
				to.links[a][b] += w
			}
		}
	}
	return to, number
}

// Louvain finds communities as Blondel et al. (2008) do, one vertex after the other.
func Louvain(g *graph.Graph, resolution float64, weighted bool, seed uint64) []uint32 {
	return communities(g, resolution, weighted, seed, false)
}

// Leiden finds communities as Traag, Waltman and van Eck (2019) do, one vertex after the other.
func Leiden(g *graph.Graph, resolution float64, weighted bool, seed uint64) []uint32 {
	return communities(g, resolution, weighted, seed, true)
}

func communities(g *graph.Graph, resolution float64, weighted bool, seed uint64, leiden bool) []uint32 {
	r, n := rand.New(rand.NewPCG(seed, 47)), g.NumVertices()
	q := newQuotient(g, resolution, weighted)
	of, label := make([]uint32, n), make([]uint32, n)
	for v := range n {
		of[v], label[v] = uint32(v), uint32(v)
	}
	if q.all == 0 {
		return label
	}
	for {
		moved := q.move(label, r)
		part := label
		if leiden {
			part = q.refine(label, r)
		}
		next, number := q.contract(part)
		if len(next.from) == len(label) || !leiden && !moved {
			break
		}
		community := make([]uint32, len(next.from))
		first := map[uint32]uint32{} // vertex of the next level of each label
		for v, p := range part {
			k := number[p]
			if community[k] = k; !leiden {
				continue
			}
			if _, ok := first[label[v]]; !ok {
				first[label[v]] = k
			}
			community[k] = first[label[v]]
		}
		for v := range of {
			of[v] = number[part[of[v]]]
		}
		q, label = next, community
	}
	for v := range of {
		of[v] = label[of[v]]
	}
	return of
}

// Apart returns two vertices with the same label that no path within the label joins, if there are such. With weighted, edges of
// weight 0 join nothing.
func Apart(g *graph.Graph, label []uint32, weighted bool) (v, w uint32, found bool) {
	root := make([]uint32, len(label))
	for v := range root {
		root[v] = uint32(v)
	}
	find := func(v uint32) uint32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	arcs(g, weighted, func(v, u uint32, w float64) {
		if label[v] == label[u] && w > 0 {
			root[find(v)] = find(u)
		}
	})
	first := map[uint32]uint32{}
	for v := range uint32(len(label)) {
		u, ok := first[label[v]]
		if !ok {
			first[label[v]] = v
		} else if find(u) != find(v) {
			return u, v, true
		}
	}
	return 0, 0, false
}
