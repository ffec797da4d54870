// This file lowers Common: to an Edge that goes through the common neighbors of an edge's ends.

package source

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// corners lowers a functor with Common. For the edge from A to B the method takes the entries of the shorter row one by
// one and looks each up in the longer one: by steps that double, from where the entry before was, then by halving
// (galloping). So an edge costs min(a, b) * log(max(a, b) / min(a, b)) steps for rows of a and b entries, and common
// neighbors come in ascending order.
type corners struct {
	*method
	pos           token.Pos
	common, edge  *ast.FuncDecl // edge may be nil
	rows, targets int           // hidden fields
	self          operand
	a, b, ab      operand
	swapped       operand // A's row is the longer one
}

// lowerCommon lowers Common, with the Edge that masks edges, if there is one.
func (f *lowerer) lowerCommon(common, edge *ast.FuncDecl) {
	for _, mark := range []string{uniqueMark, directMark} {
		if edge == nil {
			break
		}
		if c := comment(edge.Doc, mark); c != nil {
			f.errorf(c.Pos(), "%s is for an Edge without Common", mark)
		}
	}
	f.f.Corners, f.f.Index = true, true
	c := &corners{pos: common.Pos(), common: common, edge: edge, rows: len(f.f.Fields), targets: len(f.f.Fields) + 1}
	f.f.Fields = append(f.f.Fields,
		ir.Field{Name: "rowOffsets", Type: ir.Uint64, Slice: true, PerVertex: true, Hidden: true},
		ir.Field{Name: "rowTargets", Type: ir.Uint32, Slice: true, PerEdge: true, Hidden: true},
		ir.Field{Name: "ascending", Type: ir.Bool, Hidden: true})
	if g := f.f.Generic; g != nil {
		g.Fields = append(g.Fields, -1, -1, -1)
	}
	c.method = &method{lowerer: f, typed: f.typed, direct: map[int]ir.Input{}, given: map[int]ir.Input{}, inside: map[int]int{}, within: map[int]int{}, made: map[any]int{}, around: 1}
	c.masked = map[int]bool{}
	c.m = &ir.Method{Kind: ir.Edge, Result: ir.Void, Line: f.position(common.Pos()).Line}
	for i := range c.m.Inputs {
		c.m.Inputs[i] = -1
	}
	c.list = &c.m.Body
	f.f.Methods = append(f.f.Methods, c.m)
	f.declared[c.m] = common
	fn := f.info.Defs[common.Name].(*types.Func)
	if !c.enter(common, fn, f.bound(fn.Signature().RecvTypeParams())) {
		return
	}
	c.frame.label = -1
	c.self = operand{kind: functor}
	c.neighbors()
	for at, pos := range f.stores {
		if at.kind == ir.Edge && c.masked[at.field] && comment(common.Doc, disjointMark) == nil {
			f.errorf(pos, "Common writes %s, by which Edge masks the edges of triangles: which triangles come depends on their order; write to another array, or put %s above Common if no triangle's edges are those", f.f.Fields[at.field].Name, disjointMark)
		}
	}
}

// neighbors appends the search.
func (c *corners) neighbors() {
	c.a = operand{kind: number, t: ir.Uint32, arg: c.input(ir.Source, ir.Uint32)}
	c.b = operand{kind: number, t: ir.Uint32, arg: c.input(ir.Target, ir.Uint32)}
	c.ab = operand{kind: number, t: ir.Uint64, arg: c.input(ir.Index, ir.Uint64)}
	x, xEnd := c.row(ir.Source)
	y, yEnd := c.row(ir.Target)
	c.when(c.compare(ir.Equal, false, c.a, c.b, c.pos), c.end, nil)
	once := c.temp(ir.Bool)
	c.emit(ir.Instr{Op: ir.Scalar, Type: ir.Bool, Dst: once, Field: c.targets + 1, Line: c.line(c.pos)})
	c.when(operand{kind: number, t: ir.Bool, arg: ir.Var(once)}, func() {
		// Entries below B: before this edge in A's row, and at the beginning of B's.
		c.when(c.compare(ir.Less, false, c.a, c.b, c.pos), c.end, nil)
		c.set(xEnd, c.ab, c.pos)
		below := c.number64("below")
		c.set(below, y, c.pos)
		c.gallop(below, yEnd, func(v operand) operand { return c.compare(ir.Less, false, v, c.b, c.pos) })
		c.set(yEnd, below, c.pos)
	}, nil)
	c.keeps(c.a, c.b, c.ab, func() {
		c.swapped = c.compare(ir.Less, false, c.minus(yEnd, y), c.minus(xEnd, x), c.pos)
		i, iEnd, j, jEnd := c.number64("i"), c.number64("iEnd"), c.number64("j"), c.number64("jEnd")
		c.when(c.swapped, func() { c.sets(y, i, yEnd, iEnd, x, j, xEnd, jEnd) }, func() { c.sets(x, i, xEnd, iEnd, y, j, yEnd, jEnd) })
		c.meet(i, iEnd, j, jEnd)
	})
}

