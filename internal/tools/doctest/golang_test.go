// This file type-checks Go code of documents.

package doctest

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// given is the variables that fragments see.
//
//go:embed given.go.txt
var given string

// parseFragment parses declarations, or else statements; both are nil where it is neither.
func parseFragment(text string) (*ast.File, []ast.Stmt) {
	set := token.NewFileSet()
	if f, err := parser.ParseFile(set, "", "package x\n"+elide(text), 0); err == nil {
		return f, nil
	}
	f, err := parser.ParseFile(set, "", "package x\nfunc _() {\n"+elide(text)+"}\n", 0)
	if err != nil {
		return nil, nil
	}
	return nil, f.Decls[0].(*ast.FuncDecl).Body.List
}

// elide makes comments of lines that are only "...".
func elide(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "..." {
			lines[i] = "//"
		}
	}
	return strings.Join(lines, "\n")
}

// A module is the packages that documents import, compiled.
type module struct {
	root     string
	exports  map[string]string // of a package by its path: the file with what it exports
	names    map[string]string // the path by the package's name; "" where several have it
	set      *token.FileSet
	importer types.Importer
}

// project is the module's path.
const project = "github.com/foray-graph/foray"

// load compiles the module's packages and some of the standard library.
func load(root string) (*module, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Name}} {{.Standard}} {{.Export}}",
		"./...", "net/http", "log", "log/slog", "context", "errors", "fmt", "time", "math", "embed", "os", "os/signal", "sync", "sync/atomic")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var e *exec.ExitError
		if errors.As(err, &e) {
			err = fmt.Errorf("%w: %s", err, e.Stderr)
		}
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	m := &module{root: root, exports: map[string]string{}, names: map[string]string{}, set: token.NewFileSet()}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 4 {
			continue // unsafe, and commands
		}
		p, name, standard := f[0], f[1], f[2] == "true"
		m.exports[p] = f[3]
		ours := strings.HasPrefix(p, project)
		if ours && strings.Contains(p, "/internal/") || !ours && !standard || standard && strings.Contains(p, "internal") || name == "main" {
			continue
		}
		if old := m.names[name]; old == "" || ours || len(p) < len(old) && !strings.HasPrefix(old, project) {
			m.names[name] = p
		}
	}
	m.importer = importer.ForCompiler(m.set, "gc", func(path string) (io.ReadCloser, error) {
		file, ok := m.exports[path]
		if !ok {
			return nil, fmt.Errorf("no package %s", path)
		}
		return os.Open(file)
	})
	return m, nil
}

// golang returns what is wrong with the fragments and programs of a document.
func (m *module) golang(all []*block) []error {
	var problems []error
	files, declared := map[string]string{}, map[string]bool{}
	body, depth := "", 0
	for i, b := range all {
		if b.lang != "go" {
			continue
		}
		if b.mark["from"] != "" && !b.program() {
			continue // it is compiled where it comes from
		}
		if b.program() {
			problems = append(problems, m.check(map[string]string{b.file: line(b) + b.text}, false)...)
			continue
		}
		// Declarations stand alone; statements see those before them: a scope in a scope.
		switch d, s := parseFragment(b.text); {
		case d != nil:
			for name := range names(d) {
				declared[name] = true
			}
			files[fmt.Sprint(i)] = m.complete("package x\n" + line(b) + elide(b.text))
		case s != nil:
			body += "{\n" + line(b) + elide(b.text)
			depth++
		default:
			_, err := parser.ParseFile(m.set, b.file, "package x; func _() {\n"+line(b)+elide(b.text)+"}\n", 0)
			problems = append(problems, err)
		}
	}
	if depth > 0 {
		files["body"] = m.complete("package x\nfunc _() " + body + strings.Repeat("}", depth) + "\n")
	}
	if len(files) > 0 {
		files["given"] = m.complete(without(given, declared))
		problems = append(problems, m.check(files, true)...)
	}
	return problems
}

// program reports whether a block of Go is a whole file.
func (b *block) program() bool {
	return b.lang == "go" && (strings.HasPrefix(b.text, "package ") || strings.Contains(b.text, "\npackage "))
}

// line is the line directive for a block's origin.
func line(b *block) string { return fmt.Sprintf("//line %s:%d\n", b.file, b.line) }

// names returns the names that a file declares.
func names(f *ast.File) map[string]bool {
	all := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				all[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					all[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						all[n.Name] = true
					}
				}
			}
		}
	}
	return all
}

// without leaves out of a source the lines that declare some names, and their methods: each
// declaration is a line.
func without(source string, declared map[string]bool) string {
	lines := strings.Split(source, "\n")
	for i, l := range lines {
		if m := declares.FindStringSubmatch(l); m != nil && declared[m[1]] {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

var declares = regexp.MustCompile(`^(?:var|type|func)(?: \(\*?(?:\w+ \*?)?)? ?(\w+)`)

// complete adds the imports that a source lacks, to its first line.
func (m *module) complete(source string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		return source // check says why
	}
	has := map[string]bool{}
	for _, i := range f.Imports {
		name := path.Base(strings.Trim(i.Path.Value, `"`))
		if i.Name != nil {
			name = i.Name.Name
		}
		has[name] = true
	}
	add := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && !has[x.Name] && m.names[x.Name] != "" {
				has[x.Name] = true
				add += fmt.Sprintf("; import %q", m.names[x.Name])
			}
		}
		return true
	})
	return strings.Replace(source, "package x\n", "package x"+add+"\n", 1)
}

// check type-checks a package of files. What is declared and not used is let pass in
// fragments.
func (m *module) check(texts map[string]string, fragments bool) []error {
	var problems []error
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f, err := parser.ParseFile(m.set, name, texts[name], parser.ParseComments)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		files = append(files, f)
	}
	if problems != nil {
		return problems
	}
	config := types.Config{Importer: m.importer, GoVersion: "go1.25", Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && (!fragments || !e.Soft) {
			problems = append(problems, fmt.Errorf("%s: %s", m.set.Position(e.Pos), e.Msg))
		}
	}}
	config.Check("x", m.set, files, nil)
	return problems
}
