package ptx_test

import (
	"math"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/functor/ptx/ptxtest"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// calling returns a functor that calls a function with its fields.
func calling(f ir.Func, args int) *ir.Functor {
	double := ir.Value{Type: ir.Float64, Temp: true}
	m := &ir.Method{Kind: ir.Vertex, Result: ir.Float64, Values: []ir.Value{double, double, double}}
	for i := range m.Inputs {
		m.Inputs[i] = -1
	}
	call := ir.Instr{Op: ir.Call, Func: f, Type: ir.Float64, Dst: 2}
	for i := range args {
		m.Body = append(m.Body, ir.Instr{Op: ir.Scalar, Type: ir.Float64, Dst: i, Field: i})
		call.Args = append(call.Args, ir.Var(i))
	}
	m.Body = append(m.Body, call, ir.Instr{Op: ir.Return, Type: ir.Float64, Dst: -1, Args: []ir.Arg{ir.Var(2)}})
	return &ir.Functor{Name: "F", Fields: []ir.Field{{Name: "X", Type: ir.Float64}, {Name: "Y", Type: ir.Float64}}, Methods: []*ir.Method{m}}
}

// TestExpLogPow: exp, log and pow are Go's to the last bit.
func TestExpLogPow(t *testing.T) {
	testlong.Project(t)
	onAMD64(t)
	r := functorfuzz.NewRand(5)
	special := []float64{0, 1, 0.5, 2, 3, 1e-310, 5e-324, 0x1p-1022, 709.7, 709.79, 745, 746, 1 << 53, 1<<53 + 2, 1 << 62, 1 << 63, 1e300, math.MaxFloat64, math.Inf(1), 0.1, 2.5, 1 + 0x1p-52, 1 - 0x1p-53, math.Sqrt2 / 2}
	for _, x := range special {
		special = append(special, -x)
	}
	special = append(special, math.NaN())
	for _, c := range []struct {
		f    ir.Func
		args int
		want func(x, y float64) float64
	}{
		{ir.Exp, 1, func(x, _ float64) float64 { return math.Exp(x) }},
		{ir.Log, 1, func(x, _ float64) float64 { return math.Log(x) }},
		{ir.Pow, 2, math.Pow},
	} {
		f := calling(c.f, c.args)
		text, err := ptx.Method(f, f.Methods[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Run("assemble "+c.f.String(), func(t *testing.T) { assemble(t, kernel("k", text, f, f.Methods[0])) })
		p, err := ptxtest.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		bad := 0
		try := func(x, y float64) {
			block := []uint64{0, 0, math.Float64bits(x), math.Float64bits(y)}
			got, err := p.Run(new(ptxtest.Memory), block, []uint64{0, 1}, 3000)
			want := math.Float64bits(c.want(x, y))
			if (err != nil || !functorfuzz.Same(ir.Float64, got, want)) && bad < 10 {
				bad++
				t.Errorf("%s(%v, %v) = %v (%#x), want %v (%#x); %v", c.f, x, y, math.Float64frombits(got), got, math.Float64frombits(want), want, err)
			}
		}
		for _, x := range special {
			for _, y := range special {
				try(x, y)
			}
		}
		for range 4000 {
			x, y := math.Float64frombits(r.Bits(ir.Float64)), math.Float64frombits(r.Bits(ir.Float64))
			try(x, y)
			try(r.NormFloat64()*300, r.NormFloat64()*20)
			try(math.Abs(r.NormFloat64())*3, r.NormFloat64()*200)
			try(math.Exp(r.NormFloat64()*100), r.NormFloat64())
		}
	}
}
