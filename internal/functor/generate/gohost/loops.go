// This file prints the methods that operators call on the host, with their loops.

package gohost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// set is what kind of functor one is, by its methods.
type set uint8

const (
	push set = iota
	visit
	near
	reduce
	each
	keep
	pull
	corners
	keyed
)

var purposes = [...]string{"advance.Push and PushBits", "advance.Visit and VisitAll", "advance.PushNear and pile.Refill",
	"reduce.In and Out", "foreach.Each and All", "filter.Keep", "advance.Pull", "intersect.Triangles", "reduce.InByKey and OutByKey"}

func (p *printer) purpose() string {
	s, _ := p.set()
	return purposes[s]
}

func (p *printer) set() (set, error) {
	edge, vertex, gather, apply, hit := p.Method(ir.Edge), p.Method(ir.Vertex), p.Method(ir.Gather), p.Method(ir.Apply), p.Method(ir.Hit)
	switch n := len(p.Methods); {
	case p.Corners:
		return corners, nil
	case n == 1 && edge != nil && edge.Result == ir.Bool:
		return push, nil
	case n == 1 && edge != nil && edge.Result == ir.Void:
		return visit, nil
	case n == 2 && edge != nil && edge.Result == ir.Uint32 && vertex != nil && vertex.Result == ir.Uint32:
		return near, nil
	case n == 2 && gather != nil && apply != nil:
		return reduce, nil
	case n == 1 && vertex != nil && vertex.Result == ir.Bool:
		return keep, nil
	case n == 1 && vertex != nil:
		return each, nil
	case n == 1 && hit != nil && hit.Result == ir.Bool:
		return pull, nil
	case p.Method(ir.Key) != nil && gather != nil && apply != nil && (n == 3 || n == 4 && p.Method(ir.Score) != nil):
		return keyed, nil
	}
	return 0, fmt.Errorf("gohost: functor %s: no operator takes its methods", p.GoType())
}

// methods prints the methods of the functor.
func (p *printer) methods() error {
	s, err := p.set()
	if err != nil {
		return err
	}
	switch s {
	case push:
		p.push(p.Method(ir.Edge))
	case visit:
		p.visit(p.Method(ir.Edge), "Visit", "edges")
	case corners:
		p.visit(p.Method(ir.Edge), "VisitTriangles", "triangles")
	case near:
		p.sort(p.Method(ir.Edge))
		p.due(p.Method(ir.Vertex))
	case reduce:
		p.gather(p.Method(ir.Gather))
		p.join(p.Method(ir.Gather).Result)
		p.vertices(p.Method(ir.Apply))
	case each:
		p.vertices(p.Method(ir.Vertex))
	case keep:
		p.keep(p.Method(ir.Vertex))
	case pull:
		p.hit(p.Method(ir.Hit))
	case keyed:
		p.edgeValues(p.Method(ir.Key), "Keys", "keys")
		p.edgeValues(p.Method(ir.Gather), "Values", "values")
		if m := p.Method(ir.Score); m != nil {
			p.scores(m)
		}
		p.vertices(p.Method(ir.Apply))
	}
	return nil
}

// atomic reports whether a method differs between workers that are alone and others.
func (p *printer) atomic(m *ir.Method) bool {
	b := newBody(p.Functor.Functor, m, p.fields, map[string]bool{})
	is := false
	walk(b.list, func(in *ir.Instr) { is = is || in.Op == ir.Atomic || in.Op == ir.Load && b.contended(in.Field) })
	return is
}

// forms prints a method that calls one of two, where a method has two forms, and what those
// are. head is the signature without name, call the arguments.
func (p *printer) forms(m *ir.Method, doc, name, head, call string, print func(shared bool)) {
	result := "return "
	if strings.HasSuffix(head, ")") {
		result = ""
	}
	if !p.atomic(m) {
		p.line("\n%s\nfunc (f *%s) %s%s {", doc, p.typ, name, head)
		print(true)
		p.line("}")
		return
	}
	alone, shared := lower(name)+"Alone", lower(name)+"Shared"
	p.line("\n%s\nfunc (f *%s) %s%s {\nif w.Alone {", doc, p.typ, name, head)
	if result == "" {
		p.line("f.%s%s\nreturn\n}\nf.%s%s\n}", alone, call, shared, call)
	} else {
		p.line("return f.%s%s\n}\nreturn f.%s%s\n}", alone, call, shared, call)
	}
	for i, form := range []string{alone, shared} {
		p.line("\nfunc (f *%s) %s%s {", p.typ, form, head)
		print(i == 1)
		p.line("}")
	}
}

