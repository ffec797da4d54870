package gohost

import (
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// maker makes random functors.
type maker struct {
	*rand.Rand
	f      *ir.Functor
	m      *ir.Method
	scope  []int // values that may be read
	vars   []int // those of them that may be assigned
	labels []ir.Instr
	depth  int
	budget int
	sure   bool // the method returns true always
	ell4   bool // no method has use for an edge's number
	last   int  // in chain: -1, or the value that was assigned last
	chains bool // in chain
}

var numbers = []ir.Type{ir.Int32, ir.Uint32, ir.Int64, ir.Uint64, ir.Float32, ir.Float64}

// functor returns a functor of the kind that set says.
func randomFunctor(r *rand.Rand, name string, s set) *ir.Functor {
	x := &maker{Rand: r, f: &ir.Functor{Name: name, Weights: r.IntN(2) == 0, IDs: r.IntN(3) == 0}}
	if s == push && r.IntN(3) > 0 { // for ELL4 rows
		x.f.Weights, x.f.IDs, x.ell4 = false, false, true
	}
	for i, t := range numbers {
		x.f.Fields = append(x.f.Fields,
			ir.Field{Name: fmt.Sprintf("A%dx", i), Type: t, Slice: true, PerVertex: true, Written: true},
			ir.Field{Name: fmt.Sprintf("B%dx", i), Type: t, Slice: true, PerVertex: true},
			ir.Field{Name: fmt.Sprintf("S%d", i), Type: t})
	}
	x.f.Fields = append(x.f.Fields, ir.Field{Name: "Len", Type: ir.Bool},
		ir.Field{Name: "EdgeRow", Type: ir.Uint32, Slice: true, PerEdge: true, Written: true}, ir.Field{Name: "E", Type: ir.Float64, Slice: true, PerEdge: true, PerVertex: true})
	pick := func(list ...ir.Type) ir.Type { return list[r.IntN(len(list))] }
	switch s {
	case push:
		x.method(ir.Edge, ir.Bool, ir.Void)
	case visit:
		x.method(ir.Edge, ir.Void, ir.Void)
	case near:
		x.method(ir.Edge, ir.Uint32, ir.Void)
		x.method(ir.Vertex, ir.Uint32, ir.Void)
	case reduce:
		t := numbers[r.IntN(len(numbers))]
		if x.f.Reduce = ir.Fold(r.IntN(4)); t.Float() {
			x.f.Reduce = ir.Fold(r.IntN(3))
		}
		x.method(ir.Gather, t, ir.Void)
		x.method(ir.Apply, pick(ir.Void, ir.Int64, ir.Uint64, ir.Float64), t)
	case each:
		x.method(ir.Vertex, pick(ir.Void, ir.Int64, ir.Uint64, ir.Float64), ir.Void)
	case keep:
		x.method(ir.Vertex, ir.Bool, ir.Void)
	case pull:
		x.sure = r.IntN(3) == 0
		if x.sure && r.IntN(2) == 0 {
			x.f.Weights, x.f.IDs = false, false
		}
		x.method(ir.Hit, ir.Bool, ir.Void)
	}
	return x.f
}

func (x *maker) method(k ir.Kind, result, total ir.Type) {
	x.m = &ir.Method{Kind: k, Result: result}
	x.scope, x.vars, x.labels, x.budget = nil, nil, nil, 10+x.IntN(50)
	if x.ell4 && x.IntN(2) == 0 {
		x.budget = 2 + x.IntN(8)
	}
	for i := range x.m.Inputs {
		x.m.Inputs[i] = -1
	}
	input := func(i ir.Input, t ir.Type) {
		x.m.Inputs[i] = x.value(t, true)
		x.scope = append(x.scope, x.m.Inputs[i])
	}
	input(ir.Level, ir.Int32)
	if k == ir.Edge || k == ir.Hit || k == ir.Gather {
		input(ir.Source, ir.Uint32)
		input(ir.Target, ir.Uint32)
		if !x.ell4 {
			input(ir.Index, ir.Uint64)
		}
		if x.f.Weights {
			input(ir.Weight, ir.Float32)
		}
		if x.f.IDs {
			input(ir.EdgeID, ir.Uint64)
		}
	} else {
		input(ir.VertexID, ir.Uint32)
	}
	if k == ir.Apply {
		input(ir.Total, total)
	}
	for range 3 {
		v := x.value(append(numbers, ir.Bool)[x.IntN(7)], false)
		x.vars, x.scope = append(x.vars, v), append(x.scope, v)
	}
	list := x.list()
	if n := len(list); n == 0 || !ends(&list[n-1]) {
		list = append(list, x.ret()...)
	}
	x.m.Body = list
	x.f.Methods = append(x.f.Methods, x.m)
}

func (x *maker) value(t ir.Type, temp bool) int {
	name := ""
	if x.IntN(3) == 0 {
		name = []string{"d", "len", "x", "v1", "targets", "math"}[x.IntN(6)]
	}
	x.m.Values = append(x.m.Values, ir.Value{Type: t, Temp: temp, Name: name})
	return len(x.m.Values) - 1
}

// ret returns a value, as the generator's IR does: never -0 where that is part of it.
func (x *maker) ret() []ir.Instr {
	in := ir.Instr{Op: ir.Return, Dst: -1}
	switch {
	case x.sure:
		in.Args = []ir.Arg{ir.Const(1)}
	case x.f.Positive(x.m):
		t := x.m.Result
		sum := ir.Instr{Op: ir.Add, Type: t, Args: []ir.Arg{x.arg(t), ir.Const(0)}, Dst: x.value(t, true)}
		in.Args = []ir.Arg{{Value: sum.Dst}}
		return []ir.Instr{sum, in}
	case x.m.Result != ir.Void:
		in.Args = []ir.Arg{x.arg(x.m.Result)}
	}
	return []ir.Instr{in}
}

// arg returns an operand.
func (x *maker) arg(t ir.Type) ir.Arg {
	var fit []int
	for _, v := range x.scope {
		if x.m.Values[v].Type == t {
			fit = append(fit, v)
		}
	}
	if x.chains {
		if x.last >= 0 && x.m.Values[x.last].Type == t && x.IntN(4) > 0 {
			return ir.Var(x.last)
		}
		return ir.Const(constantOf(x.Rand, t))
	}
	if len(fit) > 0 && x.IntN(4) > 0 {
		return ir.Var(fit[x.IntN(len(fit))])
	}
	return ir.Const(constantOf(x.Rand, t))
}

// dst returns a new value, or one that may be assigned.
func (x *maker) dst(t ir.Type) int {
	if x.chains {
		return x.value(t, true)
	}
	for _, v := range x.vars {
		if x.m.Values[v].Type == t && x.IntN(3) == 0 {
			return v
		}
	}
	return x.value(t, true)
}

func (x *maker) list() (list []ir.Instr) {
	had := len(x.scope)
	x.depth++
	for n := 1 + x.IntN(8); n > 0 && x.budget > 0; n-- {
		x.budget--
		list = append(list, x.stmt()...)
	}
	x.depth--
	x.scope = x.scope[:had]
	return list
}

// seen makes what an instruction assigns readable.
func (x *maker) seen(in ir.Instr) ir.Instr {
	if in.Dst >= 0 && x.m.Values[in.Dst].Temp {
		x.scope = append(x.scope, in.Dst)
		x.last = in.Dst
	}
	return in
}

func (x *maker) number() ir.Type {
	if x.chains && x.last >= 0 && x.m.Values[x.last].Type != ir.Bool && x.IntN(4) > 0 {
		return x.m.Values[x.last].Type
	}
	return numbers[x.IntN(len(numbers))]
}

func (x *maker) stmt() []ir.Instr {
	if x.IntN(20) == 0 {
		return x.chain()
	}
	return x.statement(x.IntN(22))
}

// statement returns a statement of a kind: those below 13 calculate.
func (x *maker) statement(kind int) []ir.Instr {
	t := x.number()
	op := func(op ir.Op, t, to ir.Type, n int) []ir.Instr {
		in := ir.Instr{Op: op, Type: t}
		for range n {
			in.Args = append(in.Args, x.arg(t))
		}
		if n == 2 && in.Args[0] == in.Args[1] { // go vet doesn't like x && x
			in.Args[1] = ir.Const(constantOf(x.Rand, t))
		}
		in.Dst = x.dst(to)
		return []ir.Instr{x.seen(in)}
	}
	switch kind {
	case 0, 1, 2:
		return op([]ir.Op{ir.Add, ir.Sub, ir.Mul}[x.IntN(3)], t, t, 2)
	case 3:
		return op([]ir.Op{ir.Equal, ir.NotEqual, ir.Less, ir.LessEqual}[x.IntN(4)], t, ir.Bool, 2)
	case 4:
		return op([]ir.Op{ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Equal, ir.NotEqual}[x.IntN(6)], ir.Bool, ir.Bool, 2)
	case 5:
		if t.Float() {
			return op(ir.Neg, t, t, 1)
		}
		return op([]ir.Op{ir.And, ir.Or, ir.Xor, ir.AndNot}[x.IntN(4)], t, t, 2)
	case 6:
		if t.Float() {
			return op(ir.Div, t, t, 2)
		}
		in := op([]ir.Op{ir.Div, ir.Rem}[x.IntN(2)], t, t, 2)
		in[0].Site = x.site()
		return in
	case 7:
		if t.Float() {
			return op(ir.Not, ir.Bool, ir.Bool, 1)
		}
		in := ir.Instr{Op: []ir.Op{ir.Shl, ir.Shr}[x.IntN(2)], Type: t, Args: []ir.Arg{x.arg(t), x.arg(ir.Uint64)}, Dst: x.dst(t)}
		return []ir.Instr{x.seen(in)}
	case 8:
		if !t.Float() && x.IntN(2) == 0 {
			return op(ir.Not, t, t, 1)
		}
		return op([]ir.Op{ir.Neg, ir.Move, ir.Neg}[x.IntN(3)], t, t, 1)
	case 9:
		return op(ir.Convert, t, x.number(), 1)
	case 10:
		if t.Float() {
			return op(ir.Move, ir.Bool, ir.Bool, 1)
		}
		to := []ir.Type{ir.Int32, ir.Uint32, ir.Float32}
		if t.Bits() == 64 {
			to = []ir.Type{ir.Int64, ir.Uint64, ir.Float64}
		}
		return op(ir.Bits, t, to[x.IntN(3)], 1)
	case 11, 12:
		return x.calls(t)
	case 13:
		return x.other(t)
	case 14, 15, 16, 17:
		return x.memory()
	case 18:
		if x.depth < 5 {
			in := ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{x.arg(ir.Bool)}, Then: x.list()}
			if x.IntN(2) == 0 {
				in.Else = x.list()
			}
			return []ir.Instr{in}
		}
	case 19:
		if x.depth < 5 {
			return x.block()
		}
	case 20:
		if len(x.labels) > 0 {
			l := x.labels[x.IntN(len(x.labels))]
			in := ir.Instr{Op: ir.Leave, Dst: -1, Label: l.Label}
			if l.Op == ir.Loop && x.IntN(2) == 0 {
				in.Op = ir.Continue
			}
			return []ir.Instr{{Op: ir.If, Dst: -1, Args: []ir.Arg{x.arg(ir.Bool)}, Then: []ir.Instr{in}}}
		}
	case 21:
		if x.depth > 1 || x.IntN(3) == 0 {
			if x.IntN(2) == 0 {
				return []ir.Instr{{Op: ir.If, Dst: -1, Args: []ir.Arg{x.arg(ir.Bool)}, Then: x.ret()}}
			}
			return x.ret()
		}
	}
	return nil
}

