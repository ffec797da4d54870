// Package functorfuzz generates random functors with random data, and runs them by interpreting
// their IR. Tests compare back ends with the result. Only tests use it.
package functorfuzz

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Generate makes a random functor as IR, with data and calls.
func Generate(seed uint64) *Case {
	r := NewRand(seed)
	f := &ir.Functor{Name: fmt.Sprintf("F%d", seed), Fields: r.fields(), Weights: r.chance(2), IDs: r.chance(3), Direct: seed%2 == 1}
	add := func(k ir.Kind, result ir.Type) {
		g := &generator{Rand: r, f: f, m: &ir.Method{Kind: k, Result: result}}
		f.Methods = append(f.Methods, g.m)
		g.method()
	}
	switch r.IntN(5) {
	case 4:
		add(ir.Key, ir.Uint32)
		add(ir.Gather, pick(r, types))
		if r.chance(2) {
			add(ir.Score, ir.Float64)
		}
		add(ir.Apply, pick(r, []ir.Type{ir.Void, ir.Int64, ir.Uint64, ir.Float64}))
	case 0:
		add(ir.Edge, pick(r, []ir.Type{ir.Bool, ir.Void, ir.Uint32}))
	case 1:
		add(ir.Gather, pick(r, types))
		add(ir.Apply, pick(r, []ir.Type{ir.Void, ir.Int64, ir.Uint64, ir.Float64}))
	case 2:
		add(ir.Hit, ir.Bool)
	default:
		add(ir.Vertex, pick(r, []ir.Type{ir.Void, ir.Int64, ir.Uint64, ir.Float64, ir.Bool, ir.Uint32}))
	}
	return r.data(f)
}

// generator makes one method.
type generator struct {
	Rand
	f     *ir.Functor
	m     *ir.Method
	list  *[]ir.Instr
	seen  []int // values that may be used here
	arr   []int // arrays that may be used here
	loops int   // around this place
}

// value adds a value.
func (g *generator) value(t ir.Type, temp bool) int {
	v := ir.Value{Type: t, Temp: temp}
	if !temp && g.chance(2) {
		v.Name = "x"
	}
	g.m.Values = append(g.m.Values, v)
	return len(g.m.Values) - 1
}

func (g *generator) emit(in ir.Instr) { *g.list = append(*g.list, in) }

// temp emits an instruction that gives a new temporary value.
func (g *generator) temp(t ir.Type, in ir.Instr) ir.Arg {
	in.Dst = g.value(t, true)
	g.emit(in)
	g.seen = append(g.seen, in.Dst)
	return ir.Var(in.Dst)
}

func (g *generator) site(what string) int {
	g.f.Sites = append(g.f.Sites, ir.Site{File: "f.go", Line: len(g.f.Sites) + 1, What: what})
	return len(g.f.Sites)
}

func (g *generator) method() {
	m := g.m
	inputs := []ir.Input{ir.Source, ir.Target, ir.Index, ir.Level}
	switch {
	case m.Kind == ir.Apply, m.Kind == ir.Score:
		inputs = []ir.Input{ir.VertexID, ir.Total, ir.Level}
		if g.f.Method(ir.Key) != nil {
			inputs = append(inputs, ir.KeyOf)
		}
	case m.Kind == ir.Vertex:
		inputs = []ir.Input{ir.VertexID, ir.Level}
	default:
		if g.f.Weights {
			inputs = append(inputs, ir.Weight)
		}
		if g.f.IDs {
			inputs = append(inputs, ir.EdgeID)
		}
	}
	for i := range m.Inputs {
		m.Inputs[i] = -1
	}
	of := map[ir.Input]ir.Type{ir.Source: ir.Uint32, ir.Target: ir.Uint32, ir.Index: ir.Uint64, ir.Level: ir.Int32, ir.Weight: ir.Float32, ir.EdgeID: ir.Uint64, ir.VertexID: ir.Uint32, ir.KeyOf: ir.Uint32}
	if g.f.Method(ir.Gather) != nil {
		of[ir.Total] = g.f.TotalOf(m.Kind)
	}
	for _, i := range inputs {
		m.Inputs[i] = g.value(of[i], g.chance(2))
		g.seen = append(g.seen, m.Inputs[i])
	}
	for range g.IntN(4) {
		g.seen = append(g.seen, g.value(pick(g.Rand, append(types, ir.Bool)), false))
	}
	g.list = &m.Body
	g.statements(2 + g.IntN(6))
	g.ret()
}

