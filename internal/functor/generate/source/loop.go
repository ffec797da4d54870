// This file lowers loops, switches, break and continue.

package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"math/bits"

	"github.com/foray-graph/foray/internal/functor/ir"
)

const loopForms = "write for i := a; i < b; i++ with a constant step, where the body assigns neither i nor b, or for range n with a break"

// loop lowers a loop: before leaves its label where it is over, body is in a block that
// continue leaves, after comes behind that. It has so many rounds, if that is known; else 0.
func (m *method) loop(label string, pos token.Pos, rounds uint64, before, body, after func()) {
	high, all := bits.Mul64(m.around, max(rounds, 1))
	long := high > 0 || all > shortLoop
	defer func(around uint64) { m.around = around }(m.around)
	m.around = min(all, shortLoop+1)
	t := target{label: label, brk: m.label(), cont: m.label(), loop: true}
	f := m.frame
	f.targets = append(f.targets, t)
	var inner []ir.Instr
	list := m.nest(func() {
		if before != nil {
			before()
		}
		inner = m.nest(body)
		if f.targets[len(f.targets)-1].continued {
			m.emit(ir.Instr{Op: ir.Block, Dst: -1, Label: t.cont, Then: inner, Line: m.line(pos)})
		} else {
			*m.list = append(*m.list, inner...)
		}
		if after != nil {
			after()
		}
	})
	f.targets = f.targets[:len(f.targets)-1]
	m.emit(ir.Instr{Op: ir.Loop, Dst: -1, Label: t.brk, Then: list, Long: long, Line: m.line(pos)})
}

// leave leaves the innermost loop if a condition holds.
func (m *method) leave(c operand, pos token.Pos) {
	if c.kind != number || c.arg == ir.Const(0) {
		return
	}
	t := m.frame.targets[len(m.frame.targets)-1]
	out := []ir.Instr{{Op: ir.Leave, Dst: -1, Label: t.brk, Line: m.line(pos)}}
	m.emit(ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{c.arg}, Then: out, Line: m.line(pos)})
}

// not negates a condition.
func (m *method) not(c operand, pos token.Pos) operand {
	switch {
	case c.kind != number:
		return c
	case c.arg.Value < 0:
		return constOperand(ir.Bool, c.arg.Bits^1)
	}
	return operand{kind: number, t: ir.Bool, arg: m.op(ir.Not, ir.Bool, ir.Bool, pos, c.arg)}
}

// forStmt lowers for with a condition.
func (m *method) forStmt(s *ast.ForStmt, label string) {
	if s.Init != nil {
		m.stmt(s.Init, "")
	}
	if !m.bounded(s) {
		m.loop(label, s.Pos(), 0, nil, func() { m.stmts(s.Body.List) }, nil) // for its errors
		return
	}
	m.loop(label, s.Pos(), m.rounds(s), func() {
		mark := len(m.pending)
		c := m.number(s.Cond)
		m.pending = m.pending[:mark]
		m.leave(m.not(c, s.Cond.Pos()), s.Cond.Pos())
	}, func() { m.stmts(s.Body.List) }, func() { m.post(s) })
}

// rangeStmt lowers range over an integer or a slice.
func (m *method) rangeStmt(s *ast.RangeStmt, label string) {
	mark := len(m.pending)
	x := m.expr(s.X)
	m.pending = m.pending[:mark]
	t := x.t
	switch {
	case x.kind == bad:
		return
	case x.kind == slice:
		t = ir.Int64
	case x.kind == array:
		t = ir.Int64
		x.arg = ir.Const(uint64(m.m.Arrays[x.field].Len))
		if rangeVar(s.Value) != nil && m.changes(s.Body, x.field) {
			m.errorf(s.X.Pos(), "the body assigns elements of %s, of which Go's range makes a copy; range over the indices alone: for i := range %[1]s", types.ExprString(s.X))
			return
		}
	case x.kind != number || !x.t.Integer():
		m.errorf(s.X.Pos(), "a range over %s; functors range over integers, their slices and local arrays", types.ExprString(s.X))
		return
	}
	n := operand{kind: number, t: t, arg: x.arg}
	if x.kind == slice {
		n.arg = m.length(x.field, s.X.Pos())
	} else if x.variable {
		n = m.move(x, "", s.X.Pos())
	}
	key, value := rangeVar(s.Key), rangeVar(s.Value)
	body := m.assignedIn(s.Body)
	var o types.Object
	if key != nil {
		o = m.info.Defs[key]
	}
	m.m.Values = append(m.m.Values, ir.Value{Type: t})
	i := operand{kind: number, t: t, arg: ir.Var(len(m.m.Values) - 1), variable: true}
	m.emit(ir.Instr{Op: ir.Move, Type: t, Dst: i.arg.Value, Args: []ir.Arg{ir.Const(0)}, Line: m.line(s.Pos())})
	m.loop(label, s.Pos(), roundsOf(n), func() {
		m.leave(m.compare(ir.LessEqual, false, n, i, s.Pos()), s.Pos())
		if key != nil {
			switch {
			case o == nil:
				m.put(m.place(s.Key), i, s.Key.Pos())
			case !body[o]: // the counter itself
				m.m.Values[i.arg.Value].Name = o.Name()
				m.frame.vars[o] = i
				if x.kind == slice {
					m.inside[i.arg.Value] = x.field
				} else if most := roundsOf(n); most > 0 && most <= maxArrays {
					m.within[i.arg.Value] = int(most)
				}
			default:
				m.set(m.variable(o, t), i, s.Key.Pos())
			}
		}
		if value != nil {
			at := m.convert(i, ir.Uint64, s.Value.Pos())
			v := operand{kind: number, t: x.t}
			if x.kind == array {
				v.arg = m.loadLocal(x.field, x.t, at.arg, s.Value.Pos())
			} else {
				v.arg = m.load(x.field, x.t, at.arg, s.Value.Pos())
			}
			if o := m.info.Defs[value]; o != nil {
				m.local(o, v, s.Value.Pos())
			} else {
				m.put(m.place(s.Value), v, s.Value.Pos())
			}
		}
	}, func() { m.stmts(s.Body.List) }, func() {
		m.set(i, m.arithmetic(ir.Add, i, one(t), s.Pos()), s.Pos())
	})
}

