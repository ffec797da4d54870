// This file holds Validate, which checks properties of a result, so that any
// right tree passes.

package bfs

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// invalidError names the rule that a result breaks, and the place. It wraps
// graph.ErrInvalid.
type invalidError struct {
	Rule   int    // 1 to 5, see Validate
	Vertex uint32 // the internal vertex where it was seen
	Detail string // in words
}

func (e *invalidError) Error() string {
	return fmt.Sprintf("bfs: not a valid result: rule %d: vertex %d: %s", e.Rule, e.Vertex, e.Detail)
}

// Unwrap makes errors.Is(err, graph.ErrInvalid) true.
func (e *invalidError) Unwrap() error { return errInvalid }

// Validate checks a result against the five rules of Graph500 (benchmark
// specification, section "Validation"):
//
//  1. the parents form a tree (with several sources, a forest): they lead from
//     every reached vertex to a source, without a cycle;
//  2. every vertex but a source is one level below its parent;
//  3. every edge of the graph joins vertices whose levels differ by at most
//     one, or that weren't reached (of a directed graph, no edge leads down by
//     more than one level);
//  4. exactly the vertices that can be reached from the sources were reached;
//  5. every vertex and its parent are joined by an edge of the graph.
//
// A result without parents is checked by rules 3 and 4, and for every vertex
// having a neighbor one level above; one without depths by depths that its
// parents imply. The lowest level of a search that ended at its limit may have
// neighbors that weren't reached. It costs two passes over the graph on one
// goroutine, 8 bytes per vertex at most, and doesn't assume that rows are
// sorted.
//
// The error wraps graph.ErrInvalid. It names the broken rule and the vertex. It is also the error of
// a nil result, a result without arrays or a result of another graph; for a
// closed result it wraps device.ErrClosed too. For a nil graph it is
// graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return fmt.Errorf("bfs: validate: %w", graph.ErrNoGraph)
	}
	if r == nil {
		return fmt.Errorf("%w: it is nil", errInvalid)
	}
	depths, parents, err := r.arrays()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("bfs: validate: %w", err)
	}
	defer release()
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("bfs: validate: %w", err)
	}
	n := g.NumVertices()
	if depths == nil && parents == nil {
		return fmt.Errorf("%w: neither depths nor parents to check; ask for them in Options", errInvalid)
	}
	if depths != nil && len(depths) != n || parents != nil && len(parents) != n {
		return fmt.Errorf("%w: %d depths and %d parents for %d vertices", errInvalid, len(depths), len(parents), n)
	}
	source := make(map[uint32]bool, len(r.Sources))
	for _, v := range r.Sources {
		source[v] = true
	}
	if parents != nil {
		if err := checkParents(parents, depths, source); err != nil {
			return err
		}
		implied, err := impliedDepths(parents)
		if err != nil {
			return err
		}
		for v, d := range depths {
			if d != implied[v] {
				return &invalidError{2, uint32(v), fmt.Sprintf("at depth %d, its parents lead to a source in %d steps", d, implied[v])}
			}
		}
		depths = implied
	}
	if err := checkDepths(depths, source, r); err != nil {
		return err
	}
	return checkEdges(g.Out(), depths, parents, r)
}

// checkParents checks that sources, and only they, are their own parents, and
// that reached is the same in both arrays.
func checkParents(parents []uint32, depths []int32, source map[uint32]bool) error {
	for v, p := range parents {
		switch {
		case p == uint32(v) && !source[p]:
			return &invalidError{1, p, "its own parent, but no source"}
		case source[uint32(v)] && p != uint32(v):
			return &invalidError{1, uint32(v), "a source, but not its own parent"}
		case p != graph.NoVertex && int64(p) >= int64(len(parents)):
			return &invalidError{1, uint32(v), fmt.Sprintf("its parent %d is no vertex", p)}
		case depths != nil && (p == graph.NoVertex) != (depths[v] < 0):
			return &invalidError{4, uint32(v), fmt.Sprintf("its depth is %d and its parent %d: reached or not?", depths[v], int64(int32(p)))}
		}
	}
	return nil
}

// impliedDepths follows the parents to the sources.
func impliedDepths(parents []uint32) ([]int32, error) {
	const unknown, onPath = -2, -3
	depths := make([]int32, len(parents))
	for v := range depths {
		depths[v] = unknown
	}
	var path []uint32
	for v := range parents {
		u := uint32(v)
		path = path[:0]
		for depths[u] == unknown {
			switch parents[u] {
			case graph.NoVertex:
				depths[u] = -1
			case u:
				depths[u] = 0
			default:
				depths[u] = onPath
				path = append(path, u)
				u = parents[u]
			}
		}
		if depths[u] == onPath {
			return nil, &invalidError{1, u, "its parents lead back to itself"}
		}
		if depths[u] == -1 && len(path) > 0 {
			return nil, &invalidError{1, uint32(v), fmt.Sprintf("its parents lead to vertex %d, which wasn't reached", u)}
		}
		d := depths[u]
		for i := len(path) - 1; i >= 0; i-- {
			d++
			depths[path[i]] = d
		}
	}
	return depths, nil
}

// checkDepths checks that depth 0 is the sources' and that the counts are
// those of the array.
func checkDepths(depths []int32, source map[uint32]bool, r *Result) error {
	reached, deepest := 0, int32(-1)
	for v, d := range depths {
		if (d == 0) != source[uint32(v)] {
			return &invalidError{2, uint32(v), fmt.Sprintf("at depth %d, which is for sources and only for them to be 0", d)}
		}
		if d < -1 {
			return &invalidError{2, uint32(v), fmt.Sprintf("at depth %d", d)}
		}
		if d >= 0 {
			reached++
			deepest = max(deepest, d)
		}
	}
	if reached != r.Reached || int(deepest)+1 != r.Levels {
		return fmt.Errorf("%w: rule 4: %d vertices in %d levels, the result says %d in %d",
			errInvalid, reached, deepest+1, r.Reached, r.Levels)
	}
	return nil
}

// checkEdges checks every edge, and that every vertex has the edge that it was
// reached by.
func checkEdges(out *graph.CSR, depths []int32, parents []uint32, r *Result) error {
	n := len(depths)
	joined := make([]uint64, (n+63)/64)
	for u := range n {
		du := depths[u]
		if du < 0 {
			continue
		}
		last := r.Limited && int(du) == r.Levels-1
		for _, v := range out.Neighbors(uint32(u)) {
			dv := depths[v]
			if dv < 0 && !last {
				return &invalidError{4, v, fmt.Sprintf("not reached, but vertex %d, at depth %d, leads to it", u, du)}
			}
			if dv > du+1 {
				return &invalidError{3, v, fmt.Sprintf("at depth %d, but vertex %d, at depth %d, leads to it", dv, u, du)}
			}
			if dv == du+1 && (parents == nil || parents[v] == uint32(u)) {
				joined[v>>6] |= 1 << (v & 63)
			}
		}
	}
	for v, d := range depths {
		if d > 0 && joined[v>>6]>>(v&63)&1 == 0 {
			if parents != nil {
				return &invalidError{5, uint32(v), fmt.Sprintf("no edge leads to it from its parent %d", parents[v])}
			}
			return &invalidError{2, uint32(v), fmt.Sprintf("at depth %d, but no vertex one level above leads to it", d)}
		}
	}
	return nil
}
