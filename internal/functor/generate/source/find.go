// This file finds functors: structs marked //foray:functor, their fields and their methods.

package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

const (
	functorMark = "//foray:functor"
	reduceMark  = "//foray:reduce"
	uniqueMark  = "//foray:unique"
	directMark  = "//foray:direct"
	// disjointMark declares that no element is written and used at the same time.
	disjointMark = "//foray:disjoint"
)

// marks returns the comments of a file that mark functors, and those that nearly do.
func marks(f *ast.File) (list []*ast.Comment) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if mark, _ := slipped(c); mark != "" || strings.HasPrefix(c.Text, "//foray:") {
				list = append(list, c)
			}
		}
	}
	return list
}

// slipped returns the mark that a comment was meant to be, and what is wrong with how it is
// written; or "". A line of text that begins with the word isn't a mark.
func slipped(c *ast.Comment) (mark, why string) {
	if text, block := strings.CutPrefix(c.Text, "/*"); block {
		for line := range strings.Lines(strings.TrimSuffix(text, "*/")) {
			if mark = nearMark(strings.Trim(line, "/* \t\r\n")); mark != "" {
				return mark, "a mark between /* and */, which is a comment then"
			}
		}
		return "", ""
	}
	mark = nearMark(strings.TrimPrefix(c.Text, "//"))
	switch {
	case mark == "" || strings.HasPrefix(c.Text, mark):
		return "", ""
	case strings.TrimLeft(c.Text[2:], " \t") != c.Text[2:]:
		return mark, "a space before the mark, which is a comment then"
	}
	return mark, "capital letters in a mark, which is a comment then"
}

// nearMark returns the mark that a line's words are, but for spaces and the case of letters.
func nearMark(line string) string {
	words := strings.Fields(line)
	for _, mark := range []string{functorMark, reduceMark, uniqueMark, directMark, disjointMark} {
		if len(words) > 0 && strings.EqualFold("//"+words[0], mark) && (len(words) == 1 || mark == reduceMark && len(words) == 2) {
			return mark
		}
	}
	return ""
}

// marked is a struct with the mark.
type marked struct {
	spec *ast.TypeSpec
	doc  *ast.CommentGroup
}

// find returns the marked structs, in the order of the source.
func (u *unit) find() (list []marked) {
	used := map[*ast.Comment]bool{}
	functors := map[types.Object]bool{}
	for _, f := range u.files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
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
					functors[u.info.Defs[s.Name]] = true
				}
			}
		}
	}
	for _, f := range u.files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv == nil || !functors[receiver(u.info, d)] {
				continue
			}
			for mark, name := range map[string]string{reduceMark: "Gather", uniqueMark: "Edge", directMark: "Edge"} {
				if c := comment(d.Doc, mark); c != nil && d.Name.Name == name {
					used[c] = true
				}
			}
			if c := comment(d.Doc, disjointMark); c != nil && slices.Contains([]string{"Apply", "Vertex", "Edge", "Hit", "Gather", "Common"}, d.Name.Name) {
				used[c] = true
			}
		}
		for _, c := range marks(f) {
			u.place(c, used[c])
		}
	}
	return list
}

