// This file holds the types of weights, and how weights of 64 bits go through building.

package graph

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// WeightType is the type of the weights of edges. Algorithms compute in this type: integer weights have
// integer distances.
type WeightType uint8

const (
	// WeightsAuto, the zero value, follows the input: WeightsInt64 for integers of any width,
	// WeightsFloat64 for floats and decimals of any width, and for both together. As the type of a graph
	// it means that edges have no weights.
	WeightsAuto WeightType = iota
	// WeightsInt64 is integers of 64 bits.
	WeightsInt64
	// WeightsFloat64 is floats of 64 bits.
	WeightsFloat64
	// WeightsFloat32 is floats of 32 bits: weights and all their sums are rounded. It takes less memory, and
	// less time if weights are fractions.
	WeightsFloat32
)

var weightTypeNames = [...]string{"auto", "int64", "float64", "float32"}

func (t WeightType) String() string {
	if int(t) < len(weightTypeNames) {
		return weightTypeNames[t]
	}
	return fmt.Sprintf("WeightType(%d)", uint8(t))
}

// ErrWeights: a weight that the type of the graph's weights can't represent, or a sum of Options.Fold past the type of its
// column.
var ErrWeights = errors.New("graph: weight out of range")

// WeightType returns the type of the weights, WeightsAuto if edges have none.
func (g *Graph) WeightType() WeightType {
	if !g.weighted() {
		return WeightsAuto
	}
	return g.weights
}

func (i *inner) ExactWeights() bool { return i.out.exactWeights() }

func (i *inner) Identified() bool { return (*Graph)(i).identified() }

func (c *CSR) exactWeights() bool { return c.IntWeights == nil && c.FloatWeights == nil }

// FloatWeight returns the weight of an edge as a float64. An integer of more than 53 bits is rounded.
func (c *CSR) FloatWeight(e uint64) float64 {
	switch {
	case c.IntWeights != nil:
		return float64(c.IntWeights[e])
	case c.FloatWeights != nil:
		return c.FloatWeights[e]
	}
	return float64(c.Weights[e])
}

// IntWeight returns the weight of an edge of a graph whose weights are WeightsInt64.
func (c *CSR) IntWeight(e uint64) int64 {
	if c.IntWeights != nil {
		return c.IntWeights[e]
	}
	return int64(c.Weights[e])
}

// checkWeights is the part of Check for weights of 64 bits.
func (c *CSR) checkWeights() error {
	for name, n := range map[string]int{"IntWeights": len(c.IntWeights), "FloatWeights": len(c.FloatWeights)} {
		if n != 0 && (n != len(c.Targets) || c.Weights == nil) {
			return fmt.Errorf("%w: %d CSR.%s for %d targets and %d Weights", ErrMalformed, n, name, len(c.Targets), len(c.Weights))
		}
	}
	if c.IntWeights != nil && c.FloatWeights != nil {
		return fmt.Errorf("%w: CSR.IntWeights and CSR.FloatWeights; set one of them", ErrMalformed)
	}
	return nil
}

// checkWeightType settles the type of the weights of FromCSR.
func (g *Graph) checkWeightType(t WeightType) error {
	switch {
	case t > WeightsFloat32:
		return fmt.Errorf("%w: Parts.WeightType is %v", ErrOptions, t)
	case t == WeightsAuto && g.out.IntWeights != nil:
		t = WeightsInt64
	case t == WeightsAuto:
		t = WeightsFloat64
	}
	for _, c := range []*CSR{g.out, g.in} {
		if c != nil && (c.IntWeights != nil && t != WeightsInt64 || c.FloatWeights != nil && t != WeightsFloat64) {
			return fmt.Errorf("%w: Parts.WeightType is %v, but the rows have weights of another type", ErrMalformed, t)
		}
	}
	g.weights = t
	return nil
}

// floatExact and intExact report weights that a float32 holds.
func floatExact(x float64) bool { return float64(float32(x)) == x || x != x }

func intExact(x int64) bool {
	// Of larger ones the nearest float32 may be 2^63, which is no int64.
	return x >= -1<<24 && x <= 1<<24 || x > -1<<62 && x < 1<<62 && int64(float32(x)) == x
}

// A key is a number of 64 bits that sorts unsigned as the weight does: -0 before 0, and NaN last. Edges
// carry it through building in the place of their ids (see weightPacking). Rounding to float32 keeps the
// order, so that edges in the order of their float32 weights and then of their keys are in the order of
// their weights.

func floatKey(x float64) uint64 {
	k := math.Float64bits(x)
	switch {
	case x != x:
		return math.MaxUint64
	case k>>63 != 0:
		return ^k
	}
	return k | 1<<63
}

