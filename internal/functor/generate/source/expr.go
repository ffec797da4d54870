// This file lowers expressions.

package source

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"path/filepath"

	"github.com/foray-graph/foray/internal/functor/ir"
)

func base(path string) string { return filepath.Base(path) }

// basicType returns the type that the IR has for one of Go's, or Void.
func basicType(b *types.Basic) ir.Type {
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return ir.Bool
	case types.Int32, types.UntypedRune:
		return ir.Int32
	case types.Uint32:
		return ir.Uint32
	case types.Int, types.Int64, types.UntypedInt:
		return ir.Int64
	case types.Uint, types.Uint64:
		return ir.Uint64
	case types.Float32:
		return ir.Float32
	case types.Float64, types.UntypedFloat:
		return ir.Float64
	}
	return ir.Void
}

// typeOf returns the type of a local value.
func typeOf(t types.Type) ir.Type {
	if t == nil {
		return ir.Void
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		return basicType(b)
	}
	return ir.Void
}

// typeOf returns the type of a local value in the method that is lowered now.
func (m *method) typeOf(t types.Type) ir.Type {
	if t == nil {
		return ir.Void
	}
	return typeOf(m.frame.bound.of(t))
}

const localTypes = "int32, uint32, int64, uint64, int, uint, float32, float64 and bool"

// badType notes that values of a type can't be had.
func (m *method) badType(pos token.Pos, t types.Type) operand {
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.Invalid {
		m.errorf(pos, "its type is unknown; go build says why")
	} else if m.arrayType(t) != nil {
		m.errorf(pos, "an array of type %s as a parameter or result; functors have arrays as local variables alone: %s", types.TypeString(t, types.RelativeTo(m.pkg)), arrayForm)
	} else {
		m.errorf(pos, "a value of type %s; functors compute with %s", types.TypeString(m.frame.bound.of(t), types.RelativeTo(m.pkg)), localTypes)
	}
	return operand{}
}

// constantOf returns a constant as an operand.
func (m *method) constantOf(v constant.Value, t types.Type, pos token.Pos) operand {
	k := m.typeOf(t)
	switch k {
	case ir.Void:
		return m.badType(pos, t)
	case ir.Bool:
		if constant.BoolVal(v) {
			return constOperand(k, 1)
		}
		return constOperand(k, 0)
	case ir.Float32:
		x, _ := constant.Float32Val(constant.ToFloat(v))
		return constOperand(k, uint64(math.Float32bits(x)))
	case ir.Float64:
		x, _ := constant.Float64Val(constant.ToFloat(v))
		return constOperand(k, math.Float64bits(x))
	}
	v = constant.ToInt(v)
	bits, ok := constant.Uint64Val(v)
	if !ok {
		x, _ := constant.Int64Val(v)
		bits = uint64(x)
	}
	if k.Bits() == 32 {
		bits = uint64(uint32(bits))
	}
	return constOperand(k, bits)
}

// number lowers an expression that has to be a number or a bool.
func (m *method) number(e ast.Expr) operand {
	x := m.expr(e)
	switch x.kind {
	case number, bad:
		return x
	case slice:
		m.errorf(e.Pos(), "a slice stands where a number has to; index it")
	case none:
		m.errorf(e.Pos(), "a call without a result stands where a number has to")
	case array:
		m.errorf(e.Pos(), "an array stands where a number has to; index it. %s", noArrayCopy)
	case accumulator:
		m.errorf(e.Pos(), onlyAdd, m.f.Fields[x.field].Name, m.f.Fields[x.field].Name)
	default:
		m.errorf(e.Pos(), "the functor, an edge, a vertex or a corner stands where a number has to; select a field of it")
	}
	return operand{}
}

// expr lowers an expression.
func (m *method) expr(e ast.Expr) operand {
	if m.full {
		return operand{}
	}
	m.expressions++
	defer func() { m.expressions-- }()
	if m.expressions > maxExpression {
		m.errorf(m.frame.decl.Pos(), "the function %s has an expression of more than %d operators in each other; use local variables", m.frame.fn.Name(), maxExpression)
		return operand{}
	}
	tv := m.info.Types[e]
	if tv.Value != nil {
		return m.constantOf(tv.Value, tv.Type, e.Pos())
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return m.expr(e.X)
	case *ast.Ident:
		return m.ident(e)
	case *ast.SelectorExpr:
		return m.selector(e)
	case *ast.IndexExpr:
		return m.index(e)
	case *ast.BinaryExpr:
		return m.binary(e)
	case *ast.UnaryExpr:
		return m.unary(e)
	case *ast.CallExpr:
		list := m.callExpr(e)
		if len(list) == 1 {
			return list[0]
		}
		m.errorf(e.Pos(), "a call with %d results stands where one value has to", len(list))
		return operand{}
	case *ast.StarExpr:
		if x := m.expr(e.X); x.kind == functor || x.kind == bad {
			return x
		}
		m.errorf(e.Pos(), "a pointer; functors index their slices")
	case *ast.FuncLit:
		m.errorf(e.Pos(), "a function literal; declare a function of the package")
	case *ast.CompositeLit:
		return m.literal(e)
	case *ast.SliceExpr:
		m.errorf(e.Pos(), "a part of a slice; index the slice itself")
	case *ast.TypeAssertExpr:
		m.errorf(e.Pos(), "a type assertion; functors have no interfaces")
	default:
		m.errorf(e.Pos(), "an expression that functors can't have")
	}
	return operand{}
}

