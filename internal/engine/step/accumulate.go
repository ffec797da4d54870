// This file holds what follows a step on a GPU whose functor has accumulators: an operation
// for each, which folds what threads brought to its stripes into the scalar. It is a foreach,
// of a functor that is written here as IR, so that no kernel knows of accumulators.

package step

import (
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/functor/ptx"
)

// accumulators returns a functor's accumulators, bound for a GPU.
func (c *Code) accumulators(p *graph.Placed) ([]link.Accumulator, error) {
	if c.Generated == nil {
		return nil, nil
	}
	return link.Accumulators(c.Generated, p, c.Use.In, c.Use.Into)
}

// Launched ends a step. err is the error of its launches. Accumulators of its
// functor are folded.
func (c *Code) Launched(x *Env, err error) error {
	if err == nil && c.fits && c.Generated.Code().Accumulators == 0 { // its fields were looked at for the launch
		return nil
	}
	accs, bad := c.accumulators(x.Placed)
	switch {
	case err != nil && bad != nil: // the launch found what doesn't fit, too
		return err
	case bad != nil:
		return bad
	case len(accs) == 0:
		return err
	}
	for _, a := range accs {
		if err != nil {
			break
		}
		err = launchFold(x, a)
	}
	if err != nil {
		return errors.Join(err, drop(accs))
	}
	return nil
}

func launchFold(x *Env, a link.Accumulator) error {
	l, err := Launches(x)
	if err != nil {
		return err
	}
	op, code := foldOf(x.Placed, a)
	if err := l.Launch(&Operation{Code: code, Op: op, First: ir.Stripes, Level: x.Level}); err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	return nil
}

// drop frees stripes that a step didn't leave as the next one needs them.
func drop(accs []link.Accumulator) error {
	var errs []error
	for _, a := range accs {
		errs = append(errs, a.Drop())
	}
	return errors.Join(errs...)
}

// fold is the functor that folds an accumulator.
type fold struct {
	code  *link.Code
	at    uint64 // the stripes
	n     uint64 // vertices
	state link.State
}

func (f *fold) Code() *link.Code           { return f.code }
func (f *fold) State(link.Key) *link.State { return &f.state }

func (f *fold) Bind(b *link.Binder) {
	link.Number(b, f.at)
	link.Number(b, uint64(ir.Stripes))
	link.Number(b, f.n)
}

func foldOf(p *graph.Placed, a link.Accumulator) (Op, *Code) {
	f := &fold{code: folds()[a.Type][a.How], at: a.Stripes, n: uint64(p.NumVertices())}
	return Op{Code: OpEach, Flags: AllVertices, Scalar: ScalarAt(a.At)}, &Code{Kind: Vertices, Generated: f, Use: link.Use{How: int(a.How)}}
}

// folds are the functors' codes, by type and fold.
var folds = sync.OnceValue(func() map[ir.Type]map[ir.Fold]*link.Code {
	all := map[ir.Type]map[ir.Fold]*link.Code{}
	for _, t := range []ir.Type{ir.Int64, ir.Uint64, ir.Float64} {
		all[t] = map[ir.Fold]*link.Code{}
		for how := ir.SumFold; how <= ir.OrFold; how++ {
			if t.Float() && (how == ir.SumFold || how == ir.OrFold) {
				continue
			}
			f := folding(t, how)
			text, err := ptx.Method(f, f.Methods[0])
			if err != nil {
				panic(err) // the code below is wrong
			}
			_, words := f.Words()
			all[t][how] = &link.Code{Name: f.Name, Words: words, Vertex: text, VertexResult: t.String()}
		}
	}
	return all
})

// folding is the functor of a type and a fold:
//
//	func (f *fold) Vertex(v traverse.Vertex) T {
//		x := identity
//		for i := uint64(v.ID); i < uint64(len(f.Stripes)); i += f.N {
//			x = join(x, f.Stripes[i])
//			f.Stripes[i] = identity
//		}
//		return x
//	}
func folding(t ir.Type, how ir.Fold) *ir.Functor {
	const (
		stripes, vertices = 0, 1 // fields

		vertex, i, x, n, length, more, y, less = 0, 1, 2, 3, 4, 5, 6, 7 // values
	)
	identity := ir.Const(ptx.IdentityBits(how, t))
	join := []ir.Instr{{Op: ir.Add, Type: t, Dst: x, Args: []ir.Arg{ir.Var(x), ir.Var(y)}}}
	switch less := (ir.Instr{Op: ir.Less, Type: t, Dst: less, Args: []ir.Arg{ir.Var(y), ir.Var(x)}}); how {
	case ir.OrFold:
		join[0].Op = ir.Or
	case ir.MinFold, ir.MaxFold:
		if how == ir.MaxFold {
			less.Args = []ir.Arg{ir.Var(x), ir.Var(y)}
		}
		join = []ir.Instr{less, {Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(less.Dst)}, Then: []ir.Instr{{Op: ir.Move, Type: t, Dst: x, Args: []ir.Arg{ir.Var(y)}}}}}
	}
	loop := []ir.Instr{
		{Op: ir.Less, Type: ir.Uint64, Dst: more, Args: []ir.Arg{ir.Var(i), ir.Var(length)}},
		{Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(more)}, Else: []ir.Instr{{Op: ir.Leave, Dst: -1}}},
		{Op: ir.Load, Type: t, Dst: y, Field: stripes, Args: []ir.Arg{ir.Var(i)}},
		{Op: ir.Store, Type: t, Dst: -1, Field: stripes, Args: []ir.Arg{ir.Var(i), identity}},
	}
	loop = append(append(loop, join...), ir.Instr{Op: ir.Add, Type: ir.Uint64, Dst: i, Args: []ir.Arg{ir.Var(i), ir.Var(n)}})
	return &ir.Functor{
		Name:   "fold",
		Fields: []ir.Field{{Name: "Stripes", Type: t, Slice: true, Written: true}, {Name: "N", Type: ir.Uint64}},
		Methods: []*ir.Method{{
			Kind: ir.Vertex, Result: t, Labels: 1,
			Values: []ir.Value{vertex: {Type: ir.Uint32}, i: {Type: ir.Uint64}, x: {Type: t}, n: {Type: ir.Uint64, Temp: true},
				length: {Type: ir.Uint64, Temp: true}, more: {Type: ir.Bool, Temp: true}, y: {Type: t, Temp: true}, less: {Type: ir.Bool, Temp: true}},
			Inputs: [ir.NumInputs]int{-1, -1, -1, -1, -1, -1, vertex, -1, -1},
			Body: []ir.Instr{
				{Op: ir.Scalar, Type: ir.Uint64, Dst: n, Field: vertices},
				{Op: ir.FieldLen, Type: ir.Int64, Dst: length, Field: stripes},
				{Op: ir.Convert, Type: ir.Uint32, Dst: i, Args: []ir.Arg{ir.Var(vertex)}},
				{Op: ir.Move, Type: t, Dst: x, Args: []ir.Arg{identity}},
				{Op: ir.Loop, Dst: -1, Then: loop},
				{Op: ir.Return, Type: t, Dst: -1, Args: []ir.Arg{ir.Var(x)}},
			},
		}},
	}
}
