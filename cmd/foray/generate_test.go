package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

const widest = `package paths

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/foray generate

// Widen raises the width of the widest path to an edge's target.
//
//foray:functor
type Widen struct {
	Width []float32 // of every vertex
}

// Edge lets the target through if a wider path was found.
func (f *Widen) Edge(e traverse.Edge) bool {
	w := min(f.Width[e.Source], e.Weight)
	return w > atomics.Max(&f.Width[e.Target], w)
}

var _ = NewWiden(nil)
`

// module makes a module of a user's, outside this repository, and goes there.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files["go.mod"] = "module example.com/paths\n\ngo 1.25\n\nrequire github.com/foray-graph/foray v0.0.0\n\nreplace github.com/foray-graph/foray => " + root + "\n"
	files["go.sum"] = string(sums)
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	return dir
}

func TestGenerate(t *testing.T) {
	testlong.Project(t)
	module(t, map[string]string{
		"paths.go":           widest,
		"foray_functors.go":  "package other\nthis is no Go",
		"empty/empty.go":     "package empty\n",
		"wrong/wrong.go":     strings.Replace(widest, "w :=", "go f.Edge(e)\n\tf.Width = nil\n\tw :=", 1),
		"two/a.go":           "package a\n",
		"two/b.go":           "package b\n",
		"unparsable/file.go": "package x\n\nfunc {\n\nvar 3\n",
	})
	contains(t, stderrOf(t, 1, "generate", "--check"), "foray_functors.go: not what foray generate writes; run go generate")
	out, _ := foray(t, 0, "generate")
	if out != "" {
		t.Errorf("generate prints %q", out)
	}
	foray(t, 0, "generate", "--check", ".")
	if out, err := exec.Command("go", "vet", ".").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	before, err := os.Stat("foray_functors.go")
	if err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "generate")
	if after, err := os.Stat("foray_functors.go"); err != nil || !os.SameFile(before, after) {
		t.Error("a file that is fresh is written again", err)
	}
	out, _ = foray(t, 0, "generate", "--dump")
	contains(t, out, "functor Widen\n", "field 0 Width []float32, per vertex, written\n", "method Edge bool\n", "atomic float32 max Width")

	got := stderrOf(t, 1, "generate", "wrong", ".", "unparsable")
	contains(t, got, "wrong/wrong.go:19:2: a goroutine;", "\nwrong/wrong.go:20:2: an assignment to f.Width;", "\nunparsable/file.go:3:6: ")
	if _, err := os.Stat("wrong/foray_functors.go"); err == nil {
		t.Error("a package with errors is generated")
	}
	contains(t, stderrOf(t, 1, "generate", "empty"), "empty: no struct is marked //foray:functor")
	contains(t, stderrOf(t, 1, "generate", "two"), "two: no package to generate for: the packages a and b")
	contains(t, stderrOf(t, 1, "generate", "nowhere"), "nowhere: no such file or directory")
	contains(t, stderrOf(t, 2, "generate", ""), "a DIR is empty")
	contains(t, stderrOf(t, 2, "generate", "--check", "--dump"), "--check and --dump don't go together")
}

func stderrOf(t *testing.T, status int, args ...string) string {
	t.Helper()
	_, stderr := foray(t, status, args...)
	return stderr
}
