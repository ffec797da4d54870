// This file finds the code blocks of documents.

package doctest

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A block is a code block of a document.
type block struct {
	file string // relative to the root
	line int    // of its first line
	lang string // one of langs
	text string
	mark map[string]string // what comments before it say: from, args, build, parse
	next *block            // the text right behind it, which is its output; or nil
}

func (b *block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// problem is one, at a line of the block counted from 0.
func (b *block) problem(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", b.file, b.line+line, fmt.Sprintf(format, args...))
}

var (
	marks  = []string{"from", "args", "build", "parse"}
	marked = regexp.MustCompile(`^<!-- (\w+): (.+) -->$`)
	langs  = []string{"go", "cuda", "c", "python", "sh", "text"}
)

// markdown returns the blocks of a document.
func markdown(file, text string) ([]*block, error) {
	var all []*block
	var open, last *block // the block that is being read; the one just before, if nothing is between
	mark := map[string]string{}
	for i, l := range strings.Split(text, "\n") {
		switch {
		case open != nil && strings.TrimSpace(l) == "```":
			if open.lang == "text" && last != nil {
				last.next = open
			}
			last, open = open, nil
		case open != nil:
			open.text += l + "\n"
		case strings.HasPrefix(l, "```"):
			open = &block{file: file, line: i + 2, lang: strings.TrimPrefix(l, "```"), mark: mark}
			mark = map[string]string{}
			if !slices.Contains(langs, open.lang) {
				return nil, open.problem(-1, "a code block of %q; want one of %v behind the fence", open.lang, langs)
			}
			all = append(all, open)
		case strings.HasPrefix(l, "<!--"):
			m := marked.FindStringSubmatch(l)
			if m == nil || !slices.Contains(marks, m[1]) {
				return nil, fmt.Errorf("%s:%d: a comment that says none of %v", file, i+1, marks)
			}
			mark[m[1]], last = m[2], nil
		case strings.TrimSpace(l) != "":
			if len(mark) > 0 {
				return nil, fmt.Errorf("%s:%d: text between a comment and its code block", file, i+1)
			}
			last = nil
		}
	}
	if open != nil {
		return nil, open.problem(-1, "a code block without an end")
	}
	return all, nil
}

var (
	shell = regexp.MustCompile(`^(go|nvcc|curl|foray|scripts/\S+|\./\S+) `)
	code  = regexp.MustCompile(`:=|\bfunc\b|\breturn\b|[{;]$`)
)

// language determines the language of a block in a doc comment.
func language(text string) string {
	switch {
	case strings.Contains(text, "#include") || strings.Contains(text, "__device__"):
		return "cuda"
	case shell.MatchString(text):
		return "sh"
	}
	if d, s := parseFragment(text); d != nil || s != nil || code.MatchString(text) {
		return "go"
	}
	return "text"
}

// comments returns the blocks of the doc comments of exported declarations and of
// packages, by package; not of internal ones.
func comments(root string) (map[string][]*block, error) {
	all := map[string][]*block{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "build" || name == "internal" || exists(filepath.Join(path, "go.mod"))) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		lines := strings.Split(string(text), "\n")
		for _, d := range docs(f) {
			at := set.Position(d.Pos()).Line - 1
			var p comment.Parser
			for _, c := range p.Parse(d.Text()).Content {
				c, ok := c.(*comment.Code)
				if !ok {
					continue
				}
				first, _, _ := strings.Cut(c.Text, "\n")
				for !strings.Contains(lines[at], first) {
					at++
				}
				all[dir] = append(all[dir], &block{file: filepath.ToSlash(file), line: at + 1, lang: language(c.Text), text: c.Text})
				at += strings.Count(c.Text, "\n")
			}
		}
		return nil
	})
	return all, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// docs returns the comments that go doc shows.
func docs(f *ast.File) []*ast.CommentGroup {
	var all []*ast.CommentGroup
	add := func(exported bool, d *ast.CommentGroup) {
		if exported && d != nil {
			all = append(all, d)
		}
	}
	add(true, f.Doc)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name.IsExported() && exportedReceiver(d), d.Doc)
		case *ast.GenDecl:
			add(exportsAny(d), d.Doc)
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.IsExported() {
					add(true, t.Doc)
					ast.Inspect(t.Type, func(n ast.Node) bool {
						if f, ok := n.(*ast.Field); ok {
							add(true, f.Doc)
						}
						return true
					})
				}
			}
		}
	}
	return all
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	name := types.ExprString(d.Recv.List[0].Type)
	return ast.IsExported(strings.TrimLeft(name, "*"))
}

func exportsAny(d *ast.GenDecl) bool {
	return slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
		switch s := s.(type) {
		case *ast.TypeSpec:
			return s.Name.IsExported()
		case *ast.ValueSpec:
			return slices.ContainsFunc(s.Names, (*ast.Ident).IsExported)
		}
		return false
	})
}