// roundsOf returns how many rounds a range over a number has; 0 if that isn't known.
func roundsOf(n operand) uint64 {
	switch {
	case n.arg.Value >= 0:
		return 0
	case n.t == ir.Int32:
		return uint64(max(0, int32(n.arg.Bits)))
	case n.t.Signed():
		return uint64(max(0, int64(n.arg.Bits)))
	}
	return n.arg.Bits
}

// rangeVar returns a variable of a range, or nil if the range lacks it.
func rangeVar(e ast.Expr) *ast.Ident {
	id, ok := e.(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	return id
}

// switchStmt lowers switch: a chain of ifs in a block that break leaves.
func (m *method) switchStmt(s *ast.SwitchStmt, label string) {
	if s.Init != nil {
		m.stmt(s.Init, "")
	}
	tag := constOperand(ir.Bool, 1)
	if s.Tag != nil {
		mark := len(m.pending)
		tag = m.number(s.Tag)
		m.pending = m.pending[:mark]
		if tag.variable {
			tag = m.move(tag, "", s.Tag.Pos())
		}
	}
	f := m.frame
	f.targets = append(f.targets, target{label: label, brk: m.label(), cont: -1})
	var clauses []*ast.CaseClause
	var other *ast.CaseClause
	for _, c := range s.Body.List {
		c, ok := c.(*ast.CaseClause)
		switch {
		case !ok:
		case c.List == nil:
			other = c
		default:
			clauses = append(clauses, c)
		}
	}
	list := m.nest(func() { m.clauses(clauses, other, s.Tag != nil, tag) })
	t := f.targets[len(f.targets)-1]
	f.targets = f.targets[:len(f.targets)-1]
	if t.broken {
		m.emit(ir.Instr{Op: ir.Block, Dst: -1, Label: t.brk, Then: list, Line: m.line(s.Pos())})
	} else {
		*m.list = append(*m.list, list...)
	}
}

// clauses lowers the clauses of a switch.
func (m *method) clauses(list []*ast.CaseClause, other *ast.CaseClause, tagged bool, tag operand) {
	m.nesting++
	defer func() { m.nesting-- }()
	if m.nesting > maxNesting {
		m.errorf(m.frame.decl.Pos(), "the function %s has a switch with more than %d cases, or statements nested as deep", m.frame.fn.Name(), maxNesting)
		return
	}
	if len(list) == 0 {
		if other != nil {
			m.stmts(other.Body)
		}
		return
	}
	c := list[0]
	mark := len(m.pending)
	match := operand{}
	for i, e := range c.List {
		one := func() operand {
			x := m.number(e)
			if !tagged || x.kind != number || tag.kind != number {
				return x
			}
			return m.compare(ir.Equal, false, tag, x, e.Pos())
		}
		if i == 0 {
			match = one()
		} else {
			match = m.short(false, e.Pos(), mark, match, one)
		}
	}
	m.pending = m.pending[:mark]
	if match.kind == number && match.arg.Value < 0 { // known
		if match.arg.Bits != 0 {
			m.stmts(c.Body)
		} else {
			m.clauses(list[1:], other, tagged, tag)
		}
		return
	}
	in := ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{match.arg}, Line: m.line(c.Pos())}
	in.Then = m.nest(func() { m.stmts(c.Body) })
	in.Else = m.nest(func() { m.clauses(list[1:], other, tagged, tag) })
	if match.kind == number {
		m.emit(in)
	}
}

// branch lowers break and continue.
func (m *method) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		m.errorf(s.Pos(), "goto; use loops, break and continue")
		return
	case token.FALLTHROUGH:
		m.errorf(s.Pos(), "fallthrough; list the cases together, or call a function")
		return
	}
	f := m.frame
	for i := len(f.targets) - 1; i >= 0; i-- {
		t := &f.targets[i]
		if s.Label != nil && s.Label.Name != t.label || s.Tok == token.CONTINUE && !t.loop {
			continue
		}
		to := t.brk
		if s.Tok == token.CONTINUE {
			t.continued = true
			to = t.cont
		} else {
			t.broken = true
		}
		m.emit(ir.Instr{Op: ir.Leave, Dst: -1, Label: to, Line: m.line(s.Pos())})
		return
	}
	m.errorf(s.Pos(), "%s leaves something that is no loop or switch", s.Tok)
}
