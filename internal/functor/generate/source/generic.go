// This file makes instances of functors with type parameters, and explains what type parameters
// stand for.

package source

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// basics are the types that type parameters of functors may stand for.
var basics = []types.BasicKind{types.Int32, types.Uint32, types.Int64, types.Uint64, types.Float32, types.Float64}

// others are those that constraints may have besides.
var others = []types.BasicKind{types.Bool, types.Int, types.Int8, types.Int16, types.Uint, types.Uint8, types.Uint16, types.Uintptr,
	types.Complex64, types.Complex128, types.String, types.UnsafePointer}

const constraintForm = "write the types that there are, such as [T float32 | float64]; they are some of int32, uint32, int64, uint64, float32 and float64"

// bindings has the types of type parameters.
type bindings map[*types.TypeParam]types.Type

// bind adds what parameters stand for.
func (b bindings) bind(params *types.TypeParamList, args []types.Type) bindings {
	for i := range min(params.Len(), len(args)) {
		b[params.At(i)] = args[i]
	}
	return b
}

// of returns a type with what its type parameters stand for.
func (b bindings) of(t types.Type) types.Type {
	switch x := types.Unalias(t).(type) {
	case *types.TypeParam:
		if to := b[x]; to != nil {
			return to
		}
	case *types.Slice:
		return types.NewSlice(b.of(x.Elem()))
	case *types.Named:
		if x.TypeArgs().Len() == 0 {
			return t
		}
		if to, err := types.Instantiate(nil, x.Origin(), b.list(x.TypeArgs()), false); err == nil {
			return to
		}
	}
	return t
}

func (b bindings) list(args *types.TypeList) (out []types.Type) {
	for t := range args.Types() {
		out = append(out, b.of(t))
	}
	return out
}

// origin returns a field as it was declared, for one of an instance of its struct.
func origin(o types.Object) types.Object {
	if v, ok := o.(*types.Var); ok {
		return v.Origin()
	}
	return o
}

// generic lowers a functor with type parameters, for each combination of their types. What is
// wrong with some of them only is said with the type.
func (u *unit) generic(s marked, named *types.Named) (list []*ir.Functor) {
	g := u.parameters(s, named)
	if g == nil {
		return nil
	}
	all, seen := u.errs, u.seen
	type failure struct {
		Error
		in string
	}
	var failures []failure
	times := map[Error]int{}
	for _, args := range combinations(g.Params) {
		u.errs, u.seen = nil, map[Error]bool{}
		f := &ir.Functor{Name: g.Name, Doc: firstLine(s.doc), Generic: g, Args: args}
		for _, t := range args {
			f.Name += t.Title()
		}
		list = append(list, f)
		u.lower(s, f)
		for _, e := range u.errs {
			times[*e]++
			failures = append(failures, failure{*e, f.GoType()})
		}
	}
	u.errs, u.seen = all, seen
	for _, e := range failures {
		switch n := times[e.Error]; {
		case n < len(list) && !u.seen[e.Error]:
			u.seen[e.Error] = true // once is enough
			e.Text += " (in " + e.in + ")"
			u.errs = append(u.errs, &e.Error)
		case n == len(list):
			u.add(e.Error)
		}
	}
	g.Instances = list
	if len(failures) > 0 {
		return nil
	}
	return list
}

// parameters returns a functor's type parameters with the types that they may stand for, or
// nil after an error.
func (u *unit) parameters(s marked, named *types.Named) *ir.Generic {
	g := &ir.Generic{Name: s.spec.Name.Name, Total: -1, Value: -1}
	n, ok := 1, true
	for p := range named.TypeParams().TypeParams() {
		terms := u.terms(p)
		ok = ok && len(terms) > 0
		n *= max(len(terms), 1)
		g.Params = append(g.Params, ir.Param{Name: p.Obj().Name(), Terms: terms})
	}
	if n > maxInstances && ok {
		u.errorf(s.spec.TypeParams.Pos(), "the functor %s is for %d combinations of types, of at most %d; give its type parameters fewer types", g.Name, n, maxInstances)
		ok = false
	}
	if !ok {
		return nil
	}
	return g
}

// terms returns the types that a parameter's constraint allows; none after an error.
func (u *unit) terms(p *types.TypeParam) (list []ir.Term) {
	name, pos := p.Obj().Name(), p.Obj().Pos()
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		u.errorf(pos, "the constraint of the type parameter %s is unknown; go build says why", name)
		return nil
	}
	if types.Satisfies(types.NewStruct(nil, nil), constraint) {
		u.errorf(pos, "the type parameter %s may be of any type; %s", name, constraintForm)
		return nil
	}
	var bad []string
	for _, k := range others {
		if t := types.Typ[k]; types.Satisfies(t, constraint) {
			bad = append(bad, t.Name())
		}
	}
	for _, t := range terms(constraint, 0) {
		if _, ok := types.Unalias(t).(*types.Basic); !ok && types.Satisfies(t, constraint) {
			bad = append(bad, types.TypeString(t, types.RelativeTo(u.pkg)))
		}
	}
	var good []string
	for _, k := range basics {
		t := types.Typ[k]
		if types.Satisfies(t, constraint) {
			anew := types.NewNamed(types.NewTypeName(token.NoPos, nil, t.Name(), nil), t, nil)
			list = append(list, ir.Term{Type: basicType(t), Tilde: types.Satisfies(anew, constraint)})
			good = append(good, t.Name())
		}
	}
	switch {
	case len(list) == 0:
		u.errorf(pos, "the type parameter %s has no type that functors can have; %s", name, constraintForm)
		return nil
	case len(bad) > 0:
		u.errorf(pos, "the type parameter %s may be %s, which functors can't have; write [%s %s]", name, strings.Join(bad, ", "), name, strings.Join(good, " | "))
		return nil
	}
	return list
}

// terms returns the types that the unions of a constraint have.
func terms(t types.Type, depth int) (list []types.Type) {
	if depth > maxNesting {
		return nil
	}
	switch x := t.Underlying().(type) {
	case *types.Interface:
		for e := range x.EmbeddedTypes() {
			list = append(list, terms(e, depth+1)...)
		}
	case *types.Union:
		for term := range x.Terms() {
			list = append(list, terms(term.Type(), depth+1)...)
		}
	default:
		list = []types.Type{t}
	}
	return list
}

// combinations returns the types of all instances.
func combinations(params []ir.Param) [][]ir.Type {
	list := [][]ir.Type{nil}
	for _, p := range params {
		var next [][]ir.Type
		for _, args := range list {
			for _, t := range p.Terms {
				next = append(next, append(slices.Clone(args), t.Type))
			}
		}
		list = next
	}
	return list
}

// goType returns a type of the IR as Go has it.
func goType(t ir.Type) types.Type {
	for _, k := range basics {
		if basicType(types.Typ[k]) == t {
			return types.Typ[k]
		}
	}
	return types.Typ[types.Invalid]
}

// bound returns the types of the parameters of a method's receiver, or of the struct.
func (f *lowerer) bound(params *types.TypeParamList) bindings {
	var args []types.Type
	for _, t := range f.f.Args {
		args = append(args, goType(t))
	}
	return bindings{}.bind(params, args)
}

// parameter returns the number of the type parameter of a method's receiver that a type is,
// or -1.
func parameter(sig *types.Signature, t types.Type) int {
	for i := range sig.RecvTypeParams().Len() {
		if types.Identical(t, sig.RecvTypeParams().At(i)) {
			return i
		}
	}
	return -1
}
