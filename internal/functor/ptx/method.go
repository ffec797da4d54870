// This file prints methods: registers, values and control flow.

package ptx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// ErrNotSupported is the error of a method that has no PTX.
var ErrNotSupported = errors.New("not supported on GPUs")

// printer prints one method.
type printer struct {
	f     *ir.Functor
	m     *ir.Method
	at    []int // words of fields in the block
	head  strings.Builder
	body  strings.Builder
	tail  strings.Builder // where checks branch to when they fail
	regs  [3]int          // registers handed out: pred, b32, b64
	reg   []string        // of values; "" before one is needed
	small map[int]string  // 64-bit values that are extended from 32 bits: the register of those
	info  []facts
	param map[string]string // what the block's words were loaded into
	label int               // labels handed out
	to    []target          // of the method's labels
	end   bool              // something branches to the block's end
	fault string            // the register of the fault word, if something can fault
	mine  string            // the register of how far from its first the thread's stripe is
	err   error
}

// facts are what is known about a value before anything is printed.
type facts struct {
	input    bool
	assigned int  // how many instructions assign it
	wide     bool // something needs all 64 bits, not only what they were extended from
	zero     bool // it may be used before it is assigned
}

// target is a label of a method: where a continue goes to, and a leave.
type target struct {
	begin, end string
	left       bool
}

// Method returns the PTX of a method: the text of a block as package documentation says.
func Method(f *ir.Functor, m *ir.Method) (string, error) {
	p := &printer{f: f, m: m, small: map[int]string{}, param: map[string]string{}}
	p.at, _ = f.Words()
	p.reg = make([]string, len(m.Values))
	p.to = make([]target, m.Labels)
	p.info = make([]facts, len(m.Values))
	folded := *m
	folded.Body = fold(m, m.Body, constants{})
	m = &folded
	p.m = m
	p.inputs()
	p.look(m.Body)
	p.zeros()
	ended := p.list(m.Body)
	if !ended && m.Result != ir.Void {
		p.fail("a path without a result")
	}
	if !ended && m.Kind != ir.Edge {
		p.op("mov.b64 $0, 0")
	}
	if p.err != nil {
		return "", fmt.Errorf("functor %s, method %s: %w", f.Name, m.Kind, p.err)
	}
	return p.text(ended), nil
}

