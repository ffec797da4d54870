// This file prints the loop of a push over ELL4 rows. A row that is shorter is filled
// up with its own vertex. Where rows end is as good as random, so a branch there is predicted
// badly. A small method is printed once for each of the four targets, and looks at filling as at
// an edge, up to where it would write something.

package gohost

import (
	"github.com/foray-graph/foray/internal/functor/ir"
)

// smallPush is how many instructions a method of edges has at most of which VisitEll4 has a
// copy for each of the four targets of a row, whose branches predict better than one in a loop:
// a breadth-first search of road took a tenth longer by a loop with one worker, a twentieth with
// two (bench/functors.go -only bfs).
const smallPush = 16

// ell4 prints VisitEll4. A method that has use for an edge's number would need the offsets,
// which ELL4 rows are there to do without.
func (p *printer) ell4(m *ir.Method) {
	b, _ := p.row(m, true)
	for i := range b.rows {
		if b.rows[i] {
			return
		}
	}
	if !b.emits || b.input(ir.Index) || b.input(ir.Weight) || b.input(ir.EdgeID) {
		return
	}
	p.forms(m, "// VisitEll4 lets targets of ELL4 rows through.", "VisitEll4",
		"(w operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int", "(w, sources, rows, out)", func(shared bool) {
			b, text := p.row(m, shared)
			p.locals(b)
			p.line("k := 0\nfor _, source := range sources {\nrow := &rows[source]")
			p.out.WriteString(b.before)
			if b.filled {
				for i := range 4 {
					p.line("{\ntarget := row[%d]\n%s}", i, text)
				}
			} else {
				if b.labels["next"] {
					p.line("next:")
				}
				p.line("for _, target := range row {\nif target == source { // filling\nbreak\n}\n%s}", text)
			}
			p.line("}")
			p.bring(b)
			p.line("return k")
		})
}

// row prints what is done at a target of an ELL4 row: at filling too if the body says
// so.
func (p *printer) row(m *ir.Method, shared bool) (b *body, text string) {
	for _, filled := range []bool{true, false} {
		b = p.through(m, shared)
		b.row, b.ell4, b.filled = ir.Source, true, filled
		size, jumps := 0, false
		walk(b.list, func(in *ir.Instr) {
			size++
			jumps = jumps || in.Op == ir.Loop || in.Op == ir.Block
		})
		if filled && (size > smallPush || jumps) {
			continue
		}
		b.faulted = func(b *body) { jumps = true; b.next() }
		finish := b.finish
		b.finish = func(b *body, value string, tail bool) {
			jumps = jumps || !tail
			finish(b, value, tail)
		}
		if text = b.print(); !jumps || !filled {
			break
		}
	}
	return b, text
}

// edge prints the condition under which there is an edge and not filling, and has it hold for
// what follows.
func (b *body) edge() string {
	if !b.filled {
		return ""
	}
	b.filled = false
	return " && target != source"
}

// harmless reports that the first instruction of a list does nothing that remains, or asks
// itself whether it is about an edge.
func (b *body) harmless(list []ir.Instr, tail bool) bool {
	in := &list[0]
	switch {
	case pure(in):
		return true
	case in.Op == ir.If:
		return tail && len(list) == 1
	case in.Op == ir.Return:
		return tail && in.Args[0] != ir.Const(1)
	}
	return tail && len(list) == 3 && b.decides(list)
}
