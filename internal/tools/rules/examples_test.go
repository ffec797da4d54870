// This file holds the rule on examples: they show each function that composes a traversal.

package rules

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"testing"
)

// shown are the packages of which every exported function is used by an example.
const shown = "atomics foraytest operators operators/advance operators/filter operators/foreach random " +
	"operators/intersect operators/pile operators/reduce traverse"

// notShown are the functions that need no example, and why.
var notShown = map[string]string{
	"foraytest.Compare":       "it takes a testing.T; examples/widest is its example",
	"foraytest.CompareEdges":  "it takes a testing.T; examples/ktruss is its example",
	"foraytest.CompareScalar": "it takes a testing.T; examples/closetriangles is its example",
	"foraytest.EmulatedGPU":   "it takes a testing.T; the package's documentation shows it",
	"operators/reduce.HubsOf": "for operators",
	"operators/reduce.RoomOf": "for operators",
}

// uses returns the names that the examples of a package use of it.
func uses(folder string, sources []source) map[string]bool {
	found := map[string]bool{}
	for _, s := range sources {
		if !s.test || !hasExample(s) {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := x.X.(*ast.Ident); ok && id.Name == path.Base(folder) {
					found[x.Sel.Name] = true
				}
			}
			return true
		})
	}
	return found
}

func hasExample(s source) bool {
	for _, d := range s.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example") {
			return true
		}
	}
	return false
}

// withoutExample names exported functions that no example uses, and exceptions that aren't needed.
func withoutExample(t *tree) (offenses []string) {
	for _, folder := range strings.Fields(shown) {
		found := uses(folder, t.packages[folder])
		for _, s := range t.packages[folder] {
			for _, d := range s.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || s.test || f.Recv != nil || !f.Name.IsExported() {
					continue
				}
				name := folder + "." + f.Name.Name
				switch {
				case notShown[name] == "" && !found[f.Name.Name]:
					offenses = append(offenses, fmt.Sprintf("%s: no example uses %s; add Example%s to the package's tests", t.at(f), name, f.Name.Name))
				case notShown[name] != "" && found[f.Name.Name]:
					offenses = append(offenses, fmt.Sprintf("%s has an example; remove it from notShown in internal/tools/rules/examples_test.go", name))
				}
			}
		}
	}
	return offenses
}

func TestExamples(t *testing.T) {
	keep(t, withoutExample)
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range strings.Fields(shown) {
		if len(r.packages[folder]) == 0 {
			t.Errorf("shown in internal/tools/rules/examples_test.go has %s, which is no package any more; remove it", folder)
		}
	}
}

func TestExamplesBroken(t *testing.T) {
	broken(t, withoutExample, map[string]string{
		"atomics/a.go":        "package atomics\nfunc Add() {}\nfunc Sub() {}\nfunc mul() {}\ntype T int\nfunc (T) M() {}\n",
		"atomics/a_test.go":   "package atomics_test\nfunc ExampleAdd() { atomics.Add() }\n",
		"atomics/b_test.go":   "package atomics_test\nfunc TestSub() { atomics.Sub() }\n",
		"foraytest/a.go":      "package foraytest\nfunc Compare() {}\n",
		"operators/pile/a.go": "package pile\nfunc Exclusive() {}\n",
		"graph/a.go":          "package graph\nfunc Close() {}\n",
	}, "atomics/a.go:3: no example uses atomics.Sub; add ExampleSub", "no example uses operators/pile.Exclusive")
	broken(t, withoutExample, map[string]string{
		"foraytest/a.go":      "package foraytest\nfunc Compare() {}\n",
		"foraytest/a_test.go": "package foraytest_test\nfunc Example() { foraytest.Compare() }\n",
	}, "foraytest.Compare has an example; remove it")
}
