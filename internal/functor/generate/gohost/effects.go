// This file prints what a functor's methods do, as far as engines need to know it.

package gohost

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// effects prints the fields of Code from Accesses on.
func (p *printer) effects() {
	var all []ir.Access
	for _, m := range p.Methods {
		if p.PTX[m.Kind] != "" && m.Kind != ir.Hit {
			all = append(all, p.Accesses(m)...)
		}
	}
	if len(all) > 0 {
		p.line("Accesses: []functor.Access{")
		for _, a := range all {
			p.line("%s,", access(a))
		}
		p.line("},")
	}
	if p.PTX[ir.Edge] != "" && p.Tells() {
		p.line("Tells: true,")
	}
	gather := p.Method(ir.Gather)
	if gather == nil || p.PTX[ir.Gather] == "" {
		return
	}
	if end, is := gather.Alone(); is {
		p.line("Alone: %q,", map[ir.Input]string{ir.Source: "source", ir.Target: "target"}[end])
	}
	if gather.Pure() {
		p.line("Pure: true,")
	}
}

// access prints an access, without the fields that are zero.
func access(a ir.Access) string {
	s := fmt.Sprintf("{Method: %q, Word: %d", a.Method, a.Word)
	for _, x := range []struct{ name, value string }{
		{"Source", string(a.Source)}, {"Target", string(a.Target)}, {"Vertex", string(a.Vertex)}, {"Edge", string(a.Edge)}, {"Others", string(a.Others)}, {"By", string(a.By)},
	} {
		if x.value != "" {
			s += fmt.Sprintf(", %s: %q", x.name, x.value)
		}
	}
	if a.Adds {
		s += ", Adds: true"
	}
	if a.Looks {
		s += ", Looks: true"
	}
	return s + "}"
}
