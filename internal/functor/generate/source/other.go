// This file reads other packages of the functors' module, and package random: functors call their functions, which are
// inlined. Their bodies are type-checked only when a functor calls one of them. The types of such a package are other
// ones than those that the functors' package imports; nothing depends on that, since what is passed are numbers, slices,
// edges and vertices.

package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// sourcesOf returns the files of another package. The error is errOther if functors can't call its functions.
type sourcesOf func(path string) ([]*ast.File, error)

// errOther: a package that isn't of the functors' module.
var errOther = errors.New("functors call functions of their module, and of " + Module + "/random, math, math/bits and atomics")

// loader reads other packages by the go command.
type loader struct {
	ctx   context.Context
	fset  *token.FileSet
	dir   string // of the functors
	found map[string]imported
}

// listed is what go list says about a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	Module          *struct{ Path string }
	Error           *struct{ Err string }
}

// list asks the go command for packages. The functors' own, ".", needn't compile.
func (l *loader) list(paths ...string) (all []listed, err error) {
	cmd := exec.CommandContext(l.ctx, "go", append([]string{"list", "-e", "-json=ImportPath,Dir,GoFiles,Module,Error", "--"}, paths...)...)
	cmd.Dir = l.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list, which finds the package: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("what go list says: %w", err)
		}
		all = append(all, p)
	}
	if len(all) != len(paths) {
		return nil, fmt.Errorf("go list found %d packages of %d", len(all), len(paths))
	}
	return all, nil
}

// sources implements sourcesOf.
func (l *loader) sources(path string) ([]*ast.File, error) {
	list, err := l.list(".", path)
	if err != nil {
		return nil, err
	}
	own, p := list[0], list[1]
	ours := own.Module != nil && p.Module != nil && own.Module.Path == p.Module.Path
	switch {
	case !ours && path != Module+"/random":
		return nil, errOther
	case p.Error != nil && len(p.GoFiles) == 0:
		return nil, errors.New(p.Error.Err)
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		at := shorter(filepath.Join(p.Dir, name))
		text, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		f, errs := parseFile(l.fset, at, text)
		if len(errs) > 0 {
			return nil, errs
		}
		files = append(files, f)
	}
	more, err := importsOf(l.ctx, l.dir, files)
	if err != nil {
		return nil, err
	}
	for path, i := range more {
		if _, has := l.found[path]; !has {
			l.found[path] = i
		}
	}
	return files, nil
}

// shorter returns a path as seen from the current folder, if that is shorter.
func shorter(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}

// other returns another package, or why its functions can't be called.
func (u *unit) other(path string) (*typed, error) {
	c, known := u.others[path]
	if known {
		return c, u.refused[path]
	}
	err := errOther
	if u.sources != nil {
		var files []*ast.File
		if files, err = u.sources(path); err == nil {
			c = typeCheck(u.fset, path, files, u.imports)
		}
	}
	u.others[path], u.refused[path] = c, err
	return c, err
}

// twin returns the function of a package that is type-checked from its source, for the same one as it is imported.
func (c *typed) twin(fn *types.Func) *types.Func {
	for own := range c.decls {
		if own.Name() == fn.Name() && receiverName(own) == receiverName(fn) {
			return own
		}
	}
	return nil
}

// receiverName returns the name of the type that a method has, or "".
func receiverName(fn *types.Func) string {
	r := fn.Signature().Recv()
	if r == nil {
		return ""
	}
	t := types.Unalias(r.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// foreign lowers a call of a function of another package, in place.
func (m *method) foreign(e *ast.CallExpr, fn *types.Func, receiver ast.Expr, targs []types.Type) []operand {
	failed := make([]operand, max(1, fn.Signature().Results().Len()))
	name := types.ExprString(ast.Unparen(e.Fun))
	c, err := m.other(fn.Pkg().Path())
	switch {
	case errors.Is(err, errOther):
		m.errorf(e.Pos(), "a call of %s; %s", name, errOther)
		return failed
	case err != nil:
		m.errorf(e.Pos(), "a call of %s, whose source can't be read: %v", name, err)
		return failed
	}
	own := c.twin(fn.Origin())
	if own == nil {
		m.errorf(e.Pos(), "a call of %s, whose source isn't there", name)
		return failed
	}
	return m.inline(e, c, own, receiver, targs)
}

// errorf notes an error. In a function of another package it also names the call.
func (m *method) errorf(pos token.Pos, format string, args ...any) {
	m.unit.errorf(pos, "%s", fmt.Sprintf(format, args...)+m.calledFrom(pos))
}

// calledFrom names the call in the functors' package that led to a place in another one.
func (m *method) calledFrom(pos token.Pos) string {
	in := false
	for _, f := range m.files {
		in = in || f.FileStart <= pos && pos <= f.FileEnd
	}
	if m.typed == m.unit.typed || !in {
		return ""
	}
	for f := m.frame; f != nil && f.up != nil; f = f.up {
		if f.up.of == m.unit.typed {
			p := m.position(f.call)
			return fmt.Sprintf(" (in a call from %s:%d)", base(p.Filename), p.Line)
		}
	}
	return ""
}

// problemsIn notes the errors that go/types has found in the package that is lowered now.
func (m *method) problemsIn(n ast.Node) bool {
	found := m.problemsAt(n)
	for _, p := range found {
		m.errorf(p.Pos, "%s", p.Msg)
	}
	return len(found) > 0
}

// file is the name of a file as faults have it.
func (m *method) file(name string) string {
	if m.typed == m.unit.typed {
		return base(name)
	}
	return path.Join(path.Base(m.pkg.Path()), base(name))
}