func (p *printer) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// text puts the block together.
func (p *printer) text(ended bool) string {
	const leave = "\tbra f_end;\n"
	body := p.body.String()
	if p.fault != "" {
		if !ended {
			body += leave
			p.end = true
		}
		p.faults()
		body += p.tail.String()
	} else if ended && strings.HasSuffix(body, leave) {
		body = strings.TrimSuffix(body, leave)
		p.end = strings.Contains(body, leave[:len(leave)-1]) || strings.Contains(body, " bra f_end;")
	}
	var b strings.Builder
	b.WriteString("{\n")
	for i, kind := range []string{"pred", "b32", "b64"} {
		if p.regs[i] > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %s<%d>;\n", kind, families[i], p.regs[i])
		}
	}
	b.WriteString(p.head.String())
	b.WriteString(body)
	if p.end {
		b.WriteString("f_end:\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// op prints an instruction.
func (p *printer) op(format string, args ...any) {
	p.body.WriteByte('\t')
	fmt.Fprintf(&p.body, format, args...)
	p.body.WriteString(";\n")
}

func (p *printer) place(label string) { p.body.WriteString(label + ":\n") }

var families = [3]string{"f_p", "f_r", "f_d"}

// register hands out a register of 1, 32 or 64 bits.
func (p *printer) register(bits int) string {
	i := 0
	switch bits {
	case 32:
		i = 1
	case 64:
		i = 2
	}
	p.regs[i]++
	return fmt.Sprintf("%s%d", families[i], p.regs[i]-1)
}

func (p *printer) pred() string { return p.register(1) }

func (p *printer) newLabel() string {
	p.label++
	return fmt.Sprintf("f_L%d", p.label)
}

// dst returns the register that an instruction assigns.
func (p *printer) dst(v int) string {
	if v < 0 || v >= len(p.reg) {
		p.fail("no value %d", v)
		return ""
	}
	if p.reg[v] == "" {
		p.reg[v] = p.register(p.m.Values[v].Type.Bits())
	}
	return p.reg[v]
}

// stable reports a value that keeps what it has while it can be used: it needs no copy.
func (p *printer) stable(v int) bool {
	return p.m.Values[v].Temp || p.info[v].input && p.info[v].assigned == 0
}

// alias lets a value have another's register, if both are stable.
func (p *printer) alias(dst int, a ir.Arg) bool {
	if a.Value < 0 || p.reg[dst] != "" || !p.m.Values[dst].Temp || !p.stable(a.Value) {
		return false
	}
	p.reg[dst] = p.dst(a.Value)
	if s, is := p.small[a.Value]; is {
		p.small[dst] = s
	}
	return true
}

// inputs gives the values of inputs their registers.
func (p *printer) inputs() {
	places := map[ir.Input]int{ir.Source: 1, ir.Target: 2, ir.Level: 3, ir.Index: 4, ir.Weight: 0, ir.EdgeID: 0}
	switch p.m.Kind {
	case ir.Apply, ir.Score:
		places = map[ir.Input]int{ir.VertexID: 1, ir.Total: 2, ir.Level: 3, ir.KeyOf: 4}
	case ir.Vertex:
		places = map[ir.Input]int{ir.VertexID: 1, ir.Level: 2}
	}
	for i, v := range p.m.Inputs {
		if v < 0 {
			continue
		}
		place, has := places[ir.Input(i)]
		if !has || v >= len(p.reg) {
			p.fail("input %d isn't one of the method", i)
			continue
		}
		p.info[v].input = true
		if place > 0 {
			p.reg[v] = fmt.Sprintf("$%d", place)
		}
	}
}

// look notes how values are used.
func (p *printer) look(list []ir.Instr) {
	for i := range list {
		in := &list[i]
		if in.Dst >= 0 && in.Dst < len(p.info) {
			p.info[in.Dst].assigned++
		}
		for j, a := range in.Args {
			if a.Value < 0 {
				continue
			}
			if a.Value >= len(p.info) {
				p.fail("no value %d", a.Value)
				continue
			}
			index := j == 0 && (in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.Atomic)
			count := j == 1 && (in.Op == ir.Shl || in.Op == ir.Shr)
			if !index && !count {
				p.info[a.Value].wide = true
			}
		}
		p.look(in.Then)
		p.look(in.Else)
	}
}

// zeros prints what has to be done before the body: copies of inputs that are assigned, what
// inputs are loaded from, and zeros of values that may be used before they are assigned.
func (p *printer) zeros() {
	for i, v := range p.m.Inputs {
		if v < 0 || p.err != nil {
			continue
		}
		t := p.m.Values[v].Type
		switch {
		case ir.Input(i) == ir.Weight:
			p.edgeLoad(v, p.f.WeightsField())
		case ir.Input(i) == ir.EdgeID:
			p.edgeLoad(v, p.f.IDsField())
		case p.info[v].assigned > 0:
			from := p.reg[v]
			p.reg[v] = ""
			p.op("mov.b%d %s, %s", t.Bits(), p.dst(v), from)
		}
	}
	set := make([]bool, len(p.info))
	for v := range set {
		set[v] = p.info[v].input || p.m.Values[v].Temp
	}
	p.unset(p.m.Body, set)
	for v := range p.info {
		if p.info[v].zero {
			p.op("mov.%s %s, 0", bitsOf(p.m.Values[v].Type), p.dst(v))
		}
	}
}

// edgeLoad loads a value from a slice by the edge's index.
func (p *printer) edgeLoad(v, field int) {
	t := p.f.FieldOf(field).Type
	a := p.address(field, "$4", t.Bits()/8)
	p.op("ld.global.b%d %s, [%s]", t.Bits(), p.dst(v), a)
}

// unset finds values that may be used before they are assigned: set are those assigned.
func (p *printer) unset(list []ir.Instr, set []bool) {
	for i := range list {
		in := &list[i]
		for _, a := range in.Args {
			if a.Value >= 0 && a.Value < len(set) && !set[a.Value] {
				p.info[a.Value].zero = true
			}
		}
		switch in.Op {
		case ir.If, ir.Block, ir.Loop:
			then := append([]bool(nil), set...)
			p.unset(in.Then, then)
			otherwise := append([]bool(nil), set...)
			p.unset(in.Else, otherwise)
			if in.Op == ir.If {
				for v := range set {
					set[v] = set[v] || then[v] && otherwise[v]
				}
			}
		}
		if in.Dst >= 0 && in.Dst < len(set) {
			set[in.Dst] = true
		}
	}
}

// list prints instructions. It reports whether control never gets behind them.
func (p *printer) list(list []ir.Instr) (ended bool) {
	for i := range list {
		if p.err != nil {
			return true
		}
		if p.instr(&list[i]) {
			return true
		}
	}
	return false
}

// instr prints an instruction, and reports whether control never gets behind it.
func (p *printer) instr(in *ir.Instr) (ended bool) {
	if n := operands[in.Op]; n >= 0 && len(in.Args) != n {
		p.fail("line %d: %s has %d operands, want %d", in.Line, in.Op, len(in.Args), n)
		return true
	}
	switch in.Op {
	case ir.Block, ir.Loop, ir.Leave, ir.Continue:
		if in.Label < 0 || in.Label >= len(p.to) {
			p.fail("line %d: no label %d", in.Line, in.Label)
			return true
		}
	}
	switch in.Op {
	case ir.If:
		return p.branch(in)
	case ir.Block:
		t := &p.to[in.Label]
		*t = target{end: p.newLabel()}
		ended = p.list(in.Then)
		if t.left {
			p.place(t.end)
		}
		return ended && !t.left
	case ir.Loop:
		t := &p.to[in.Label]
		*t = target{begin: p.newLabel(), end: p.newLabel()}
		p.place(t.begin)
		if !p.list(in.Then) {
			p.op("bra %s", t.begin)
		}
		if t.left {
			p.place(t.end)
		}
		return !t.left
	case ir.Leave, ir.Continue:
		p.op("bra %s", p.goal(in))
		return true
	case ir.Return:
		p.result(in)
		p.op("bra f_end")
		p.end = true
		return true
	}
	p.simple(in)
	return p.err != nil
}

// goal returns the label that a leave or a continue goes to.
func (p *printer) goal(in *ir.Instr) string {
	t := &p.to[in.Label]
	l := t.begin
	if in.Op == ir.Leave {
		l = t.end
		t.left = true
	}
	if l == "" {
		p.fail("line %d: %s of label %d outside of it", in.Line, in.Op, in.Label)
	}
	return l
}

// branch prints an If.
func (p *printer) branch(in *ir.Instr) (ended bool) {
	c := p.arg(in, 0)
	jump := func(list []ir.Instr) bool {
		return len(list) == 1 && (list[0].Op == ir.Leave || list[0].Op == ir.Continue) && list[0].Label >= 0 && list[0].Label < len(p.to)
	}
	switch {
	case len(in.Then) == 0 && len(in.Else) == 0:
		return false
	case jump(in.Then):
		p.op("@%s bra %s", c, p.goal(&in.Then[0]))
		return p.list(in.Else)
	case jump(in.Else):
		p.op("@!%s bra %s", c, p.goal(&in.Else[0]))
		return p.list(in.Then)
	}
	other := p.newLabel()
	if len(in.Then) == 0 {
		p.op("@%s bra %s", c, other)
		p.list(in.Else)
		p.place(other)
		return false
	}
	p.op("@!%s bra %s", c, other)
	ended = p.list(in.Then)
	if len(in.Else) == 0 {
		p.place(other)
		return false
	}
	behind := ""
	if !ended {
		behind = p.newLabel()
		p.op("bra %s", behind)
	}
	p.place(other)
	ended = p.list(in.Else) && ended
	if behind != "" {
		p.place(behind)
	}
	return ended
}
