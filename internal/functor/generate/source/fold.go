// This file computes operations whose operands are all constants. Go has done so for those of
// a function itself; helpers that are inlined compute with constants where their arguments
// are.

package source

import (
	"cmp"
	"math"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// fold returns what an operation on constants gives. It isn't ok where the operation faults,
// or where what it gives depends on the machine.
func fold(op ir.Op, t, result ir.Type, args []ir.Arg) (bits uint64, ok bool) {
	var b [2]uint64
	for i, a := range args {
		if a.Value >= 0 || i >= len(b) {
			return 0, false
		}
		b[i] = a.Bits
	}
	switch op {
	case ir.Move, ir.Bits, ir.Call:
		return 0, false
	case ir.Convert:
		return foldConvert(t, result, b[0])
	}
	switch t {
	case ir.Bool:
		return foldBool(op, b[0], b[1])
	case ir.Int32:
		x, ok := foldInteger(op, int32(b[0]), int32(b[1]), b[1])
		return uint64(uint32(x)), ok
	case ir.Uint32:
		x, ok := foldInteger(op, uint32(b[0]), uint32(b[1]), b[1])
		return uint64(x), ok
	case ir.Int64:
		x, ok := foldInteger(op, int64(b[0]), int64(b[1]), b[1])
		return uint64(x), ok
	case ir.Uint64:
		return foldInteger(op, b[0], b[1], b[1])
	case ir.Float32:
		x, y := math.Float32frombits(uint32(b[0])), math.Float32frombits(uint32(b[1]))
		if isComparison(op) {
			return foldComparison(op, x, y), true
		}
		z, ok := foldFloat(op, x, y)
		return uint64(math.Float32bits(z)), ok
	case ir.Float64:
		x, y := math.Float64frombits(b[0]), math.Float64frombits(b[1])
		if isComparison(op) {
			return foldComparison(op, x, y), true
		}
		z, ok := foldFloat(op, x, y)
		return math.Float64bits(z), ok
	}
	return 0, false
}

func isComparison(op ir.Op) bool {
	return op == ir.Equal || op == ir.NotEqual || op == ir.Less || op == ir.LessEqual
}

func foldComparison[T cmp.Ordered](op ir.Op, x, y T) uint64 {
	var is bool
	switch op {
	case ir.Equal:
		is = x == y
	case ir.NotEqual:
		is = x != y
	case ir.Less:
		is = x < y
	case ir.LessEqual:
		is = x <= y
	}
	if is {
		return 1
	}
	return 0
}

func foldBool(op ir.Op, x, y uint64) (uint64, bool) {
	switch op {
	case ir.And:
		return x & y, true
	case ir.Or:
		return x | y, true
	case ir.Xor:
		return x ^ y, true
	case ir.Not:
		return x ^ 1, true
	}
	return 0, false
}

// foldInteger takes the distance of a shift separately. Comparisons give 0 or 1.
func foldInteger[T int32 | uint32 | int64 | uint64](op ir.Op, x, y T, by uint64) (T, bool) {
	switch op {
	case ir.Add:
		return x + y, true
	case ir.Sub:
		return x - y, true
	case ir.Mul:
		return x * y, true
	case ir.Div, ir.Rem:
		switch {
		case y == 0:
			return 0, false
		case op == ir.Div:
			return x / y, true
		}
		return x % y, true
	case ir.And:
		return x & y, true
	case ir.Or:
		return x | y, true
	case ir.Xor:
		return x ^ y, true
	case ir.AndNot:
		return x &^ y, true
	case ir.Shl:
		return x << by, true
	case ir.Shr:
		return x >> by, true
	case ir.Neg:
		return -x, true
	case ir.Not:
		return ^x, true
	}
	return T(foldComparison(op, x, y)), isComparison(op)
}

func foldFloat[T float32 | float64](op ir.Op, x, y T) (T, bool) {
	switch op {
	case ir.Add:
		return x + y, true
	case ir.Sub:
		return x - y, true
	case ir.Mul:
		return x * y, true
	case ir.Div:
		return x / y, true
	case ir.Neg:
		return -x, true
	}
	return 0, false
}

// foldConvert converts. Floats that don't fit an integer aren't converted here.
func foldConvert(from, to ir.Type, bits uint64) (uint64, bool) {
	var x float64
	switch from {
	case ir.Float32:
		x = float64(math.Float32frombits(uint32(bits)))
	case ir.Float64:
		x = math.Float64frombits(bits)
	default:
		return integerToFloat(from, to, bits)
	}
	switch to {
	case ir.Float32:
		return uint64(math.Float32bits(float32(x))), true
	case ir.Float64:
		return math.Float64bits(x), true
	case ir.Int32:
		return uint64(uint32(int32(x))), x > -1<<31-1 && x < 1<<31
	case ir.Uint32:
		return uint64(uint32(x)), x > -1 && x < 1<<32
	case ir.Int64:
		return uint64(int64(x)), x >= -1<<63 && x < 1<<63
	case ir.Uint64:
		return uint64(x), x > -1 && x < 1<<64
	}
	return 0, false
}

func integerToFloat(from, to ir.Type, bits uint64) (uint64, bool) {
	switch {
	case from == ir.Int32:
		bits = uint64(int32(bits))
	case !from.Integer():
		return 0, false
	}
	switch {
	case to == ir.Float32 && from.Signed():
		return uint64(math.Float32bits(float32(int64(bits)))), true
	case to == ir.Float32:
		return uint64(math.Float32bits(float32(bits))), true
	case to == ir.Float64 && from.Signed():
		return math.Float64bits(float64(int64(bits))), true
	case to == ir.Float64:
		return math.Float64bits(float64(bits)), true
	}
	return 0, false
}

// foldMin computes min and max, of Go, of constants.
func foldMin(f ir.Func, t ir.Type, a, b ir.Arg) (bits uint64, ok bool) {
	if a.Value >= 0 || b.Value >= 0 || f != ir.Min && f != ir.Max {
		return 0, false
	}
	if t.Float() {
		x, y := math.Float64frombits(a.Bits), math.Float64frombits(b.Bits)
		if t == ir.Float32 {
			x, y = float64(math.Float32frombits(uint32(a.Bits))), float64(math.Float32frombits(uint32(b.Bits)))
		}
		z := max(x, y)
		if f == ir.Min {
			z = min(x, y)
		}
		return foldConvert(ir.Float64, t, math.Float64bits(z))
	}
	less, ok := fold(ir.Less, t, ir.Bool, []ir.Arg{a, b})
	if (less != 0) == (f == ir.Min) {
		return a.Bits, ok
	}
	return b.Bits, ok
}