// locals prints the variables of the fields that a method uses.
func (p *printer) locals(b *body) {
	for i, x := range p.Fields {
		switch {
		case !b.used[i] || x.Hidden:
		case x.Accumulator:
			p.line("%s := %s", p.fields[i], fromWord(x.Type, p.partial(i), p.imports))
		case x.Slice:
			p.line("%s := f.%s.Host()", p.fields[i], p.args[i])
		default:
			p.line("%s := f.%s", p.fields[i], p.args[i])
		}
	}
	if n := len(p.given()); p.Corners {
		p.line("rowOffsets, rowTargets, ascending := functor.Rows(&f.Base)")
		for i := n; i < len(p.Fields); i++ {
			if !b.used[i] { // a body that does nothing
				p.line("_ = %s", p.fields[i])
			}
		}
	}
	for _, i := range []int{p.WeightsField(), p.IDsField()} {
		if b.used[i] {
			p.line("%s := %s", p.fields[i], p.slice(i))
		}
	}
}

// slice prints what a field's slice is made from. Slices of rows are made of that in the loop
// over the rows: variables outside of it would take registers that the loop over edges needs.
func (p *printer) slice(i int) string {
	switch i {
	case p.WeightsField():
		return "f.Weights()"
	case p.IDsField():
		return "f.IDs()"
	}
	return "f." + p.args[i] + ".Host()"
}

// wide returns the one field of float64 that Edge reads by the edge's number, where Edge has no other use for that
// number nor for the field: weights that float32 doesn't hold, for example. -1: no such field.
func (p *printer) wide() int {
	m := p.Method(ir.Edge)
	if m == nil || m.Inputs[ir.Index] < 0 {
		return -1
	}
	field, others := -1, false
	byIndex := func(in *ir.Instr) bool { return in.Op == ir.Load && in.Args[0] == ir.Var(m.Inputs[ir.Index]) }
	walk(m.Body, func(in *ir.Instr) {
		if byIndex(in) {
			others = others || field >= 0 && in.Field != field
			field = in.Field
		} else if slices.Contains(in.Args, ir.Var(m.Inputs[ir.Index])) {
			others = true
		}
	})
	if others || field < 0 || field >= len(p.Fields) || p.Fields[field].Type != ir.Float64 || p.Fields[field].Written {
		return -1
	}
	walk(m.Body, func(in *ir.Instr) {
		switch in.Op {
		case ir.Load, ir.FieldLen, ir.Atomic, ir.Check:
			others = others || in.Field == field && !byIndex(in)
		}
	})
	if others {
		return -1
	}
	return field
}

// edges prints the loop over the edges of a row: source is the row's vertex and target its
// entries, or the other way round.
func (p *printer) edges(b *body, entry ir.Input, first, row string) {
	b.row = ir.Source + ir.Target - entry
	text := b.print()
	p.out.WriteString(b.before)
	p.line("some := %s", row)
	place := b.input(ir.Index)
	for i, is := range b.rows {
		if is {
			all := p.slice(i)
			if b.m.Kind == ir.Edge && i == p.wide() {
				all = "f.Wide(" + all + ")"
			}
			p.line("%sRow := %s[%s:][:len(some)]", p.fields[i], all, first)
			place = true
		}
	}
	for _, in := range []ir.Input{ir.Weight, ir.EdgeID} {
		if b.input(in) {
			p.line("%sOf := %s[%s:][:len(some)]", inputNames[in], implicit[in], first)
			place = true
		}
	}
	if b.labels["next"] {
		p.line("next:")
	}
	entries := b.input(entry) || b.emits
	name := inputNames[entry]
	switch {
	case place && entries:
		p.line("for i, %s := range some {", name)
	case place:
		p.line("for i := range some {")
	case entries:
		p.line("for _, %s := range some {", name)
	default:
		p.line("for range some {")
	}
	if b.input(ir.Index) {
		p.line("index := %s + uint64(i)", first)
	}
	for _, in := range []ir.Input{ir.Weight, ir.EdgeID} {
		if b.input(in) {
			p.line("%s := %sOf[i]", inputNames[in], inputNames[in])
		}
	}
	p.out.WriteString(text)
	p.line("}")
}

// implicit is where the slices are that inputs are elements of.
var implicit = map[ir.Input]string{ir.Weight: "f.Weights()", ir.EdgeID: "f.IDs()"}

