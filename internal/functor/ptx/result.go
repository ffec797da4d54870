// This file prints how a method ends: its result, or a fault.

package ptx

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// result prints the assignment of a method's result.
func (p *printer) result(in *ir.Instr) {
	t := p.m.Result
	bits := 64
	switch {
	case p.m.Kind == ir.Edge && t == ir.Void:
		return
	case p.m.Kind == ir.Edge, p.m.Kind == ir.Hit, p.m.Kind == ir.Key:
		bits = 32
	case p.m.Kind == ir.Gather:
		bits = t.Bits()
	}
	if t == ir.Void {
		p.op("mov.b64 $0, 0")
		return
	}
	if len(in.Args) != 1 {
		p.fail("line %d: a return without a result", in.Line)
		return
	}
	a := in.Args[0]
	switch {
	case a.Value < 0:
		p.op("mov.b%d $0, %s", bits, integer(a.Bits&(1<<t.Bits()-1), bits))
	case t == ir.Bool:
		p.op("selp.b%d $0, 1, 0, %s", bits, p.dst(a.Value))
	case t.Bits() < bits:
		p.op("cvt.u64.u32 $0, %s", p.dst(a.Value))
	default:
		p.op("mov.b%d $0, %s", bits, p.dst(a.Value))
	}
}

// check prints a branch to a fault of a site: is has the predicate of the branch, index the
// 64-bit register of what is reported, or "".
func (p *printer) check(in *ir.Instr, is, index string) {
	if in.Site < 0 || in.Site >= 1<<(64-ir.FaultBits) {
		p.fail("line %d: %w: more than %d places that may fault", in.Line, ErrNotSupported, 1<<(64-ir.FaultBits)-1)
		return
	}
	if p.fault == "" {
		p.fault = p.register(64)
	} else {
		p.tail.WriteString("\tbra f_fault;\n")
	}
	label := p.newLabel()
	p.op("@%s bra %s", is, label)
	site := uint64(in.Site) << ir.FaultBits
	fmt.Fprintf(&p.tail, "%s:\n", label)
	if index == "" {
		fmt.Fprintf(&p.tail, "\tmov.b64 %s, %s;\n", p.fault, integer(site, 64))
		return
	}
	if in.Type.Signed() {
		fmt.Fprintf(&p.tail, "\tmin.s64 %s, %s, %d;\n", p.fault, index, ir.MaxIndex)
		fmt.Fprintf(&p.tail, "\tmax.s64 %s, %s, %d;\n", p.fault, p.fault, ir.MinIndex)
		fmt.Fprintf(&p.tail, "\tand.b64 %s, %s, %s;\n", p.fault, p.fault, integer(1<<ir.FaultBits-1, 64))
	} else {
		fmt.Fprintf(&p.tail, "\tmin.u64 %s, %s, %d;\n", p.fault, index, ir.MaxIndex)
	}
	fmt.Fprintf(&p.tail, "\tor.b64 %s, %s, %s;\n", p.fault, p.fault, integer(site, 64))
}

// faults prints what all faults have in common: the fault word, the stop flag and a result
// of zero.
func (p *printer) faults() {
	word, stop := p.register(64), p.register(64)
	fmt.Fprintf(&p.tail, "f_fault:\n\tld.param.b64 %s, [$p+%d];\n", word, 8*ir.FaultWord)
	fmt.Fprintf(&p.tail, "\tst.volatile.global.u64 [%s], %s;\n", word, p.fault)
	fmt.Fprintf(&p.tail, "\tld.param.b64 %s, [$p+%d];\n", stop, 8*ir.StopWord)
	fmt.Fprintf(&p.tail, "\tst.volatile.global.u32 [%s], 1;\n", stop)
	switch {
	case p.m.Kind == ir.Edge && p.m.Result == ir.Void:
	case p.m.Kind == ir.Edge || p.m.Kind == ir.Hit || p.m.Kind == ir.Key || p.m.Kind == ir.Gather && p.m.Result.Bits() == 32:
		p.tail.WriteString("\tmov.b32 $0, 0;\n")
	default:
		p.tail.WriteString("\tmov.b64 $0, 0;\n")
	}
}
