// This file moves what is the same for all edges of a row out of the loop over them, which Go
// doesn't do with loads.

package gohost

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// hoist prints instructions to b.before, and returns those that stay.
func (b *body) hoist() (rest []ir.Instr) {
	if b.row == ir.NumInputs {
		return b.list
	}
	same := make([]bool, len(b.m.Values))
	vertex := make([]bool, len(b.m.Values)) // the row's vertex, as an index
	for _, i := range []ir.Input{b.row, ir.Level} {
		if v := b.m.Inputs[i]; v >= 0 && !b.assigned(v) {
			same[v], vertex[v] = true, i == b.row
		}
	}
	printed := b.out.String()
	b.out.Reset()
	for i := range b.list {
		in := &b.list[i]
		if !b.hoisted(in, same, vertex) {
			rest = append(rest, *in)
			continue
		}
		if in.Op == ir.Load && b.writes(in.Field) {
			// What the row's vertex has is read again only after a write.
			name := b.temp("own")
			b.line("%s := %s", name, b.load(in))
			b.again[in.Field] = append(b.again[in.Field], fmt.Sprintf("%s = %s", name, b.load(in)))
			b.own[in.Dst] = name
			rest = append(rest, *in)
			continue
		}
		same[in.Dst] = true
		vertex[in.Dst] = in.Op == ir.Convert && in.Type == ir.Uint32 && b.m.Values[in.Dst].Type == ir.Uint64 && in.Args[0].Value >= 0 && vertex[in.Args[0].Value]
		if in.Op == ir.Scalar || in.Op == ir.Convert && b.places.inline(b, in) {
			b.subst[in.Dst] = b.expr(in)
		} else {
			b.assign(in, b.expr(in))
		}
	}
	b.before = b.out.String()
	b.out.Reset()
	b.out.WriteString(printed)
	return rest
}

// hoisted reports an instruction that is the same for all edges of a row. An index that the
// method checks first isn't moved before its check.
func (b *body) hoisted(in *ir.Instr, same, vertex []bool) bool {
	if !pure(in) || !b.m.Values[in.Dst].Temp || in.Op == ir.Atomic || in.Op == ir.LoadLocal {
		return false
	}
	if in.Op == ir.Load {
		i := in.Args[0].Value
		if in.Field >= len(b.f.Fields) || !b.f.Fields[in.Field].PerVertex || i < 0 || !vertex[i] {
			return false
		}
	}
	for _, a := range in.Args {
		if a.Value >= 0 && !same[a.Value] {
			return false
		}
	}
	return true
}

// writes reports whether the method writes elements of a field.
func (b *body) writes(field int) (is bool) {
	walk(b.list, func(in *ir.Instr) {
		is = is || in.Field == field && (in.Op == ir.Store || in.Op == ir.Atomic && in.Func != ir.AtomicLoad)
	})
	return is
}

// wrote prints what follows a write to a field. The target of an edge is the row's vertex in a
// loop of the graph only.
func (b *body) wrote(in *ir.Instr) {
	list := b.again[in.Field]
	if len(list) == 0 {
		return
	}
	if end, is := b.ends[in.Args[0].Value]; is && end == b.m.Inputs[ir.Source+ir.Target-b.row] {
		if b.ell4 {
			return
		}
		b.line("if target == source {\n%s\n}", strings.Join(list, "\n"))
		return
	}
	b.line("%s", strings.Join(list, "\n"))
}
