// This file lowers statements but for loops and switches.

package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// stmts lowers statements, up to the first after which nothing runs. It reports whether
// there was one.
func (m *method) stmts(list []ast.Stmt) bool {
	m.nesting++
	defer func() { m.nesting-- }()
	if m.nesting > maxNesting {
		m.errorf(m.frame.decl.Pos(), "the function %s has statements nested more than %d deep, with those it is called from", m.frame.fn.Name(), maxNesting)
		return false
	}
	for _, s := range list {
		mark := len(m.pending)
		ended := m.stmt(s, "")
		m.pending = m.pending[:mark]
		if ended || m.full {
			return true
		}
	}
	return false
}

// stmt lowers a statement. It reports that nothing behind it runs.
func (m *method) stmt(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			m.discard(c)
			break
		}
		m.errorf(s.Pos(), "an expression that nobody uses")
	case *ast.AssignStmt:
		m.assign(s)
	case *ast.IncDecStmt:
		op := ir.Add
		if s.Tok == token.DEC {
			op = ir.Sub
		}
		m.update(s.X, op, func(t ir.Type) operand { return one(t) }, s.TokPos)
	case *ast.DeclStmt:
		m.declare(s)
	case *ast.ReturnStmt:
		m.ret(s)
		return true
	case *ast.BlockStmt:
		return m.stmts(s.List)
	case *ast.IfStmt:
		return m.ifStmt(s)
	case *ast.ForStmt:
		m.forStmt(s, label)
	case *ast.RangeStmt:
		m.rangeStmt(s, label)
	case *ast.SwitchStmt:
		m.switchStmt(s, label)
	case *ast.LabeledStmt:
		return m.stmt(s.Stmt, s.Label.Name)
	case *ast.BranchStmt:
		m.branch(s)
		return true
	case *ast.GoStmt:
		m.errorf(s.Pos(), "a goroutine; operators call functors from all workers already")
	case *ast.DeferStmt:
		m.errorf(s.Pos(), "defer; call it where the function ends")
	case *ast.TypeSwitchStmt:
		m.errorf(s.Pos(), "a switch on types; functors have no interfaces")
	case *ast.SendStmt, *ast.SelectStmt:
		m.errorf(s.Pos(), "channels; note what happened in a slice of the functor")
	default:
		m.errorf(s.Pos(), "a statement that functors can't have")
	}
	return false
}

// one is the 1 of ++ and --.
func one(t ir.Type) operand {
	switch t {
	case ir.Float32:
		return constOperand(t, 0x3f800000)
	case ir.Float64:
		return constOperand(t, 0x3ff0000000000000)
	}
	return constOperand(t, 1)
}

// discard lowers a call whose results aren't used.
func (m *method) discard(c *ast.CallExpr) {
	n := len(m.m.Values)
	m.callExpr(c)
	// An atomic operation needs no value for its result then.
	if list := *m.list; len(list) > 0 {
		if in := &list[len(list)-1]; in.Op == ir.Atomic && in.Func != ir.AtomicLoad && in.Dst >= n && in.Dst == len(m.m.Values)-1 {
			in.Dst = -1
			m.m.Values = m.m.Values[:len(m.m.Values)-1]
		}
	}
}

// declare lowers var and const in a function.
func (m *method) declare(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return // constants are known, types have no code
	}
	for _, spec := range d.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		var values []operand
		if len(spec.Values) > 0 {
			if values = m.values(spec.Values, len(spec.Names)); values == nil {
				values = make([]operand, len(spec.Names))
			}
		}
		for i, n := range spec.Names {
			o := m.info.Defs[n]
			if o == nil {
				continue
			}
			if values != nil {
				m.local(o, values[i], n.Pos())
				continue
			}
			if a := m.arrayType(o.Type()); a != nil {
				x := m.newArray(a, n.Name, n.Pos())
				x.fresh = true
				m.local(o, x, n.Pos())
				continue
			}
			t := m.typeOf(o.Type())
			if t == ir.Void {
				m.frame.vars[o] = m.badType(n.Pos(), o.Type())
				continue
			}
			m.local(o, constOperand(t, 0), n.Pos())
		}
	}
}

// local binds a local variable to its first value.
func (m *method) local(o types.Object, x operand, pos token.Pos) {
	switch {
	case x.kind == none:
		m.errorf(pos, "a call without a result stands where a value has to")
		x = operand{}
	case x.kind == number && m.typeOf(o.Type()) != x.t:
		x = m.badType(pos, o.Type())
	}
	if o.Name() == "_" {
		return
	}
	m.bind(o, x, pos)
}

