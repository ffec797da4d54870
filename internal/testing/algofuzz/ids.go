// This file draws external ids.

package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// ids are the external ids of a graph's vertices, in ascending order: vertex i of the model has the i-th.
type ids struct {
	kind    string
	typ     graph.IDType
	ints    []int64  // of integers, a Uint64 bit for bit
	strings [][]byte // of strings and binary
	sides   int      // vertices below it are sources and the others targets; 0 where sides aren't separate
}

// drawIDs draws ids of n vertices. Those of rows may have forms that a Builder doesn't make.
func drawIDs(r *rand.Rand, n, sides int, rows bool) ids {
	x := ids{sides: sides}
	const dense = 2 // so many kinds of ids are vertices already
	switch k := r.IntN(9); {
	case k < dense && sides == 0:
		x.kind, x.ints = "dense", make([]int64, n)
		if rows && k == 0 {
			x.kind = "none"
		}
		for i := range x.ints {
			x.ints[i] = int64(i)
		}
	case k < 7:
		x.typ = graph.IDType(r.IntN(int(graph.Uint8) + 1))
		x.kind = x.typ.String()
		x.ints = x.side(n-sides, r)
		if sides > 0 {
			x.ints = append(x.side(sides, r), x.ints...)
		}
	default:
		x.typ = []graph.IDType{graph.String, graph.Binary}[r.IntN(2)]
		x.kind = x.typ.String()
		x.strings = stringIDs(r, n-sides)
		if sides > 0 {
			x.strings = append(stringIDs(r, sides), x.strings...)
		}
	}
	return x
}

// side draws ascending integers of the type, which becomes a wider one where it hasn't as many.
func (x *ids) side(n int, r *rand.Rand) []int64 {
	least, bits := int64(0), map[graph.IDType]int{graph.Int8: 8, graph.Uint8: 8, graph.Int16: 16, graph.Uint16: 16, graph.Int32: 32, graph.Uint32: 32}[x.typ]
	if bits == 8 && n > 200 {
		x.typ, bits = graph.Int32, 32
	}
	if bits == 0 {
		bits = 64
	}
	if x.typ.Signed() {
		least = -1 << (bits - 1)
	}
	room := int64(math.MaxInt64)
	if bits < 64 {
		room = 1<<bits - 1
	}
	gap := max(room/int64(n+1)-1, 1)
	if r.IntN(2) == 0 {
		gap = min(gap, 3) // near each other
	}
	at := least
	if x.typ == graph.Uint64 {
		at = math.MaxInt64 - int64(r.IntN(n+1)) // some are beyond it
		gap = min(gap, 1<<40)
	}
	all := make([]int64, n)
	for i := range all {
		at += 1 + r.Int64N(gap)
		all[i] = at
	}
	return all
}

// stringIDs draws different strings, in ascending order.
func stringIDs(r *rand.Rand, n int) (all [][]byte) {
	prefix := []string{"", "v", "https://example.org/vertices/", "\x00\xff"}[r.IntN(4)]
	for i := range n {
		s := fmt.Append(nil, prefix, i)
		if r.IntN(8) == 0 {
			s = append(s, bytes.Repeat([]byte{'x'}, r.IntN(40))...)
		}
		all = append(all, s)
	}
	if n > 0 && r.IntN(4) == 0 {
		all[0] = []byte{}
	}
	slices.SortFunc(all, bytes.Compare)
	return all
}