// inside makes a separate list of instructions.
func (g *generator) inside(make func()) []ir.Instr {
	var list []ir.Instr
	was, seen, arr := g.list, len(g.seen), len(g.arr)
	g.list = &list
	make()
	g.list, g.seen, g.arr = was, g.seen[:seen], g.arr[:arr]
	return list
}

func (g *generator) statements(n int) {
	for range n {
		g.statement()
	}
}

func (g *generator) ret() {
	in := ir.Instr{Op: ir.Return, Type: g.m.Result, Dst: -1}
	if g.m.Result != ir.Void {
		in.Args = []ir.Arg{g.expr(g.m.Result, 3)}
	}
	g.emit(in)
}

// slices returns fields that are slices, with the implicit ones if they are only read.
func (g *generator) slices(write bool) (out []int) {
	for i, x := range g.f.Fields {
		if x.Slice && (!x.PerEdge || x.PerVertex || g.edge()) {
			out = append(out, i)
		}
	}
	if !write && g.edge() {
		if g.f.Weights {
			out = append(out, g.f.WeightsField())
		}
		if g.f.IDs {
			out = append(out, g.f.IDsField())
		}
	}
	return out
}

func (g *generator) accumulators() (out []int) {
	for i, x := range g.f.Fields {
		if x.Accumulator {
			out = append(out, i)
		}
	}
	return out
}

func (g *generator) edge() bool {
	return g.m.Kind == ir.Edge || g.m.Kind == ir.Hit || g.m.Kind == ir.Gather || g.m.Kind == ir.Key
}

// unchanged reports that an input still has the operator's value.
func (g *generator) unchanged(i ir.Input) bool { return g.m.Values[g.m.Inputs[i]].Temp }

// index makes an index of a field, with a check if necessary.
func (g *generator) index(field int) ir.Arg {
	x := g.f.FieldOf(field)
	if !g.chance(4) {
		switch {
		case x.PerVertex && g.edge():
			i := pick(g.Rand, []ir.Input{ir.Source, ir.Target})
			if g.unchanged(i) {
				return g.temp(ir.Uint64, ir.Instr{Op: ir.Convert, Type: ir.Uint32, Args: []ir.Arg{ir.Var(g.m.Inputs[i])}})
			}
		case x.PerVertex:
			if g.unchanged(ir.VertexID) {
				return g.temp(ir.Uint64, ir.Instr{Op: ir.Convert, Type: ir.Uint32, Args: []ir.Arg{ir.Var(g.m.Inputs[ir.VertexID])}})
			}
		case x.PerEdge && g.edge():
			if g.unchanged(ir.Index) {
				return ir.Var(g.m.Inputs[ir.Index])
			}
		}
	}
	t := pick(g.Rand, []ir.Type{ir.Int64, ir.Uint64})
	a := g.expr(t, 1)
	if !g.chance(8) {
		a = g.temp(t, ir.Instr{Op: ir.And, Type: t, Args: []ir.Arg{a, ir.Const(7)}})
	} else if a.Value < 0 {
		a = g.temp(t, ir.Instr{Op: ir.Move, Type: t, Args: []ir.Arg{a}})
	}
	g.emit(ir.Instr{Op: ir.Check, Type: t, Dst: -1, Field: field, Args: []ir.Arg{a}, Site: g.site("index of " + x.Name)})
	if t == ir.Int64 {
		a = g.temp(ir.Uint64, ir.Instr{Op: ir.Convert, Type: ir.Int64, Args: []ir.Arg{a}})
	}
	return a
}