// values lowers the right side of an assignment to n variables, or returns nil.
func (m *method) values(list []ast.Expr, n int) (out []operand) {
	if len(list) == 1 && n > 1 {
		c, ok := ast.Unparen(list[0]).(*ast.CallExpr)
		if !ok {
			m.errorf(list[0].Pos(), "one value for %d variables", n)
			return nil
		}
		out = m.callExpr(c)
	} else {
		for _, e := range list {
			out = append(out, m.expr(e))
		}
	}
	if len(out) != n {
		return nil
	}
	return out
}

// assign lowers =, := and op=.
func (m *method) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		op, ok := arithmetic[s.Tok-token.ADD_ASSIGN+token.ADD]
		if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			m.errorf(s.TokPos, "the operator %s", s.Tok)
			return
		}
		m.update(s.Lhs[0], op, func(ir.Type) operand { return m.number(s.Rhs[0]) }, s.TokPos)
		return
	}
	// First what is on the left is found, then values are computed, then they are assigned.
	places := make([]place, len(s.Lhs))
	for i, e := range s.Lhs {
		places[i] = m.place(e)
	}
	values := m.values(s.Rhs, len(s.Lhs))
	if values == nil {
		values = make([]operand, len(s.Lhs))
	}
	if len(s.Lhs) > 1 {
		for i, x := range values {
			if x.kind == number && x.variable {
				values[i] = m.move(x, "", s.Pos())
			}
			if p := &places[i]; p.index.variable {
				p.index = m.move(p.index, "", s.Pos())
			}
		}
	}
	for i, p := range places {
		m.put(p, values[i], s.Lhs[i].Pos())
	}
}

// place is where an assignment goes: a new variable, one that is there, an element, or
// nowhere.
type place struct {
	define  types.Object
	v       operand
	element bool
	slice   operand
	index   operand
}

// place finds where an assignment to an expression goes.
func (m *method) place(e ast.Expr) (p place) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if e.Name == "_" {
			return p
		}
		if o := m.info.Defs[e]; o != nil {
			p.define = o
			return p
		}
		o := m.info.Uses[e]
		x, ok := m.frame.vars[o]
		if ok && (x.variable || x.kind == bad) {
			p.v = x
			return p
		}
		if x.kind == array {
			m.errorf(e.Pos(), "%s", noArrayCopy)
		} else if v, ok := o.(*types.Var); ok && v.Parent() == m.pkg.Scope() {
			m.errorf(e.Pos(), "an assignment to the variable %s of the package; make it a slice of the functor", e.Name)
		} else {
			m.errorf(e.Pos(), "an assignment to %s", e.Name)
		}
	case *ast.IndexExpr:
		p.slice, p.index = m.element(e)
		p.element = (p.slice.kind == slice || p.slice.kind == array) && p.index.kind == number
	case *ast.SelectorExpr:
		switch x := m.expr(e.X); x.kind {
		case functor:
			if i, ok := m.fields[origin(m.info.Uses[e.Sel])]; ok && m.f.Fields[i].Slice {
				m.errorf(e.Pos(), "an assignment to %s; functors assign elements of their slices", types.ExprString(e))
			} else if ok && m.f.Fields[i].Accumulator {
				m.errorf(e.Pos(), "an assignment to %s; methods call its Add", types.ExprString(e))
			} else {
				m.errorf(e.Pos(), "an assignment to %s; fields that are no slices are the same for all edges and vertices: make it an accumulator, such as traverse.Sum, or a slice of one element", types.ExprString(e))
			}
		case edge, vertex:
			m.errorf(e.Pos(), "an assignment to %s; what an operator hands out can't be changed", types.ExprString(e))
		case bad:
		default:
			m.errorf(e.Pos(), "an assignment to %s", types.ExprString(e))
		}
	default:
		m.errorf(e.Pos(), "an assignment to %s; functors assign local variables, and elements of their slices", types.ExprString(e))
	}
	return p
}

// put assigns a value.
func (m *method) put(p place, x operand, pos token.Pos) {
	switch {
	case p.define != nil:
		m.local(p.define, x, pos)
	case x.kind == bad:
	case x.kind == accumulator:
		m.errorf(pos, onlyAdd, m.f.Fields[x.field].Name, m.f.Fields[x.field].Name)
	case x.kind == none:
		m.errorf(pos, "a call without a result stands where a value has to")
	case x.kind == array:
		m.errorf(pos, "%s", noArrayCopy)
	case p.element && x.kind == number && p.slice.kind == array:
		m.storeLocal(p.slice.field, m.localIndex(p.slice.field, p.index, pos), x, pos)
	case p.v.kind == number:
		m.set(p.v, x, pos)
	case p.element && x.kind == number:
		at := m.checked(p.slice.field, p.index, pos)
		m.store(p.slice.field, at, x, pos)
	}
}

