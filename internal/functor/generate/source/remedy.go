// This file has the remedies for errors in functors: fields of other types,
// methods of other names, invalid marks.

package source

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// insteadOf returns what to write instead of a type that a field can't have, or "".
func (u *unit) insteadOf(t types.Type) string {
	name := func(t types.Type) string { return types.TypeString(t, types.RelativeTo(u.pkg)) }
	t = types.Unalias(t)
	of, pointer := t, false
	if p, ok := t.(*types.Pointer); ok {
		of, pointer = types.Unalias(p.Elem()), true
	}
	if arg := instance(of, "/device", "Buffer"); arg != nil {
		return "; write []" + name(arg) + ", for which the constructor takes a *device.Buffer[" + name(arg) + "]"
	}
	if arg := instance(of, "/operators", "Scalar"); arg != nil {
		if b, ok := types.Unalias(arg).(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
			return "; write traverse.Min[" + name(arg) + "] or Max, an accumulator, for which the constructor takes the scalar"
		}
		return "; write traverse.Sum[" + name(arg) + "], or Min, Max or Or, an accumulator, for which the constructor takes the scalar"
	}
	element := of
	if s, ok := of.Underlying().(*types.Slice); ok {
		element = types.Unalias(s.Elem())
	}
	if b, ok := element.Underlying().(*types.Basic); ok && b.Kind() == types.String {
		return "; strings of a column have codes: write " + map[bool]string{true: "[]", false: ""}[element != of] + "uint32, and get the code of a string by traverse.Code"
	}
	if pointer {
		for accumulator := range folds {
			if arg := instance(of, "/traverse", accumulator); arg != nil {
				return "; write traverse." + accumulator + "[" + name(arg) + "]"
			}
		}
		if plain := plainest(of); plain != "" {
			return "; write []" + plain + ", of one element"
		}
		return ""
	}
	switch t := t.(type) {
	case *types.Slice:
		if inner, ok := types.Unalias(t.Elem()).(*types.Slice); ok {
			if plain := plainest(inner.Elem()); plain != "" {
				return "; write one []" + plain + " of all rows, and another slice of where each begins"
			}
		}
		if plain := plainest(t.Elem()); plain != "" {
			return "; write []" + plain
		}
	case *types.Array:
		if plain := plainest(t.Elem()); plain != "" {
			return "; write []" + plain
		}
	default:
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
			return "; write bool"
		}
		if plain := plainest(t); plain != "" {
			return "; write " + plain
		}
	}
	return ""
}

// instance returns the type argument of a type of one of the module's packages, or nil.
func instance(t types.Type, folder, name string) types.Type {
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Name() != name || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != Module+folder || n.TypeArgs().Len() != 1 {
		return nil
	}
	return n.TypeArgs().At(0)
}

// plainest returns the type of elements that has all values of a type, or "".
func plainest(t types.Type) string {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	if !ok {
		return ""
	}
	switch b.Kind() {
	case types.Int:
		return "int64"
	case types.Uint:
		return "uint64"
	case types.Int8, types.Int16:
		return "int32"
	case types.Uint8, types.Uint16, types.Bool:
		return "uint32"
	}
	if basicType(b) == ir.Void {
		return ""
	}
	return b.Name()
}

// misnamed notes a method that operators don't call though it may be meant for them, and
// reports whether there is one. none says that they call no method of the functor.
func (f *lowerer) misnamed(found []*ast.FuncDecl, none bool) bool {
	for _, d := range f.own() {
		for i, s := range signatures {
			if name := s.kind.String(); found[i] == nil && strings.EqualFold(d.Name.Name, name) {
				f.errorf(d.Name.Pos(), "no step calls the method %s of the functor %s; write %s", d.Name.Name, f.spec.Name.Name, s.form)
				return true
			}
		}
	}
	if !none {
		return false
	}
	for _, d := range f.own() {
		sig := f.info.Defs[d.Name].(*types.Func).Signature()
		for _, of := range []struct{ param, names string }{{"Edge", "Edge, Hit, Gather or Key"}, {"Vertex", "Vertex, Apply or Score"}, {"Corner", "Common"}} {
			if sig.Params().Len() > 0 && isTraverse(sig.Params().At(0).Type(), of.param) {
				f.errorf(d.Name.Pos(), "no step calls the method %s of the functor %s; name it %s", d.Name.Name, f.spec.Name.Name, of.names)
				return true
			}
		}
	}
	return false
}

// own returns the functor's methods.
func (f *lowerer) own() (list []*ast.FuncDecl) {
	obj := f.info.Defs[f.spec.Name]
	for _, file := range f.files {
		for _, d := range file.Decls {
			if d, is := d.(*ast.FuncDecl); is && d.Recv != nil && obj != nil && receiver(f.info, d) == obj {
				list = append(list, d)
			}
		}
	}
	return list
}

// written is a method's signature as it is.
func (f *lowerer) written(d *ast.FuncDecl) string {
	sig := f.info.Defs[d.Name].(*types.Func).Signature()
	return d.Name.Name + strings.TrimPrefix(types.TypeString(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()), func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		return p.Name()
	}), "func")
}
