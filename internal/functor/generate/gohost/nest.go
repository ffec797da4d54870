// This file nests what && and || are lowered to, so that it reads, and branches, as a person
// would write it.

package gohost

import "github.com/foray-graph/foray/internal/functor/ir"

// nest rewrites pairs of instructions, of which the first sets a variable that only the second
// reads:
//
//	if c { ...; v = x } else { ...; v = y }; return v   becomes   if c { ...; return x } else { ...; return y }
//	if c { ...; v = x } else { v = false }; if v { ... }   becomes   if c { ...; if x { ... } }
//
// where an else of the second, that only jumps or returns, is printed twice.
func (p *pruner) nest(list []ir.Instr, loop bool) []ir.Instr {
	for i := range list {
		in := &list[i]
		in.Then, in.Else = p.nest(in.Then, loop || in.Op == ir.Loop), p.nest(in.Else, loop)
	}
	for i := len(list) - 2; i >= 0; i-- {
		first, second := &list[i], &list[i+1]
		if first.Op != ir.If || len(second.Args) == 0 {
			continue
		}
		v := second.Args[0].Value
		if v < 0 || p.uses[v] != 1 || p.m.Values[v].Temp {
			continue
		}
		x, ok := last(first.Then, v)
		if !ok {
			continue
		}
		y, zero := last(first.Else, v)
		switch {
		case zero && p.writes[v] == 2: // both set it
		case len(first.Else) == 0 && p.writes[v] == 1 && !loop: // it is zero else
			y, zero = ir.Instr{Op: ir.Move, Args: []ir.Arg{ir.Const(0)}}, true
		default:
			continue
		}
		switch {
		case second.Op == ir.Return:
			first.Then = p.turn(first.Then, x, ir.Instr{Op: ir.Return, Dst: -1, Line: second.Line})
			first.Else = p.turn(first.Else, y, ir.Instr{Op: ir.Return, Dst: -1, Line: second.Line})
		case second.Op == ir.If && short(second.Else) && len(first.Else) <= 1 && y.Op == ir.Move && y.Args[0] == ir.Const(0):
			first.Then = p.turn(first.Then, x, *second)
			first.Else = clone(second.Else)
		default:
			continue
		}
		p.changed = true
		return append(list[:i+1], list[i+2:]...)
	}
	return list
}

// short reports what may be there twice.
func short(list []ir.Instr) bool {
	return len(list) == 0 || len(list) == 1 && (list[0].Op == ir.Return || list[0].Op == ir.Leave || list[0].Op == ir.Continue)
}

// last returns the last instruction of a list if it assigns v.
func last(list []ir.Instr, v int) (ir.Instr, bool) {
	if len(list) == 0 {
		return ir.Instr{}, false
	}
	in := list[len(list)-1]
	return in, hasDst(in.Op) && in.Dst == v
}

// turn replaces the assignment x at the end of a list, if it is there, by an instruction that
// takes what was assigned.
func (p *pruner) turn(list []ir.Instr, x, next ir.Instr) []ir.Instr {
	if x.Op == ir.Move {
		next.Args = []ir.Arg{x.Args[0]}
		if len(list) > 0 {
			list = list[:len(list)-1]
		}
		return append(list, next)
	}
	v := len(p.m.Values)
	p.m.Values = append(p.m.Values, ir.Value{Type: p.m.Values[x.Dst].Type, Temp: true})
	list[len(list)-1].Dst = v
	next.Args = []ir.Arg{ir.Var(v)}
	return append(list, next)
}
