// This file prints atomic operations: plain memory operations where a worker is alone, else
// those of sync/atomic, in place, since generic functions aren't inlined.

package gohost

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// word is how sync/atomic calls the type that elements are treated as.
func (b *body) word(t ir.Type) string {
	b.imports["sync/atomic"] = true
	s := t
	if t.Float() {
		s = unsigned(t)
	}
	return strings.ToUpper(s.String()[:1]) + s.String()[1:]
}

// pointer prints a pointer to an element as sync/atomic takes it.
func (b *body) pointer(t ir.Type, p string) string {
	if t.Float() {
		return fmt.Sprintf("functor.Word%d(%s)", t.Bits(), p)
	}
	return p
}

// atomicLoad prints the value of *p, read atomically.
func (b *body) atomicLoad(t ir.Type, p string) string {
	s := fmt.Sprintf("atomic.Load%s(%s)", b.word(t), b.pointer(t, p))
	if t.Float() {
		return b.fromBits(t, s)
	}
	return s
}

func (b *body) atomic(in *ir.Instr) {
	dst := ""
	if in.Dst >= 0 {
		dst = b.name(in.Dst)
		if !b.m.Values[in.Dst].Temp { // declared before
			dst = b.temp("a")
			defer func() { b.line("%s = %s", b.name(in.Dst), dst) }()
		}
	}
	if b.shared {
		b.atomicShared(in, dst)
	} else {
		b.atomicAlone(in, dst)
	}
	if in.Func != ir.AtomicLoad {
		b.wrote(in)
	}
}

// decides reports whether the first three instructions of a list are d < atomics.Min(&x, d),
// whose result only an if, or the method's return, takes.
func (b *body) decides(list []ir.Instr) bool {
	if len(list) < 3 || list[0].Op != ir.Atomic || list[0].Func != ir.AtomicMin && list[0].Func != ir.AtomicMax || list[0].Dst < 0 {
		return false
	}
	in, cmp, use := &list[0], &list[1], &list[2]
	x, old := in.Args[1], ir.Var(in.Dst)
	if in.Func == ir.AtomicMax {
		x, old = old, x
	}
	return !(cmp.Op != ir.Less || cmp.Args[0] != x || cmp.Args[1] != old || b.uses[cmp.Dst] != 1 || !b.m.Values[cmp.Dst].Temp || !b.m.Values[in.Dst].Temp ||
		use.Op != ir.If && use.Op != ir.Return || use.Args[0] != ir.Var(cmp.Dst) || use.Op == ir.If && len(use.Else) > 0 ||
		use.Op == ir.Return && !(b.m.Kind == ir.Edge && b.m.Result == ir.Bool))
}

// decided prints them: what is to be done there is printed where the element is written. It
// reports whether they are that.
func (b *body) decided(list []ir.Instr, tail bool) bool {
	if !b.decides(list) {
		return false
	}
	in, use := &list[0], &list[2]
	tail = tail && len(list) == 3
	then := func() {
		if use.Op == ir.If {
			b.block(use.Then, tail)
		} else {
			b.finish(b, "true", tail)
		}
	}
	dst, t := b.name(in.Dst), in.Type
	better := fmt.Sprintf("%s %s %s", b.arg(in, 1), map[ir.Func]string{ir.AtomicMin: "<", ir.AtomicMax: ">"}[in.Func], dst)
	p, y := b.temp("p"), bare(b.arg(in, 1))
	edge := b.edge()
	if !b.shared {
		b.line("%s := &%s\n%s := *%s\nif %s%s {\n*%s = %s", p, b.element(in), dst, p, better, edge, p, y)
		b.wrote(in)
		then()
		if t.Float() {
			b.line("} else if %s%s {\n*%s = %s", b.better(in, dst, b.arg(in, 1)), edge, p, y)
			b.wrote(in)
		}
		b.line("}")
	} else {
		b.decidedShared(in, dst, p, better, edge, then)
	}
	if use.Op == ir.Return && !tail {
		b.next()
	}
	return true
}