func (m *method) store(field int, at ir.Arg, x operand, pos token.Pos) {
	f := &m.f.Fields[field]
	f.Written = true
	if slices.Contains(m.pending[:m.frame.pending], field) {
		m.errorf(m.frame.call, "this call writes %s, which the statement also reads to its left, and Go doesn't say which comes first; read it into a variable before", f.Name)
	}
	if at := (written{m.m.Kind, field, m.line(pos)}); !m.stores[at].IsValid() {
		m.stores[at] = pos
	}
	m.emit(ir.Instr{Op: ir.Store, Type: f.Type, Dst: -1, Field: field, Args: []ir.Arg{at, x.arg}, Line: m.line(pos)})
}

// update lowers x op= y, where y is computed before x is read.
func (m *method) update(e ast.Expr, op ir.Op, value func(ir.Type) operand, pos token.Pos) {
	p := m.place(e)
	switch {
	case p.v.kind == number:
		m.set(p.v, m.arithmetic(op, p.v, value(p.v.t), pos), pos)
	case p.element && p.slice.kind == array:
		if y := value(p.slice.t); y.kind == number {
			at := m.localIndex(p.slice.field, p.index, e.Pos())
			old := operand{kind: number, t: p.slice.t, arg: m.loadLocal(p.slice.field, p.slice.t, at, e.Pos())}
			if x := m.arithmetic(op, old, y, pos); x.kind == number {
				m.storeLocal(p.slice.field, at, x, e.Pos())
			}
		}
	case p.element:
		m.pending = append(m.pending, p.slice.field)
		y := value(p.slice.t)
		if y.kind != number {
			return
		}
		at := m.checked(p.slice.field, p.index, e.Pos())
		if _, other := m.given[p.index.arg.Value]; other && m.f.Corners {
			m.updates = append(m.updates, updated{m.frame.outermost(), p.slice.field, e.Pos()})
		}
		old := operand{kind: number, t: p.slice.t, arg: m.load(p.slice.field, p.slice.t, at, e.Pos())}
		if x := m.arithmetic(op, old, y, pos); x.kind == number {
			m.store(p.slice.field, at, x, e.Pos())
		}
	default:
		value(ir.Void)
	}
}

// ret lowers return.
func (m *method) ret(s *ast.ReturnStmt) {
	f := m.frame
	sig := f.fn.Signature()
	n := sig.Results().Len()
	var values []operand
	if len(s.Results) > 0 {
		if values = m.values(s.Results, n); values == nil {
			return
		}
	} else {
		values = f.results // bare, of named results
	}
	for i, x := range values {
		if x.kind == array {
			m.badType(s.Pos(), sig.Results().At(i).Type())
			return
		}
		if x.kind == none || x.kind == number && x.t != m.typeOf(sig.Results().At(i).Type()) {
			m.badType(s.Pos(), sig.Results().At(i).Type())
			return
		}
	}
	switch {
	case s == f.last:
		f.values = values
	case f.label < 0:
		in := ir.Instr{Op: ir.Return, Type: m.m.Result, Dst: -1, Line: m.line(s.Pos())}
		for _, x := range values {
			if x.kind != number {
				if x.kind != bad {
					m.errorf(s.Pos(), "what is returned is no number")
				}
				return
			}
			if m.f.Positive(m.m) { // -0 becomes 0
				x.arg = m.op(ir.Add, x.t, x.t, s.Pos(), x.arg, ir.Const(0))
			}
			in.Args = append(in.Args, x.arg)
		}
		m.emit(in)
	default:
		if len(values) > 1 && len(s.Results) > 0 {
			for i, x := range values {
				if x.kind == number && x.variable {
					values[i] = m.move(x, "", s.Pos())
				}
			}
		}
		for i, x := range values {
			if x.kind != number && x.kind != bad {
				m.errorf(s.Pos(), "what is returned is no number")
			}
			if len(s.Results) > 0 {
				m.set(f.results[i], x, s.Pos())
			}
		}
		m.emit(ir.Instr{Op: ir.Leave, Dst: -1, Label: f.label, Line: m.line(s.Pos())})
	}
}

// ifStmt lowers if. A condition that is constant leaves one branch.
func (m *method) ifStmt(s *ast.IfStmt) bool {
	if s.Init != nil {
		m.stmt(s.Init, "")
	}
	mark := len(m.pending)
	c := m.number(s.Cond)
	m.pending = m.pending[:mark]
	then := func() bool { return m.stmts(s.Body.List) }
	other := func() bool { return s.Else != nil && m.stmts([]ast.Stmt{s.Else}) }
	if c.kind == number && c.arg.Value < 0 {
		if c.arg.Bits != 0 {
			return then()
		}
		return other()
	}
	in := ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{c.arg}, Line: m.line(s.Pos())}
	var a, b bool
	in.Then = m.nest(func() { a = then() })
	in.Else = m.nest(func() { b = other() })
	if c.kind == number {
		m.emit(in)
	}
	return a && b
}