// push prints Visit and VisitRows.
func (p *printer) push(m *ir.Method) {
	tile := p.small + "Tile"
	p.line(`
// Visit lets targets of a vertex through.
func (f *%s) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	rows := [1]operators.Row{{First: firstEdge, Source: source, Len: uint32(len(targets))}}
	return f.push(w, &%s{rows[:], targets, firstEdge}, out)
}

// VisitRows lets targets of rows through.
func (f *%s) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	return f.push(w, &%s{rows, targets, 0}, out)
}`, p.typ, tile, p.typ, tile)
	p.tile(tile)
	p.line("\n// Trusted says that it lets through nothing but targets.\nfunc (f *%s) Trusted(functor.Trust) any { return f }", p.typ)
	if p.Unique {
		p.line(`
// Unique says that no vertex is let through twice.
func (f *%s) Unique() bool { return true }`, p.typ)
	}
	p.forms(m, "// push visits rows.", "push",
		"(w operators.Worker, in *"+tile+", out []uint32) int", "(w, in, out)", func(shared bool) {
			b := p.through(m, shared)
			p.locals(b)
			p.rows(b)
			p.line("return k")
		})
	p.ell4(m)
}

// through returns the body of a method that lets targets through.
func (p *printer) through(m *ir.Method, shared bool) *body {
	b := p.body(m, shared)
	b.finish = func(b *body, value string, tail bool) {
		const through = "out[k] = target\nk++"
		b.emits = b.emits || value != "false"
		switch {
		case value == "true":
			b.line(through)
		case value != "false":
			edge := b.edge()
			if edge == "" || !strings.Contains(value, "||") { // which binds less than what edge appends
				value = bare(value)
			}
			b.line("if %s%s {\n%s\n}", value, edge, through)
		}
		if !tail {
			b.next()
		}
	}
	b.faulted = (*body).next
	return b
}

func (p *printer) body(m *ir.Method, shared bool) *body {
	b := newBody(p.Functor.Functor, m, p.fields, p.imports)
	b.shared = shared
	return b
}

// visit prints Visit or VisitTriangles of a functor that lets nothing through.
func (p *printer) visit(m *ir.Method, name, what string) {
	p.forms(m, "// "+name+" visits "+what+" of a vertex.", name,
		"(w operators.Worker, source uint32, firstEdge uint64, targets []uint32)", "(w, source, firstEdge, targets)", func(shared bool) {
			b := p.body(m, shared)
			b.finish = func(b *body, _ string, tail bool) {
				if !tail {
					b.next()
				}
			}
			b.faulted = (*body).next
			p.locals(b)
			p.edges(b, ir.Target, "firstEdge", "targets")
			p.bring(b)
		})
}

// sort prints Sort and SortRows.
func (p *printer) sort(m *ir.Method) {
	p.imports[module+"operators/pile"] = true
	tile := p.small + "Tile"
	p.line(`
// Sort lets targets of a vertex through, and says when they are due.
func (f *%s) Sort(w operators.Worker, source uint32, firstEdge uint64, targets, out, due []uint32) int {
	rows := [1]operators.Row{{First: firstEdge, Source: source, Len: uint32(len(targets))}}
	return f.sort(w, &%s{rows[:], targets, firstEdge}, out, due)
}

// SortRows does so with targets of rows.
func (f *%s) SortRows(w operators.Worker, rows []operators.Row, targets, out, due []uint32) int {
	return f.sort(w, &%s{rows, targets, 0}, out, due)
}`, p.typ, tile, p.typ, tile)
	p.tile(tile)
	p.forms(m, "// sort visits rows.", "sort",
		"(w operators.Worker, in *"+tile+", out, due []uint32) int", "(w, in, out, due)", func(shared bool) {
			b := p.body(m, shared)
			b.finish = func(b *body, value string, tail bool) {
				b.emits = true
				b.line("if stage := %s; stage != pile.Never {\nout[k], due[k] = target, stage\nk++\n}", bare(value))
				if !tail {
					b.next()
				}
			}
			b.faulted = (*body).next
			p.locals(b)
			p.rows(b)
			p.line("return k")
		})
}

// tile prints the type of the rows that a push visits.
func (p *printer) tile(name string) {
	p.line(`
// %s is rows that a push visits. The loops read it row by row: slices that are variables of
// the function would take registers that the loop over edges needs.
type %s struct {
	rows    []operators.Row
	targets []uint32 // from edge first on
	first   uint64
}`, name, name)
}

// rows prints the loop over the rows of a push.
func (p *printer) rows(b *body) {
	p.line("k := 0\nfor j := range in.rows {\nr := &in.rows[j]")
	if b.input(ir.Source) {
		p.line("source := r.Source")
	}
	p.edges(b, ir.Target, "r.First", "in.targets[r.First-in.first:][:r.Len]")
	p.line("}")
	p.bring(b)
}
