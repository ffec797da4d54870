package gohost_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/foray-graph/foray/internal/functor/generate/gohost"
	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestMethods compares generated loops with the methods in Go, called edge by edge: for all
// that the reference of the subset shows, and for the functors of other tests.
func TestMethods(t *testing.T) {
	testlong.Only(t)
	for _, dir := range []string{"../source/constructs", "../../../testing/functors/composed", "testdata/more"} {
		t.Run(filepath.Base(dir), func(t *testing.T) { methods(t, dir) })
	}
}

func methods(t *testing.T, dir string) {
	p, err := source.Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	to, err := os.MkdirTemp("testdata", "run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(to)
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(f); name != source.FileName && !strings.HasSuffix(name, "_test.go") {
			write(name, bytes.Replace(text, []byte("\npackage "+p.Name), []byte("\npackage main"), 1))
		}
	}
	var list []gohost.Functor
	for _, f := range p.Functors {
		list = append(list, gohost.Functor{Functor: f})
	}
	text, err := gohost.File("main", list)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := gohost.File("main", list); err != nil || !bytes.Equal(again, text) {
		t.Errorf("printed again, it is another text (%v)", err)
	}
	if bytes.Contains(text, []byte(`foray/traverse"`)) { // for the type of accumulators, which stands behind the functors
		text = append(text, "\nvar _ traverse.Edge\n"...)
	}
	write(source.FileName, text)
	if text, err = os.ReadFile(filepath.Join("testdata", "methods.txt")); err != nil {
		t.Fatal(err)
	}
	main := bytes.NewBuffer(text)
	main.WriteString("\nfunc all() []one {\n\treturn []one{\n")
	for _, f := range p.Functors {
		if f.Corners { // its loop isn't over edges: conformance compares it
			continue
		}
		constructor := "New" + f.Name
		if r := rune(f.Name[0]); unicode.IsLower(r) {
			constructor = "new" + string(unicode.ToUpper(r)) + f.Name[1:]
		}
		fmt.Fprintf(main, "\t\t{%s{}, %s, operators.%s},\n", f.GoType(), constructor, [...]string{"Sum", "Min", "Max", "Or"}[f.Reduce])
	}
	main.WriteString("\t}\n}\n")
	write("run_methods.go", main.Bytes())
	for _, args := range testlong.Of([][]string{{"run", "./" + to}}, [][]string{{"vet", "./" + to}, {"run", "./" + to}}) {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
	}
}
