// This file totals values by key, as a keyed reduce does.

package functorfuzz

import (
	"math"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Pair is a vertex and one of its keys, with the total of the key's edges, or with its score.
type Pair struct {
	Vertex, Key uint32
	Total       uint64
}

const noKey = math.MaxUint32 // reduce.NoKey

// Pairs returns the pairs of the rows, whose edges have these keys and values.
func (t *Tiles) Pairs(keys, values []uint64) (all []Pair) {
	result, at := t.Functor.Method(ir.Gather).Result, 0
	t.ends = nil
	for _, r := range t.Rows {
		first := len(all)
		for ; at < int(r.First)+int(r.Len); at++ {
			if uint32(keys[at]) == noKey {
				continue
			}
			i := first
			for i < len(all) && all[i].Key != uint32(keys[at]) {
				i++
			}
			if i == len(all) {
				all = append(all, Pair{r.Source, uint32(keys[at]), Identity(result, t.Functor.Reduce)})
			}
			all[i].Total = join(result, t.Functor.Reduce, all[i].Total, values[at])
		}
		t.ends = append(t.ends, len(all))
	}
	return all
}

// Chosen returns the pair of the greatest score of each row.
func (t *Tiles) Chosen(pairs []Pair, scores []uint64) (all []Pair) {
	at := 0
	for i, r := range t.Rows {
		best := Pair{r.Source, noKey, math.Float64bits(math.Inf(-1))}
		for ; at < t.ends[i]; at++ {
			x, most := math.Float64frombits(scores[at]), math.Float64frombits(best.Total)
			if x > most || x == most && pairs[at].Key < best.Key {
				best.Key, best.Total = pairs[at].Key, scores[at]
			}
		}
		all = append(all, best)
	}
	return all
}
