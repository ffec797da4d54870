// This file prints the constructor of a functor with type parameters, which calls that of an
// instance.

package gohost

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// called are the names that the constructor's body uses.
var called = strings.Fields("functor operators reflect reduce foreach any")

// generic prints a constructor with type parameters. p has an instance.
func (p *printer) generic(g *ir.Generic) {
	s, _ := p.set()
	exact := g.Total >= 0 || g.Value >= 0
	plain := exact
	for i, x := range p.Fields {
		plain = plain || x.Accumulator && g.Fields[i] >= 0
	}
	result := p.operand(s, g)
	names := typeNames(g.Params)
	var params, kinds []string
	for i, x := range g.Params {
		var terms []string
		for _, t := range x.Terms {
			if t.Tilde && !plain { // else what is returned, or a scalar, has this very type
				terms = append(terms, "~"+t.Type.String())
			} else {
				terms = append(terms, t.Type.String())
			}
		}
		params = append(params, names[i]+" "+strings.Join(terms, " | "))
		kinds = append(kinds, fmt.Sprintf("reflect.TypeFor[%s]().Kind()", names[i]))
	}
	var args, list []string
	for i, x := range p.given() {
		s := p.args[i]
		if slices.Contains(called, s) {
			s += "Field"
		}
		for slices.Contains(args, s) || s != p.args[i] && slices.Contains(p.args, s) {
			s += "Too"
		}
		args = append(args, s)
		t := p.typeOf(i)
		if n := g.Fields[i]; n >= 0 && x.Accumulator {
			t = "*operators.Scalar[" + names[n] + "]"
		} else if n >= 0 && x.Slice {
			t = "*device.Buffer[" + names[n] + "]"
		} else if n >= 0 && x.Accumulator {
			t = "*operators.Scalar[" + names[n] + "]"
		} else if n >= 0 {
			t = names[n]
		}
		list = append(list, s+" "+t)
	}
	name := constructor(g.Name)
	first := g.Instances[0]
	p.line("\n// %s returns %s[%s] as a functor for %s: what %s returns\n// for %s, and so on.", name, g.Name, strings.Join(names, ", "), p.purpose(), constructor(first.Name), first.GoType())
	p.line("func %s[%s](%s) %s {", name, strings.Join(params, ", "), strings.Join(list, ", "), result)
	one := func(types []ir.Type) string {
		var list []string
		for _, t := range types {
			list = append(list, "reflect."+t.Title())
		}
		if len(list) == 1 {
			return list[0]
		}
		return fmt.Sprintf("[%d]reflect.Kind{%s}", len(list), strings.Join(list, ", "))
	}
	call := func(f *ir.Functor) string {
		var list []string
		for i, x := range f.Fields {
			switch {
			case x.Hidden:
			case g.Fields[i] < 0:
				list = append(list, args[i])
			case x.Accumulator:
				list = append(list, fmt.Sprintf("any(%s).(*operators.Scalar[%s])", args[i], x.Type))
			case x.Slice:
				list = append(list, fmt.Sprintf("functor.Elements[%s](%s)", x.Type, args[i]))
			default:
				list = append(list, fmt.Sprintf("%s(%s)", x.Type, args[i]))
			}
		}
		s := fmt.Sprintf("%s(%s)", constructor(f.Name), strings.Join(list, ", "))
		if exact {
			s = fmt.Sprintf("any(%s).(%s)", s, result)
		}
		return s
	}
	last := len(g.Instances) - 1
	if last > 0 {
		p.imports["reflect"] = true
		tag := kinds[0]
		if len(kinds) > 1 {
			tag = fmt.Sprintf("kinds := [%d]reflect.Kind{%s}; kinds", len(kinds), strings.Join(kinds, ", "))
		}
		p.line("switch %s {", tag)
		for _, f := range g.Instances[:last] {
			p.line("case %s:\nreturn %s", one(f.Args), call(f))
		}
		p.line("}")
	}
	p.line("return %s\n}", call(g.Instances[last]))
}

// operand is the type that operators take such a functor as.
func (p *printer) operand(s set, g *ir.Generic) string {
	use := func(name string) { p.imports[module+"operators/"+name] = true }
	names := typeNames(g.Params)
	arg := func(parameter int, t ir.Type) string {
		if parameter >= 0 {
			return names[parameter]
		}
		if t == ir.Void {
			t = ir.Uint64
		}
		return t.String()
	}
	switch s {
	case visit:
		use("advance")
		return "advance.Visitor"
	case corners:
		use("intersect")
		return "intersect.TriangleFunctor"
	case near:
		use("advance")
		use("pile")
		return "interface {\nadvance.Sorter\npile.Functor\n}"
	case reduce:
		use("reduce")
		return fmt.Sprintf("reduce.Functor[%s, %s]", arg(g.Total, p.Method(ir.Gather).Result), arg(g.Value, p.Method(ir.Apply).Result))
	case keyed:
		use("reduce")
		return fmt.Sprintf("reduce.KeyFunctor[%s, %s]", arg(g.Total, p.Method(ir.Gather).Result), arg(g.Value, p.Method(ir.Apply).Result))
	case each:
		use("foreach")
		return fmt.Sprintf("foreach.Functor[%s]", arg(g.Value, p.Method(ir.Vertex).Result))
	case keep:
		use("filter")
		return "filter.Predicate"
	case pull:
		use("advance")
		return "advance.Sink"
	}
	use("advance")
	return "advance.Functor"
}

// typeNames returns the type parameters' names in generated code: they begin with a capital
// letter, as no argument does.
func typeNames(params []ir.Param) (names []string) {
	for _, x := range params {
		r := []rune(x.Name)
		r[0] = unicode.ToUpper(r[0])
		s := string(r)
		if !unicode.IsUpper(r[0]) {
			s = "T" + s
		}
		for slices.Contains(names, s) {
			s += "Too"
		}
		names = append(names, s)
	}
	return names
}
