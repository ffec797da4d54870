// This file holds the kinds of ids that builders are tested with, and edges of them.

package graph

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// kind is a way to give edges to a Builder: integer ids of one type, or
// strings, spread in some way.
type kind struct {
	name string
	typ  IDType
	id   func(r *rand.Rand, n int) int64 // integers: one of about n ids
}

var kinds = []kind{
	{"int64 close", Int64, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) - int64(n)/3 }},
	{"int64 from 0", Int64, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) }},
	{"int64 scattered", Int64, func(r *rand.Rand, n int) int64 { return int64(mix(uint64(r.IntN(n)))) }},
	{"int64 apart", Int64, func(r *rand.Rand, n int) int64 { return -5000 + r.Int64N(int64(n))*37 }},
	{"int64 two heaps", Int64, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n))*5 - (r.Int64N(2) << 33) }},
	{"int32", Int32, func(r *rand.Rand, n int) int64 { return int64(int32(mix(uint64(r.IntN(n))))) }},
	{"int16", Int16, func(r *rand.Rand, n int) int64 { return int64(int16(mix(uint64(r.IntN(n))))) }},
	{"int8", Int8, func(r *rand.Rand, n int) int64 { return int64(int8(r.IntN(n))) }},
	{"uint64 high", Uint64, func(r *rand.Rand, n int) int64 { return math.MaxInt64 - int64(n)/2 + r.Int64N(int64(n)) }},
	{"uint64 scattered", Uint64, func(r *rand.Rand, n int) int64 { return int64(mix(uint64(r.IntN(n)))) }},
	{"uint32", Uint32, func(r *rand.Rand, n int) int64 { return int64(uint32(mix(uint64(r.IntN(n))))) }},
	{"uint16", Uint16, func(r *rand.Rand, n int) int64 { return int64(uint16(r.IntN(n) * 3)) }},
	{"uint8", Uint8, func(r *rand.Rand, n int) int64 { return int64(uint8(r.IntN(n))) }},
	{"string", String, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) }},
	{"binary", Binary, func(r *rand.Rand, n int) int64 { return r.Int64N(int64(n)) }},
}

func asString(x int64) string {
	switch x % 4 {
	case 0:
		return fmt.Sprint(x)
	case 1:
		return fmt.Sprintf("a common prefix, then %d", x)
	case 2:
		return strings.Repeat("\x00", int(x)%12)
	}
	return string(binary.BigEndian.AppendUint64(nil, mix(uint64(x)))[:1+x%8])
}

// naiveID is the id as naiveBuild has it.
func (k kind) naiveID(x int64) string {
	if !k.typ.Integer() {
		return asString(x)
	}
	return string(binary.BigEndian.AppendUint64(nil, k.typ.orderedKey(x)))
}

// testEdge is an edge as tests make them.
type testEdge struct {
	src, dst int64
	w        float32
	id       uint64
}

// randomEdges makes m edges between about n ids, with hubs, self-loops and
// duplicates.
func (k kind) randomEdges(r *rand.Rand, n, m int) []testEdge {
	weights := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2.5, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), math.Float32frombits(0xffc00001)}
	few := max(1, n/20)
	edges := make([]testEdge, m)
	for i := range edges {
		e := &edges[i]
		e.src, e.dst = k.id(r, n), k.id(r, n)
		switch r.IntN(8) {
		case 0:
			e.dst = e.src
		case 1:
			e.src = k.id(r, few)
		case 2:
			*e = edges[r.IntN(i+1)]
		case 3:
			*e = edges[r.IntN(i+1)]
			e.src, e.dst = e.dst, e.src
		}
		e.w = weights[r.IntN(len(weights))]
		e.id = r.Uint64N(uint64(m)) << r.IntN(40)
	}
	return edges
}

// batch makes a Batch of edges.
func (k kind) batch(edges []testEdge, weighted bool) Batch {
	b := Batch{Type: k.typ}
	src, dst := &Strings{Binary: k.typ == Binary}, &Strings{Binary: k.typ == Binary}
	// Offsets need not begin at zero.
	src.Data = append(src.Data, "skipped"...)
	src.Offsets, dst.Offsets = append(src.Offsets, 7), append(dst.Offsets, 0)
	for _, e := range edges {
		if k.typ.Integer() {
			b.Src, b.Dst = append(b.Src, e.src), append(b.Dst, e.dst)
		} else {
			src.Data, dst.Data = append(src.Data, asString(e.src)...), append(dst.Data, asString(e.dst)...)
			src.Offsets, dst.Offsets = append(src.Offsets, int64(len(src.Data))), append(dst.Offsets, int64(len(dst.Data)))
		}
		if weighted {
			b.Weights = append(b.Weights, e.w)
		}
		b.EdgeIDs = append(b.EdgeIDs, e.id)
	}
	if !k.typ.Integer() {
		b.SrcStrings, b.DstStrings = src, dst
	}
	return b
}

// add adds the edges in batches of random lengths and order, from several
// goroutines, in one of the two ways there are.
func (k kind) add(t testing.TB, r *rand.Rand, edges []testEdge, weighted bool, add func(Batch) error) {
	t.Helper()
	k.addWith(t, r, edges, nil, weighted, add)
}

// addWith is add with vertices among the edges.
func (k kind) addWith(t testing.TB, r *rand.Rand, edges []testEdge, vertices []testVertex, weighted bool, add func(Batch) error) {
	t.Helper()
	edges = slices.Clone(edges)
	r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	var batches []Batch
	for len(edges) > 0 {
		n := min(len(edges), r.IntN(1+len(edges)))
		batches = append(batches, k.batch(edges[:n], weighted))
		edges = edges[n:]
	}
	for len(vertices) > 0 {
		n := min(len(vertices), r.IntN(1+len(vertices)))
		batches = append(batches, k.vertexBatches(vertices[:n])...)
		vertices = vertices[n:]
	}
	r.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	var wait sync.WaitGroup
	adders := 1 + r.IntN(4)
	for a := range adders {
		wait.Go(func() {
			for i := a; i < len(batches); i += adders {
				if err := add(batches[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// addTyped adds a batch by AddInts or AddStrings.
func addTyped(b *Builder, e Batch) error {
	switch {
	case e.Vertices:
		return addTypedVertices(b, e)
	case b.o.EdgeIDs:
		return b.Add(e)
	}
	switch e.Type {
	case Int64:
		return AddInts(b, e.Src, e.Dst, e.Weights)
	case Int32:
		return AddInts(b, narrow[int32](e.Src), narrow[int32](e.Dst), e.Weights)
	case Int16:
		return AddInts(b, narrow[int16](e.Src), narrow[int16](e.Dst), e.Weights)
	case Int8:
		return AddInts(b, narrow[int8](e.Src), narrow[int8](e.Dst), e.Weights)
	case Uint64:
		return AddInts(b, narrow[uint64](e.Src), narrow[uint64](e.Dst), e.Weights)
	case Uint32:
		return AddInts(b, narrow[uint32](e.Src), narrow[uint32](e.Dst), e.Weights)
	case Uint16:
		return AddInts(b, narrow[uint16](e.Src), narrow[uint16](e.Dst), e.Weights)
	case Uint8:
		return AddInts(b, narrow[uint8](e.Src), narrow[uint8](e.Dst), e.Weights)
	}
	return b.AddStrings(*e.SrcStrings, *e.DstStrings, e.Weights)
}

func narrow[T Integer](ids []int64) []T {
	out := make([]T, len(ids))
	for i, x := range ids {
		out[i] = T(x)
	}
	return out
}
