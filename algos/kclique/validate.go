// This file holds Validate.

package kclique

import (
	"fmt"
	"math/big"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the numbers of cliques of its graph.
var errInvalid = text.Named("kclique: not a valid result", graph.ErrInvalid)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, args...))
}

// Validate enumerates all cliques, or with Options.K those of up to K vertices, and compares the numbers of cliques, and those at every vertex.
// If there are more than 200,000, it compares cliques of up to 3 vertices only, as far as they were counted. The counts at vertices must add
// up to K times the total in any case. It runs on one goroutine, and takes 8 bytes an edge.
//
// The error wraps graph.ErrInvalid for a result that isn't the graph's, is nil or was closed. For a nil graph it is
// graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	switch {
	case g == nil:
		return fmt.Errorf("kclique: validate: %w", graph.ErrNoGraph)
	case r == nil:
		return invalid("it is nil")
	case r.Total == nil || (o.K == 0) != (r.Counts != nil) || o.vertices() != (r.Cliques != nil):
		return invalid("it isn't one of the options %+v", o)
	}
	var at []uint64
	if o.vertices() {
		var err error
		if at, err = r.Cliques.Slice(); err != nil {
			return fmt.Errorf("%w: %w", errInvalid, err)
		}
		if len(at) != g.NumVertices() {
			return invalid("%d counts for %d vertices", len(at), g.NumVertices())
		}
		sum := new(big.Int)
		for _, k := range at {
			sum.Add(sum, new(big.Int).SetUint64(k))
		}
		if want := new(big.Int).Mul(r.Total, big.NewInt(int64(o.K))); sum.Cmp(want) != 0 {
			return invalid("the counts at vertices add up to %v, want %v", sum, want)
		}
	} else if o.K == 0 {
		sum := new(big.Int)
		for _, k := range r.Counts {
			sum.Add(sum, k)
		}
		if sum.Cmp(r.Total) != 0 {
			return invalid("%v cliques in all, and %v of each size together", r.Total, sum)
		}
	}
	e := &enumeration{near: oracle.Neighbors(g), most: o.K, budget: enumerated, at: make([]uint64, g.NumVertices())}
	all := e.run()
	if !all {
		*e = enumeration{near: e.near, most: 3, budget: 1 << 62}
		e.run()
	}
	if o.K > 0 {
		if !all && o.K > 3 {
			return nil
		}
		want := uint64(0)
		if o.K < len(e.counts) {
			want = e.counts[o.K]
		}
		if !r.Total.IsUint64() || r.Total.Uint64() != want {
			return invalid("%v cliques of %d vertices, the graph has %d", r.Total, o.K, want)
		}
		for v := range at {
			if all && at[v] != e.at[v] {
				return invalid("vertex %d is in %d cliques of %d vertices, want %d", v, at[v], o.K, e.at[v])
			}
		}
		return nil
	}
	for k, want := range e.counts {
		if k >= len(r.Counts) || !r.Counts[k].IsUint64() || r.Counts[k].Uint64() != want {
			return invalid("the numbers of cliques are %v, want %d of %d vertices", r.Counts, want, k)
		}
	}
	if all && len(r.Counts) != max(len(e.counts), 1) {
		return invalid("cliques of up to %d vertices, want %d", len(r.Counts)-1, len(e.counts)-1)
	}
	return nil
}

// enumeration counts cliques one by one.
type enumeration struct {
	near   [][]uint32
	most   int // vertices of a clique; 0: any number
	budget int
	counts []uint64 // by vertices
	at     []uint64 // of every vertex: the cliques of most vertices; or nil
	clique []uint32
}

// run reports whether the budget lasted.
func (e *enumeration) run() bool {
	for v, row := range e.near {
		if !e.with(uint32(v), above(row, uint32(v))) {
			return false
		}
	}
	return true
}

// with counts the clique with a further vertex, and those with some of the candidates, which are larger.
func (e *enumeration) with(v uint32, candidates []uint32) bool {
	e.clique = append(e.clique, v)
	defer func() { e.clique = e.clique[:len(e.clique)-1] }()
	for len(e.counts) <= len(e.clique) {
		e.counts = append(e.counts, 0)
	}
	e.counts[len(e.clique)]++
	if e.budget--; e.budget < 0 {
		return false
	}
	if len(e.clique) == e.most {
		if e.at != nil {
			for _, v := range e.clique {
				e.at[v]++
			}
		}
		return true
	}
	for i, w := range candidates {
		if !e.with(w, both(candidates[i+1:], e.near[w])) {
			return false
		}
	}
	return true
}

// above returns the entries of a row that are larger than v.
func above(row []uint32, v uint32) []uint32 {
	for i, w := range row {
		if w > v {
			return row[i:]
		}
	}
	return nil
}

// both returns what two rows have.
func both(a, b []uint32) (common []uint32) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] < b[k]:
			i++
		case a[i] > b[k]:
			k++
		default:
			common = append(common, a[i])
			i, k = i+1, k+1
		}
	}
	return common
}
