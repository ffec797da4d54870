package ptx_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

// someNumbers returns bits of integers: small ones, powers of two and those beside them, with either
// sign, and random ones.
func someNumbers(r *rand.Rand) []uint64 {
	var all []uint64
	for n := range 64 {
		for _, x := range []uint64{1<<n - 1, 1 << n, 1<<n + 1, 3 << n, r.Uint64() >> n} {
			all = append(all, x, -x)
		}
	}
	return all
}

// quotients has what Go gives for a/b and a%b.
func quotients[T int32 | uint32 | int64 | uint64](a, b uint64, bits int) (quotient, rest uint64) {
	const all = ^uint64(0)
	x, y := T(a), T(b)
	return uint64(x/y) & (all >> (64 - bits)), uint64(x%y) & (all >> (64 - bits))
}

// TestDivideByConstants divides by constants, which takes no division of 32 bits.
func TestDivideByConstants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := someNumbers(r)
	n := 0
	for typ, of := range map[ir.Type]func(a, b uint64, bits int) (uint64, uint64){
		ir.Int32: quotients[int32], ir.Uint32: quotients[uint32], ir.Int64: quotients[int64], ir.Uint64: quotients[uint64],
	} {
		narrow := func(x uint64) uint64 { return x & (^uint64(0) >> (64 - typ.Bits())) }
		for _, d := range numbers {
			if narrow(d) == 0 {
				continue
			}
			if typ == ir.Int32 {
				d = uint64(int64(int32(d)))
			} else if typ == ir.Uint32 {
				d = narrow(d)
			}
			f := &ir.Functor{Name: "F", Fields: []ir.Field{{Name: "X", Type: typ, Slice: true, PerVertex: true, Written: true}, {Name: "Y", Type: typ, Slice: true, PerVertex: true, Written: true}}}
			m := &ir.Method{Kind: ir.Vertex, Result: ir.Void, Inputs: [ir.NumInputs]int{-1, -1, -1, -1, -1, -1, 0, -1, -1}}
			m.Values = []ir.Value{{Type: ir.Uint32}, {Type: ir.Uint64}, {Type: typ}, {Type: typ}}
			m.Body = []ir.Instr{
				{Op: ir.Convert, Type: ir.Uint32, Dst: 1, Args: []ir.Arg{ir.Var(0)}},
				{Op: ir.Load, Type: typ, Dst: 2, Field: 0, Args: []ir.Arg{ir.Var(1)}},
				{Op: ir.Div, Type: typ, Dst: 3, Args: []ir.Arg{ir.Var(2), ir.Const(d)}},
				{Op: ir.Rem, Type: typ, Dst: 2, Args: []ir.Arg{ir.Var(2), ir.Const(d)}}, // in place
				{Op: ir.Store, Type: typ, Dst: -1, Field: 0, Args: []ir.Arg{ir.Var(1), ir.Var(3)}},
				{Op: ir.Store, Type: typ, Dst: -1, Field: 1, Args: []ir.Arg{ir.Var(1), ir.Var(2)}},
				{Op: ir.Return, Type: ir.Void, Dst: -1},
			}
			f.Methods = []*ir.Method{m}
			p, err := functorfuzz.Parse(f)
			if err != nil {
				t.Fatal(err)
			}
			if (typ.Bits() == 32 || typ == ir.Uint64 && d&(d-1) == 0) && (strings.Contains(p.String(), "div.") || strings.Contains(p.String(), "rem.")) {
				t.Fatalf("a division by a constant is left:\n%s", p)
			}
			for range 12 {
				a := narrow(numbers[r.IntN(len(numbers))])
				data := &functorfuzz.Data{Slices: [][]uint64{{a}, {0}}, Scalars: make([]uint64, 2)}
				if _, err := p.Call(m, data, &functorfuzz.Inputs{}); err != nil {
					t.Fatal(err)
				}
				q, rest := of(a, d, typ.Bits())
				if got := data.Slices; got[0][0] != q || got[1][0] != rest {
					t.Fatalf("%s: %#x by %#x is %#x, rest %#x; want %#x, %#x\n%s", typ, a, d, got[0][0], got[1][0], q, rest, p)
				}
				n++
			}
		}
	}
	if n == 0 {
		t.Error("nothing was divided")
	}
}