// decidedShared prints what decided does where other workers run.
func (b *body) decidedShared(in *ir.Instr, dst, p, better, edge string, then func()) {
	b.old(in, dst, p)
	swap, slower := b.swap(in, p, dst, b.arg(in, 1)), b.slower(in, dst, p)
	maybe := strings.SplitN(b.better(in, dst, b.arg(in, 1)), " && ", 2) // of floats: not worse; zeros and NaN
	switch once := b.uses[in.Dst] == 1; {                               // no other instruction uses the old value
	case once && !in.Type.Float():
		b.line("if %s%s && (%s || %s) {", better, edge, swap, b.lost(in, better, dst, p))
		b.wrote(in)
		then()
		b.line("}")
	case once:
		b.line("if %s%s {\nif %s && %s || %s && %s {", maybe[0], edge, better, swap, maybe[1], b.lost(in, better, dst, p))
		b.wrote(in)
		then()
		if len(b.again[in.Field]) > 0 {
			b.line("} else {")
			b.wrote(in)
		}
		b.line("}\n}")
	case !in.Type.Float():
		b.line("if %s%s {\nif !%s {\n%s\n}\nif %s {", better, edge, swap, slower, better)
		b.wrote(in)
		then()
		b.line("}\n}")
	default:
		b.line("if %s%s {\nif %s {\nif !%s {\n%s\n}\n} else if %s {\n%s\n}", maybe[0], edge, better, swap, slower, maybe[1], slower)
		b.wrote(in)
		b.line("if %s {", better)
		then()
		b.line("}\n}")
	}
}

// lost prints better, as package atomics defines it, for the case that another worker was faster.
func (b *body) lost(in *ir.Instr, better, dst, p string) string {
	call := strings.TrimPrefix(b.slower(in, dst, p), dst+" = ")
	return strings.TrimSuffix(better, dst) + call
}

// atomicAlone prints what is atomic with plain memory operations.
func (b *body) atomicAlone(in *ir.Instr, dst string) {
	switch in.Func {
	case ir.AtomicLoad:
		if dst != "" {
			b.line("%s := %s", dst, b.element(in))
		}
		return
	case ir.AtomicStore:
		b.line("%s = %s", b.element(in), bare(b.arg(in, 1)))
		return
	}
	p, x := b.temp("p"), bare(b.arg(in, 1))
	b.line("%s := &%s", p, b.element(in))
	if in.Func == ir.AtomicCompareAndSwap {
		is := dst
		if is == "" {
			is = b.temp("a")
		}
		b.line("%s := %s\nif %s {\n*%s = %s\n}", is, b.same(in, "*"+p, x), is, p, bare(b.arg(in, 2)))
		return
	}
	old := "*" + p
	if dst != "" {
		old = dst
		b.line("%s := *%s", dst, p)
	}
	switch in.Func {
	case ir.AtomicMin, ir.AtomicMax:
		if in.Type.Float() && dst == "" {
			old = b.temp("a")
			b.line("%s := *%s", old, p)
		}
		b.line("if %s {\n*%s = %s\n}", b.better(in, old, b.arg(in, 1)), p, x)
	case ir.AtomicExchange:
		b.line("*%s = %s", p, x)
	default:
		b.line("*%s = %s %s %s", p, old, joins[in.Func], b.arg(in, 1))
	}
}

// joins are the operators of read-modify-write operations.
var joins = map[ir.Func]string{ir.AtomicAdd: "+", ir.AtomicOr: "|", ir.AtomicAnd: "&"}

// better prints whether x replaces old, in a minimum or maximum. Of floats, NaN and zeros
// are looked at only if x isn't worse.
func (b *body) better(in *ir.Instr, old, x string) string {
	op, worse, name := "<", ">", "Lowers"
	if in.Func == ir.AtomicMax {
		op, worse, name = ">", "<", "Raises"
	}
	if in.Type.Float() {
		return fmt.Sprintf("!(%s %s %s) && functor.%s%d(%s, %s)", x, worse, old, name, in.Type.Bits(), bare(x), old)
	}
	return x + " " + op + " " + old
}

// same prints whether two values are the same bits.
func (b *body) same(in *ir.Instr, x, y string) string {
	if in.Type.Float() {
		return b.toBits(in.Type, x) + " == " + b.toBits(in.Type, y)
	}
	return x + " == " + y
}

