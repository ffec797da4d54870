// This file holds the rule on tests that only the long form has: scripts/long-tests runs each.

package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// longTest is a function that calls testlong.Only, and its package's folder.
type longTest struct{ folder, name string }

// neverRun names the tests that no line of scripts/long-tests runs.
func neverRun(script string, tests []longTest) (offenses []string) {
	for _, test := range tests {
		if !slices.ContainsFunc(strings.Split(script, "\n"), test.runsIn) {
			offenses = append(offenses, fmt.Sprintf("%s: %s calls testlong.Only, and no line of scripts/long-tests has FORAY_TEST_LONG=1 and ./%s without -run, or tested with its name", test.folder, test.name, test.folder))
		}
	}
	return offenses
}

// runsIn reports whether a line of the script runs the test in its long form.
func (l longTest) runsIn(line string) bool {
	words := strings.Fields(line)
	if at := slices.Index(words, "tested"); at >= 0 {
		if at+1 == len(words) || !slices.Contains(strings.Split(words[at+1], "|"), l.name) {
			return false
		}
	} else if !slices.Contains(words, "FORAY_TEST_LONG=1") || slices.Contains(words, "-run") || slices.Contains(words, "-short") {
		return false
	}
	return slices.ContainsFunc(words, func(word string) bool {
		below, all := strings.CutSuffix(word, "/...")
		return word == "./"+l.folder || all && strings.HasPrefix("./"+l.folder+"/", below+"/")
	})
}

// longTests finds the functions of a file that call testlong.Only.
func longTests(folder, name string, source any) (found []longTest, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Only" {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "testlong" {
					found = append(found, longTest{folder, f.Name.Name})
				}
			}
			return true
		})
	}
	return found, nil
}

func TestLongTests(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	script, err := os.ReadFile(filepath.Join(root, "scripts", "long-tests"))
	if err != nil {
		t.Fatal(err)
	}
	var tests []longTest
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		found, err := longTests(filepath.ToSlash(folder), path, nil)
		tests = append(tests, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) == 0 {
		t.Fatal("no test calls testlong.Only")
	}
	for _, offense := range neverRun(string(script), tests) {
		t.Error(offense)
	}
}

func TestLongTestsBroken(t *testing.T) {
	tests, err := longTests("io/a", "a_test.go", "package a\nfunc TestA(t *testing.T) { testlong.Only(t) }\nfunc TestB(t *testing.T) { testlong.Project(t) }")
	if err != nil || len(tests) != 1 || tests[0].name != "TestA" {
		t.Fatalf("%v, error %v", tests, err)
	}
	for line, runs := range map[string]bool{
		"  io) FORAY_TEST_LONG=1 go test ./io/... ./cmd/... ;;": true,
		"FORAY_TEST_LONG=1 go test ./graph ./io/a":              true,
		"tested TestB|TestA 2 ./io/a":                           true,
		"tested TestB 1 ./io/a":                                 false,
		"FORAY_TEST_LONG=1 go test ./i/... ./io ./io/a/b/...":   false,
		"FORAY_TEST_LONG=1 go test -run Random ./io/...":        false,
		"FORAY_TEST_LONG=1 go test -race -short ./io/...":       false,
		"FORAY_TEST_PROJECT=1 go test ./io/...":                 false,
	} {
		if found := neverRun("case\n"+line, tests); (len(found) == 0) != runs {
			t.Errorf("%q: offenses %q", line, found)
		}
	}
}
