// This file lowers accumulators: fields of type traverse.Sum, Min, Max and Or, and calls of
// their method Add.

package source

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// folds are the types of accumulators, by name.
var folds = map[string]ir.Fold{"Sum": ir.SumFold, "Min": ir.MinFold, "Max": ir.MaxFold, "Or": ir.OrFold}

const onlyAdd = "%s is an accumulator; methods call its Add, and what it came to is in its scalar after the step: traverse.Get(t, %s)"

// accumulator reads a field's type if it is an accumulator's; ok reports that the type is valid.
func (f *lowerer) accumulator(e ast.Expr, t types.Type, field *ir.Field) (is, ok bool) {
	n, named := t.(*types.Named)
	if !named || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != Module+"/traverse" || n.TypeArgs().Len() != 1 {
		return false, false
	}
	name := n.Obj().Name()
	fold, known := folds[name]
	if !known {
		return false, false
	}
	if field.Slice {
		f.errorf(e.Pos(), "a slice of accumulators; write to a slice of numbers by atomics, or make one field for each")
		return true, false
	}
	arg := types.Unalias(n.TypeArgs().At(0))
	field.Accumulator, field.Fold = true, fold
	switch b, basic := arg.(*types.Basic); {
	case basic && b.Kind() == types.Invalid:
		return true, false // go/types reports what is wrong
	case basic && (b.Kind() == types.Int64 || b.Kind() == types.Uint64), basic && b.Kind() == types.Float64 && (fold == ir.MinFold || fold == ir.MaxFold):
		field.Type = basicType(b)
		return true, true
	case basic && (b.Kind() == types.Float64 || b.Kind() == types.Float32) && fold == ir.SumFold:
		f.errorf(e.Pos(), "a traverse.Sum of %s would depend on the order of the edges; return the value from Vertex or Apply, which are reduced in one order, or gather it by a reduce", b)
	case basic && b.Info()&types.IsFloat != 0 && fold == ir.OrFold:
		f.errorf(e.Pos(), "a traverse.Or of %s; write traverse.Or[uint64]", b)
	case basic && b.Info()&types.IsNumeric != 0:
		f.errorf(e.Pos(), "a traverse.%s of %s; scalars are int64, uint64 or float64: write traverse.%s[%s], and convert what is added", name, b, name, wider(b))
	default:
		f.errorf(e.Pos(), "a traverse.%s of %s; scalars are int64, uint64 or float64", name, types.TypeString(arg, types.RelativeTo(f.pkg)))
	}
	f.forget(e) // go/types says that the type can't be an argument: once is enough
	return true, false
}

// argument is the type parameter that a type has as its one argument, or nil.
func argument(t types.Type) *types.TypeParam {
	if n, ok := t.(*types.Named); ok && n.TypeArgs().Len() == 1 {
		p, _ := types.Unalias(n.TypeArgs().At(0)).(*types.TypeParam)
		return p
	}
	return nil
}

// wider is the type of a scalar that takes all values of a type.
func wider(b *types.Basic) string {
	switch {
	case b.Info()&types.IsFloat != 0:
		return "float64"
	case b.Info()&types.IsUnsigned != 0:
		return "uint64"
	}
	return "int64"
}

// forget drops the types that go/types has of an expression.
func (u *unit) forget(e ast.Expr) {
	kept := u.problems[:0]
	for _, p := range u.problems {
		if p.Pos < e.Pos() || p.Pos > e.End() {
			kept = append(kept, p)
		}
	}
	u.problems = kept
}

// copied refuses a functor with accumulators, and an accumulator, as a value: Add would work
// on a copy in Go. It reports whether it did.
func (m *method) copied(o types.Object, x operand, pos token.Pos) bool {
	if o == nil {
		return false
	}
	if x.kind == accumulator {
		m.errorf(pos, onlyAdd, m.f.Fields[x.field].Name, m.f.Fields[x.field].Name)
		return true
	}
	if _, pointer := types.Unalias(o.Type()).(*types.Pointer); x.kind != functor || pointer {
		return false
	}
	for _, f := range m.f.Fields {
		if f.Accumulator {
			m.errorf(pos, "a copy of the functor, whose accumulator %s would be a copy too; write *%s", f.Name, m.f.Name)
			return true
		}
	}
	return false
}

// accumulate lowers a call of a method of an accumulator.
func (m *method) accumulate(e *ast.CallExpr, fn *types.Func, receiver ast.Expr) operand {
	x := m.expr(receiver)
	if x.kind != accumulator {
		if x.kind != bad {
			m.errorf(e.Pos(), "a call of %s; functors call methods of their package, and Add of their accumulators", types.ExprString(e.Fun))
		}
		return operand{}
	}
	f := &m.f.Fields[x.field]
	if fn.Name() != "Add" {
		m.errorf(e.Pos(), onlyAdd, f.Name, f.Name)
		return operand{}
	}
	if m.m.Kind == ir.Vertex && m.f.Method(ir.Edge) != nil {
		m.errorf(e.Pos(), "%s.Add in Vertex, which is asked more than once when a vertex is due; call it in Edge", f.Name)
		return operand{}
	}
	args, ok := m.operands(e.Args)
	if !ok || len(args) != 1 {
		return operand{}
	}
	v := args[0]
	if f.Type.Float() { // -0 becomes 0: which of the two comes first must not count
		v = m.op(ir.Add, f.Type, f.Type, e.Pos(), v, ir.Const(0))
	}
	m.emit(ir.Instr{Op: ir.Accumulate, Type: f.Type, Dst: -1, Field: x.field, Args: []ir.Arg{v}, Line: m.line(e.Pos())})
	return operand{kind: none}
}
