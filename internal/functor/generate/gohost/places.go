// This file finds the values that are printed where they are used, instead of as variables.

package gohost

import "github.com/foray-graph/foray/internal/functor/ir"

// places has where values are assigned and read.
type places struct {
	set, read []int // the loop, numbered from 1 on, in which that is; -1: in several
	writes    []int
	loop, n   int
}

func (p *places) find(list []ir.Instr, values int) {
	p.set, p.read, p.writes = make([]int, values), make([]int, values), make([]int, values)
	p.walk(list)
}

func (p *places) walk(list []ir.Instr) {
	for i := range list {
		in := &list[i]
		for _, a := range in.Args {
			if a.Value >= 0 {
				p.read[a.Value] = p.loop
			}
		}
		if hasDst(in.Op) && in.Dst >= 0 {
			p.set[in.Dst] = p.loop
			p.writes[in.Dst]++
		}
		outer := p.loop
		if in.Op == ir.Loop {
			p.n++
			p.loop = p.n
		}
		p.walk(in.Then)
		p.walk(in.Else)
		p.loop = outer
	}
}

// inline reports an instruction whose value stands for its expression: nothing that the
// expression is made of changes before it is used, and it is calculated no more often.
func (p *places) inline(b *body, in *ir.Instr) bool {
	if !b.m.Values[in.Dst].Temp || b.isInput(in.Dst) {
		return false
	}
	for _, a := range in.Args {
		if a.Value >= 0 && !p.constant(b, a.Value) {
			return false
		}
	}
	if in.Op == ir.Move && in.Args[0].Value < 0 {
		return false // Go would compute with the constant as it compiles, and refuse what overflows
	}
	once := b.uses[in.Dst] == 1 && p.set[in.Dst] == p.read[in.Dst]
	switch in.Op {
	case ir.Scalar:
		return true
	case ir.Convert:
		return once || in.Type.Integer() && b.m.Values[in.Dst].Type.Integer() && in.Args[0].Value >= 0
	case ir.Move, ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Shl, ir.Shr, ir.Neg, ir.Not,
		ir.Equal, ir.NotEqual, ir.Less, ir.LessEqual, ir.Bits, ir.FieldLen:
		return once
	case ir.Call:
		return once && in.Func != ir.IsNaN && in.Func != ir.MulHigh
	}
	return false
}

// constant reports a value that doesn't change once it is assigned.
func (p *places) constant(b *body, v int) bool {
	return v >= len(p.writes) || b.m.Values[v].Temp || b.isInput(v) && p.writes[v] == 0
}
