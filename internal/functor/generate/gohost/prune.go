// This file holds what is done to a method before it is printed: instructions that can't be
// reached, or whose result isn't used, are dropped, since Go refuses unused variables.

package gohost

import "github.com/foray-graph/foray/internal/functor/ir"

// prune returns a method without what does nothing. Values that are assigned in one place,
// before they are read, are temporary ones.
func prune(m *ir.Method) *ir.Method {
	c := *m
	c.Values, c.Body = append([]ir.Value(nil), m.Values...), clone(m.Body)
	walk(c.Body, func(in *ir.Instr) {
		shiftedOut(in)
		if (in.Op == ir.Convert || in.Op == ir.Bits) && in.Dst >= 0 && in.Type == c.Values[in.Dst].Type {
			in.Op = ir.Move
		}
	})
	for {
		c.Body = reachable(c.Body)
		p := &pruner{m: &c, uses: make([]int, len(c.Values)), writes: make([]int, len(c.Values))}
		p.count(c.Body)
		c.Body = p.drop(c.Body)
		if !p.changed {
			c.Body = p.nest(c.Body, false)
		}
		if !p.changed {
			p.once()
			p.constants()
			return &c
		}
	}
}

// shiftedOut makes a shift by the width or more, as a constant, one that go vet allows.
func shiftedOut(in *ir.Instr) {
	if in.Op != ir.Shl && in.Op != ir.Shr || in.Args[1].Value >= 0 || in.Args[1].Bits < uint64(in.Type.Bits()) {
		return
	}
	if in.Op == ir.Shr && in.Type.Signed() {
		in.Args[1].Bits = uint64(in.Type.Bits() - 1)
		return
	}
	in.Op, in.Args = ir.Move, []ir.Arg{ir.Const(0)}
}

// once finds the values that are assigned in one place, before they are read.
func (p *pruner) once() {
	for _, v := range p.m.Inputs {
		if v >= 0 {
			p.writes[v]++
		}
	}
	p.onceIn(p.m.Body)
}

// constants replaces values that are assigned one constant, once: Go would see the
// constant in the expression, where what prints operations on constants has to know of it.
func (p *pruner) constants() {
	known := map[int]ir.Arg{}
	for again := true; again; {
		again = false
		walk(p.m.Body, func(in *ir.Instr) {
			for i, a := range in.Args {
				if c, ok := known[a.Value]; ok {
					in.Args[i], again = c, true
				}
			}
			if in.Op == ir.Move && in.Dst >= 0 && in.Args[0].Value < 0 && p.m.Values[in.Dst].Temp {
				if _, ok := known[in.Dst]; !ok {
					known[in.Dst], again = in.Args[0], true
				}
			}
		})
	}
	walk(p.m.Body, shiftedOut)
	for p.changed = true; p.changed; {
		p.changed = false
		clear(p.uses)
		p.count(p.m.Body)
		p.m.Body = p.drop(p.m.Body)
	}
}

func (p *pruner) onceIn(list []ir.Instr) {
	for i := range list {
		in := &list[i]
		if hasDst(in.Op) && in.Dst >= 0 && p.writes[in.Dst] == 1 && !p.m.Values[in.Dst].Temp {
			after := pruner{m: p.m, uses: make([]int, len(p.m.Values))}
			after.count(list[i+1:])
			if after.uses[in.Dst] == p.uses[in.Dst] {
				p.m.Values[in.Dst].Temp = true
			}
		}
		p.onceIn(in.Then)
		p.onceIn(in.Else)
	}
}

func clone(list []ir.Instr) []ir.Instr {
	out := make([]ir.Instr, len(list))
	for i, in := range list {
		in.Args = append([]ir.Arg(nil), in.Args...)
		in.Then, in.Else = clone(in.Then), clone(in.Else)
		out[i] = in
	}
	return out
}

// reachable cuts the instructions after one that control doesn't leave for the next.
func reachable(list []ir.Instr) []ir.Instr {
	for i := range list {
		list[i].Then, list[i].Else = reachable(list[i].Then), reachable(list[i].Else)
		if ends(&list[i]) {
			return list[:i+1]
		}
	}
	return list
}

// ends reports an instruction that control doesn't leave for the next.
func ends(in *ir.Instr) bool {
	switch in.Op {
	case ir.Return, ir.Leave, ir.Continue:
		return true
	case ir.If:
		return endsList(in.Then) && endsList(in.Else)
	case ir.Block:
		return endsList(in.Then) && !leaves(in.Then, in.Label)
	case ir.Loop:
		return !leaves(in.Then, in.Label)
	}
	return false
}

func endsList(list []ir.Instr) bool { return len(list) > 0 && ends(&list[len(list)-1]) }

// leaves reports whether a label is left.
func leaves(list []ir.Instr, label int) bool {
	for i := range list {
		in := &list[i]
		if in.Op == ir.Leave && in.Label == label || leaves(in.Then, label) || leaves(in.Else, label) {
			return true
		}
	}
	return false
}

type pruner struct {
	m       *ir.Method
	uses    []int // how often a value is read
	writes  []int // and assigned
	changed bool
}

func (p *pruner) count(list []ir.Instr) {
	for i := range list {
		for _, a := range list[i].Args {
			if a.Value >= 0 {
				p.uses[a.Value]++
			}
		}
		if p.writes != nil && hasDst(list[i].Op) && list[i].Dst >= 0 {
			p.writes[list[i].Dst]++
		}
		p.count(list[i].Then)
		p.count(list[i].Else)
	}
}

func (p *pruner) drop(list []ir.Instr) []ir.Instr {
	out := list[:0]
	for _, in := range list {
		in.Then, in.Else = p.drop(in.Then), p.drop(in.Else)
		switch {
		case in.Op == ir.If && len(in.Then) == 0 && len(in.Else) == 0,
			in.Op == ir.Block && len(in.Then) == 0,
			in.Op == ir.Move && in.Args[0].Value == in.Dst,
			in.Op == ir.Atomic && in.Func == ir.AtomicLoad && in.Dst < 0,
			pure(&in) && p.uses[in.Dst] == 0:
			p.changed = true
			continue
		case in.Dst >= 0 && p.uses[in.Dst] == 0 && hasDst(in.Op):
			in.Dst = -1
			p.changed = true
		}
		if (in.Op == ir.Div || in.Op == ir.Rem) && in.Dst < 0 && in.Args[0].Value >= 0 { // only the divisor is looked at
			in.Args[0] = ir.Const(1)
			p.changed = true
		}
		out = append(out, in)
	}
	return out
}

// hasDst reports an instruction that may assign a value.
func hasDst(op ir.Op) bool { return op <= ir.Load || op >= ir.Scalar && op <= ir.Atomic }

// pure reports an instruction that does nothing but assign its value.
func pure(in *ir.Instr) bool {
	if in.Dst < 0 {
		return false
	}
	switch in.Op {
	case ir.Div, ir.Rem:
		return in.Site == 0
	case ir.Atomic:
		return in.Func == ir.AtomicLoad
	}
	return hasDst(in.Op)
}

// walk calls f for all instructions.
func walk(list []ir.Instr, f func(*ir.Instr)) {
	for i := range list {
		f(&list[i])
		walk(list[i].Then, f)
		walk(list[i].Else, f)
	}
}
