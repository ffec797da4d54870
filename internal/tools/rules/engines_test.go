// This file holds the rule on who asks which device something is on. Each package asks once,
// where it makes a thing, and keeps a part for that device behind an interface.

package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// choosers are the functions that may ask, as they choose the part for a device, by folder.
var choosers = map[string]string{
	"algos/internal/lanes":     "FastLanes",
	"frontier":                 "partsOf",
	"graph":                    "Graph.On Graph.Place Options.onDevice Options.sharded Graph.firstOf built.take built.takeShards",
	"internal/layout/rowcheck": "Of",
	"internal/engine/front":    "NewRemote NewEdges",
	"internal/layout/rows":     "init",
	"internal/engine/run":      "NewLease Choose ShardsOf Device Numbers CheckShards Write Read Edges NewEdges OfEdges WriteEdges",
	"internal/layout/byweight": "Of",
	"internal/cluster/engine":  "newMaker",
	"algos/bfs":                "newSpace platformOf sharded",
	"internal/engine/windows":  "New",
	"internal/functor/link":    "NewScalar",
	"operators/advance":        "New",
	"operators/filter":         "New",
	"operators/intersect":      "New Bytes",
	"internal/engine/farpile":  "New",
	"internal/engine/scan":     "New",
	"traverse":                 "newEngine",
}

// askers are the folders whose functions ask otherwise, each at most so many times, and why.
var askers = map[string]struct {
	most int
	why  string
}{
	"algos/pagerank": {2, "reduces take memory for slabs on GPUs alone, where rounds of one pass follow one another in one kernel, and only those with momentum have one"},
	"algos/cc":       {1, "threads of a GPU wait for one another's ways up, so that trees grow otherwise there"},
	"algos/kcore":    {1, "blocks of a GPU run ahead; on the host a pile at every push takes twice as long"},
	"algos/bc":       {3, "on a GPU a look at all marks costs less than a queue, and a look before a claim is one more load to wait for; narrow searches take memory on the host alone"},
	"algos/lpa":      {1, "labels are counted by an operator that takes memory on GPUs alone"},
	"algos/sssp":     {1, "rows are sorted by weight where the graph is, and gone through in one kernel on a GPU"},
	"algos/order":    {2, "the order is made where it can be"},
}

// parts are fields that are nil on one of the devices: to compare one with nil is to ask.
const parts = " gpu remote stay team "

// kinds are types that say which device it is: to ask whether something has one is to ask.
const kinds = " discrete.Device gpu.Device gpu.Group gpu.Stream host.Device host.Stream placed.Sharded run.GPU run.Host run.Shards "

// devices are the packages that are the devices themselves.
const devices = "cuda device device/ internal/discrete internal/gpu/driver internal/gpu internal/engine/placed"

// asking are the functions whose result is nil on some devices, but Remote(), which is a method.
const asking = " run.ShardsOf ShardsOf "

// questions returns the places in a function that ask which device something is on:
// comparisons of Remote() and of what a function of asking returns, of a variable that it was
// assigned to, or of a part with nil, and type assertions and switches to a kind, but for
// assertions that take the answer for granted. Whether a buffer that a caller gave is in the host's memory isn't such a question.
func questions(f *ast.FuncDecl) (found []ast.Node) {
	asked := map[string]bool{} // variables that are the result of such a call
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, x := range a.Rhs {
				if id, ok := a.Lhs[i].(*ast.Ident); ok && isAsking(x) {
					asked[id.Name] = true
				}
			}
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				id, _ := n.X.(*ast.Ident)
				if isNil(n.Y) && (isAsking(n.X) || isPart(n.X) || id != nil && asked[id.Name]) {
					found = append(found, n)
				}
			}
		case *ast.AssignStmt:
			if a, ok := n.Rhs[0].(*ast.TypeAssertExpr); ok && len(n.Lhs) == 2 && len(n.Rhs) == 1 && isKind(a.Type) {
				found = append(found, n)
			}
		case *ast.TypeSwitchStmt:
			for _, c := range n.Body.List {
				if slices.ContainsFunc(c.(*ast.CaseClause).List, isKind) {
					found = append(found, n)
					break
				}
			}
		}
		return true
	})
	return found
}

