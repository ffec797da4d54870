// This file prints the methods that operators call for vertices.

package gohost

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// smallBody is how many instructions a method of vertices has at most of which there is a loop
// that adds up and another one for all other reductions: choosing at every vertex took a third
// longer for four instructions (BenchmarkLoops of internal/testing/functors/composed).
const smallBody = 16

// result has a method's result reach one place, with use behind the body if it has several
// ends.
func (p *printer) result(b *body, use func(value string) string) {
	ends := 0
	walk(b.list, func(in *ir.Instr) {
		if in.Op == ir.Return || in.Site != 0 {
			ends++
		}
	})
	b.faulted = func(b *body) { b.jump("break", "body") }
	if n := len(b.list); b.m.Result == ir.Void || ends == 1 && n > 0 && b.list[n-1].Op == ir.Return {
		b.faulted = (*body).next
		b.finish = func(b *body, value string, tail bool) {
			b.line("%s", use(value))
			if !tail {
				b.next()
			}
		}
		return
	}
	b.finish = func(b *body, value string, tail bool) {
		b.line("res = %s", bare(value))
		if !tail {
			b.jump("break", "body")
		}
	}
	b.wrap = func(text string) string {
		if b.labels["body"] {
			text = "body" + b.tag + ":\nswitch {\ndefault:\n" + text + "}\n"
		}
		return fmt.Sprintf("var res %s\n%s%s\n", b.m.Result, text, use("res"))
	}
}

// each prints the loop over vertices.
func (p *printer) loop(b *body, what, over string, index bool, use func(value string) string) {
	p.result(b, use)
	text := b.print()
	if b.labels["next"] {
		p.line("next%s:", b.tag)
	}
	if index {
		p.line("for i%s := range %s {", b.ifUsed(what), over)
	} else if b.input(ir.VertexID) || what != "" {
		p.line("for _, vertex := range %s {", over)
	} else {
		p.line("for range %s {", over)
	}
	if b.input(ir.Total) {
		p.line("total := %s[i]", p.totals(b.m))
	}
	if b.input(ir.KeyOf) {
		p.line("key := keys[i]")
	}
	p.out.WriteString(text)
	p.line("}")
}

// ifUsed is the loop's second variable.
func (b *body) ifUsed(what string) string {
	if b.input(ir.VertexID) || what != "" {
		return ", vertex"
	}
	return ""
}

// due prints Due.
func (p *printer) due(m *ir.Method) {
	p.forms(m, "// Due says when vertices are due.", "Due", "(w operators.Worker, vs, due []uint32)", "(w, vs, due)", func(shared bool) {
		b := p.body(m, shared)
		p.locals(b)
		p.line("due = due[:len(vs)]")
		p.loop(b, "", "vs", true, func(value string) string { return "due[i] = " + bare(value) })
	})
}

// keep prints Keep.
func (p *printer) keep(m *ir.Method) {
	p.forms(m, "// Keep moves the vertices that stay to the front of out.", "Keep", "(w operators.Worker, in, out []uint32) int", "(w, in, out)", func(shared bool) {
		b := p.body(m, shared)
		p.locals(b)
		p.line("k := 0")
		p.loop(b, "vertex", "in", false, func(value string) string {
			// Stored before it is known, so that there is no branch to mispredict.
			return fmt.Sprintf("out[k] = vertex\nif %s {\nk++\n}", bare(value))
		})
		p.bring(b)
		p.line("return k")
	})
}

// vertices prints Visit of foreach, or Apply.
func (p *printer) vertices(m *ir.Method) {
	v := m.Result
	if v == ir.Void {
		v = ir.Uint64
	}
	doc, name, head, call := "// Visit visits vertices, and returns what they reduce to.", "Visit", "(w operators.Worker, vs []uint32) ", "(w, vs)"
	if m.Kind == ir.Apply && p.Method(ir.Key) != nil {
		doc, name, call = "// ApplyKeys applies the totals or scores of keys, and returns what they reduce to.", "ApplyKeys", "(w, vs, keys, totals, scores)"
		head = fmt.Sprintf("(w operators.Worker, vs, keys []uint32, totals []%s, scores []float64) ", p.Method(ir.Gather).Result)
	} else if m.Kind == ir.Apply {
		doc, name, call = "// Apply applies the totals of vertices, and returns what they reduce to.", "Apply", "(w, vs, totals)"
		head = fmt.Sprintf("(w operators.Worker, vs []uint32, totals []%s) ", p.Method(ir.Gather).Result)
		if p.Method(ir.Gather).Result == ir.Uint32 {
			head = "(w operators.Worker, vs, totals []uint32) "
		}
	}
	p.forms(m, doc, name, head+v.String(), call, func(shared bool) {
		b := p.body(m, shared)
		p.locals(b)
		if b.input(ir.Total) {
			p.line("%s = %[1]s[:len(vs)]", p.totals(m))
		}
		tag := ""
		vertices := func(use func(value string) string) {
			b := p.body(m, shared)
			b.tag, tag = tag, "Too"
			p.loop(b, "", "vs", b.input(ir.Total) || b.input(ir.KeyOf), use)
		}
		switch instrs := size(b.list); {
		case m.Result == ir.Void:
			vertices(func(string) string { return "" })
			p.bring(b)
			p.line("return 0")
			return
		case instrs <= smallBody:
			p.line("how := operators.Reduction(f.How())\nif how == operators.Sum {\nsum := %s(0)", v)
			vertices(func(value string) string { return "sum += " + bare(value) })
			p.bring(b)
			p.line("return sum\n}\nsum := operators.Identity[%s](how)", v)
			vertices(func(value string) string { return scalar(v, value, "") })
		default:
			p.line("how := operators.Reduction(f.How())\nsum := operators.Identity[%s](how)", v)
			vertices(func(value string) string { return scalar(v, value, "case operators.Sum:\nsum += x\n") })
		}
		p.bring(b)
		p.line("return sum")
	})
}

// size counts instructions.
func size(list []ir.Instr) (n int) {
	walk(list, func(*ir.Instr) { n++ })
	return n
}

// scalar prints how a value joins sum, in the scalar's way.
func scalar(t ir.Type, value, more string) string {
	or := ""
	if t.Integer() {
		or = "\ncase operators.Or:\nsum |= x"
	}
	return fmt.Sprintf("switch x := %s; how {\n%scase operators.Min:\nif x < sum {\nsum = x\n}\ncase operators.Max:\nif x > sum {\nsum = x\n}%s\n}", bare(value), more, or)
}