// variables returns values that may be assigned.
func (g *generator) variables() (out []int) {
	for _, v := range g.seen {
		if !g.m.Values[v].Temp {
			out = append(out, v)
		}
	}
	return out
}

func (g *generator) statement() {
	if list := g.accumulators(); len(list) > 0 && g.chance(4) {
		field := pick(g.Rand, list)
		t := g.f.Fields[field].Type
		a := g.expr(t, 2)
		if t.Float() { // as the front end does: -0 becomes 0
			a = g.temp(t, ir.Instr{Op: ir.Add, Type: t, Args: []ir.Arg{a, ir.Const(0)}})
		}
		g.emit(ir.Instr{Op: ir.Accumulate, Type: t, Dst: -1, Field: field, Args: []ir.Arg{a}})
		return
	}
	if g.chance(8) {
		g.array()
		return
	}
	switch k := g.IntN(12); {
	case k < 4:
		vars := g.variables()
		if len(vars) == 0 {
			g.seen = append(g.seen, g.value(pick(g.Rand, types), false))
			return
		}
		v := pick(g.Rand, vars)
		t := g.m.Values[v].Type
		a := g.expr(t, 3)
		if n := len(*g.list); n > 0 && a.Value >= 0 && (*g.list)[n-1].Dst == a.Value && g.m.Values[a.Value].Temp && g.seen[len(g.seen)-1] == a.Value && g.chance(2) {
			(*g.list)[n-1].Dst = v // as the front end may do; the temporary one isn't used
			g.seen = g.seen[:len(g.seen)-1]
			return
		}
		g.emit(ir.Instr{Op: ir.Move, Type: t, Dst: v, Args: []ir.Arg{a}})
	case k < 5:
		field := pick(g.Rand, g.slices(true))
		if g.f.Fields[field].Slice {
			t := g.f.Fields[field].Type
			i := g.index(field)
			g.f.Fields[field].Written = true
			g.emit(ir.Instr{Op: ir.Store, Type: t, Dst: -1, Field: field, Args: []ir.Arg{i, g.expr(t, 3)}})
		}
	case k < 7:
		g.atomic(g.chance(2))
	case k < 10:
		c := g.expr(ir.Bool, 2)
		in := ir.Instr{Op: ir.If, Type: ir.Bool, Dst: -1, Args: []ir.Arg{c}}
		in.Then = g.inside(func() {
			g.statements(g.IntN(3))
			if g.chance(5) {
				g.ret()
			}
		})
		if g.chance(2) {
			in.Else = g.inside(func() {
				g.statements(g.IntN(3))
				if g.chance(6) {
					g.ret()
				}
			})
		}
		g.emit(in)
	case k < 11:
		g.loop()
	default:
		label := g.m.Labels
		g.m.Labels++
		g.emit(ir.Instr{Op: ir.Block, Dst: -1, Label: label, Then: g.inside(func() {
			g.statements(1 + g.IntN(2))
			g.leaveIf(ir.Leave, label)
			g.statements(g.IntN(2))
			if g.chance(2) {
				g.emit(ir.Instr{Op: ir.Leave, Dst: -1, Label: label})
			}
		})})
	}
}

func (g *generator) leaveIf(op ir.Op, label int) {
	c := g.expr(ir.Bool, 2)
	g.emit(ir.Instr{Op: ir.If, Type: ir.Bool, Dst: -1, Args: []ir.Arg{c}, Then: g.inside(func() {
		if g.chance(2) {
			g.statement()
		}
		g.emit(ir.Instr{Op: op, Dst: -1, Label: label})
	})})
}

