// This file finds functors: structs marked //foray:functor, their fields and their methods.

package source

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/foray-graph/foray/internal/ir"
)

const (
	functorMark = "//foray:functor"
	reduceMark  = "//foray:reduce"
	uniqueMark  = "//foray:unique"
)

// marks returns the comments of a file that mark functors.
func marks(f *ast.File) (list []*ast.Comment) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//foray:") {
				list = append(list, c)
			}
		}
	}
	return list
}

// marked is a struct with the mark.
type marked struct {
	spec *ast.TypeSpec
	doc  *ast.CommentGroup
}

// find returns the marked structs, in the order of the source.
func (u *unit) find() (list []marked) {
	for _, f := range u.files {
		used := map[*ast.Comment]bool{}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					s, ok := s.(*ast.TypeSpec)
					if !ok {
						continue
					}
					doc := s.Doc
					if doc == nil && !d.Lparen.IsValid() {
						doc = d.Doc
					}
					if c := comment(doc, functorMark); c != nil {
						used[c] = true
						list = append(list, marked{s, doc})
					}
				}
			case *ast.FuncDecl:
				if c := comment(d.Doc, reduceMark); c != nil && d.Recv != nil && d.Name.Name == "Gather" {
					used[c] = true
				}
				if c := comment(d.Doc, uniqueMark); c != nil && d.Recv != nil && d.Name.Name == "Edge" {
					used[c] = true
				}
			}
		}
		for _, c := range marks(f) {
			word := strings.Fields(c.Text)[0]
			switch {
			case used[c]:
			case word == functorMark:
				u.errorf(c.Pos(), "%s stands in the comment directly above a struct type of the package", functorMark)
			case word == reduceMark:
				u.errorf(c.Pos(), "%s stands in the comment directly above a method Gather", reduceMark)
			case word == uniqueMark:
				u.errorf(c.Pos(), "%s stands in the comment directly above a method Edge", uniqueMark)
			default:
				u.errorf(c.Pos(), "unknown %s; there are %s, %s and %s", word, functorMark, reduceMark, uniqueMark)
			}
		}
	}
	return list
}

// comment returns the comment of a group whose first word is the mark, or nil.
func comment(g *ast.CommentGroup, mark string) *ast.Comment {
	if g == nil {
		return nil
	}
	for _, c := range g.List {
		if strings.HasPrefix(c.Text, mark) && strings.Fields(c.Text)[0] == mark {
			return c
		}
	}
	return nil
}

// functor lowers a functor. It returns nil where there were errors.
func (u *unit) functor(s marked) *ir.Functor {
	before := len(u.errs)
	name := s.spec.Name.Name
	st, ok := s.spec.Type.(*ast.StructType)
	switch {
	case !ok:
		u.errorf(s.spec.Pos(), "a functor is a struct; %s is none", name)
		return nil
	case s.spec.TypeParams.NumFields() > 0:
		u.errorf(s.spec.TypeParams.Pos(), "functors with type parameters can't be generated yet; write one struct per element type")
		return nil
	}
	for _, taken := range []string{"New" + name, name + "Functor"} {
		if o := u.pkg.Scope().Lookup(taken); o != nil {
			u.errorf(o.Pos(), "%s is what the generator declares for the functor %s; give one of them another name", taken, name)
		}
	}
	f := &lowerer{unit: u, f: &ir.Functor{Name: name, Doc: firstLine(s.doc)}, fields: map[types.Object]int{}}
	f.spec = s.spec
	f.readFields(st)
	if u.problemsIn(s.spec) || len(u.errs) > before {
		return nil
	}
	f.methods()
	if len(u.errs) > before {
		return nil
	}
	return f.f
}

func firstLine(g *ast.CommentGroup) string {
	line, _, _ := strings.Cut(g.Text(), "\n")
	return line
}

const fieldTypes = "int32, uint32, int64, uint64, float32, float64, bool, a slice of one of these but bool, or a traverse.Sum, Min, Max or Or"

// readFields reads the struct's fields.
func (f *lowerer) readFields(st *ast.StructType) {
	for _, x := range st.Fields.List {
		if len(x.Names) == 0 {
			f.errorf(x.Pos(), "an embedded field; a functor's fields have names")
		}
		t := types.Unalias(f.info.TypeOf(x.Type))
		var element types.Type
		if s, ok := t.(*types.Slice); ok {
			element = types.Unalias(s.Elem())
		}
		field := ir.Field{Slice: element != nil}
		if field.Slice {
			t = element
		}
		if is, ok := f.accumulator(x.Type, t, &field); is && !ok {
			continue
		} else if b, ok := t.(*types.Basic); ok && b.Kind() != types.Int && b.Kind() != types.Uint {
			field.Type = basicType(b)
		}
		if field.Type == ir.Void || field.Slice && (field.Type == ir.Bool || field.Accumulator) {
			if b, ok := t.(*types.Basic); !ok || b.Kind() != types.Invalid { // else go/types says it
				f.errorf(x.Type.Pos(), "a field of type %s; it has to be %s%s", types.ExprString(x.Type), fieldTypes, insteadOf(t))
			}
			continue
		}
		for _, n := range x.Names {
			if n.Name == "_" {
				f.errorf(n.Pos(), "a field without a name")
				continue
			}
			f.fields[f.info.Defs[n]] = len(f.f.Fields)
			field.Name = n.Name
			f.f.Fields = append(f.f.Fields, field)
		}
	}
}

// insteadOf says what to write instead of a type that a field can't have.
func insteadOf(t types.Type) string {
	switch t := t.(type) {
	case *types.Named:
		if b, ok := t.Underlying().(*types.Basic); ok && basicType(b) != ir.Void {
			return "; write " + b.Name()
		}
	case *types.Basic:
		switch t.Kind() {
		case types.Int:
			return "; write int64"
		case types.Uint:
			return "; write uint64"
		case types.Int8, types.Int16:
			return "; write int32"
		case types.Uint8, types.Uint16:
			return "; write uint32"
		case types.Bool:
			return "; write []uint32"
		}
	}
	return ""
}
