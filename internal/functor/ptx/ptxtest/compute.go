// This file computes what single instructions do, as the PTX manual has it.

package ptxtest

import (
	"math"
	"math/big"
	"math/bits"
	"strings"
)

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

func of32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func of64(x float64) uint64 { return math.Float64bits(x) }

// signed returns an integer with its sign.
func signed(t string, x uint64) int64 {
	if width(t) == 32 {
		return int64(int32(x))
	}
	return int64(x)
}

func clip(t string, x uint64) uint64 {
	if width(t) == 32 {
		return x & math.MaxUint32
	}
	return x
}

func floats(op, t string, a, b uint64) (uint64, bool) {
	if t == "f32" {
		x, y := f32(a), f32(b)
		switch op {
		case "add":
			return of32(x + y), true
		case "sub":
			return of32(x - y), true
		case "mul":
			return of32(x * y), true
		case "div":
			return of32(x / y), true
		case "sqrt":
			return of32(float32(math.Sqrt(float64(x)))), true
		}
		return 0, false
	}
	x, y := f64(a), f64(b)
	switch op {
	case "add":
		return of64(x + y), true
	case "sub":
		return of64(x - y), true
	case "mul":
		return of64(x * y), true
	case "div":
		return of64(x / y), true
	case "sqrt":
		return of64(math.Sqrt(x)), true
	}
	return 0, false
}

// compute runs an instruction of one or two operands of one type.
func compute(name []string, t string, a, b uint64) (uint64, error) {
	kind := t[0]
	full := strings.Join(name, ".")
	w := width(t)
	if kind == 'f' {
		if full == "abs."+t {
			return a &^ (1 << (w - 1)), nil
		}
		if len(name) == 3 && name[1] == "rn" {
			if x, known := floats(name[0], t, a, b); known {
				return x, nil
			}
		}
		return 0, errUnknown
	}
	x, y := signed(t, a), signed(t, b)
	if kind == 's' && (name[0] == "div" || name[0] == "rem") && y == -1 && x == -1<<(w-1) || y == 0 && (name[0] == "div" || name[0] == "rem") {
		return rubbish(), nil // unspecified
	}
	integer := kind == 's' || kind == 'u'
	switch {
	case full == "add."+t && integer:
		return clip(t, a+b), nil
	case full == "sub."+t && integer:
		return clip(t, a-b), nil
	case full == "mul.lo."+t && integer:
		return clip(t, a*b), nil
	case full == "mul.wide.u32":
		return a * b, nil
	case full == "mul.hi."+t && integer:
		return high(t, a, b), nil
	case full == "neg."+t && kind == 's':
		return clip(t, -a), nil
	case full == "div."+t && kind == 's':
		return clip(t, uint64(x/y)), nil
	case full == "rem."+t && kind == 's':
		return clip(t, uint64(x%y)), nil
	case full == "div."+t && kind == 'u':
		return a / b, nil
	case full == "rem."+t && kind == 'u':
		return a % b, nil
	case full == "min."+t && kind == 's':
		return clip(t, uint64(min(x, y))), nil
	case full == "max."+t && kind == 's':
		return clip(t, uint64(max(x, y))), nil
	case full == "min."+t && kind == 'u':
		return min(a, b), nil
	case full == "max."+t && kind == 'u':
		return max(a, b), nil
	}
	if kind != 'b' && t != "pred" || len(name) != 2 {
		return 0, errUnknown
	}
	switch name[0] {
	case "and":
		return a & b, nil
	case "or":
		return a | b, nil
	case "xor":
		return a ^ b, nil
	case "not":
		if t == "pred" {
			return a ^ 1, nil
		}
		return clip(t, ^a), nil
	}
	if t == "pred" {
		return 0, errUnknown
	}
	switch name[0] {
	case "popc":
		return uint64(bits.OnesCount64(a)), nil
	case "clz":
		return uint64(bits.LeadingZeros64(a) - 64 + w), nil
	case "brev":
		return bits.Reverse64(a) >> (64 - w), nil
	case "prmt": // only as bytes in the other order
		return uint64(bits.ReverseBytes32(uint32(a))), nil
	}
	return 0, errUnknown
}

// shift is clamped to the width.
func shift(op, t string, a, count uint64) uint64 {
	count = min(count, uint64(width(t)))
	switch {
	case op == "shl":
		return clip(t, a<<count)
	case t[0] == 's':
		return clip(t, uint64(signed(t, a)>>count))
	}
	return a >> count
}

