// This file lowers calls: conversions, functions of the package, which are inlined, and what
// Go has built in. math.go handles math, math/bits and atomics.

package source

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// callExpr lowers a call and returns its results. After an error these are bad, as many as
// there should be.
func (m *method) callExpr(e *ast.CallExpr) []operand {
	fun := ast.Unparen(e.Fun)
	tv := m.info.Types[fun]
	switch {
	case tv.IsType():
		return []operand{m.conversion(e, tv.Type)}
	case tv.IsBuiltin():
		return []operand{m.builtin(e, fun)}
	}
	for {
		if x, ok := fun.(*ast.IndexExpr); ok { // with its type arguments
			fun = ast.Unparen(x.X)
			continue
		}
		if x, ok := fun.(*ast.IndexListExpr); ok {
			fun = ast.Unparen(x.X)
			continue
		}
		break
	}
	var receiver ast.Expr
	var args []types.Type // of the function's, or its receiver's, type parameters
	var o types.Object
	switch fun := fun.(type) {
	case *ast.Ident:
		o = m.info.Uses[fun]
		args = m.frame.bound.list(m.info.Instances[fun].TypeArgs)
	case *ast.SelectorExpr:
		o = m.info.Uses[fun.Sel]
		args = m.frame.bound.list(m.info.Instances[fun.Sel].TypeArgs)
		if s := m.info.Selections[fun]; s != nil {
			if s.Kind() != types.MethodVal || len(s.Index()) != 1 || types.IsInterface(s.Recv()) {
				m.errorf(e.Pos(), "a call of %s; functors call functions and methods of their package by name", types.ExprString(fun))
				return []operand{{}}
			}
			receiver = fun.X
			t := types.Unalias(s.Recv())
			if p, ok := t.(*types.Pointer); ok {
				t = types.Unalias(p.Elem())
			}
			if n, ok := t.(*types.Named); ok {
				args = m.frame.bound.list(n.TypeArgs())
			}
		}
	}
	fn, ok := o.(*types.Func)
	if _, literal := fun.(*ast.FuncLit); literal {
		m.errorf(e.Pos(), "a call of a function literal; declare a function of the package")
		return []operand{{}}
	}
	if !ok {
		m.errorf(e.Pos(), "a call of a function value; functors call functions of their package by name")
		return []operand{{}}
	}
	path := ""
	if fn.Pkg() != nil {
		path = fn.Pkg().Path()
	}
	switch {
	case fn.Pkg() == m.pkg:
		return m.inline(e, m.typed, fn.Origin(), receiver, args)
	case receiver != nil && path == Module+"/traverse":
		return []operand{m.accumulate(e, fn, receiver)}
	case path == Module+"/atomics":
		return []operand{m.atomic(e, fn.Name())}
	case path == "math":
		return []operand{m.math(e, fn)}
	case path == "math/bits":
		return m.bits(e, fn)
	}
	if fn.Pkg() == nil { // the method Error of errors
		m.errorf(e.Pos(), "a call of %s; %s", types.ExprString(fun), errOther)
		return []operand{{}}
	}
	return m.foreign(e, fn, receiver, args)
}

// conversion lowers T(x).
func (m *method) conversion(e *ast.CallExpr, t types.Type) operand {
	if len(e.Args) != 1 {
		return operand{}
	}
	to := m.typeOf(t)
	if to == ir.Void {
		return m.badType(e.Pos(), t)
	}
	if to == ir.Float32 {
		if x, ok := m.narrowMath(e.Args[0]); ok {
			return x
		}
	}
	x := m.number(e.Args[0])
	if x.kind != number {
		return operand{}
	}
	if (x.t == ir.Bool) != (to == ir.Bool) {
		return m.badType(e.Pos(), t)
	}
	return m.convert(x, to, e.Pos())
}

// insteadOfBuiltin returns what to do instead of calling a built-in function.
func insteadOfBuiltin(name string) string {
	switch name {
	case "append", "make":
		return "functors neither make nor resize anything: give the functor a slice that is long enough"
	case "clear":
		return "assign 0 to the elements in a loop: for i := range r.X { r.X[i] = 0 }"
	case "copy":
		return "assign the elements in a loop: for i, x := range r.X { r.Y[i] = x }"
	case "complex", "imag", "real":
		return "functors have no complex numbers; compute with the two floats"
	case "delete":
		return "functors have no maps; use a slice of the functor, and assign a number that stands for nothing"
	case "new":
		return "functors have no pointers; use a local variable, or a slice of the functor"
	case "recover":
		return "functors don't panic; a fault ends the traversal, which returns it as an error"
	case "close":
		return "functors have no channels; note what happened in a slice of the functor"
	}
	return "note what happened in a slice of the functor" // panic, print and println
}

// builtin lowers a call of a built-in function.
func (m *method) builtin(e *ast.CallExpr, fun ast.Expr) operand {
	id, ok := fun.(*ast.Ident)
	if !ok { // of package unsafe
		m.errorf(e.Pos(), "%s; functors have neither pointers nor sizes of types; use slices of the functor, and math.Float32bits and the like", types.ExprString(fun))
		return operand{}
	}
	switch id.Name {
	case "len":
		if len(e.Args) != 1 {
			return operand{}
		}
		x := m.expr(e.Args[0])
		if x.kind == slice {
			return operand{kind: number, t: ir.Int64, arg: m.length(x.field, e.Pos())}
		}
		if x.kind != bad {
			m.errorf(e.Pos(), "len of %s; functors have len of their slices", types.ExprString(e.Args[0]))
		}
	case "cap":
		m.errorf(e.Pos(), "cap; functors have len of their slices")
	case "min", "max":
		f := ir.Min
		if id.Name == "max" {
			f = ir.Max
		}
		return m.extreme(f, e)
	default:
		m.errorf(e.Pos(), "%s; %s", id.Name, insteadOfBuiltin(id.Name))
	}
	return operand{}
}

