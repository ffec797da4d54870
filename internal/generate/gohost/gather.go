// This file prints the methods of a reduce.

package gohost

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/ir"
)

// gather prints Gather.
func (p *printer) gather(m *ir.Method) {
	b := newBody(p.Functor.Functor, m, p.fields, map[string]bool{})
	ways := b.input(ir.Source) || b.input(ir.Target)
	doc := "// Gather reduces rows of edges."
	head, call := fmt.Sprintf("(w operators.Worker, rows []operators.Row, targets []uint32, out []%s)", m.Result), "(w, rows, targets, out)"
	if m.Result == ir.Uint32 {
		head = "(w operators.Worker, rows []operators.Row, targets, out []uint32)"
	}
	if !ways {
		p.forms(m, doc, "Gather", head, call, func(shared bool) { p.gatherRows(m, shared, false) })
		return
	}
	p.line("\n%s\nfunc (f *%s) Gather%s {\nif f.In() {\nf.gatherIn%s\nreturn\n}\nf.gatherOut%s\n}", doc, p.typ, head, call, call)
	p.forms(m, "// gatherIn reduces rows of in-edges.", "gatherIn", head, call, func(shared bool) { p.gatherRows(m, shared, true) })
	p.forms(m, "// gatherOut reduces rows of out-edges.", "gatherOut", head, call, func(shared bool) { p.gatherRows(m, shared, false) })
}

// gatherRows prints the loops of Gather.
func (p *printer) gatherRows(m *ir.Method, shared, in bool) {
	b := p.body(m, shared)
	row, entry := ir.Source, ir.Target
	if in {
		row, entry = ir.Target, ir.Source
	}
	p.result(b, func(value string) string { return p.fold(m.Result, bare(value)) })
	p.locals(b)
	p.line("out = out[:len(rows)]\nfor j, r := range rows {")
	if b.input(row) {
		p.line("%s := r.Source", inputNames[row])
	}
	p.line("sum := %s", p.identity(m.Result))
	p.edges(b, entry, "r.First", "targets[r.First:][:r.Len]")
	p.line("out[j] = sum\n}")
	p.bring(b)
}

// fold prints how a value joins sum.
func (p *printer) fold(t ir.Type, value string) string {
	switch p.Reduce {
	case ir.MinFold:
		return fmt.Sprintf("if x := %s; x < sum {\nsum = x\n}", value)
	case ir.MaxFold:
		return fmt.Sprintf("if x := %s; x > sum {\nsum = x\n}", value)
	case ir.OrFold:
		return "sum |= " + value
	}
	return "sum += " + value
}

// identity is what changes nothing in the reduction of edges.
func (p *printer) identity(t ir.Type) string {
	name := strings.ToUpper(t.String()[:1]) + t.String()[1:]
	switch {
	case p.Reduce != ir.MinFold && p.Reduce != ir.MaxFold, p.Reduce == ir.MaxFold && t.Integer() && !t.Signed():
		return t.String() + "(0)"
	case t.Float() && p.Reduce == ir.MinFold:
		p.imports["math"] = true
		return t.String() + "(math.Inf(1))"
	case t.Float():
		p.imports["math"] = true
		return t.String() + "(math.Inf(-1))"
	case p.Reduce == ir.MinFold:
		p.imports["math"] = true
		return t.String() + "(math.Max" + name + ")"
	}
	p.imports["math"] = true
	return t.String() + "(math.Min" + name + ")"
}

// join prints Join.
func (p *printer) join(t ir.Type) {
	p.line("\n// Join reduces what two parts of a row reduced to.\nfunc (*%s) Join(a, b %s) %s {", p.typ, t, t)
	switch p.Reduce {
	case ir.MinFold:
		p.line("if b < a {\nreturn b\n}\nreturn a")
	case ir.MaxFold:
		p.line("if b > a {\nreturn b\n}\nreturn a")
	case ir.OrFold:
		p.line("return a | b")
	default:
		p.line("return a + b")
	}
	p.line("}")
}