func isNil(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "nil"
}

// isAsking reports a call of a method Remote without arguments, or of a function of asking.
func isAsking(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return strings.Contains(asking, " "+f.Name+" ")
	case *ast.SelectorExpr:
		of, _ := f.X.(*ast.Ident)
		return f.Sel.Name == "Remote" && len(call.Args) == 0 || of != nil && strings.Contains(asking, " "+of.Name+"."+f.Sel.Name+" ")
	}
	return false
}

func isPart(x ast.Expr) bool {
	f, ok := x.(*ast.SelectorExpr)
	return ok && strings.Contains(parts, " "+f.Sel.Name+" ")
}

func isKind(x ast.Expr) bool {
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	f, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && strings.Contains(kinds, " "+of.Name+"."+f.Sel.Name+" ")
}

// funcName is a function's name, a method's behind that of its type.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return receiver(f.Recv.List[0].Type) + "." + f.Name.Name
}

// askedTwice names the questions that stand elsewhere than where a part is chosen.
func askedTwice(t *tree) (offenses []string) {
	for _, folder := range t.folders() {
		if within(folder, devices+" cmd/ examples/ bench .") || slices.Contains(helpers, folder) {
			continue
		}
		var all []string
		for _, s := range t.packages[folder] {
			if s.test {
				continue
			}
			for _, d := range s.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || slices.Contains(strings.Fields(choosers[folder]), funcName(f)) {
					continue
				}
				for _, q := range questions(f) {
					all = append(all, fmt.Sprintf("%s: %s asks which device something is on; give the parts for the devices a method each, behind an "+
						"interface that is chosen once (choosers in internal/tools/rules/engines_test.go)", t.at(q), funcName(f)))
				}
			}
		}
		if len(all) > askers[folder].most {
			offenses = append(offenses, all...)
		}
	}
	return offenses
}

func TestEngines(t *testing.T) {
	keep(t, askedTwice)
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for folder, names := range choosers {
		for chooser := range strings.FieldsSeq(names) {
			asks := false
			for _, s := range r.packages[folder] {
				for _, d := range s.Decls {
					if f, ok := d.(*ast.FuncDecl); ok && !s.test && funcName(f) == chooser {
						asks = asks || len(questions(f)) > 0 // builds for other systems have one that needn't
					}
				}
			}
			if !asks {
				t.Errorf("choosers in internal/tools/rules/engines_test.go has %s of %s, which doesn't ask any more; remove it", chooser, folder)
			}
		}
	}
}

func TestEnginesBroken(t *testing.T) {
	const head = "package p\n"
	broken(t, askedTwice, map[string]string{
		"operators/filter/a.go": head + `func New(p P) { if p.Remote() != nil { panic(p) } }
func (a *A) run() { a.dev.(discrete.Device).Upload(a.gpu, a.p.Remote().Offsets) }
func b(x any) bool { w, ok := x.(io.Writer); return ok && w != nil && x != nil }`,
		"operators/filter/a_test.go": head + "func c(p P) bool { return p.Remote() == nil }",
		"device/host/a.go":           head + "func d(s any) bool { _, ok := s.(*host.Stream); return ok }",
		"bench/a.go":                 head + "func e(p P) bool { return p.Remote() == nil }",
	})
	broken(t, askedTwice, map[string]string{"operators/filter/a.go": head + `
func (c *C) New() bool { return c.p.Remote() == nil }
func f(p P) {
	if r := p.Remote(); r != nil { r.Close() }
	switch { case p.gpu != nil: }
	if _, ok := p.Device().(discrete.Device); ok { return }
	if run.ShardsOf(p) != nil { return }
	x := run.ShardsOf(p); y := run.ShardsOf(p).Parts; if x == nil { y() }
	if _, several := p.Device().(placed.Sharded); several { return }
	switch p.Device().(type) { case *host.Device: }
}`}, "operators/filter/a.go:3: C.New asks", "operators/filter/a.go:5: f asks", "operators/filter/a.go:6:", "operators/filter/a.go:7:", "operators/filter/a.go:8:", "operators/filter/a.go:9:", "operators/filter/a.go:10:", "operators/filter/a.go:11:")
}