// ident lowers a name.
func (m *method) ident(e *ast.Ident) operand {
	o := m.info.Uses[e]
	if x, ok := m.frame.vars[o]; ok {
		return x
	}
	switch o := o.(type) {
	case *types.Nil:
		m.errorf(e.Pos(), "nil; functors have no pointers, and a slice is never nil")
	case *types.Func:
		m.errorf(e.Pos(), "the function %s as a value; call it", o.Name())
	case *types.Var:
		m.errorf(e.Pos(), "the variable %s of the package; make it a constant, or a field of the functor", o.Name())
	default:
		m.errorf(e.Pos(), "%s can't be used in a functor", e.Name)
	}
	return operand{}
}

// selector lowers x.Name: fields of the functor, of an edge, of a vertex.
func (m *method) selector(e *ast.SelectorExpr) operand {
	sel := m.info.Selections[e]
	if sel == nil { // of another package; constants are gone
		m.errorf(e.Pos(), "%s is no constant; of other packages, functors use constants and functions", types.ExprString(e))
		return operand{}
	}
	if sel.Kind() != types.FieldVal {
		m.errorf(e.Pos(), "the method %s as a value; call it", e.Sel.Name)
		return operand{}
	}
	x := m.expr(e.X)
	switch x.kind {
	case functor:
		i, ok := m.fields[origin(sel.Obj())]
		if !ok {
			m.errorf(e.Sel.Pos(), "%s is no field of the functor", e.Sel.Name)
			return operand{}
		}
		f := m.f.Fields[i]
		if f.Slice {
			return operand{kind: slice, t: f.Type, field: i}
		}
		if f.Accumulator {
			return operand{kind: accumulator, t: f.Type, field: i}
		}
		v := m.once([2]int{-1, i}, func() ir.Arg {
			v := m.temp(f.Type)
			m.emit(ir.Instr{Op: ir.Scalar, Type: f.Type, Dst: v, Field: i, Line: m.line(e.Pos())})
			m.m.Values[v].Name = f.Name
			return ir.Var(v)
		})
		return operand{kind: number, t: f.Type, arg: v}
	case edge:
		return m.edgeField(x.of, e)
	case corner:
		return m.cornerField(x.of, e)
	case vertex:
		if e.Sel.Name == "Level" {
			return operand{kind: number, t: ir.Int32, arg: m.input(ir.Level, ir.Int32)}
		}
		return operand{kind: number, t: ir.Uint32, arg: m.input(ir.VertexID, ir.Uint32)}
	case number:
		m.badType(e.Pos(), m.info.TypeOf(e.X))
	}
	return operand{}
}

// edgeField lowers a field of an edge. Weights and ids are loaded where they are used.
func (m *method) edgeField(of *parts, e *ast.SelectorExpr) operand {
	x := operand{kind: number, t: ir.Uint32}
	field := -1
	switch name := e.Sel.Name; {
	case of != nil && name == "Source":
		return of.vertices[0]
	case of != nil && name == "Target":
		return of.vertices[1]
	case of != nil && name == "Index":
		return of.edges[0]
	}
	switch e.Sel.Name {
	case "Source":
		x.arg = m.input(ir.Source, x.t)
	case "Target":
		x.arg = m.input(ir.Target, x.t)
	case "Level":
		x.t = ir.Int32
		x.arg = m.input(ir.Level, x.t)
	case "Index":
		m.f.Index = true
		x.t = ir.Uint64
		x.arg = m.input(ir.Index, x.t)
	case "Weight":
		m.f.Weights = true
		x.t, field = ir.Float32, m.f.WeightsField()
	case "ID":
		m.f.IDs = true
		x.t, field = ir.Uint64, m.f.IDsField()
	default:
		m.errorf(e.Sel.Pos(), "an edge has no %s", e.Sel.Name)
		return operand{}
	}
	if field >= 0 {
		index := m.input(ir.Index, ir.Uint64)
		if of != nil {
			index = of.edges[0].arg
		}
		x.arg = m.once([2]any{e.Sel.Name, index}, func() ir.Arg {
			a := m.load(field, x.t, index, e.Pos())
			m.m.Values[a.Value].Name = m.f.FieldOf(field).Name
			return a
		})
	}
	return x
}

