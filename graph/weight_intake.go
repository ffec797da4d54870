// This file holds how weights of all types are taken in.

package graph

import (
	"fmt"
	"math"
	"sync"
	"unsafe"
)

// words64 returns the same memory as numbers of another type of 64 bits.
func words64[T int64 | float64 | uint64, U int64 | float64 | uint64](a []U) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(a))), len(a))
}

// count returns how many weights there are.
func (x *extras) count() int {
	switch {
	case x.ints != nil:
		return len(x.ints)
	case x.floats != nil:
		return len(x.floats)
	}
	return len(x.weights)
}

// hasWeights reports whether there are weights, of any type.
func (x *extras) hasWeights() bool { return x.weights != nil || x.ints != nil || x.floats != nil }

// checkForm reports weights of two types.
func (x *extras) checkForm() error {
	if x.ints != nil && (x.floats != nil || x.weights != nil) || x.floats != nil && x.weights != nil {
		return fmt.Errorf("%w: a batch has Weights, IntWeights or FloatWeights, and no two of them", ErrMalformed)
	}
	return nil
}

// scratch32 has slices for rounded weights.
var scratch32 = sync.Pool{New: func() any { return new([]float32) }}

// weigh finds out what the weights of a batch are: their type, whether float32 holds them all, and, as
// x.weights, the float32 nearest to each. release gives memory back.
func (in *intake) weigh(x extras) (y extras, release func(), err error) {
	release = func() {}
	if !in.o.Weights || !x.hasWeights() {
		return x, release, nil
	}
	x.typ = WeightsFloat64
	whole := in.o.WeightType == WeightsInt64
	if x.ints != nil || whole {
		x.typ = WeightsInt64
	}
	if x.ints == nil && x.floats == nil {
		for _, w := range x.weights {
			if whole && !(w >= math.MinInt64 && w < math.MaxInt64 && w == float32(int64(w))) {
				return x, release, notWhole(float64(w))
			}
		}
		return x, release, nil
	}
	buf := scratch32.Get().(*[]float32)
	release = func() { scratch32.Put(buf) }
	n := x.count()
	if cap(*buf) < n {
		*buf = make([]float32, n)
	}
	x.weights = (*buf)[:n]
	switch {
	case x.ints != nil:
		for i, w := range x.ints {
			x.weights[i] = float32(w)
			x.inexact = x.inexact || !intExact(w)
		}
	default:
		for i, w := range x.floats {
			if whole && !(w >= math.MinInt64 && w < math.MaxInt64 && w == math.Trunc(w)) {
				return x, release, notWhole(w)
			}
			x.weights[i] = float32(w)
			x.inexact = x.inexact || !floatExact(w)
			if in.o.WeightType == WeightsFloat32 && math.IsInf(float64(x.weights[i]), 0) && !math.IsInf(w, 0) {
				return x, release, fmt.Errorf("%w: weight %v is past the largest float32; leave Options.WeightType at WeightsAuto", ErrWeights, w)
			}
		}
		if whole {
			x.ints = make([]int64, n)
			for i, w := range x.floats {
				x.ints[i] = int64(w)
			}
			x.floats = nil
		}
	}
	if x.typ == WeightsInt64 && in.o.WeightType == WeightsFloat64 {
		x.typ, x.floats = WeightsFloat64, make([]float64, n)
		for i, w := range x.ints {
			x.floats[i] = float64(w)
		}
		x.ints = nil
	}
	if in.o.WeightType == WeightsFloat32 {
		x.inexact, x.typ, x.ints, x.floats = false, WeightsFloat32, nil, nil
	}
	return x, release, nil
}

func notWhole(w float64) error {
	return fmt.Errorf("%w: weight %v isn't a whole number of 64 bits, as Options.WeightType says; leave that at WeightsAuto", ErrWeights, w)
}