func (x *maker) block() []ir.Instr {
	in := ir.Instr{Op: ir.Block, Dst: -1, Label: x.m.Labels}
	x.m.Labels++
	if x.IntN(2) == 0 {
		x.labels = append(x.labels, in)
		in.Then = x.list()
		x.labels = x.labels[:len(x.labels)-1]
		return []ir.Instr{in}
	}
	in.Op = ir.Loop
	count, more, next := x.value(ir.Int64, false), x.value(ir.Bool, true), x.value(ir.Int64, true)
	begin := []ir.Instr{
		{Op: ir.Less, Type: ir.Int64, Dst: more, Args: []ir.Arg{ir.Var(count), ir.Const(uint64(x.IntN(5)))}},
		{Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(more)}, Else: []ir.Instr{{Op: ir.Leave, Dst: -1, Label: in.Label}}},
		{Op: ir.Add, Type: ir.Int64, Dst: next, Args: []ir.Arg{ir.Var(count), ir.Const(1)}},
		{Op: ir.Move, Type: ir.Int64, Dst: count, Args: []ir.Arg{ir.Var(next)}},
	}
	x.scope = append(x.scope, count)
	x.labels = append(x.labels, in)
	in.Then = append(begin, x.list()...)
	x.labels = x.labels[:len(x.labels)-1]
	x.scope = x.scope[:len(x.scope)-1]
	return []ir.Instr{{Op: ir.Move, Type: ir.Int64, Dst: count, Args: []ir.Arg{ir.Const(0)}}, in}
}