// place notes what is wrong with a mark and where it stands.
func (u *unit) place(c *ast.Comment, used bool) {
	words := strings.Fields(c.Text)
	mark, why := slipped(c)
	switch {
	case mark != "":
		u.errorf(c.Pos(), "%s; write %s", why, mark)
	case used && words[0] != reduceMark && len(words) > 1:
		u.errorf(c.Pos(), "%s is followed by %s; nothing stands behind it", words[0], words[1])
	case used:
	case words[0] == functorMark:
		u.errorf(c.Pos(), "%s stands in the comment directly above a struct type of the package", functorMark)
	case words[0] == reduceMark:
		u.errorf(c.Pos(), "%s stands in the comment directly above a method Gather of a functor", reduceMark)
	case words[0] == uniqueMark, words[0] == directMark:
		u.errorf(c.Pos(), "%s stands in the comment directly above a method Edge of a functor", words[0])
	case words[0] == disjointMark:
		u.errorf(c.Pos(), "%s stands in the comment directly above a method Apply, Vertex, Edge, Hit, Gather or Common of a functor", words[0])
	default:
		u.errorf(c.Pos(), "unknown %s; there are %s, %s, %s, %s and %s", words[0], functorMark, reduceMark, uniqueMark, directMark, disjointMark)
	}
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

// functor lowers a functor: all instances of one with type parameters. It returns none where
// there were errors.
func (u *unit) functor(s marked) (list []*ir.Functor) {
	name := s.spec.Name.Name
	if s.spec.Assign.IsValid() {
		u.errorf(s.spec.Pos(), "a functor is a struct type of its own; %s is an alias", name)
		return nil
	}
	if _, ok := s.spec.Type.(*ast.StructType); !ok {
		if o := u.info.Defs[s.spec.Name]; o != nil {
			if _, of := o.Type().Underlying().(*types.Struct); of {
				u.errorf(s.spec.Pos(), "a functor's fields are written out; %s has those of %s: write type %[1]s struct { ... }", name, types.ExprString(s.spec.Type))
				return nil
			}
		}
		u.errorf(s.spec.Pos(), "a functor is a struct; %s is none", name)
		return nil
	}
	if s.spec.TypeParams.NumFields() == 0 {
		f := &ir.Functor{Name: name, Doc: firstLine(s.doc)}
		if u.lower(s, f) {
			list = append(list, f)
		}
	} else if o := u.info.Defs[s.spec.Name]; o != nil && !u.problemsIn(s.spec.TypeParams) {
		if named, ok := o.Type().(*types.Named); ok {
			u.free(s, name, name, "New"+name)
			list = u.generic(s, named)
		}
	}
	for _, f := range list {
		u.free(s, f.Name, f.GoType(), "New"+f.Name, f.Name+"Functor")
	}
	return list
}

// free notes names that the generator declares for a functor and that something else has.
func (u *unit) free(s marked, name, functor string, names ...string) {
	for _, taken := range names {
		if o := u.pkg.Scope().Lookup(taken); o != nil {
			u.errorf(o.Pos(), "%s is what the generator declares for the functor %s; give one of them another name", taken, functor)
		}
	}
	if other, ok := u.names[name]; ok {
		u.errorf(s.spec.Name.Pos(), "New%s is what the generator declares for the functors %s and %s; give one of them another name", name, other, functor)
	}
	u.names[name] = functor
}

// lower lowers a functor without type parameters, or an instance. It reports whether there
// were no errors.
func (u *unit) lower(s marked, to *ir.Functor) bool {
	before := len(u.errs)
	f := &lowerer{unit: u, f: to, fields: map[types.Object]int{}, spec: s.spec, stores: map[written]token.Pos{}, declared: map[*ir.Method]*ast.FuncDecl{}}
	f.readFields(s.spec.Type.(*ast.StructType))
	if u.problemsIn(s.spec) || len(u.errs) > before {
		return false
	}
	f.methods()
	return len(u.errs) == before
}

func firstLine(g *ast.CommentGroup) string {
	line, _, _ := strings.Cut(g.Text(), "\n")
	return line
}

const fieldTypes = "int32, uint32, int64, uint64, float32, float64, bool, a slice of one of these but bool, or a traverse.Sum, Min, Max or Or"

// readFields reads the struct's fields.
func (f *lowerer) readFields(st *ast.StructType) {
	bound := bindings{}
	g := f.f.Generic
	if g != nil {
		g.Fields = nil
		bound = f.bound(f.info.Defs[f.spec.Name].Type().(*types.Named).TypeParams())
	}
	for _, x := range st.Fields.List {
		if len(x.Names) == 0 {
			f.errorf(x.Pos(), "an embedded field; a functor's fields have names")
		}
		t := types.Unalias(f.info.TypeOf(x.Type))
		field := ir.Field{}
		if s, ok := t.(*types.Slice); ok {
			t = types.Unalias(s.Elem())
			field.Slice = true
		}
		parameter := -1
		of := t
		if n, ok := t.(*types.Named); ok && n.TypeArgs().Len() == 1 { // an accumulator's value
			of = types.Unalias(n.TypeArgs().At(0))
		}
		if p, ok := of.(*types.TypeParam); ok {
			parameter = p.Index()
			t = bound.of(t)
		} else if p := argument(t); p != nil {
			parameter = p.Index()
			t = bound.of(t)
		}
		if is, ok := f.accumulator(x.Type, t, &field); is && !ok {
			continue
		} else if b, ok := t.(*types.Basic); ok && b.Kind() != types.Int && b.Kind() != types.Uint {
			field.Type = basicType(b)
		}
		if field.Type == ir.Void || field.Slice && (field.Type == ir.Bool || field.Accumulator) {
			if b, ok := t.(*types.Basic); !ok || b.Kind() != types.Invalid { // else go/types says it
				f.errorf(x.Type.Pos(), "a field of type %s; it has to be %s%s", types.ExprString(x.Type), fieldTypes, f.insteadOf(f.info.TypeOf(x.Type)))
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
			if g != nil {
				g.Fields = append(g.Fields, parameter)
			}
		}
	}
}
