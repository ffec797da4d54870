// This file prints the methods of a keyed reduce: loops that write a value for each edge, or for each pair of a vertex
// and a key. The operator adds up between them.

package gohost

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// totals is the slice that Apply and Score get their second number from.
func (p *printer) totals(m *ir.Method) string {
	if m.Kind == ir.Apply && p.Method(ir.Score) != nil {
		return "scores"
	}
	return "totals"
}

// edgeValues prints Keys or Values, which write what a method returns for each edge of some rows.
func (p *printer) edgeValues(m *ir.Method, name, what string) {
	head, call := fmt.Sprintf("(w operators.Worker, rows []operators.Row, targets []uint32, out []%s)", m.Result), "(w, rows, targets, out)"
	if m.Result == ir.Uint32 {
		head = "(w operators.Worker, rows []operators.Row, targets, out []uint32)"
	}
	b := newBody(p.Functor.Functor, m, p.fields, map[string]bool{})
	if ways := b.input(ir.Source) || b.input(ir.Target); !ways {
		p.forms(m, fmt.Sprintf("// %s writes the %s of edges.", name, what), name, head, call, func(shared bool) { p.valueRows(m, shared, false) })
		return
	}
	in, out := lower(name)+"In", lower(name)+"Out"
	p.line("\n// %s writes the %s of edges.\nfunc (f *%s) %s%s {\nif f.In() {\nf.%s%s\nreturn\n}\nf.%s%s\n}", name, what, p.typ, name, head, in, call, out, call)
	p.forms(m, fmt.Sprintf("// %s writes the %s of in-edges.", in, what), in, head, call, func(shared bool) { p.valueRows(m, shared, true) })
	p.forms(m, fmt.Sprintf("// %s writes the %s of out-edges.", out, what), out, head, call, func(shared bool) { p.valueRows(m, shared, false) })
}

// valueRows prints the loops of Keys or Values. After a fault, which ends the step, later values are misplaced.
func (p *printer) valueRows(m *ir.Method, shared, in bool) {
	b := p.body(m, shared)
	row, entry := ir.Source, ir.Target
	if in {
		row, entry = ir.Target, ir.Source
	}
	p.result(b, func(value string) string { return fmt.Sprintf("out[k] = %s\nk++", bare(value)) })
	p.locals(b)
	p.line("k := 0\nfor _, r := range rows {")
	if b.input(row) {
		p.line("%s := r.Source", inputNames[row])
	}
	p.edges(b, entry, "r.First", "targets[r.First:][:r.Len]")
	p.line("}")
}

// scores prints Scores.
func (p *printer) scores(m *ir.Method) {
	head := fmt.Sprintf("(w operators.Worker, vs, keys []uint32, totals []%s, scores []float64)", p.Method(ir.Gather).Result)
	p.forms(m, "// Scores writes the scores of keys of vertices.", "Scores", head, "(w, vs, keys, totals, scores)", func(shared bool) {
		b := p.body(m, shared)
		p.locals(b)
		p.line("scores = scores[:len(vs)]")
		p.loop(b, "", "vs", true, func(value string) string { return "scores[i] = " + bare(value) })
	})
}
