// This file holds the rule that public packages define their types: an exported declaration
// names no type of an internal package.

package rules

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// exposing are the packages that may name internal types, with the reason.
var exposing = map[string]string{
	"graph.Placed.State":  "operators and algorithms keep arrays with a placed graph there, also of a nil one, whose error it has",
	"device.Budget.State": "pools acquire there",
	"graph.Graph.State":   "what a graph has for operators and for packages that store it",
	"functor":             "only generated code imports it; it fills in and reads the internal form of functors",
}

// internalNames returns the names in a file that stand for types of internal packages: of imports, and of
// aliases that the package has.
type internalNames struct {
	imports map[string]string // by the name in the file
	aliases map[string]bool   // unexported aliases of internal types
}

// internalImports returns the internal packages that a file imports, by their names there.
func internalImports(s source) map[string]string {
	names := map[string]string{}
	for _, i := range s.Imports {
		what, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/")
		if !ours || !strings.Contains("/"+what+"/", "/internal/") {
			continue
		}
		name := what[strings.LastIndex(what, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = what
	}
	return names
}

// in returns the first internal type that a type expression names, or "". Unexported fields don't count.
func (n internalNames) in(e ast.Node) (found string) {
	if e == nil {
		return ""
	}
	ast.Inspect(e, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.StructType:
			for _, f := range x.Fields.List {
				embedded := len(f.Names) == 0
				if embedded && ast.IsExported(receiver(f.Type)) || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
					if what := n.in(f.Type); what != "" && found == "" {
						found = what
					}
				}
			}
			return false
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok && n.imports[id.Name] != "" && found == "" {
				found = n.imports[id.Name] + "." + x.Sel.Name
			}
			return false
		case *ast.Ident:
			if n.aliases[x.Name] && found == "" {
				found = x.Name + ", which is internal"
			}
		}
		return found == ""
	})
	return found
}

// exposed names the exported declarations of public packages that name internal types: aliases, fields,
// parameters, results and constraints. A type may be defined as an internal one is (type T internal.T): its
// methods are the package's own.
func exposed(t *tree) (offenses []string) {
	for _, folder := range t.folders() {
		if !public(folder) || exposing[folder] != "" {
			continue
		}
		aliases := map[string]bool{}
		for _, s := range t.packages[folder] {
			n := internalNames{imports: internalImports(s)}
			for _, d := range s.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range g.Specs {
					if x, ok := spec.(*ast.TypeSpec); ok && x.Assign.IsValid() && !x.Name.IsExported() && n.in(x.Type) != "" {
						aliases[x.Name.Name] = true
					}
				}
			}
		}
		for _, s := range t.packages[folder] {
			if s.test {
				continue
			}
			n := internalNames{imports: internalImports(s), aliases: aliases}
			add := func(at ast.Node, name, what string) {
				if what != "" && exposing[folder+"."+name] == "" {
					offenses = append(offenses, fmt.Sprintf("%s: %s.%s exposes %s; define the type in the public package, or unexport the declaration "+
						"(internal/tools/rules/exposed_test.go)", t.at(at), folder, name, what))
				}
			}
			for _, d := range s.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					name := d.Name.Name
					if d.Recv != nil {
						of := receiver(d.Recv.List[0].Type)
						if !ast.IsExported(of) {
							continue
						}
						name = of + "." + name
					}
					if d.Name.IsExported() {
						add(d, name, n.in(d.Type))
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						switch x := spec.(type) {
						case *ast.TypeSpec:
							if !x.Name.IsExported() {
								continue
							}
							if x.TypeParams != nil {
								add(x, x.Name.Name, n.in(x.TypeParams))
							}
							of := x.Type
							if g, is := of.(*ast.IndexExpr); is { // of a type parameter
								of = g.X
							}
							if _, is := of.(*ast.SelectorExpr); !is || x.Assign.IsValid() {
								add(x, x.Name.Name, n.in(x.Type))
							}
						case *ast.ValueSpec:
							if !slices.ContainsFunc(x.Names, (*ast.Ident).IsExported) {
								continue
							}
							name := x.Names[0].Name
							if x.Type != nil {
								add(x, name, n.in(x.Type))
							} else if !strings.HasPrefix(name, "Err") { // of type error
								for _, v := range x.Values {
									if _, call := v.(*ast.CallExpr); !call { // a conversion, most often
										add(x, name, n.in(v))
									}
								}
							}
						}
					}
				}
			}
		}
	}
	return offenses
}

func TestExposed(t *testing.T) {
	keep(t, exposed)
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(exposing)) {
		folder, _, _ := strings.Cut(name, ".")
		if len(r.packages[folder]) == 0 {
			t.Errorf("exposing in internal/tools/rules/exposed_test.go has %s, which is no package any more; remove it", name)
		}
	}
}

func TestExposedBroken(t *testing.T) {
	const head = "package p\n\nimport \"" + module + "/internal/engine/front\"\n\n"
	broken(t, exposed, map[string]string{"p/a.go": head + `type A = front.A
type B struct { X []*front.B }
type C struct { x front.C; d }
type d = front.D
type E interface { F(front.E) }
type F front.F
type g = d
func H(x d) {}
func i(front.I) {}
func (*C) J() *front.J { return nil }
func (d) K() *front.K { return nil }
const L = front.L
var ErrM = front.ErrM
var N = int(front.N)
type O[T front.O] struct{}
`},
		"p.A exposes internal/engine/front.A", "p.B exposes internal/engine/front.B", "p.E exposes internal/engine/front.E", "p.H exposes d, which is internal",
		"p.C.J exposes internal/engine/front.J", "p.L exposes internal/engine/front.L", "p.O exposes internal/engine/front.O")
	broken(t, exposed, map[string]string{"internal/p/a.go": head + "type A = front.A\n", "p/a_test.go": head + "type A = front.A\n"})
}