// meet appends the loop over the shorter row, from i on, which looks entries up in the longer one, from j on.
func (c *corners) meet(i, iEnd, j, jEnd operand) {
	c.loop("", c.pos, 0, func() {
		c.leave(c.compare(ir.LessEqual, false, iEnd, i, c.pos), c.pos)
	}, func() {
		v := c.target(i)
		c.gallop(j, jEnd, func(x operand) operand { return c.compare(ir.Less, false, x, v, c.pos) })
		c.leave(c.compare(ir.LessEqual, false, jEnd, j, c.pos), c.pos)
		c.when(c.compare(ir.Equal, false, c.target(j), v, c.pos), func() {
			c.when(c.compare(ir.NotEqual, false, v, c.a, c.pos), func() {
				c.when(c.compare(ir.NotEqual, false, v, c.b, c.pos), func() { c.parallel(v, i, j, jEnd) }, nil)
			}, nil)
		}, nil)
	}, func() { c.set(i, c.plus(i), c.pos) })
}

// parallel calls Common for entry i of the shorter row with every entry of the longer one, from j on, that is the same
// vertex.
func (c *corners) parallel(v, i, j, jEnd operand) {
	k := c.number64("k")
	c.set(k, j, c.pos)
	c.loop("", c.pos, 0, func() {
		c.leave(c.compare(ir.LessEqual, false, jEnd, k, c.pos), c.pos)
		c.leave(c.compare(ir.NotEqual, false, c.target(k), v, c.pos), c.pos)
	}, func() {
		p, q := c.number64("ac"), c.number64("bc")
		c.when(c.swapped, func() { c.sets(k, p, i, q) }, func() { c.sets(i, p, k, q) })
		ac, bc := c.move(p, "", c.pos), c.move(q, "", c.pos)
		v = c.move(v, "", c.pos)
		c.given[ac.arg.Value], c.given[bc.arg.Value], c.given[v.arg.Value] = ir.Index, ir.Index, ir.VertexID
		c.keeps(c.a, v, ac, func() { c.keeps(c.b, v, bc, func() { c.call(v, ac, bc) }) })
	}, func() { c.set(k, c.plus(k), c.pos) })
}

// call calls Common.
func (c *corners) call(v, ac, bc operand) {
	r := c.inlined(c.common, operand{kind: corner, of: &parts{[]operand{c.a, c.b, v}, []operand{c.ab, ac, bc}}})
	if r.kind == number {
		c.when(c.not(r, c.pos), c.end, nil)
	}
}

// keeps runs do if Edge, where there is one, returns true for an edge.
func (c *corners) keeps(from, to, index operand, do func()) {
	if c.edge == nil {
		do()
		return
	}
	c.masking = true
	r := c.inlined(c.edge, operand{kind: edge, of: &parts{[]operand{from, to}, []operand{index}}})
	c.masking = false
	if r.kind == number {
		c.when(r, do, nil)
	}
}

// inlined lowers a method of the functor in place, and returns its result.
func (c *corners) inlined(d *ast.FuncDecl, arg operand) operand {
	fn := c.info.Defs[d.Name].(*types.Func)
	sig := fn.Signature()
	if !c.grow() || !c.enter(d, fn, c.bound(sig.RecvTypeParams())) {
		return operand{}
	}
	defer func() { c.frame = c.frame.up }()
	c.frame.vars[sig.Recv()] = c.self
	if c.copied(sig.Recv(), c.self, sig.Recv().Pos()) {
		return operand{}
	}
	c.bind(sig.Params().At(0), arg, sig.Params().At(0).Pos())
	if out := c.body(d, sig); len(out) == 1 && sig.Results().Len() == 1 {
		return out[0]
	}
	return operand{kind: none}
}