// length returns a field's length.
func (m *method) length(field int, pos token.Pos) ir.Arg {
	return m.once([2]int{-2, field}, func() ir.Arg {
		v := m.temp(ir.Int64)
		m.emit(ir.Instr{Op: ir.FieldLen, Type: ir.Int64, Dst: v, Field: field, Line: m.line(pos)})
		return ir.Var(v)
	})
}

// extreme lowers min and max of several numbers.
func (m *method) extreme(f ir.Func, e *ast.CallExpr) operand {
	var x operand
	for i, a := range e.Args {
		y := m.number(a)
		switch {
		case i == 0:
			x = y
			continue
		case x.kind != number || y.kind != number:
			x = operand{}
			continue
		case x.t != y.t:
			m.errorf(a.Pos(), "an operation on %s and %s", x.t, y.t)
			return operand{}
		}
		if bits, ok := foldMin(f, x.t, x.arg, y.arg); ok {
			x = constOperand(x.t, bits)
			continue
		}
		x = operand{kind: number, t: x.t, arg: m.call(f, x.t, x.t, e.Pos(), x.arg, y.arg)}
	}
	return x
}

// inline lowers a call of a function or method of a package, in place.
func (m *method) inline(e *ast.CallExpr, of *typed, fn *types.Func, receiver ast.Expr, targs []types.Type) []operand {
	sig := fn.Signature()
	failed := make([]operand, sig.Results().Len())
	if len(failed) == 0 {
		failed = []operand{{}}
	}
	d := of.decls[fn]
	switch {
	case d == nil:
		m.errorf(e.Pos(), "a call of %s, whose source isn't there", fn.Name())
		return failed
	case sig.Variadic():
		m.errorf(e.Pos(), "a call of %s, which takes any number of arguments; functors call functions with a fixed number", fn.Name())
		return failed
	}
	depth := 0
	for f := m.frame; f != nil; f = f.up {
		depth++
		if f.fn == fn {
			m.errorf(e.Pos(), "a recursive call of %s; write a loop", fn.Name())
			return failed
		}
	}
	if depth > maxNesting {
		m.errorf(e.Pos(), "calls are nested more than %d deep", maxNesting)
		return failed
	}
	mark := len(m.pending)
	args := m.args(e, sig)
	var self operand
	if receiver != nil {
		self = m.expr(receiver)
	}
	m.pending = m.pending[:mark]
	if args == nil && sig.Params().Len() > 0 || m.full || m.whole(e, append(args, self)) {
		return failed
	}
	bound := bindings{}.bind(sig.TypeParams(), targs).bind(sig.RecvTypeParams(), targs)
	defer func(c *typed) { m.typed = c }(m.typed)
	m.typed = of
	if !m.grow() || !m.enter(d, fn, bound) {
		return failed
	}
	defer func() { m.frame = m.frame.up }()
	m.frame.call, m.frame.pending = e.Pos(), mark
	if receiver != nil {
		if self.kind == number {
			if _, ok := sig.Recv().Type().(*types.Pointer); ok {
				m.errorf(e.Pos(), "%s has a pointer receiver; functors call such methods of themselves alone", fn.Name())
				return failed
			}
		}
		m.bind(sig.Recv(), self, e.Pos())
	}
	for i, a := range args {
		m.bind(sig.Params().At(i), a, sig.Params().At(i).Pos())
	}
	out := m.body(d, sig)
	m.pending = m.pending[:mark]
	if sig.Results().Len() == 0 {
		return []operand{{kind: none}}
	}
	if out == nil {
		return failed
	}
	return out
}

// args lowers the arguments of a call, or returns nil.
func (m *method) args(e *ast.CallExpr, sig *types.Signature) (args []operand) {
	if len(e.Args) == 1 && sig.Params().Len() > 1 { // f(g())
		if c, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); ok {
			args = m.callExpr(c)
		}
	} else {
		for _, a := range e.Args {
			args = append(args, m.expr(a))
		}
	}
	if len(args) != sig.Params().Len() {
		return nil
	}
	return args
}

// body lowers the body of a function that is inlined, and returns its results.
func (m *method) body(d *ast.FuncDecl, sig *types.Signature) []operand {
	f := m.frame
	results := sig.Results()
	named := results.Len() > 0 && results.At(0).Name() != ""
	returns := 0
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.ReturnStmt); ok {
			returns++
		}
		return true
	})
	if n := len(d.Body.List); returns == 1 {
		f.last, _ = d.Body.List[n-1].(*ast.ReturnStmt)
	}
	if f.last == nil || named {
		f.last = nil
		for i := range results.Len() {
			r := results.At(i)
			t := m.typeOf(r.Type())
			if t == ir.Void {
				m.badType(d.Type.Results.Pos(), r.Type())
				return nil
			}
			v := m.variable(r, t)
			if v.arg.Value >= 0 && named {
				m.set(v, constOperand(t, 0), d.Pos())
			}
			f.results = append(f.results, v)
		}
	}
	if returns == 0 || f.last != nil {
		m.stmts(d.Body.List)
		return f.values
	}
	f.label = m.label()
	list := m.nest(func() { m.stmts(d.Body.List) })
	m.emit(ir.Instr{Op: ir.Block, Dst: -1, Label: f.label, Then: list, Line: m.line(d.Pos())})
	return f.results
}
