package gohost

import "github.com/foray-graph/foray/internal/functor/ir"

// chain calculates with constants and with what came of them, and stores it. Go's compiler would
// do so too where loops let it, and refuse what overflows.
func (x *maker) chain() (list []ir.Instr) {
	x.chains, x.last = true, -1
	defer func() { x.chains = false }()
	for range 2 + x.IntN(3) {
		list = append(list, x.statement(x.IntN(13))...)
	}
	t := x.m.Values[x.last].Type
	for i, f := range x.f.Fields {
		if f.Type == t && f.Slice && f.Written && f.PerVertex {
			at := x.value(ir.Uint64, true)
			return append(list, ir.Instr{Op: ir.Convert, Type: ir.Uint32, Dst: at, Args: []ir.Arg{ir.Var(x.vertex())}},
				ir.Instr{Op: ir.Store, Type: t, Field: i, Dst: -1, Args: []ir.Arg{ir.Var(at), ir.Var(x.last)}})
		}
	}
	return list
}

func (x *maker) memory() (list []ir.Instr) {
	field := x.IntN(len(numbers))*3 + x.IntN(2)
	edge := x.m.Inputs[ir.Index]
	if edge >= 0 && x.IntN(5) == 0 {
		field = len(x.f.Fields) - 1 - x.IntN(2)
		if x.f.Weights && x.IntN(2) == 0 {
			return []ir.Instr{x.seen(ir.Instr{Op: ir.Load, Type: ir.Float32, Field: x.f.WeightsField(), Args: []ir.Arg{ir.Var(edge)}, Dst: x.dst(ir.Float32)})}
		}
	}
	f := x.f.Fields[field]
	var index ir.Arg
	if f.PerEdge && (!f.PerVertex || x.IntN(2) == 0) {
		index = ir.Var(edge)
	} else if own := x.vertex(); x.IntN(5) > 0 {
		i := x.value(ir.Uint64, true)
		list = append(list, x.seen(ir.Instr{Op: ir.Convert, Type: ir.Uint32, Dst: i, Args: []ir.Arg{ir.Var(own)}}))
		index = ir.Var(i)
	} else {
		index = x.arg(ir.Uint64)
		list = append(list, ir.Instr{Op: ir.Check, Type: ir.Uint64, Dst: -1, Field: field, Site: x.site(), Args: []ir.Arg{index}})
		if x.IntN(2) == 0 {
			i := x.value(ir.Uint64, true)
			index = x.arg(ir.Int64)
			list = append(list[:0], ir.Instr{Op: ir.Check, Type: ir.Int64, Dst: -1, Field: field, Site: x.site(), Args: []ir.Arg{index}},
				ir.Instr{Op: ir.Convert, Type: ir.Int64, Dst: i, Args: []ir.Arg{index}})
			index = ir.Var(i)
		}
	}
	in := ir.Instr{Op: ir.Load, Type: f.Type, Field: field, Args: []ir.Arg{index}}
	switch {
	case !f.Written || x.IntN(3) == 0:
		in.Dst = x.dst(f.Type)
	case x.IntN(3) == 0:
		in.Op, in.Dst = ir.Store, -1
		in.Args = append(in.Args, x.arg(f.Type))
	default:
		x.atomic(&in, f.Type)
	}
	return append(list, x.seen(in))
}

func (x *maker) atomic(in *ir.Instr, t ir.Type) {
	in.Op, in.Func = ir.Atomic, ir.AtomicLoad+ir.Func(x.IntN(9))
	if t.Float() {
		in.Func = []ir.Func{ir.AtomicLoad, ir.AtomicStore, ir.AtomicMin, ir.AtomicMax, ir.AtomicAdd, ir.AtomicExchange}[x.IntN(6)]
	}
	if in.Func != ir.AtomicLoad {
		in.Args = append(in.Args, x.arg(t))
	}
	to := t
	if in.Func == ir.AtomicCompareAndSwap {
		in.Args, to = append(in.Args, x.arg(t)), ir.Bool
	}
	in.Dst = -1
	if in.Func != ir.AtomicStore && x.IntN(4) > 0 {
		in.Dst = x.dst(to)
	}
}