func compare(op, t string, a, b uint64) (bool, error) {
	var less, equal, nan bool
	switch t[0] {
	case 'f':
		if t == "f32" {
			x, y := f32(a), f32(b)
			less, equal, nan = x < y, x == y, x != x || y != y
		} else {
			x, y := f64(a), f64(b)
			less, equal, nan = x < y, x == y, x != x || y != y
		}
	case 's':
		less, equal = signed(t, a) < signed(t, b), a == b
	case 'u':
		less, equal = a < b, a == b
	case 'b':
		if op != "eq" && op != "ne" {
			return false, errUnknown
		}
		equal = a == b
	}
	if strings.HasSuffix(op, "u") && len(op) == 3 {
		if t[0] != 'f' {
			return false, errUnknown
		}
		if nan {
			return true, nil
		}
		op = op[:2]
	}
	if nan {
		return false, nil
	}
	switch op {
	case "eq":
		return equal, nil
	case "ne":
		return !equal, nil
	case "lt":
		return less, nil
	case "le":
		return less || equal, nil
	case "gt":
		return !less && !equal, nil
	case "ge":
		return !less, nil
	}
	return false, errUnknown
}

func atomic(name []string, t string, old, x, y uint64) (uint64, error) {
	if len(name) != 4 || name[1] != "global" {
		return 0, errUnknown
	}
	op := name[2]
	switch {
	case op == "add" && t == "f32":
		// Subnormal numbers are taken for zero.
		flush := func(x float32) float32 {
			if math.Abs(float64(x)) < 0x1p-126 {
				return float32(math.Copysign(0, float64(x)))
			}
			return x
		}
		return of32(flush(flush(f32(old)) + flush(f32(x)))), nil
	case op == "add" && t == "f64":
		return of64(f64(old) + f64(x)), nil
	case op == "add" && t[0] == 'u':
		return clip(t, old+x), nil
	case op == "min" && t[0] != 'f' && t[0] != 'b', op == "max" && t[0] != 'f' && t[0] != 'b':
		return compute([]string{op, t}, t, old, x)
	case t[0] != 'b':
		return 0, errUnknown
	case op == "and":
		return old & x, nil
	case op == "or":
		return old | x, nil
	case op == "exch":
		return x, nil
	case op == "cas":
		if old == x {
			return y, nil
		}
		return old, nil
	}
	return 0, errUnknown
}

// convert runs a cvt: name is what is behind the first dot.
func convert(name []string, get func(t string) uint64) (uint64, error) {
	from := name[len(name)-1]
	a := get(from)
	switch strings.Join(name, ".") {
	case "u32.u64":
		return a & math.MaxUint32, nil
	case "u64.u32":
		return a, nil
	case "s64.s32":
		return uint64(signed(from, a)), nil
	case "f64.f32":
		return of64(float64(f32(a))), nil
	case "rni.s32.f64":
		x := math.RoundToEven(f64(a))
		if x != x {
			return clip("s32", rubbish()), nil
		}
		return uint64(uint32(int32(max(min(x, math.MaxInt32), math.MinInt32)))), nil
	case "rn.f32.f64":
		return of32(float32(f64(a))), nil
	}
	if len(name) != 3 {
		return 0, errUnknown
	}
	to := name[1]
	x := f64(a)
	if from == "f32" {
		x = float64(f32(a))
	}
	switch {
	case name[0] == "rn" && to[0] == 'f' && from[0] == 's':
		if to == "f32" {
			return of32(float32(signed(from, a))), nil
		}
		return of64(float64(signed(from, a))), nil
	case name[0] == "rn" && to[0] == 'f' && from[0] == 'u':
		if to == "f32" {
			return of32(float32(a)), nil
		}
		return of64(float64(a)), nil
	case from[0] == 'f' && to == from:
		round := map[string]func(float64) float64{"rmi": math.Floor, "rpi": math.Ceil, "rzi": math.Trunc}[name[0]]
		if round == nil {
			return 0, errUnknown
		}
		if to == "f32" {
			return of32(float32(round(x))), nil
		}
		return of64(round(x)), nil
	case from[0] == 'f' && name[0] == "rzi":
		switch {
		case x != x:
			return clip(to, rubbish()), nil // depends on the architecture
		case to == "s32":
			return uint64(uint32(int32(max(min(math.Trunc(x), math.MaxInt32), math.MinInt32)))), nil
		case to == "s64" && x >= 1<<63:
			return math.MaxInt64, nil
		case to == "s64" && x < -1<<63:
			return 1 << 63, nil
		case to == "s64":
			return uint64(int64(x)), nil
		case to == "u64" && x >= 1<<64:
			return math.MaxUint64, nil
		case to == "u64" && x < 0:
			return 0, nil
		case to == "u64":
			return uint64(x), nil
		}
	}
	return 0, errUnknown
}

// high returns the upper half of a product.
func high(t string, a, b uint64) uint64 {
	x, y := big.NewInt(signed(t, a)), big.NewInt(signed(t, b))
	if t[0] == 'u' {
		x.SetUint64(a)
		y.SetUint64(b)
	}
	x.Rsh(x.Mul(x, y), uint(width(t)))
	if x.IsUint64() {
		return clip(t, x.Uint64())
	}
	return clip(t, uint64(x.Int64()))
}