// mergeTypes returns the type of weights of both types.
func mergeTypes(a, b WeightType) WeightType {
	switch {
	case a == WeightsAuto || a == b:
		return b
	case b == WeightsAuto:
		return a
	}
	return WeightsFloat64
}

// appendedType is the type of the weights of a graph that gets the edges of another one.
func appendedType(g, more *Graph) WeightType {
	if more.out.Weights == nil || more.NumEdges() == 0 { // more has no weight type then
		return g.weights
	}
	return mergeTypes(g.weights, min(more.weights, WeightsFloat64))
}

// weightType returns the type of the graph's weights, once all were added.
func (in *intake) weightType() WeightType {
	if in.o.WeightType != WeightsAuto {
		return in.o.WeightType
	}
	if in.weights == WeightsAuto { // a device made the edges, or there are none
		return WeightsFloat64
	}
	return in.weights
}

// keyAt returns the key of a weight of the batch, of the batch's type.
func (x *extras) keyAt(i int) uint64 {
	switch {
	case x.ints != nil:
		return intKey(x.ints[i])
	case x.floats != nil:
		return floatKey(x.floats[i])
	}
	return keyOf(x.typ, x.weights[i])
}

// laneOf is the edge id of an edge of a batch, or the key of its weight.
func (p *passes) laneOf(x *extras, i int) uint64 {
	if p.packing == nil {
		return x.edgeIDs[i]
	}
	k := x.keyAt(i)
	if x.typ == WeightsInt64 && p.packing.t != WeightsInt64 {
		k = floatOfIntKey(k)
	}
	return k
}

// floatOfIntKey makes a key of a float of that of an integer.
func floatOfIntKey(k uint64) uint64 { return floatKey(float64(intOfKey(k))) }

// chunkKeys are the keys of a chunk's weights, in a chunk that has one which float32 doesn't hold.
type chunkKeys struct {
	typ WeightType // WeightsInt64, or WeightsFloat64 once there was a float
	key [chunkLen]uint64
}

// takeKeys copies the keys of n edges of a batch, from edge at on, to place to of the chunk, if either of
// them has weights that float32 doesn't hold.
func (c *chunk) takeKeys(to, n int, x *extras, at int) {
	if x.weights == nil || !x.inexact && c.keys == nil {
		return
	}
	k := c.keys
	if k == nil {
		k = &chunkKeys{typ: x.typ}
		for i, w := range c.w[:to] {
			k.key[i] = floatKey(float64(w))
			if float64(w) != math.Trunc(float64(w)) || math.Abs(float64(w)) > math.MaxInt64/2 {
				k.typ = WeightsFloat64
			}
		}
		if k.typ == WeightsInt64 {
			for i, w := range c.w[:to] {
				k.key[i] = intKey(int64(w))
			}
		}
		c.keys = k
	}
	if k.typ == WeightsInt64 && x.typ != WeightsInt64 {
		k.toFloat(to)
	}
	for i := range n {
		key := x.keyAt(at + i)
		if k.typ == WeightsFloat64 && x.typ == WeightsInt64 {
			key = floatOfIntKey(key)
		}
		k.key[to+i] = key
	}
}

// toFloat makes the first n keys those of floats.
func (k *chunkKeys) toFloat(n int) {
	for i, key := range k.key[:n] {
		k.key[i] = floatOfIntKey(key)
	}
	k.typ = WeightsFloat64
}

