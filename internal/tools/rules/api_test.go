// This file holds the rule on the size of the public API: how many names each package
// exports at most.

package rules

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// allNames is how many names all public packages together may export: a budget, so that one ceiling is raised only
// where another is lowered or users need more.
const allNames = 1000

// ceilings is the largest number of names that a public package may export: types, functions, methods
// of exported types, constants and variables, in the files of all systems and build tags together.
// Raise one together with the name that needs it, if code outside the package uses that name.
var ceilings = map[string]int{
	"algos/bc":                     8,
	"algos/bfs":                    42,
	"algos/bfs/laboratory":         0,
	"algos/bridges":                6,
	"algos/cc":                     11,
	"algos/closeness":              10,
	"algos/degree":                 6,
	"algos/color":                  6,
	"algos/dobfs":                  9,
	"algos/eigenvector":            6,
	"algos/hits":                   6,
	"algos/katz":                   6,
	"algos/kclique":                6,
	"algos/kcore":                  8,
	"algos/ktruss":                 7,
	"algos/lpa":                    6,
	"algos/leiden":                 6,
	"algos/louvain":                6,
	"algos/mis":                    6,
	"algos/msbfs":                  11,
	"algos/msf":                    7,
	"algos/order":                  1,
	"algos/pagerank":               8,
	"algos/paths":                  13,
	"algos/reach":                  7,
	"algos/similar":                12,
	"algos/sssp":                   28,
	"algos/topo":                   9,
	"algos/triangles":              7,
	"algos/walks":                  7,
	"atomics":                      9,
	"cuda":                         9,
	"device":                       37,
	"device/gpu":                   1,
	"device/host":                  2,
	"foraytest":                    7,
	"frontier":                     28,
	"functor":                      33, // for generated code
	"graph":                        171,
	"graph/gen":                    8,
	"io/arrow":                     82,
	"io/arrow/brotli":              0,
	"io/arrow/cdata":               7,
	"io/arrow/graphar":             6,
	"io/arrow/iceberg":             0,
	"io/edgelist":                  14,
	"io/s3":                        1,
	"metrics":                      7,
	"operators":                    17,
	"operators/advance":            40,
	"operators/advance/laboratory": 0,
	"operators/filter":             21,
	"operators/foreach":            5,
	"operators/intersect":          17,
	"operators/pile":               7,
	"operators/reduce":             12,
	"random":                       4,
	"traverse":                     105,
}

// public reports whether a folder's package can be imported by other modules for use:
// no internal one and no program.
func public(folder string) bool {
	return !strings.Contains("/"+folder+"/", "/internal/") && !within(folder, "cmd/ examples/ bench bench/rivals .")
}

// exported returns the names that a package exports, methods as Type.Method.
func exported(sources []source) []string {
	names := map[string]bool{}
	for _, s := range sources {
		if s.test {
			continue
		}
		for _, d := range s.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name] = true
				} else if of := receiver(d.Recv.List[0].Type); ast.IsExported(of) && d.Name.IsExported() {
					names[of+"."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							names[id.Name] = true
						}
					}
				}
			}
		}
	}
	var all []string
	for name := range names {
		if ast.IsExported(name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// largeAPI names the packages that export more than they may, and public ones without a ceiling.
func largeAPI(t *tree) (offenses []string) {
	for _, folder := range t.folders() {
		if !public(folder) {
			continue
		}
		names := exported(t.packages[folder])
		most, known := ceilings[folder]
		switch {
		case !known:
			offenses = append(offenses, fmt.Sprintf("%s exports %d names and has no ceiling; put it below internal/, "+
				"or add it to ceilings in internal/tools/rules/api_test.go", folder, len(names)))
		case len(names) > most:
			offenses = append(offenses, fmt.Sprintf("%s exports %d names, %d at most; unexport one, move it below internal/, or raise "+
				"the ceiling in internal/tools/rules/api_test.go if users need it. It has %s", folder, len(names), most, strings.Join(names, " ")))
		}
	}
	return offenses
}

func TestAPI(t *testing.T) {
	keep(t, largeAPI)
	sum := 0
	for _, most := range ceilings {
		sum += most
	}
	if sum > allNames {
		t.Errorf("the ceilings allow %d names in all, more than %d; move what users don't need below internal/", sum, allNames)
	}
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for folder := range ceilings {
		if len(r.packages[folder]) == 0 {
			t.Errorf("ceilings in internal/tools/rules/api_test.go has %s, which is no package any more; remove it", folder)
		}
	}
}

func TestAPIBroken(t *testing.T) {
	const some = `package p
const ( A, b = 1, 2 )
var C int
type D[T any] struct{}
func (*D[T]) E() {}
func (D[T]) f() {}
type g struct{}
func (g) H() {}
func I() {}
`
	got := strings.Join(exported(parsed(t, some)), " ")
	if want := "A C D D.E I"; got != want {
		t.Errorf("exported: %s, want %s", got, want)
	}
	many := func(n int) string {
		text := "package p\n"
		for i := range n {
			text += fmt.Sprintf("func F%d() {}\n", i)
		}
		return text
	}
	broken(t, largeAPI, map[string]string{"internal/x/a.go": many(99), "algos/order/a.go": many(1), "algos/order/a_test.go": many(9)})
	broken(t, largeAPI, map[string]string{"operators/sort/a.go": many(1)}, "operators/sort exports 1 names and has no ceiling")
	broken(t, largeAPI, map[string]string{"algos/order/a.go": many(2)}, "algos/order exports 2 names, 1 at most")
}

// parsed returns the sources of one file.
func parsed(t *testing.T, text string) []source {
	t.Helper()
	return treeOf(t, map[string]string{"p/a.go": text}).packages["p"]
}
