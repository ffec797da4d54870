// This file prints the methods of a reduce.

package gohost

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// gather prints Gather, and GatherNext for rows that follow one another.
func (p *printer) gather(m *ir.Method) {
	for _, next := range []bool{false, true} {
		name, doc := "Gather", "rows of"
		head, call := fmt.Sprintf("(w operators.Worker, rows []operators.Row, targets []uint32, out []%s)", m.Result), "(w, rows, targets, out)"
		if next {
			name, doc = "GatherNext", "the rows of vertices that follow one another, along"
			head, call = fmt.Sprintf("(w operators.Worker, vertex uint32, offsets []uint64, targets []uint32, out []%s)", m.Result), "(w, vertex, offsets, targets, out)"
		}
		if m.Result == ir.Uint32 {
			head = strings.Replace(head, "targets []uint32, out", "targets, out", 1)
		}
		b := newBody(p.Functor.Functor, m, p.fields, map[string]bool{})
		if ways := b.input(ir.Source) || b.input(ir.Target); !ways {
			p.forms(m, fmt.Sprintf("// %s reduces %s edges.", name, doc), name, head, call, func(shared bool) { p.gatherRows(m, shared, false, next) })
			continue
		}
		in, out := lower(name)+"In", lower(name)+"Out"
		p.line("\n// %s reduces %s edges.\nfunc (f *%s) %s%s {\nif f.In() {\nf.%s%s\nreturn\n}\nf.%s%s\n}", name, doc, p.typ, name, head, in, call, out, call)
		p.forms(m, fmt.Sprintf("// %s reduces %s in-edges.", in, doc), in, head, call, func(shared bool) { p.gatherRows(m, shared, true, next) })
		p.forms(m, fmt.Sprintf("// %s reduces %s out-edges.", out, doc), out, head, call, func(shared bool) { p.gatherRows(m, shared, false, next) })
	}
}

// gatherRows prints the loops of Gather, or of GatherNext.
func (p *printer) gatherRows(m *ir.Method, shared, in, next bool) {
	b := p.body(m, shared)
	row, entry := ir.Source, ir.Target
	if in {
		row, entry = ir.Target, ir.Source
	}
	p.result(b, func(value string) string { return p.fold(m.Result, bare(value)) })
	p.locals(b)
	first, some, source := "r.First", "targets[r.First:][:r.Len]", "r.Source"
	if next {
		first, some, source = "first", "targets[first:last]", "vertex + uint32(j)"
		p.line("offsets = offsets[:len(out)+1]\nfirst := offsets[0]\nfor j := range out {\nlast := offsets[j+1]")
	} else {
		p.line("out = out[:len(rows)]\nfor j, r := range rows {")
	}
	if b.input(row) {
		p.line("%s := %s", inputNames[row], source)
	}
	p.line("sum := %s", p.identity(m.Result))
	p.edges(b, entry, first, some)
	p.line("out[j] = sum")
	if next {
		p.line("first = last")
	}
	p.line("}")
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
