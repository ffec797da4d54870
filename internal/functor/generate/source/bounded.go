// This file finds out whether loops end.

package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// post lowers what counts a loop. One whose counter may wrap around ends where it does: Go's
// never would.
func (m *method) post(s *ast.ForStmt) {
	counter, up := m.counter(s.Post)
	if m.ends(s.Cond, counter, up, stepOf(m.info, s.Post)) {
		m.stmt(s.Post, "")
		return
	}
	i := m.frame.vars[counter]
	before := m.move(i, "", s.Pos())
	m.stmt(s.Post, "")
	m.leave(m.compare(ir.Less, !up, i, before, s.Pos()), s.Pos())
}

// rounds returns how many rounds a loop with a condition has at most; 0 if that isn't known. One
// whose first number isn't known is taken to begin at 0, or at the greatest number if it counts down.
func (m *method) rounds(s *ast.ForStmt) uint64 {
	c, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok {
		return 0
	}
	if c.Op == token.LAND {
		a, b := *s, *s
		a.Cond, b.Cond = c.X, c.Y
		x, y := m.rounds(&a), m.rounds(&b)
		if x == 0 || y == 0 {
			return max(x, y)
		}
		return min(x, y)
	}
	last := m.info.Types[c.Y].Value
	if last == nil {
		last = m.info.Types[c.X].Value
	}
	first := constant.MakeInt64(0)
	if init, is := s.Init.(*ast.AssignStmt); is && len(init.Rhs) == 1 && m.info.Types[init.Rhs[0]].Value != nil {
		first = m.info.Types[init.Rhs[0]].Value
	} else if counter, up := m.counter(s.Post); counter != nil && !up { // from any number down to this one
		_, first = limits(m.typeOf(counter.Type()))
	}
	if last == nil {
		return 0
	}
	if first, last = constant.ToInt(first), constant.ToInt(last); first.Kind() != constant.Int || last.Kind() != constant.Int {
		return 0
	}
	far := constant.BinaryOp(last, token.SUB, first)
	if constant.Sign(far) < 0 {
		far = constant.UnaryOp(token.SUB, far, 0)
	}
	n, exact := constant.Uint64Val(constant.BinaryOp(far, token.QUO_ASSIGN, stepOf(m.info, s.Post)))
	if !exact {
		return 1<<64 - 1
	}
	return max(n, 1)
}

// stepOf is by how much a loop's counter grows or shrinks.
func stepOf(info *types.Info, post ast.Stmt) constant.Value {
	if s, ok := post.(*ast.AssignStmt); ok {
		v := info.Types[s.Rhs[0]].Value
		if constant.Sign(v) < 0 {
			return constant.UnaryOp(token.SUB, v, 0)
		}
		return v
	}
	return constant.MakeInt64(1)
}

// ends reports whether a loop's counter can't wrap around before its condition fails.
func (m *method) ends(e ast.Expr, counter types.Object, up bool, by constant.Value) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == token.LAND {
		return m.ends(b.X, counter, up, by) || m.ends(b.Y, counter, up, by)
	}
	bound := b.Y
	if !m.is(b.X, counter) {
		bound = b.X
	}
	if !m.is(b.X, counter) && !m.is(b.Y, counter) {
		return false
	}
	strict := b.Op == token.LSS || b.Op == token.GTR
	if strict && constant.Compare(by, token.EQL, constant.MakeInt64(1)) {
		return true
	}
	v := m.info.Types[bound].Value
	if v == nil {
		return false
	}
	one := constant.MakeInt64(0)
	if strict {
		one = constant.MakeInt64(1)
	}
	least, most := limits(m.typeOf(counter.Type()))
	if up {
		return constant.Compare(constant.BinaryOp(constant.BinaryOp(v, token.SUB, one), token.ADD, by), token.LEQ, most)
	}
	return constant.Compare(constant.BinaryOp(constant.BinaryOp(v, token.ADD, one), token.SUB, by), token.GEQ, least)
}