func floatOfKey(k uint64) float64 {
	switch {
	case k == math.MaxUint64:
		return math.NaN()
	case k>>63 == 0:
		return math.Float64frombits(^k)
	}
	return math.Float64frombits(k &^ (1 << 63))
}

func intKey(x int64) uint64 { return uint64(x) ^ 1<<63 }

func intOfKey(k uint64) int64 { return int64(k ^ 1<<63) }

// keyOf returns the key, in a graph of type t, of a weight that a float32 holds.
func keyOf(t WeightType, w float32) uint64 {
	if t == WeightsInt64 {
		return intKey(int64(w))
	}
	return floatKey(float64(w))
}

// key returns the key of an entry's weight in a graph of type t.
func (c *CSR) key(t WeightType, e uint64) uint64 {
	switch {
	case t == WeightsInt64:
		return intKey(c.IntWeight(e))
	default:
		return floatKey(c.FloatWeight(e))
	}
}

// weightPacking carries weights of 64 bits through work on rows that knows weights of 32 bits and edge ids
// alone. Rows that are packed have keys in the place of edge ids; where edges have ids too, they have
// tickets, which are places in the sorted list of all weights and ids.
type weightPacking struct {
	t       WeightType
	tickets []ticket // sorted, each once; nil: edges have no ids
}

// ticket is a weight and an edge id.
type ticket struct{ key, id uint64 }

func (a ticket) compare(b ticket) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
}

// newWeightPacking returns nil where rows have no weights of 64 bits, or t has no place for them.
func newWeightPacking(t WeightType, rows ...*CSR) *weightPacking {
	wide, ids := false, false
	for _, c := range rows {
		wide = wide || c != nil && !c.exactWeights()
		ids = ids || c != nil && c.EdgeIDs != nil
	}
	if !wide || t == WeightsFloat32 {
		return nil
	}
	p := &weightPacking{t: t}
	if !ids {
		return p
	}
	p.tickets = []ticket{}
	for _, c := range rows {
		if c == nil || c.EdgeIDs == nil || c.Weights == nil {
			continue
		}
		for e := range c.EdgeIDs {
			p.tickets = append(p.tickets, ticket{c.key(t, uint64(e)), c.EdgeIDs[e]})
		}
	}
	p.sort()
	return p
}

func (p *weightPacking) sort() {
	slices.SortFunc(p.tickets, ticket.compare)
	p.tickets = slices.Compact(p.tickets)
}

// number returns the place of a ticket.
func (p *weightPacking) number(x ticket) uint64 {
	i, _ := slices.BinarySearchFunc(p.tickets, x, ticket.compare)
	return uint64(i)
}

// pack returns rows with keys or tickets as edge ids.
func (p *weightPacking) pack(c *CSR) *CSR {
	if c == nil {
		return nil
	}
	to := *c
	to.IntWeights, to.FloatWeights = nil, nil
	if p == nil || c.Weights == nil {
		return &to
	}
	if p.tickets != nil && c.EdgeIDs == nil {
		return &to // edges that are taken away have none
	}
	to.EdgeIDs = make([]uint64, len(c.Targets))
	hugepage.Expect(to.EdgeIDs)
	for e := range to.EdgeIDs {
		k := c.key(p.t, uint64(e))
		if p.tickets != nil {
			k = p.number(ticket{k, c.EdgeIDs[e]})
		}
		to.EdgeIDs[e] = k
	}
	return &to
}

// unpack gives rows their weights and edge ids back, in place.
func (p *weightPacking) unpack(c *CSR) {
	if p == nil || c == nil || c.EdgeIDs == nil {
		return
	}
	lane := c.EdgeIDs
	c.EdgeIDs = nil
	if p.tickets != nil {
		c.EdgeIDs = make([]uint64, len(lane))
		for e, i := range lane {
			lane[e], c.EdgeIDs[e] = p.tickets[i].key, p.tickets[i].id
		}
	}
	exact := true
	if p.t == WeightsInt64 {
		c.IntWeights = words64[int64](lane)
		for e, k := range lane {
			x := intOfKey(k)
			c.IntWeights[e] = x
			exact = exact && intExact(x)
		}
	} else {
		c.FloatWeights = words64[float64](lane)
		for e, k := range lane {
			x := floatOfKey(k)
			c.FloatWeights[e] = x
			exact = exact && floatExact(x)
		}
	}
	if exact { // those that aren't were dropped
		c.IntWeights, c.FloatWeights = nil, nil
	}
}

// unpackGraph is unpack for the rows of a graph.
func (p *weightPacking) unpackGraph(g *Graph) {
	if p == nil {
		return
	}
	p.unpack(g.out)
	if g.in != g.out {
		p.unpack(g.in)
	}
}
