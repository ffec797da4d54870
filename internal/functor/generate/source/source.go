// Package source reads functors written in Go: it type-checks a package, finds the structs
// marked //foray:functor, and lowers their methods to internal/functor/ir.
//
// What a functor may be made of is a subset of Go (docs/subset.md). Everything else is an
// error that names file, line and column and names the remedy. The package
// doesn't have to compile: before it is generated, the code that calls constructors doesn't.
// So errors outside of functors are Go's to report, not ours.
package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Module is the path of Foray's module.
const Module = "github.com/foray-graph/foray"

// FileName is the name of the file that is generated. It isn't read.
const FileName = "foray_functors.go"

// Package is what was found in a folder.
type Package struct {
	Name     string // of the Go package
	Functors []*ir.Functor
	Declared map[string]token.Position // what the package declares outside of functions
}

// Error is something wrong in a source.
type Error struct {
	Pos  token.Position
	Text string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Text }

// Errors are all errors of a package, by place.
type Errors []*Error

func (list Errors) Error() string {
	var b strings.Builder
	for i, e := range list {
		if i == maxErrors {
			fmt.Fprintf(&b, "\nand %d more errors", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// unit is the package of functors, and the errors found so far.
type unit struct {
	*typed
	fset    *token.FileSet
	names   map[string]string // of functors and instances, and whose they are
	errs    Errors
	seen    map[Error]bool
	imports types.Importer
	sources sourcesOf
	others  map[string]*typed // packages whose functions are inlined, by path; nil: see refused
	refused map[string]error
}

// typed is a type-checked package.
type typed struct {
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
	// What go/types complains about, and the imports that it couldn't resolve.
	problems []types.Error
	decls    map[*types.Func]*ast.FuncDecl
	assigned map[*ast.FuncDecl]map[types.Object]bool // variables that are assigned after their declaration
}

func (u *unit) position(pos token.Pos) token.Position { return u.fset.PositionFor(pos, false) }

// errorf notes an error, once.
func (u *unit) errorf(pos token.Pos, format string, args ...any) {
	u.add(Error{u.position(pos), fmt.Sprintf(format, args...)})
}

func (u *unit) add(e Error) {
	if !u.seen[e] {
		u.seen[e] = true
		u.errs = append(u.errs, &e)
	}
}

// problemsIn notes the errors that go/types has found between two places, and reports
// whether there are any.
func (u *unit) problemsIn(n ast.Node) bool {
	found := u.problemsAt(n)
	for _, p := range found {
		u.errorf(p.Pos, "%s", p.Msg)
	}
	return len(found) > 0
}

// problemsAt returns the errors that go/types has found between two places.
func (c *typed) problemsAt(n ast.Node) (list []types.Error) {
	for _, p := range c.problems {
		if p.Pos >= n.Pos() && p.Pos <= n.End() {
			list = append(list, p)
		}
	}
	return list
}

// unimported notes the packages that can't be imported, which is why types are unknown, and
// reports whether there are any.
func (u *unit) unimported() bool {
	found := false
	for _, f := range u.files {
		for _, i := range f.Imports {
			found = u.problemsIn(i) || found
		}
	}
	return found
}

// check type-checks the files of a package, and lowers its functors. sources has the files of other packages; it may be nil.
func check(fset *token.FileSet, name string, files []*ast.File, imports types.Importer, sources sourcesOf) (*Package, error) {
	u := &unit{
		typed: typeCheck(fset, name, files, imports), fset: fset,
		names: map[string]string{}, seen: map[Error]bool{},
		imports: imports, sources: sources, others: map[string]*typed{}, refused: map[string]error{},
	}
	out := &Package{Name: name, Declared: map[string]token.Position{}}
	for _, n := range u.pkg.Scope().Names() {
		out.Declared[n] = u.position(u.pkg.Scope().Lookup(n).Pos())
	}
	for _, s := range u.find() {
		out.Functors = append(out.Functors, u.functor(s)...)
	}
	if len(u.errs) == 0 {
		return out, nil
	}
	u.unimported()
	slices.SortStableFunc(u.errs, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return nil, u.errs
}

// typeCheck type-checks a package. Errors are in its problems.
func typeCheck(fset *token.FileSet, path string, files []*ast.File, imports types.Importer) *typed {
	c := &typed{
		files: files,
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		},
		decls:    map[*types.Func]*ast.FuncDecl{},
		assigned: map[*ast.FuncDecl]map[types.Object]bool{},
	}
	conf := types.Config{
		Importer: imports, FakeImportC: true,
		Sizes: types.SizesFor("gc", "amd64"), // int has 64 bits, on all devices
		Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				c.problems = append(c.problems, e)
			}
		},
	}
	c.pkg, _ = conf.Check(path, fset, files, c.info)
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := c.info.Defs[d.Name].(*types.Func); ok {
					c.decls[fn] = d
				}
			}
		}
	}
	return c
}
