package ptx

import (
	"math"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// TestConstants converts constants as Go does, or leaves them.
func TestConstants(t *testing.T) {
	for _, f := range []float64{0, 0.9, -0.9, 1, -1, 2.5, -2.5, 1e6 + 0.5, math.MaxInt32, -math.MaxInt32, 1 << 31, 1e18, 1e300, math.Inf(1), math.NaN()} {
		inside := math.Abs(f) < 1<<31
		for to, want := range map[ir.Type]uint64{ir.Int32: uint64(uint32(int32(f))), ir.Int64: uint64(int64(f))} {
			if got, ok := convert(math.Float64bits(f), ir.Float64, to); ok != inside || ok && got != want {
				t.Errorf("%v to %v: %d, %v", f, to, got, ok)
			}
		}
		for to, want := range map[ir.Type]uint64{ir.Uint32: uint64(uint32(math.Abs(f))), ir.Uint64: uint64(math.Abs(f))} {
			if got, ok := convert(math.Float64bits(f), ir.Float64, to); ok != (inside && f > -1) || ok && got != want {
				t.Errorf("%v to %v: %d, %v", f, to, got, ok)
			}
		}
	}
}

// TestConstantIndex has an index that comes of a float: NVIDIA's assembler took 0 from it wrongly.
func TestConstantIndex(t *testing.T) {
	m := &ir.Method{Values: []ir.Value{{Type: ir.Float64}, {Type: ir.Uint64}, {Type: ir.Uint64}, {Type: ir.Uint64}}}
	list := []ir.Instr{
		{Op: ir.Move, Type: ir.Float64, Dst: 0, Args: []ir.Arg{ir.Const(math.Float64bits(1e-249))}},
		{Op: ir.Convert, Type: ir.Float64, Dst: 1, Args: []ir.Arg{ir.Var(0)}},
		{Op: ir.And, Type: ir.Uint64, Dst: 2, Args: []ir.Arg{ir.Var(1), ir.Const(7)}},
		{Op: ir.Sub, Type: ir.Uint64, Dst: 3, Args: []ir.Arg{ir.Var(1), ir.Var(2)}},
	}
	var left []string
	for _, in := range fold(m, list, constants{})[1:] {
		if in.Op != ir.Move || in.Args[0] != ir.Const(0) || in.Type != ir.Uint64 {
			left = append(left, in.Op.String())
		}
	}
	if left != nil {
		t.Errorf("left to the assembler: %s", strings.Join(left, ", "))
	}
}
