// This file makes random uses of local arrays.

package functorfuzz

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// array declares an array, or assigns an element.
func (g *generator) array() {
	if len(g.m.Arrays) < 4 && (len(g.arr) == 0 || g.chance(3)) {
		g.m.Arrays = append(g.m.Arrays, ir.Array{Name: "a", Type: pick(g.Rand, types), Len: 1 + g.IntN(5)})
		n := len(g.m.Arrays) - 1
		g.arr = append(g.arr, n)
		g.emit(ir.Instr{Op: ir.ZeroLocal, Type: g.m.Arrays[n].Type, Dst: -1, Field: n})
		return
	}
	if len(g.arr) == 0 {
		return
	}
	n := pick(g.Rand, g.arr)
	t := g.m.Arrays[n].Type
	g.emit(ir.Instr{Op: ir.StoreLocal, Type: t, Dst: -1, Field: n, Args: []ir.Arg{g.place(n), g.expr(t, 3)}})
}

// element reads an element of an array of a type, if there is one.
func (g *generator) element(t ir.Type) (ir.Arg, bool) {
	for _, n := range g.arr {
		if g.m.Arrays[n].Type == t {
			return g.temp(t, ir.Instr{Op: ir.LoadLocal, Type: t, Field: n, Args: []ir.Arg{g.place(n)}}), true
		}
	}
	return ir.Arg{}, false
}

// place makes an index of an array, with a check if necessary.
func (g *generator) place(n int) ir.Arg {
	if g.chance(3) {
		return ir.Const(g.Uint64N(uint64(g.m.Arrays[n].Len)))
	}
	t := pick(g.Rand, []ir.Type{ir.Int64, ir.Uint64})
	a := g.expr(t, 1)
	if !g.chance(8) {
		a = g.temp(t, ir.Instr{Op: ir.And, Type: t, Args: []ir.Arg{a, ir.Const(uint64(g.IntN(g.m.Arrays[n].Len)))}})
	}
	g.emit(ir.Instr{Op: ir.CheckLocal, Type: t, Dst: -1, Field: n, Args: []ir.Arg{a}, Site: g.site("index of a")})
	if t == ir.Int64 && a.Value >= 0 {
		a = g.temp(ir.Uint64, ir.Instr{Op: ir.Convert, Type: ir.Int64, Args: []ir.Arg{a}})
	}
	return a
}

// local is an array that is in sight.
type local struct {
	name string
	t    ir.Type
	n    int
}

// at returns an index of an array.
func (w *writer) at(a local) string {
	switch w.IntN(8) {
	case 0, 1, 2:
		return fmt.Sprint(w.IntN(a.n))
	case 3:
		return w.moving(pick(w.Rand, types[:4]), 1)
	}
	return fmt.Sprintf("uint32(%s)%%%d", w.moving(pick(w.Rand, types[:4]), 1), a.n)
}

// array declares an array, assigns an element, or goes through one.
func (w *writer) array() {
	if len(w.locals) == 0 || w.chance(3) {
		a := local{"a" + w.name(), pick(w.Rand, types), 1 + w.IntN(3)}
		if w.chance(3) {
			w.line("%s := [%d]%s{%d: %s}", a.name, a.n, a.t, w.IntN(a.n), w.expr(a.t, 2).s)
		} else {
			w.line("var %s [%d]%s", a.name, a.n, a.t)
		}
		w.line("_ = %s[0]", a.name)
		w.locals = append(w.locals, a)
		return
	}
	a := pick(w.Rand, w.locals)
	if w.loops < 2 && w.chance(4) {
		w.loops++
		i := w.name()
		w.line("for %s := range %s {", i, a.name)
		w.block(func() {
			w.line("%s[%s] += %s", a.name, i, w.expr(a.t, 2).s)
			w.vars = append(w.vars, variable{"int64(" + i + ")", ir.Int64, false})
			w.statements(w.IntN(2))
		})
		w.line("}")
		w.loops--
		return
	}
	w.assign(a.name+"["+w.at(a)+"]", a.t)
}

// mask returns early from edges by a column.
func (w *writer) mask() {
	for _, i := range w.slices() {
		if x := w.f.Fields[i]; x.PerEdge && w.chance(2) {
			w.line("if f.%s[e.Index] %s 0 {", x.Name, pick(w.Rand, []string{"==", "<=", "<", ">"}))
			w.block(w.ret)
			w.line("}")
			return
		}
	}
}
