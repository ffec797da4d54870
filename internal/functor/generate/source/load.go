// This file holds reading a folder, and the importer, which reads export data that the go
// command has.

package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrPackage: a folder without a Go package, or with several.
var ErrPackage = errors.New("no package to generate for")

// Load reads the functors of the package in a folder. Errors describe what is wrong with them.
// The generated file, and tests, aren't read. The packages that it imports are built by
// the go command, which has to be there.
func Load(ctx context.Context, dir string) (*Package, error) {
	fset := token.NewFileSet()
	name, files, err := parseDir(fset, dir)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(files, func(f *ast.File) bool { return len(marks(f)) > 0 }) {
		return &Package{Name: name}, nil
	}
	imported, err := importsOf(ctx, dir, files)
	if err != nil {
		return nil, err
	}
	l := &loader{ctx: ctx, fset: fset, dir: dir, found: imported}
	return check(fset, name, files, newImporter(fset, imported), l.sources)
}

// LoadText reads the functors of a package that is one file, and that imports what an importer
// has: no go command is needed. others has the texts of packages whose functions are inlined, by path.
func LoadText(path string, text []byte, imports types.Importer, others map[string]string) (*Package, error) {
	fset := token.NewFileSet()
	f, errs := parseFile(fset, path, text)
	if len(errs) > 0 {
		return nil, errs
	}
	return check(fset, f.Name.Name, []*ast.File{f}, imports, func(path string) ([]*ast.File, error) {
		text, ok := others[path]
		if !ok {
			return nil, errOther
		}
		f, errs := parseFile(fset, path, []byte(text))
		if len(errs) > 0 {
			return nil, errs
		}
		return []*ast.File{f}, nil
	})
}

// parseDir parses the files that the go command would build, but for the generated one.
func parseDir(fset *token.FileSet, dir string) (name string, files []*ast.File, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	var errs Errors
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || e.Name() == FileName {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if at, err := os.Stat(path); err == nil && !at.Mode().IsRegular() { // a link to a folder, a pipe
			continue
		}
		if ok, err := build.Default.MatchFile(dir, e.Name()); err != nil {
			return "", nil, err
		} else if !ok {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return "", nil, err
		}
		if strings.HasSuffix(e.Name(), "_test.go") {
			errs = append(errs, inTest(path, text)...)
			continue
		}
		f, more := parseFile(fset, path, text)
		errs = append(errs, more...)
		if f == nil || len(more) > 0 {
			continue
		}
		if name != "" && name != f.Name.Name {
			return "", nil, fmt.Errorf("%s: %w: the packages %s and %s", dir, ErrPackage, name, f.Name.Name)
		}
		name = f.Name.Name
		files = append(files, f)
	}
	switch {
	case len(errs) > 0:
		return "", nil, errs
	case name == "":
		return "", nil, fmt.Errorf("%s: %w: no Go files that are built here", dir, ErrPackage)
	}
	return name, files, nil
}

// inTest returns errors for marks in a test. Go reports other errors there.
func inTest(path string, text []byte) (errs Errors) {
	if !bytes.Contains(text, []byte("foray:")) {
		return nil
	}
	fset := token.NewFileSet()
	f, more := parseFile(fset, path, text)
	if len(more) > 0 {
		return nil
	}
	for _, c := range marks(f) {
		errs = append(errs, &Error{fset.PositionFor(c.Pos(), false),
			"a functor in a test; move it to a file that isn't a test, where generated code may use it"})
	}
	return errs
}

// parseFile parses a file.
func parseFile(fset *token.FileSet, path string, text []byte) (*ast.File, Errors) {
	if len(text) > maxSource {
		return nil, Errors{{token.Position{Filename: path, Line: 1, Column: 1}, fmt.Sprintf("the file has more than %d MB", maxSource>>20)}}
	}
	f, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err == nil {
		return f, nil
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil, Errors{{token.Position{Filename: path, Line: 1, Column: 1}, err.Error()}}
	}
	var errs Errors
	for _, e := range list {
		errs = append(errs, &Error{e.Pos, e.Msg})
	}
	return nil, errs
}

// imported is a package that the go command was asked for: the file of its export data, or
// why the package has no functors.
type imported struct{ export, err string }

// importsOf asks the go command for what the files import, by path. The package itself isn't
// built, since before it is generated it can't be.
func importsOf(ctx context.Context, dir string, files []*ast.File) (map[string]imported, error) {
	var paths []string
	for _, f := range files {
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err == nil && path != "C" && path != "unsafe" && !strings.HasPrefix(path, "-") {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	found := map[string]imported{}
	if len(paths) == 0 {
		return found, nil
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-export", "-json=ImportPath,Export,Error", "--"}, paths...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: go list, which finds what the package imports: %w: %s", dir, err, bytes.TrimSpace(stderr.Bytes()))
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Export string
			Error              *struct{ Err string }
		}
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, fmt.Errorf("%s: what go list says: %w", dir, err)
		}
		i := imported{export: p.Export}
		if p.Error != nil {
			i.err = strings.Join(strings.Fields(p.Error.Err), " ")
		}
		found[p.ImportPath] = i
	}
}

// newImporter returns an importer that reads export data.
func newImporter(fset *token.FileSet, found map[string]imported) types.Importer {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		switch i := found[path]; {
		case i.export != "":
			return os.Open(i.export)
		case i.err != "":
			return nil, errors.New(i.err)
		}
		return nil, errors.New("it doesn't build; go build says why")
	})
}