// loop makes a loop that ends.
func (g *generator) loop() {
	if g.loops == 2 {
		return
	}
	g.loops++
	defer func() { g.loops-- }()
	label := g.m.Labels
	g.m.Labels++
	i := g.value(ir.Int64, false)
	g.emit(ir.Instr{Op: ir.Move, Type: ir.Int64, Dst: i, Args: []ir.Arg{ir.Const(0)}})
	g.emit(ir.Instr{Op: ir.Loop, Dst: -1, Label: label, Then: g.inside(func() {
		c := g.temp(ir.Bool, ir.Instr{Op: ir.LessEqual, Type: ir.Int64, Args: []ir.Arg{ir.Const(1 + g.Uint64N(4)), ir.Var(i)}})
		g.emit(ir.Instr{Op: ir.If, Type: ir.Bool, Dst: -1, Args: []ir.Arg{c}, Then: []ir.Instr{{Op: ir.Leave, Dst: -1, Label: label}}})
		g.emit(ir.Instr{Op: ir.Add, Type: ir.Int64, Dst: i, Args: []ir.Arg{ir.Var(i), ir.Const(1)}})
		g.statements(1 + g.IntN(2))
		if g.chance(3) {
			g.leaveIf(pick(g.Rand, []ir.Op{ir.Leave, ir.Continue}), label)
			g.statements(g.IntN(2))
		}
		if g.chance(4) {
			g.emit(ir.Instr{Op: ir.Continue, Dst: -1, Label: label})
		}
	})})
}

// atomic makes an atomic operation, and returns its result if it has one.
func (g *generator) atomic(drop bool) (ir.Arg, ir.Type) {
	field := pick(g.Rand, g.slices(true))
	t := g.f.Fields[field].Type
	g.f.Fields[field].Written = true
	funcs := []ir.Func{ir.AtomicLoad, ir.AtomicStore, ir.AtomicMin, ir.AtomicMax, ir.AtomicMin, ir.AtomicMax, ir.AtomicAdd, ir.AtomicAdd, ir.AtomicExchange, ir.AtomicCompareAndSwap}
	if t.Integer() {
		funcs = append(funcs, ir.AtomicOr, ir.AtomicAnd)
	}
	in := ir.Instr{Op: ir.Atomic, Type: t, Func: pick(g.Rand, funcs), Field: field, Dst: -1}
	if !drop && in.Func == ir.AtomicStore {
		in.Func = ir.AtomicLoad
	}
	in.Args = []ir.Arg{g.index(field)}
	if in.Func != ir.AtomicLoad {
		a := g.expr(t, 2)
		if in.Func == ir.AtomicCompareAndSwap {
			switch {
			case t.Float():
				a = g.notNaN(t, a)
			case g.chance(2):
				a = g.temp(t, ir.Instr{Op: ir.Load, Type: t, Field: field, Args: in.Args[:1]})
			}
		}
		in.Args = append(in.Args, a)
	}
	result := t
	if in.Func == ir.AtomicCompareAndSwap {
		in.Args = append(in.Args, g.expr(t, 1))
		result = ir.Bool
	}
	if drop || in.Func == ir.AtomicStore {
		g.emit(in)
		return ir.Arg{}, ir.Void
	}
	return g.temp(result, in), result
}

// notNaN returns a number, or 1 if it is NaN: the bits of NaN differ between implementations.
func (g *generator) notNaN(t ir.Type, a ir.Arg) ir.Arg {
	v := g.value(t, false)
	g.emit(ir.Instr{Op: ir.Move, Type: t, Dst: v, Args: []ir.Arg{a}})
	c := g.temp(ir.Bool, ir.Instr{Op: ir.NotEqual, Type: t, Args: []ir.Arg{a, a}})
	one := uint64(math.Float32bits(1))
	if t == ir.Float64 {
		one = math.Float64bits(1)
	}
	g.emit(ir.Instr{Op: ir.If, Type: ir.Bool, Dst: -1, Args: []ir.Arg{c}, Then: []ir.Instr{{Op: ir.Move, Type: t, Dst: v, Args: []ir.Arg{ir.Const(one)}}}})
	return ir.Var(v)
}