func (m *method) load(field int, t ir.Type, index ir.Arg, pos token.Pos) ir.Arg {
	v := m.temp(t)
	m.emit(ir.Instr{Op: ir.Load, Type: t, Dst: v, Field: field, Args: []ir.Arg{index}, Line: m.line(pos)})
	return ir.Var(v)
}

// index lowers the reading of an element.
func (m *method) index(e *ast.IndexExpr) operand {
	x, i := m.element(e)
	if x.kind == array && i.kind == number {
		return operand{kind: number, t: x.t, arg: m.loadLocal(x.field, x.t, m.localIndex(x.field, i, e.Pos()), e.Pos())}
	}
	if x.kind != slice || i.kind != number {
		return operand{}
	}
	at := m.checked(x.field, i, e.Pos())
	m.pending = append(m.pending, x.field)
	return operand{kind: number, t: x.t, arg: m.load(x.field, x.t, at, e.Pos())}
}

// element lowers the slice and the index of x[i].
func (m *method) element(e *ast.IndexExpr) (x, i operand) {
	if tv, ok := m.info.Types[e.X]; ok && !tv.IsType() {
		if _, ok := tv.Type.Underlying().(*types.Signature); ok {
			m.errorf(e.Pos(), "a function as a value; call it")
			return x, i
		}
	}
	x = m.expr(e.X)
	if x.kind != slice && x.kind != array && x.kind != bad {
		m.errorf(e.X.Pos(), "only slices that are fields of the functor, and local arrays, can be indexed")
		return operand{}, i
	}
	return x, m.number(e.Index)
}

// checked returns an index as Uint64. It is checked where an operator didn't hand it out.
func (m *method) checked(field int, i operand, pos token.Pos) ir.Arg {
	f := &m.f.Fields[field]
	if in, ok := m.direct[i.arg.Value]; ok && i.arg.Value >= 0 {
		if in == ir.Index {
			f.PerEdge = true
			return m.input(ir.Index, ir.Uint64)
		}
		f.PerVertex = true
		f.ByTarget = f.ByTarget || in == ir.Target && m.m.Kind == ir.Edge
		return m.wide(in)
	}
	if in, ok := m.given[i.arg.Value]; ok && i.arg.Value >= 0 {
		f.PerEdge = f.PerEdge || in == ir.Index
		f.PerVertex = f.PerVertex || in != ir.Index
		return m.convert(i, ir.Uint64, pos).arg
	}
	if of, ok := m.inside[i.arg.Value]; ok && i.arg.Value >= 0 && of == field {
		return m.convert(i, ir.Uint64, pos).arg
	}
	t := ir.Uint64
	if i.t.Signed() {
		t = ir.Int64
	}
	i = m.convert(i, t, pos)
	site := m.site(pos, "index of "+f.Name)
	m.emit(ir.Instr{Op: ir.Check, Type: t, Dst: -1, Field: field, Args: []ir.Arg{i.arg}, Site: site, Line: m.line(pos)})
	return m.convert(i, ir.Uint64, pos).arg
}

// wide returns a vertex that an operator handed out as Uint64.
func (m *method) wide(in ir.Input) ir.Arg {
	return m.once(in, func() ir.Arg {
		return m.op(ir.Convert, ir.Uint32, ir.Uint64, token.NoPos, ir.Var(m.m.Inputs[in]))
	})
}

// convert converts between numbers.
func (m *method) convert(x operand, t ir.Type, pos token.Pos) operand {
	if x.kind != number || x.t == t {
		return x
	}
	if x.arg.Value < 0 && x.t.Integer() && t.Integer() {
		bits := x.arg.Bits
		if x.t == ir.Int32 {
			bits = uint64(int32(bits))
		}
		if t.Bits() == 32 {
			bits = uint64(uint32(bits))
		}
		return constOperand(t, bits)
	}
	a := m.op(ir.Convert, x.t, t, pos, x.arg)
	if in, ok := m.direct[x.arg.Value]; ok && x.arg.Value >= 0 && t.Integer() && t.Bits() == 64 {
		m.direct[a.Value] = in
	}
	if in, ok := m.given[x.arg.Value]; ok && x.arg.Value >= 0 && t.Integer() && t.Bits() == 64 {
		m.given[a.Value] = in
	}
	return operand{kind: number, t: t, arg: a}
}
