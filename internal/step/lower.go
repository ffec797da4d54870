// This file holds what brings copies of an array together: a foreach of a functor that is written here as IR.

package step

import (
	"sync"

	"github.com/foray-graph/foray/internal/ir"
	"github.com/foray-graph/foray/internal/made"
	"github.com/foray-graph/foray/internal/ptx"
)

// Lower enqueues, for a part of a graph, the lowering of its vertices' entries of an array of uint32 to those of
// another copy, which may be on another device.
func Lower(x *Env, mine, other uintptr) error {
	l, err := Launches(x)
	if err != nil {
		return err
	}
	f := &lower{mine: mine, other: other, n: x.Placed.Remote().Dealt.Across.Numbers()}
	return l.Launch(&Operation{Code: &Code{Kind: Vertices, Made: f}, Op: Op{Code: OpEach, Flags: AllVertices}, Level: x.Level})
}

// lower is the functor.
type lower struct {
	mine, other uintptr
	n           int
	state       made.State
}

func (*lower) Code() *made.Code             { return lowers() }
func (f *lower) State(made.Key) *made.State { return &f.state }

func (f *lower) Bind(b *made.Binder) {
	for _, at := range []uintptr{f.mine, f.other} {
		made.Number(b, uint64(at))
		made.Number(b, uint64(f.n))
	}
}

// lowers is the code of
//
//	func (f *lower) Vertex(v traverse.Vertex) {
//		if x := f.Other[v.ID]; x < f.Mine[v.ID] {
//			f.Mine[v.ID] = x
//		}
//	}
var lowers = sync.OnceValue(func() *made.Code {
	const (
		mine, other = 0, 1 // fields

		vertex, i, x, y, less = 0, 1, 2, 3, 4 // values
	)
	f := &ir.Functor{
		Name:   "lower",
		Fields: []ir.Field{{Name: "Mine", Type: ir.Uint32, Slice: true, Written: true}, {Name: "Other", Type: ir.Uint32, Slice: true}},
		Methods: []*ir.Method{{
			Kind: ir.Vertex, Labels: 1,
			Values: []ir.Value{vertex: {Type: ir.Uint32}, i: {Type: ir.Uint64}, x: {Type: ir.Uint32, Temp: true}, y: {Type: ir.Uint32, Temp: true}, less: {Type: ir.Bool, Temp: true}},
			Inputs: [ir.NumInputs]int{-1, -1, -1, -1, -1, -1, vertex, -1},
			Body: []ir.Instr{
				{Op: ir.Convert, Type: ir.Uint32, Dst: i, Args: []ir.Arg{ir.Var(vertex)}},
				{Op: ir.Load, Type: ir.Uint32, Dst: x, Field: other, Args: []ir.Arg{ir.Var(i)}},
				{Op: ir.Load, Type: ir.Uint32, Dst: y, Field: mine, Args: []ir.Arg{ir.Var(i)}},
				{Op: ir.Less, Type: ir.Uint32, Dst: less, Args: []ir.Arg{ir.Var(x), ir.Var(y)}},
				{Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(less)}, Then: []ir.Instr{
					{Op: ir.Store, Type: ir.Uint32, Dst: -1, Field: mine, Args: []ir.Arg{ir.Var(i), ir.Var(x)}},
				}},
			},
		}},
	}
	text, err := ptx.Method(f, f.Methods[0])
	if err != nil {
		panic(err) // of what is written above
	}
	_, words := f.Words()
	return &made.Code{Name: f.Name, Words: words, Vertex: text}
})
