// This file holds what the analyses of methods share: their control flow, and where values come from.

package ir

// examined is a method whose structure has been flattened.
type examined struct {
	m        *Method
	code     []node
	assigned []int    // by value: how many instructions assign it
	defined  []*Instr // by value: the instruction that assigns it, of a Temp
	used     []bool   // by value: an instruction that is reached has it as an operand
}

// node is an instruction, or a jump. If goes to the next node where its operand is true, and else to to. A nil
// in always goes to to.
type node struct {
	in      *Instr
	to      int
	reached bool
}

// examine flattens a method.
func examine(m *Method) *examined {
	x := &examined{m: m, assigned: make([]int, len(m.Values)), defined: make([]*Instr, len(m.Values)), used: make([]bool, len(m.Values))}
	x.flatten(m.Body, make([]int, m.Labels), make([][]int, m.Labels))
	todo := []int{0}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i < len(x.code) && !x.code[i].reached {
			n := &x.code[i]
			n.reached = true
			switch {
			case n.in == nil:
				i = n.to
				continue
			case n.in.Op == If:
				todo = append(todo, n.to)
			case n.in.Op == Return:
				i = len(x.code)
				continue
			}
			i++
		}
	}
	for _, in := range x.reached() {
		for _, a := range in.Args {
			if a.Value >= 0 {
				x.used[a.Value] = true
			}
		}
	}
	return x
}

// flatten appends instructions. begins has where loops begin, by label, leaves the jumps that leave a label.
func (x *examined) flatten(list []Instr, begins []int, leaves [][]int) {
	jump := func() int {
		x.code = append(x.code, node{})
		return len(x.code) - 1
	}
	for i := range list {
		in := &list[i]
		switch in.Op {
		case If:
			at := len(x.code)
			x.code = append(x.code, node{in: in})
			x.flatten(in.Then, begins, leaves)
			over := jump()
			x.code[at].to = len(x.code)
			x.flatten(in.Else, begins, leaves)
			x.code[over].to = len(x.code)
		case Block, Loop:
			begins[in.Label], leaves[in.Label] = len(x.code), nil
			x.flatten(in.Then, begins, leaves)
			if in.Op == Loop {
				x.code[jump()].to = begins[in.Label]
			}
			for _, at := range leaves[in.Label] {
				x.code[at].to = len(x.code)
			}
		case Leave:
			leaves[in.Label] = append(leaves[in.Label], jump())
		case Continue:
			x.code[jump()].to = begins[in.Label]
		default:
			x.code = append(x.code, node{in: in})
			if in.Dst >= 0 && in.Op != Return {
				x.assigned[in.Dst]++
				if x.m.Values[in.Dst].Temp {
					x.defined[in.Dst] = in
				}
			}
		}
	}
}

// reached returns the instructions that control may get to.
func (x *examined) reached() (all []*Instr) {
	for _, n := range x.code {
		if n.reached && n.in != nil {
			all = append(all, n.in)
		}
	}
	return all
}

// uses reports whether something depends on a value. There is no value -1.
func (x *examined) uses(v int) bool { return v >= 0 && (x.used[v] || !x.m.Values[v].Temp) }

// place returns the vertex whose number an index is: Source, Target or VertexID, or else NumInputs.
func (x *examined) place(index Arg) Input {
	for v := index.Value; v >= 0; {
		for _, i := range []Input{Source, Target, VertexID} {
			if x.m.Inputs[i] == v && x.assigned[v] == 0 {
				return i
			}
		}
		d := x.defined[v]
		if d == nil || !x.keeps(d) {
			break
		}
		v = d.Args[0].Value
	}
	return NumInputs
}

// edges returns the values that are Edge.Index. alone says that they index elements of arrays, and do nothing else. Otherwise
// there are no such values.
func (x *examined) edges() (is map[int]bool, alone bool) {
	index := x.m.Inputs[Index]
	if index < 0 {
		return nil, true
	}
	if x.assigned[index] > 0 {
		return nil, false
	}
	is = map[int]bool{index: true}
	for _, in := range x.reached() { // a Temp is assigned before it is used
		for i, a := range in.Args {
			if a.Value < 0 || !is[a.Value] {
				continue
			}
			switch {
			case i == 0 && (in.Op == Load || in.Op == Store || in.Op == Atomic):
			case in.Dst >= 0 && x.keeps(in) && x.m.Values[in.Dst].Temp:
				is[in.Dst] = true
			default:
				return nil, false
			}
		}
	}
	return is, true
}

// keeps reports an instruction whose result is the number that its operand is, without a sign.
func (x *examined) keeps(in *Instr) bool {
	to := x.m.Values[in.Dst].Type
	switch in.Op {
	case Move:
		return true
	case Convert:
		return in.Type.Integer() && to.Integer() && (in.Type.Bits() == to.Bits() || in.Type == Uint32 && to.Bits() == 64)
	}
	return false
}
