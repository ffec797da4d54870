package source

import (
	"context"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// imports are the packages that functors import, for all tests.
var imports = sync.OnceValues(func() (map[string]imported, error) {
	fset := token.NewFileSet()
	f, errs := parseFile(fset, "x.go", []byte(`package x
import ("cmp"; "math"; "math/bits"; "errors"; "`+Module+`/atomics"; "`+Module+`/device"; "`+Module+`/operators"; "`+Module+`/traverse")`))
	if errs != nil {
		return nil, errs
	}
	return importsOf(context.Background(), ".", []*ast.File{f})
})

// checkText checks a package of one file.
func checkText(t testing.TB, text string) (*Package, error) {
	t.Helper()
	found, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, errs := parseFile(fset, "x.go", []byte(text))
	if errs != nil {
		return nil, errs
	}
	return check(fset, f.Name.Name, []*ast.File{f}, sharedImporter(found), nil)
}

var shared struct {
	sync.Mutex
	importer types.Importer
}

// sharedImporter returns one that keeps what it has read.
func sharedImporter(found map[string]imported) types.Importer {
	shared.Lock()
	defer shared.Unlock()
	if shared.importer == nil {
		shared.importer = newImporter(token.NewFileSet(), found)
	}
	return shared.importer
}

const header = `package x

import (
	"cmp"; "math"
	"math/bits"

	"` + Module + `/atomics"
	"` + Module + `/traverse"; "` + Module + `/device"; "` + Module + `/operators"
)

var _, _ = math.Pi, cmp.Compare[int]
var _ = bits.Len; var _ device.Device; var _ operators.Worker
var _ = atomics.Load[int32]
`

const relax = `
// Relax lowers distances.
//
//foray:functor
type Relax struct {
	Dist []float32 // of every vertex
	Most float32
}

func (r *Relax) Edge(e traverse.Edge) bool {
	d := r.Dist[e.Source] + e.Weight
	return d < r.Most && d < atomics.Min(&r.Dist[e.Target], d)
}
`

func TestRelax(t *testing.T) {
	p, err := checkText(t, header+relax+"\nvar _ = NewRelax(nil, 7)\n")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimLeft(`
functor Relax
  field 0 Dist []float32, per vertex, written
  field 1 Most float32
method Edge bool
  source.0 = input source
  target.8 = input target
  index.3 = input index
  v1 uint64 = convert uint32 source.0
  v2 float32 = load float32 Dist v1
  weights.4 float32 = load float32 weights index.3
  d.5 float32 = add float32 v2, weights.4
  Most.6 float32 = scalar float32 Most
  v7 bool = lt float32 d.5, Most.6
  if v7
    v9 uint64 = convert uint32 target.8
    v10 float32 = atomic float32 min Dist v9, d.5
    v11 bool = lt float32 d.5, v10
    v12 bool = move bool v11
  else
    v12 bool = move bool false
  return bool v12
`, "\n")
	if got := p.Functors[0].String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLoad(t *testing.T) {
	testlong.Project(t)
	dir := scratch(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(t.Context(), dir); err == nil {
		t.Error("an empty folder loads")
	}
	write("a.go", header+relax+"\nvar _ = NewRelax(nil, 7)\n")
	write(FileName, "package x\nfunc NewRelax( {")
	write("a_windows_arm.go", "package y\n")
	p, err := Load(t.Context(), dir)
	if err != nil || p.Name != "x" || len(p.Functors) != 1 || p.Functors[0].Method(ir.Edge) == nil {
		t.Fatal(p, err)
	}
	write("b.go", "package x\nimport \"example.org/nowhere\"\n//foray:functor\ntype N struct { X []int32 }\nfunc (n *N) Edge(e nowhere.Edge) {}\n")
	var list Errors
	if _, err := Load(t.Context(), dir); !errors.As(err, &list) || len(list) != 1 || !strings.Contains(err.Error(), "b.go:2:8: could not import example.org/nowhere (no required module provides package") {
		t.Error(err)
	}
	write("b.go", "package x\n// foray:functor\ntype N struct { X []int32 }\n")
	if _, err := Load(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "b.go:2:1: a space before the mark") {
		t.Error(err)
	}
	write("b.go", "package x\n// foray:functor marks structs.\ntype N struct { X []int32 }\n")
	for _, mark := range []string{"//foray:functor", "//foray:functor  ", "// foray:functor", "//foray:functor\r"} {
		write("a_test.go", strings.Replace(header+relax, "//foray:functor", mark, 1))
		if _, err := Load(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "a_test.go:17:1: a functor in a test") {
			t.Errorf("%q: %v", mark, err)
		}
	}
	write("a_test.go", "package x_test\nconst text = `\n//foray:functor\n`\n")
	if _, err := Load(t.Context(), dir); err != nil {
		t.Error(err)
	}
}

// TestLengthOfVariable: a length that a variable was set to is computed once, for all who
// ask later.
func TestLengthOfVariable(t *testing.T) {
	p, err := checkText(t, header+`
//foray:functor
type F struct{ A []int64 }

func (f *F) Vertex(v traverse.Vertex) int64 {
	n := int64(2)
	n = int64(len(f.A))
	n++
	return n + int64(len(f.A))
}
`)
	if err != nil {
		t.Fatal(err)
	}
	text := p.Functors[0].String()
	if !strings.Contains(text, "v1 int64 = len int64 A") || !strings.Contains(text, "int64 = add int64 n.0, v1") {
		t.Error(text)
	}
}

// scratch makes a folder in this module, for packages that import internal packages.
func scratch(t *testing.T) string {
	t.Helper()
	err := os.MkdirAll("testdata", 0o755)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("testdata", "scratch")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.RemoveAll(dir)
		os.Remove("testdata") // which fails while there is more in it
	})
	return dir
}

// TestMarks looks at what is found out about fields: which are indexed by vertices and edges,
// which are written, and where an index is checked.
func TestMarks(t *testing.T) {
	p, err := checkText(t, header+`
//foray:functor
type F struct {
	V, E, W, C, A, R, L []int64
	N             uint32
}

//foray:disjoint
func (f *F) Edge(e traverse.Edge) {
	at := int(e.Target)
	i := e.Index
	f.W[at] = f.V[e.Source] + f.E[i] + int64(len(f.L))
	f.first(e.Source)
	for i := range f.R {
		f.W[e.Source] += f.R[i]
	}
	if e.ID == 3 {
		_ = f.C[f.N]
	}
}

func (f *F) first(v uint32) { atomics.Add(&f.A[v], atomics.Load(&f.L[v+1])) }
`)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Functors[0]
	for i, want := range []ir.Field{
		{Name: "V", PerVertex: true}, {Name: "E", PerEdge: true}, {Name: "W", PerVertex: true, ByTarget: true, Written: true}, {Name: "C"},
		{Name: "A", PerVertex: true, Written: true}, {Name: "R"}, {Name: "L"},
	} {
		want.Type, want.Slice = ir.Int64, true
		if f.Fields[i] != want {
			t.Errorf("got %+v, want %+v", f.Fields[i], want)
		}
	}
	if len(f.Sites) != 2 || f.Sites[0].What != "index of C" && f.Sites[1].What != "index of C" || f.Sites[0].What != "index of L" && f.Sites[1].What != "index of L" {
		t.Errorf("sites %v", f.Sites)
	}
	if !f.IDs || f.Weights {
		t.Errorf("ids %v, weights %v", f.IDs, f.Weights)
	}
}
