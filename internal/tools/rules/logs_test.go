// This file tests what the library logs: by which calls, and under which keys.

package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLogs: log calls pass the caller's context, and their messages and keys are in the table of
// docs/embed.md. A key has values of one kind everywhere.
func TestLogs(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	doc, err := os.ReadFile(filepath.Join(root, "docs", "embed.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(doc), "\n## Logs\n")
	if !ok {
		t.Fatal("docs/embed.md has no section Logs")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	told := map[string]bool{} // in the table, found in the sources
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		for _, cell := range []string{cells[1], cells[4]} {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
				told[m[1]] = false
			}
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[4], -1) {
			if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(m[1]) {
				t.Errorf("docs/embed.md: the key %q has other signs than a-z and _", m[1])
			}
		}
	}
	kinds := map[string]string{} // the function of slog that makes a key's values
	calls := []string{"Log", "LogAttrs", "Debug", "Info", "Warn", "Error", "DebugContext", "InfoContext", "WarnContext", "ErrorContext"}
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if slices.Contains([]string{".git", "testdata", "internal/testing/conformance", "cmd", "bench", "tools", "shared"}, rel) || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(src), `"log/slog"`) {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, src, 0)
		if err != nil {
			return err
		}
		example := strings.HasPrefix(rel, "examples")
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			at := fset.Position(call.Pos())
			on, _ := sel.X.(*ast.Ident)
			switch {
			case on != nil && on.Name == "slog":
				if len(call.Args) != 2 {
					return true
				}
				if key, ok := text(call.Args[0]); ok {
					if _, is := told[key]; !is && !example {
						t.Errorf("%s: the key %q isn't in the table of docs/embed.md", at, key)
					}
					told[key] = true
					if kind, is := kinds[key]; is && kind != sel.Sel.Name && !example {
						t.Errorf("%s: the key %q has a value of slog.%s, elsewhere of slog.%s; use one kind, or another key", at, key, sel.Sel.Name, kind)
					}
					kinds[key] = sel.Sel.Name
				}
			case slices.Contains(calls, sel.Sel.Name) && strings.Contains(strings.ToLower(last(sel.X)), "log") && last(sel.X) != "log" && !example || ast.IsExported(sel.Sel.Name) && sel.Sel.Name == "LogAttrs":
				if sel.Sel.Name != "LogAttrs" {
					t.Errorf("%s: %s logs without the caller's context, or under keys that aren't looked at here; call LogAttrs", at, sel.Sel.Name)
					return true
				}
				if bare(call.Args[0]) {
					t.Errorf("%s: it logs under a context that isn't the caller's", at)
				}
				if message, ok := text(call.Args[2]); !ok {
					t.Errorf("%s: the message is no constant", at)
				} else if _, is := told[message]; !is {
					t.Errorf("%s: the message %q isn't in the table of docs/embed.md", at, message)
				} else {
					told[message] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, found := range told {
		if !found {
			t.Errorf("docs/embed.md: nothing logs %q", what)
		}
	}
}

// text is a string that stands in the source.
func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// last is the last name of an expression such as t.o.Logger.
func last(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// bare reports whether an expression is a new context of package context, which no caller can cancel.
func bare(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	return slices.Contains([]string{"Background", "TODO"}, last(call.Fun))
}