func (x *maker) calls(t ir.Type) []ir.Instr {
	in := ir.Instr{Op: ir.Call, Type: t, Args: []ir.Arg{x.arg(t)}}
	to := t
	switch {
	case x.IntN(4) == 0:
		in.Func = []ir.Func{ir.Min, ir.Max}[x.IntN(2)]
		in.Args = append(in.Args, x.arg(t))
	case !t.Float():
		in.Func = ir.OnesCount + ir.Func(x.IntN(7))
		switch in.Func {
		case ir.RotateLeft:
			in.Args = append(in.Args, x.arg(ir.Int64))
		case ir.Reverse, ir.ReverseBytes:
		default:
			to = ir.Int64
		}
	default:
		in.Func = []ir.Func{ir.Abs, ir.Sqrt, ir.Floor, ir.Ceil, ir.Trunc, ir.IsNaN, ir.MathMin, ir.MathMax, ir.Exp, ir.Log, ir.Pow}[x.IntN(11)]
		switch in.Func {
		case ir.IsNaN:
			to = ir.Bool
		case ir.MathMin, ir.MathMax, ir.Pow:
			in.Args = append(in.Args, x.arg(t))
		}
	}
	in.Dst = x.dst(to)
	return []ir.Instr{x.seen(in)}
}

// other reads scalars and lengths.
func (x *maker) other(t ir.Type) []ir.Instr {
	i := x.IntN(len(x.f.Fields))
	f := x.f.Fields[i]
	if f.Slice {
		return []ir.Instr{x.seen(ir.Instr{Op: ir.FieldLen, Field: i, Dst: x.dst(ir.Int64)})}
	}
	return []ir.Instr{x.seen(ir.Instr{Op: ir.Scalar, Type: f.Type, Field: i, Dst: x.dst(f.Type)})}
}

func (x *maker) site() int {
	x.f.Sites = append(x.f.Sites, ir.Site{File: "a.go", Line: len(x.f.Sites) + 1, What: "index of A"})
	return len(x.f.Sites)
}

// memory reads or writes an element.
// vertex returns an input that is a vertex.
func (x *maker) vertex() int {
	if v := x.m.Inputs[ir.VertexID]; v >= 0 {
		return v
	}
	return x.m.Inputs[ir.Source+ir.Input(x.IntN(2))]
}
