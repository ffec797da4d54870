package oracle

import "github.com/foray-graph/foray/graph"

// connected labels the vertices that are joined without a vertex, and without an edge between two others, by their definition:
// the least vertex that reaches them. Give n for no vertex.
func connected(near [][]uint32, without, a, b int) []int {
	label := make([]int, len(near))
	for v := range label {
		label[v] = v
	}
	for changed := true; changed; {
		changed = false
		for v, row := range near {
			for _, u := range row {
				w := int(u)
				if v == without || w == without || v == a && w == b || v == b && w == a {
					continue
				}
				if label[w] < label[v] {
					label[v], changed = label[w], true
				}
			}
		}
	}
	return label
}

// Pair is an edge from the smaller to the larger vertex.
type Pair struct{ A, B uint32 }

// PairOf returns the pair of two vertices.
func PairOf(a, b uint32) Pair { return Pair{min(a, b), max(a, b)} }

// Blocks returns, by definition, the name of each edge's biconnected component, the bridges and the articulation points: two
// edges at a vertex are in the same component if their other ends are connected without the vertex.
func Blocks(g *graph.Graph) (component map[Pair]uint32, bridge map[Pair]bool, cut []uint32) {
	near, n := Neighbors(g), g.NumVertices()
	rank := func(v int) uint32 { return uint32(v) }
	if ranks := g.IDs().Ranks(); ranks != nil {
		rank = func(v int) uint32 { return ranks[v] }
	}
	whole, component, bridge, cut := connected(near, n, n, n), map[Pair]uint32{}, map[Pair]bool{}, make([]uint32, n)
	parts := map[Pair]Pair{} // edges of a component have the same
	for v, row := range near {
		for _, u := range row {
			e := PairOf(uint32(v), u)
			parts[e] = e
			if label := connected(near, n, v, int(u)); label[v] != label[u] {
				bridge[e] = true
			}
		}
	}
	for v, row := range near {
		label := connected(near, v, n, n)
		for _, a := range row {
			for _, b := range row {
				from, to := parts[PairOf(uint32(v), a)], parts[PairOf(uint32(v), b)]
				if label[a] != label[b] {
					cut[v] = 1
				} else if from != to {
					for e, part := range parts {
						if part == from {
							parts[e] = to
						}
					}
				}
			}
		}
	}
	for _, part := range parts {
		in := map[int]bool{}
		for e, other := range parts {
			if other == part {
				in[int(e.A)], in[int(e.B)] = true, true
			}
		}
		first := -1 // of the connected component
		for v := range near {
			if whole[v] == whole[part.A] && (first < 0 || rank(v) < rank(first)) {
				first = v
			}
		}
		name := -1
		for v := range in {
			enters := v == first
			if label := connected(near, v, n, n); !enters && !in[first] { // all others are connected without v
				enters = true
				for w := range in {
					enters = enters && (w == v || label[w] != label[first])
				}
			}
			if !enters && (name < 0 || rank(v) < rank(name)) {
				name = v
			}
		}
		for e, other := range parts {
			if other == part {
				component[e] = uint32(name)
			}
		}
	}
	return component, bridge, cut
}