// bounded reports whether a loop counts up or down to a bound that stays.
func (m *method) bounded(s *ast.ForStmt) bool {
	before := len(m.errs)
	counter, up := m.counter(s.Post)
	if counter == nil || s.Cond == nil {
		m.errorf(s.Pos(), "a loop that isn't bounded; %s", loopForms)
		return false
	}
	assigned := m.assignedIn(s.Body)
	var moved []reason
	if assigned[counter] {
		m.errorf(s.Pos(), "the body of the loop assigns %s; %s", counter.Name(), loopForms)
		return false
	}
	var find func(e ast.Expr) bool
	find = func(e ast.Expr) bool {
		b, ok := ast.Unparen(e).(*ast.BinaryExpr)
		if !ok {
			return false
		}
		if b.Op == token.LAND {
			return find(b.X) || find(b.Y)
		}
		i, bound, op := b.X, b.Y, b.Op
		if !m.is(i, counter) {
			i, bound = bound, i
			op = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ}[op]
		}
		if !m.is(i, counter) || up != (op == token.LSS || op == token.LEQ) || !up && op != token.GTR && op != token.GEQ {
			return false
		}
		if v := m.info.Types[bound].Value; v != nil && endless(v, m.typeOf(counter.Type()), op) {
			m.errorf(b.Pos(), "the loop never ends: %s is always true", types.ExprString(b))
			return false
		}
		if why := m.moves(bound, counter, assigned); why.text != "" {
			moved = append(moved, why)
			return false
		}
		return true
	}
	if find(s.Cond) {
		return true
	}
	switch {
	case len(m.errs) > before:
	case len(moved) > 0:
		m.errorf(moved[0].pos, "%s", moved[0].text)
	default:
		m.errorf(s.Pos(), "a loop that isn't bounded; %s", loopForms)
	}
	return false
}

func (m *method) is(e ast.Expr, o types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && m.info.Uses[id] == o
}

// counter returns the variable that a loop counts, and whether it counts up.
func (m *method) counter(post ast.Stmt) (o types.Object, up bool) {
	var e ast.Expr
	switch s := post.(type) {
	case *ast.IncDecStmt:
		e, up = s.X, s.Tok == token.INC
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || s.Tok != token.ADD_ASSIGN && s.Tok != token.SUB_ASSIGN {
			return nil, false
		}
		v := m.info.Types[s.Rhs[0]].Value
		if v == nil || v.Kind() != constant.Int || constant.Sign(v) == 0 {
			return nil, false
		}
		e, up = s.Lhs[0], (s.Tok == token.ADD_ASSIGN) == (constant.Sign(v) > 0)
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil, false
	}
	v, ok := m.info.Uses[id].(*types.Var)
	if !ok || !m.typeOf(v.Type()).Integer() {
		return nil, false
	}
	return v, up
}

// endless reports a comparison with a constant that any number of the type fulfils.
func endless(v constant.Value, t ir.Type, op token.Token) bool {
	least, most := limits(t)
	return op == token.LEQ && constant.Compare(v, token.GEQ, most) || op == token.GEQ && constant.Compare(v, token.LEQ, least)
}

// limits are the least and the greatest number of an integer type.
func limits(t ir.Type) (least, most constant.Value) {
	bits := uint(t.Bits())
	least, most = constant.MakeInt64(0), constant.BinaryOp(constant.Shift(constant.MakeInt64(1), token.SHL, bits), token.SUB, constant.MakeInt64(1))
	if t.Signed() {
		half := constant.Shift(constant.MakeInt64(1), token.SHL, bits-1)
		least, most = constant.UnaryOp(token.SUB, half, 0), constant.BinaryOp(half, token.SUB, constant.MakeInt64(1))
	}
	return least, most
}

// reason explains why a condition doesn't bound a loop.
type reason struct {
	pos  token.Pos
	text string
}

const boundBefore = "put the bound into a variable before the loop"

// moves returns why a loop's bound may be another in each round; without a text, it is the same in every round.
func (m *method) moves(e ast.Expr, counter types.Object, assigned map[types.Object]bool) (why reason) {
	var reads []boundRead
	is := func(pos token.Pos, format string, args ...any) bool {
		why = reason{pos, fmt.Sprintf(format, args...)}
		return false
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if why.text != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.Ident:
			switch o := m.info.Uses[n]; {
			case o == nil:
			case o == counter:
				return is(n.Pos(), "the bound of the loop is computed from its counter %s; %s", n.Name, loopForms)
			case assigned[o]:
				return is(n.Pos(), "the body of the loop assigns %s, which its bound reads; %s", n.Name, loopForms)
			}
		case *ast.CallExpr:
			if tv := m.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				return is(n.Pos(), "the bound of the loop calls %s; %s", types.ExprString(n.Fun), boundBefore)
			}
		case *ast.IndexExpr:
			if x, is := ast.Unparen(n.X).(*ast.SelectorExpr); is {
				if i, is := m.fields[origin(m.info.Uses[x.Sel])]; is {
					reads = append(reads, boundRead{i, n.Pos()})
					return true
				}
			}
			return is(n.Pos(), "the bound of the loop reads %s; %s", types.ExprString(n), boundBefore)
		}
		return true
	})
	if why.text == "" {
		m.bounds = append(m.bounds, reads...)
	}
	return why
}