// gallop moves at, before end, to the first entry for which less doesn't hold. It holds for those before that.
func (c *corners) gallop(at, end operand, less func(v operand) operand) {
	high, step := c.number64("high"), c.number64("step")
	c.set(high, at, c.pos)
	c.set(step, constOperand(ir.Uint64, 1), c.pos)
	c.loop("", c.pos, 0, func() {
		c.leave(c.compare(ir.LessEqual, false, end, high, c.pos), c.pos)
		c.leave(c.not(less(c.target(high)), c.pos), c.pos)
	}, func() {
		c.set(at, c.plus(high), c.pos)
		c.set(high, c.arithmetic(ir.Add, high, step, c.pos), c.pos)
		c.set(step, c.arithmetic(ir.Add, step, step, c.pos), c.pos)
	}, nil)
	c.when(c.compare(ir.Less, false, end, high, c.pos), func() { c.set(high, end, c.pos) }, nil)
	c.loop("", c.pos, 0, func() {
		c.leave(c.compare(ir.LessEqual, false, high, at, c.pos), c.pos)
	}, func() {
		sum := c.arithmetic(ir.Add, at, high, c.pos)
		middle := c.move(c.arithmetic(ir.Shr, sum, constOperand(ir.Uint64, 1), c.pos), "", c.pos)
		c.when(less(c.target(middle)), func() { c.set(at, c.plus(middle), c.pos) }, func() { c.set(high, middle, c.pos) })
	}, nil)
}

// row returns variables with where the row of an end begins and ends.
func (c *corners) row(end ir.Input) (first, last operand) {
	at := operand{kind: number, t: ir.Uint64, arg: c.wide(end)}
	first, last = c.number64("first"), c.number64("last")
	c.set(first, operand{kind: number, t: ir.Uint64, arg: c.load(c.rows, ir.Uint64, at.arg, c.pos)}, c.pos)
	c.set(last, operand{kind: number, t: ir.Uint64, arg: c.load(c.rows, ir.Uint64, c.plus(at).arg, c.pos)}, c.pos)
	return first, last
}

// target loads an entry of a row.
func (c *corners) target(at operand) operand {
	return operand{kind: number, t: ir.Uint32, arg: c.load(c.targets, ir.Uint32, at.arg, c.pos)}
}

func (c *corners) plus(x operand) operand {
	return c.arithmetic(ir.Add, x, constOperand(ir.Uint64, 1), c.pos)
}

func (c *corners) minus(x, y operand) operand { return c.arithmetic(ir.Sub, x, y, c.pos) }

// number64 makes a variable.
func (c *corners) number64(name string) operand {
	c.m.Values = append(c.m.Values, ir.Value{Type: ir.Uint64, Name: name})
	return operand{kind: number, t: ir.Uint64, arg: ir.Var(len(c.m.Values) - 1), variable: true}
}

// sets assigns operands to variables: one, then the variable that gets it.
func (c *corners) sets(pairs ...operand) {
	for i := 0; i < len(pairs); i += 2 {
		c.set(pairs[i+1], pairs[i], c.pos)
	}
}

// when appends an If.
func (c *corners) when(cond operand, then, otherwise func()) {
	in := ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{cond.arg}, Line: c.line(c.pos)}
	in.Then = c.nest(then)
	if otherwise != nil {
		in.Else = c.nest(otherwise)
	}
	switch {
	case cond.kind != number:
	case cond.arg.Value >= 0:
		c.emit(in)
	case cond.arg.Bits != 0: // a constant
		*c.list = append(*c.list, in.Then...)
	default:
		*c.list = append(*c.list, in.Else...)
	}
}

// end ends the search at an edge.
func (c *corners) end() {
	c.emit(ir.Instr{Op: ir.Return, Type: ir.Void, Dst: -1, Line: c.line(c.pos)})
}

// cornerField lowers a field of a corner.
func (m *method) cornerField(of *parts, e *ast.SelectorExpr) operand {
	for i, name := range []string{"A", "B", "C"} {
		if e.Sel.Name == name {
			return of.vertices[i]
		}
	}
	for i, name := range []string{"AB", "AC", "BC"} {
		if e.Sel.Name == name {
			return of.edges[i]
		}
	}
	if e.Sel.Name == "Level" {
		return operand{kind: number, t: ir.Int32, arg: m.input(ir.Level, ir.Int32)}
	}
	m.errorf(e.Sel.Pos(), "a corner has no %s", e.Sel.Name)
	return operand{}
}
