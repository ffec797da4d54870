// This file lowers local arrays of constant length.

package source

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/foray-graph/foray/internal/functor/ir"
)

const (
	arrayForm   = "declare it where it is used: var a [8]uint32"
	noArrayCopy = "an array is used as a whole; functors assign and compare its elements, in a loop"
)

// arrayType returns the array that a type is, or nil.
func (m *method) arrayType(t types.Type) *types.Array {
	if t == nil {
		return nil
	}
	a, _ := m.frame.bound.of(t).Underlying().(*types.Array)
	return a
}

// newArray makes an array, whose elements are zero from here on.
func (m *method) newArray(t *types.Array, name string, pos token.Pos) operand {
	elem := m.typeOf(t.Elem())
	switch {
	case m.arrayType(t.Elem()) != nil:
		m.errorf(pos, "an array of arrays; use one array of all elements, and compute the index")
		return operand{}
	case elem == ir.Bool:
		m.errorf(pos, "an array of bool; use uint32, of 0 and 1")
		return operand{}
	case elem == ir.Void:
		return m.badType(pos, t.Elem())
	case t.Len() <= 0:
		m.errorf(pos, "an array without elements")
		return operand{}
	}
	if t.Len() > maxArrays {
		m.arrays = maxArrays + 1
	} else {
		m.arrays += (int(t.Len())*elem.Bits()/8 + 7) / 8 * 8
	}
	if m.arrays > maxArrays {
		m.errorf(pos, "the arrays of the functor %s have more than %d bytes, with all calls inlined; use a slice of the functor, with a part for each vertex", m.spec.Name.Name, maxArrays)
		m.arrays = 0
		return operand{}
	}
	m.m.Arrays = append(m.m.Arrays, ir.Array{Name: name, Type: elem, Len: int(t.Len())})
	n := len(m.m.Arrays) - 1
	m.emit(ir.Instr{Op: ir.ZeroLocal, Type: elem, Dst: -1, Field: n, Line: m.line(pos)})
	return operand{kind: array, t: elem, field: n}
}

// literal lowers a composite literal of an array type.
func (m *method) literal(e *ast.CompositeLit) operand {
	t := m.arrayType(m.info.TypeOf(e))
	if t == nil {
		m.errorf(e.Pos(), "a composite literal; use local variables, or fields of the functor")
		return operand{}
	}
	a := m.newArray(t, "a", e.Pos())
	if a.kind == bad {
		return a
	}
	a.fresh = true
	at := int64(0)
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if v := m.info.Types[kv.Key].Value; v != nil {
				at, _ = constant.Int64Val(constant.ToInt(v))
			}
			x = kv.Value
		}
		v := m.number(x)
		if v.kind != number || at < 0 || at >= t.Len() {
			return operand{}
		}
		m.emit(ir.Instr{Op: ir.StoreLocal, Type: a.t, Dst: -1, Field: a.field, Args: []ir.Arg{ir.Const(uint64(at)), v.arg}, Line: m.line(x.Pos())})
		at++
	}
	return a
}

// bindArray gives an array its name. It reports whether x is one, or stands for one.
func (m *method) bindArray(o types.Object, x operand, pos token.Pos) bool {
	switch {
	case x.kind != array:
		return false
	case !x.fresh:
		m.errorf(pos, "%s", noArrayCopy)
		x = operand{}
	case m.frame.assigned[o]:
		m.errorf(pos, "%s is assigned again; %s", o.Name(), noArrayCopy)
		x = operand{}
	default:
		m.m.Arrays[x.field].Name = o.Name()
		x.fresh = false
	}
	m.frame.vars[o] = x
	return true
}

// whole notes that an array is used as a whole where a function takes it.
func (m *method) whole(e *ast.CallExpr, args []operand) bool {
	if !slices.ContainsFunc(args, func(x operand) bool { return x.kind == array }) {
		return false
	}
	m.errorf(e.Pos(), "an array as an argument; functions take numbers and slices of the functor: pass the elements that they need, or write the loop here")
	return true
}

// localIndex returns an index of an array as Uint64. It is checked unless it is known to be right.
func (m *method) localIndex(n int, i operand, pos token.Pos) ir.Arg {
	x := m.m.Arrays[n]
	if i.arg.Value < 0 && m.convert(i, ir.Uint64, pos).arg.Bits < uint64(x.Len) {
		return m.convert(i, ir.Uint64, pos).arg
	}
	if of, ok := m.within[i.arg.Value]; ok && i.arg.Value >= 0 && of <= x.Len {
		return m.convert(i, ir.Uint64, pos).arg
	}
	t := ir.Uint64
	if i.t.Signed() {
		t = ir.Int64
	}
	i = m.convert(i, t, pos)
	site := m.site(pos, "index of "+x.Name+", of "+constant.MakeInt64(int64(x.Len)).String()+" elements,")
	m.emit(ir.Instr{Op: ir.CheckLocal, Type: t, Dst: -1, Field: n, Args: []ir.Arg{i.arg}, Site: site, Line: m.line(pos)})
	return m.convert(i, ir.Uint64, pos).arg
}

// loadLocal returns an element.
func (m *method) loadLocal(n int, t ir.Type, at ir.Arg, pos token.Pos) ir.Arg {
	v := m.temp(t)
	m.emit(ir.Instr{Op: ir.LoadLocal, Type: t, Dst: v, Field: n, Args: []ir.Arg{at}, Line: m.line(pos)})
	return ir.Var(v)
}

// storeLocal assigns an element.
func (m *method) storeLocal(n int, at ir.Arg, x operand, pos token.Pos) {
	m.emit(ir.Instr{Op: ir.StoreLocal, Type: m.m.Arrays[n].Type, Dst: -1, Field: n, Args: []ir.Arg{at, x.arg}, Line: m.line(pos)})
}

// changes reports whether statements assign elements of an array.
func (m *method) changes(body ast.Node, n int) (is bool) {
	target := func(e ast.Expr) {
		if x, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
			if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
				o := m.frame.vars[m.info.Uses[id]]
				is = is || o.kind == array && o.field == n
			}
		}
	}
	ast.Inspect(body, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				target(e)
			}
		case *ast.IncDecStmt:
			target(s.X)
		}
		return true
	})
	return is
}
