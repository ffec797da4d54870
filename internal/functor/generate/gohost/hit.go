// This file prints the methods of a pull.

package gohost

import (
	"github.com/foray-graph/foray/internal/functor/ir"
)

// hit prints what a pull calls, which is the least that the functor needs: Found, FoundEdges if
// it uses the edge and not only its ends, HitEdges if it may reject an edge.
func (p *printer) hit(m *ir.Method) {
	b := newBody(p.Functor.Functor, m, p.fields, map[string]bool{})
	switch {
	case !accepts(b):
		p.line("\n// Found does nothing; HitEdges is called.\nfunc (*%s) Found(operators.Worker, []uint32, []uint32) {}", p.typ)
		p.forms(m, "// HitEdges says which edges are accepted.", "HitEdges",
			"(w operators.Worker, vertices, parents []uint32, edges []uint64, hits []bool)", "(w, vertices, parents, edges, hits)",
			func(shared bool) { p.hits(m, shared, true) })
	case b.input(ir.Index) || b.input(ir.Weight) || b.input(ir.EdgeID):
		p.line("\n// Found does nothing; FoundEdges is called.\nfunc (*%s) Found(operators.Worker, []uint32, []uint32) {}", p.typ)
		p.forms(m, "// FoundEdges is told of vertices that a pull found.", "FoundEdges",
			"(w operators.Worker, vertices, parents []uint32, edges []uint64)", "(w, vertices, parents, edges)",
			func(shared bool) { p.hits(m, shared, false) })
	default:
		p.forms(m, "// Found is told of vertices that a pull found.", "Found",
			"(w operators.Worker, vertices, parents []uint32)", "(w, vertices, parents)",
			func(shared bool) { p.hits(m, shared, false) })
	}
}

// accepts reports a method that returns true whatever the edge is. One that may fault doesn't.
func accepts(b *body) bool {
	all := true
	walk(b.list, func(in *ir.Instr) {
		switch {
		case in.Site != 0:
			all = false
		case in.Op == ir.Return:
			all = all && in.Args[0].Value < 0 && in.Args[0].Bits != 0
		}
	})
	return all
}

// hits prints the loop over the edges by which vertices were found. tell is set if it calls
// which are accepted.
func (p *printer) hits(m *ir.Method, shared, tell bool) {
	b := p.body(m, shared)
	if tell {
		p.result(b, func(value string) string { return "hits[i] = " + bare(value) })
	} else {
		b.finish = func(b *body, _ string, tail bool) {
			if !tail {
				b.next()
			}
		}
	}
	text := b.print()
	edge := false
	for in, field := range map[ir.Input]int{ir.Weight: p.WeightsField(), ir.EdgeID: p.IDsField()} {
		if b.input(in) {
			b.used[field], edge = true, true
		}
	}
	p.locals(b)
	over, index := "vertices", b.input(ir.Index) || edge
	if b.input(ir.Source) {
		p.line("parents = parents[:len(%s)]", over)
	}
	if index {
		p.line("edges = edges[:len(%s)]", over)
	}
	if tell {
		p.line("hits = hits[:len(%s)]", over)
	}
	if b.labels["next"] {
		p.line("next:")
	}
	switch i := tell || index || b.input(ir.Source); {
	case i && b.input(ir.Target):
		p.line("for i, target := range %s {", over)
	case i:
		p.line("for i := range %s {", over)
	case b.input(ir.Target):
		p.line("for _, target := range %s {", over)
	default:
		p.line("for range %s {", over)
	}
	if b.input(ir.Source) {
		p.line("source := parents[i]")
	}
	if index {
		p.line("index := edges[i]")
	}
	if b.input(ir.Weight) {
		p.line("weight := %s[index]", p.fields[p.WeightsField()])
	}
	if b.input(ir.EdgeID) {
		p.line("id := %s[index]", p.fields[p.IDsField()])
	}
	p.out.WriteString(text)
	p.line("}")
	p.bring(b)
}