// packWeights puts the keys of all weights, or tickets where edges have ids, in the place of the edges' ids,
// where some weight is such that float32 doesn't hold it. It returns what takes them out of the rows again, or nil.
func (b *build) packWeights(t WeightType) (*weightPacking, error) {
	if !b.inexact || t == WeightsFloat32 {
		return nil, nil
	}
	if b.o.DeviceOnly {
		return nil, fmt.Errorf("%w: Options.DeviceOnly, but the weights need 64 bits, and devices build with 32; set Options.WeightType to WeightsFloat32, or leave DeviceOnly out", ErrOptions)
	}
	if b.o.onDevice() || b.o.shardsRows() {
		b.stats.WhyHost = "weights need 64 bits"
	}
	b.o.Device, b.load.o.Device = nil, nil
	if err := b.early.drop(); err != nil {
		return nil, err
	}
	b.early = nil
	var all []*chunk
	for _, l := range [][]chunkList{b.lists, b.low} {
		all = append(all, chunksOf(l)...)
	}
	p := &weightPacking{t: t}
	per := 1
	if b.raw {
		per = 2
	}
	edges := func(c *chunk, raw bool) int {
		if raw {
			return c.n / per
		}
		return c.n
	}
	rawChunks := len(chunksOf(b.lists)) // b.low are pairs in any case
	if b.o.EdgeIDs {
		p.tickets = []ticket{}
		for i, c := range all {
			n := edges(c, i < rawChunks)
			c.settleKeys(t, n)
			for e := range n {
				p.tickets = append(p.tickets, ticket{c.keys.key[e], c.id[e]})
			}
		}
		p.sort()
	}
	b.o.EdgeIDs = true
	b.load.o.EdgeIDs = true
	b.pool.edgeIDs = true
	for i, c := range all {
		n := edges(c, i < rawChunks)
		c.settleKeys(t, n)
		if p.tickets != nil {
			for e := range n {
				c.id[e] = p.number(ticket{c.keys.key[e], c.id[e]})
			}
		} else {
			c.id = &c.keys.key
		}
		c.keys = nil
	}
	// Chunks that are empty get edges with ids too.
	for _, block := range b.pool.blocks {
		for i := range block.chunks {
			if c := &block.chunks[i]; c.id == nil {
				c.id = new([chunkLen]uint64)
			}
		}
	}
	return p, nil
}

// settleKeys gives a chunk of n edges keys of the graph's type.
func (c *chunk) settleKeys(t WeightType, n int) {
	switch {
	case c.keys == nil:
		c.keys = &chunkKeys{typ: t}
		for i, w := range c.w[:n] {
			c.keys.key[i] = keyOf(t, w)
		}
	case c.keys.typ == WeightsInt64 && t != WeightsInt64:
		c.keys.toFloat(n)
	}
}

// negative returns the first edge whose weight Options.NonNegative refuses, or -1.
func (x *extras) negative(o *Options) int {
	if !o.NonNegative || !o.Weights {
		return -1
	}
	for i, w := range x.ints {
		if w < 0 {
			return i
		}
	}
	for i, w := range x.floats {
		if !(w >= 0) {
			return i
		}
	}
	for i, w := range x.weights {
		if !(w >= 0) {
			return i
		}
	}
	return -1
}

// checkNegative returns an error that names the edge.
func (e *Batch) checkNegative(o *Options) error {
	x := e.extras()
	i := x.negative(o)
	if i < 0 {
		return nil
	}
	from, to := "", ""
	switch {
	case i < len(e.Src) && i < len(e.Dst) && e.Type == Uint64:
		from, to = fmt.Sprint(uint64(e.Src[i])), fmt.Sprint(uint64(e.Dst[i]))
	case i < len(e.Src) && i < len(e.Dst):
		from, to = fmt.Sprint(e.Src[i]), fmt.Sprint(e.Dst[i])
	case e.SrcStrings != nil && e.DstStrings != nil && i < e.SrcStrings.Len() && i < e.DstStrings.Len():
		from, to = string(e.SrcStrings.Value(i)), string(e.DstStrings.Value(i))
		if e.SrcStrings.Binary {
			from, to = fmt.Sprintf("%x", from), fmt.Sprintf("%x", to)
		}
	default:
		return nil // the batch has another fault
	}
	return fmt.Errorf("%w: the edge from %.100s to %.100s weighs %v; want 0 or more, also where edges are repeated: leave such edges out, or change them before loading", ErrWeights, from, to, e.FloatWeight(i))
}
