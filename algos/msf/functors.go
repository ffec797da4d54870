// This file holds what happens at an edge.

package msf

import (
	"math"

	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// keys makes keys of weights of 32 bits: the lower the weight, or with Maximum the higher, the lower the key.
//
//foray:functor
type keys struct {
	Keys    []uint32 // of every edge
	Maximum bool
	NaN     traverse.Sum[uint64]
}

func (f *keys) Edge(e traverse.Edge) {
	w := e.Weight
	if w != w {
		f.NaN.Add(1)
	}
	key := uint32(0)
	if w == 0 { // -0 too
		key = 1 << 31
	} else if key = math.Float32bits(w); key>>31 != 0 {
		key = ^key
	} else {
		key |= 1 << 31
	}
	if f.Maximum {
		key = ^key
	}
	f.Keys[e.Index] = key
}
