package generate

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestConstructs generates for functors that use every construct, and has Go compile what
// comes out.
func TestConstructs(t *testing.T) {
	testlong.Project(t)
	dir := scratch(t)
	files, err := filepath.Glob("source/constructs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no constructs", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := Check(t.Context(), dir); !errors.Is(err, ErrStale) {
		t.Errorf("without a file: %v", err)
	}
	if err := Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := Check(t.Context(), dir); err != nil {
		t.Error(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	text, functors, err := Text(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range functors {
		if !strings.Contains(string(text), "func New"+f.Name+"(") {
			t.Errorf("%s has no constructor", f.Name)
		}
	}
	if n := strings.Count(string(text), "\n\t.reg "); n == 0 {
		t.Error("nothing has PTX")
	}
}

func TestCanceled(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("source/constructs/reference.go")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "x.go"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(ctx, dir); err == nil {
		t.Error("a canceled context generates")
	}
}

// TestClashes: names that the generated file needs are told at their place, and functors whose
// names differ in case are told apart.
func TestClashes(t *testing.T) {
	testlong.Project(t)
	dir := scratch(t)
	write := func(text string) {
		err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\nimport \"github.com/foray-graph/foray/traverse\"\n"+text), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	functor := func(name string) string {
		return "//foray:functor\ntype " + name + " struct { X []float32 }\nfunc (f *" + name + ") Edge(e traverse.Edge) bool { return f.X[e.Target] > e.Weight }\n"
	}
	for declared, why := range map[string]string{
		"var device int": "imports", "var relaxCode int": "declares", "type relaxTile int": "declares", "func NewRelaxed() {}": "",
		"func len(int) {}": "uses as Go declares it", "type uint32 int": "uses as Go declares it",
	} {
		write(declared + "\n" + functor("Relax"))
		_, _, err := Text(t.Context(), dir)
		switch {
		case why == "":
			if err != nil {
				t.Errorf("%s: %v", declared, err)
			}
		case err == nil || !strings.Contains(err.Error(), "x.go:3:") || !strings.Contains(err.Error(), "is what foray_functors.go "+why+"; give it another name"):
			t.Errorf("%s: %v, want that it is what the generated file %s", declared, err, why)
		}
	}
	write(functor("Relax") + functor("relax"))
	if err := os.Symlink(".", filepath.Join(dir, "folder.go")); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
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

// TestOneType generates for a type parameter of one type, alone in its package.
func TestOneType(t *testing.T) {
	dir := scratch(t)
	text := "package one\n\nimport \"github.com/foray-graph/foray/traverse\"\n\n//foray:functor\ntype F[T int32] struct{ X []T }\n\n" +
		"// Edge does nothing.\nfunc (f *F[T]) Edge(e traverse.Edge) { f.X[e.Target] = 1 }\n"
	if err := os.WriteFile(filepath.Join(dir, "one.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
