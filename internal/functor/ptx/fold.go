// This file prints reductions.

package ptx

import (
	"math"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Fold returns the PTX of a reduction of two values: $0 = fold($1, $2), in registers as wide
// as the type. It is "" for a type without reductions.
func Fold(kind ir.Fold, t ir.Type) (text string) {
	if !t.Integer() && !t.Float() {
		return ""
	}
	bits, n := bitsOf(t), number(t)
	line := func(parts ...string) string { return "\t" + strings.Join(parts, "") + ";\n" }
	switch {
	case t.Float() && (kind == ir.MinFold || kind == ir.MaxFold):
		name := "lt"
		if kind == ir.MaxFold {
			name = "gt"
		}
		return "{\n\t.reg .pred f_p<1>;\n" +
			line("setp.", name, ".", n, " f_p0, $2, $1") +
			line("setp.neu.or.", n, " f_p0, $1, $1, f_p0") +
			line("selp.", bits, " $0, $2, $1, f_p0") + "}\n"
	case kind == ir.MinFold:
		return "{\n" + line("min.", n, " $0, $1, $2") + "}\n"
	case kind == ir.MaxFold:
		return "{\n" + line("max.", n, " $0, $1, $2") + "}\n"
	case kind == ir.OrFold && t.Integer():
		return "{\n" + line("or.", bits, " $0, $1, $2") + "}\n"
	case t.Float():
		return "{\n" + line("add.rn.", n, " $0, $1, $2") + "}\n"
	}
	return "{\n" + line("add.", n, " $0, $1, $2") + "}\n"
}

// Identity returns the PTX of a reduction's identity: $0 = identity.
func Identity(kind ir.Fold, t ir.Type) (text string) {
	if !t.Integer() && !t.Float() {
		return ""
	}
	return "{\n\tmov." + bitsOf(t) + " $0, " + integer(IdentityBits(kind, t), t.Bits()) + ";\n}\n"
}

// IdentityBits returns the bits of a reduction's identity.
func IdentityBits(kind ir.Fold, t ir.Type) uint64 {
	if kind != ir.MinFold && kind != ir.MaxFold {
		return 0
	}
	least := kind == ir.MaxFold
	switch t {
	case ir.Int32, ir.Int64:
		if least {
			return 1 << (t.Bits() - 1)
		}
		return 1<<(t.Bits()-1) - 1
	case ir.Uint32, ir.Uint64:
		if least {
			return 0
		}
		return math.MaxUint64 >> (64 - t.Bits())
	}
	sign := 1
	if least {
		sign = -1
	}
	if t == ir.Float32 {
		return uint64(math.Float32bits(float32(math.Inf(sign))))
	}
	return math.Float64bits(math.Inf(sign))
}