// atomicShared prints operations that other workers may do at the same time.
func (b *body) atomicShared(in *ir.Instr, dst string) {
	t := in.Type
	if in.Func == ir.AtomicLoad {
		if dst != "" {
			b.line("%s := %s", dst, b.atomicLoad(t, "&"+b.element(in)))
		}
		return
	}
	word := b.word(t)
	at := func() string { return b.pointer(t, "&"+b.element(in)) }
	x := b.arg(in, 1)
	bits := func(s string) string {
		if t.Float() {
			return b.toBits(t, s)
		}
		return bare(s)
	}
	set := func(s string) { // an expression of the bits
		if dst == "" {
			b.line("%s", s)
		} else if t.Float() {
			b.line("%s := %s", dst, b.fromBits(t, s))
		} else {
			b.line("%s := %s", dst, s)
		}
	}
	switch in.Func {
	case ir.AtomicStore:
		b.line("atomic.Store%s(%s, %s)", word, at(), bits(x))
	case ir.AtomicExchange:
		set(fmt.Sprintf("atomic.Swap%s(%s, %s)", word, at(), bits(x)))
	case ir.AtomicOr, ir.AtomicAnd:
		set(fmt.Sprintf("atomic.%s%s(%s, %s)", map[ir.Func]string{ir.AtomicOr: "Or", ir.AtomicAnd: "And"}[in.Func], word, at(), bits(x)))
	case ir.AtomicCompareAndSwap:
		s := fmt.Sprintf("atomic.CompareAndSwap%s(%s, %s, %s)", word, at(), bits(x), bits(b.arg(in, 2)))
		if dst == "" {
			b.line("%s", s)
			return
		}
		b.line("%s := %s", dst, s)
	case ir.AtomicAdd:
		if !t.Float() {
			b.atomicAdd(in, dst, word, at())
			return
		}
		old := dst
		if old == "" {
			old = b.temp("a")
		}
		b.retry(in, old, "", old+" + "+x)
	default: // AtomicMin, AtomicMax
		old := dst
		if old == "" {
			old = b.temp("a")
		}
		b.retry(in, old, b.better(in, old, x), x)
	}
}

// atomicAdd prints an addition of integers.
func (b *body) atomicAdd(in *ir.Instr, dst, word, at string) {
	x := b.arg(in, 1)
	if dst == "" {
		b.line("atomic.Add%s(%s, %s)", word, at, bare(x))
		return
	}
	b.line("%s := atomic.Add%s(%s, %s) - %s", dst, word, at, bare(x), x)
}

// old prints the variables of a pointer to an element, and of its value.
func (b *body) old(in *ir.Instr, old, p string) {
	b.line("%s := &%s\n%s := %s", p, b.element(in), old, b.atomicLoad(in.Type, p))
}

// swap prints the exchange of old for next, where p points.
func (b *body) swap(in *ir.Instr, p, old, next string) string {
	bits := bare
	if in.Type.Float() {
		bits = func(s string) string { return b.toBits(in.Type, s) }
	}
	return fmt.Sprintf("atomic.CompareAndSwap%s(%s, %s, %s)", b.word(in.Type), b.pointer(in.Type, p), bits(old), bits(next))
}

// slower prints a call of package atomics, after another worker was faster. A loop in place
// would have Go keep variables of the loop over edges in memory.
func (b *body) slower(in *ir.Instr, old, p string) string {
	b.imports[module+"atomics"] = true
	name := map[ir.Func]string{ir.AtomicMin: "Min", ir.AtomicMax: "Max", ir.AtomicAdd: "Add"}[in.Func]
	call := fmt.Sprintf("atomics.%s(%s, %s)", name, p, bare(b.arg(in, 1)))
	if in.Dst < 0 { // the old value isn't used
		return call
	}
	return old + " = " + call
}

// retry prints an operation that sync/atomic doesn't have.
func (b *body) retry(in *ir.Instr, old, wanted, next string) {
	p := b.temp("p")
	b.old(in, old, p)
	cond := "!" + b.swap(in, p, old, next)
	if wanted != "" {
		cond = wanted + " && " + cond
	}
	b.line("if %s {\n%s\n}", cond, b.slower(in, old, p))
}
