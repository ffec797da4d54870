package generate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestLastFunctor: what was generated for a package goes with its last functor, since it doesn't
// compile any more, and nothing else does.
func TestLastFunctor(t *testing.T) {
	testlong.Project(t)
	functor := "package x\n\nimport \"github.com/foray-graph/foray/traverse\"\n\n//foray:functor\ntype F struct{ X []int32 }\n\n" +
		"// Edge does nothing.\nfunc (f *F) Edge(e traverse.Edge) { f.X[e.Target] = 1 }\n"
	for _, c := range []struct {
		name  string
		files map[string]string // instead of the functor's
		hand  bool              // the file was written by hand
		gone  bool
		err   error // if it stays
	}{
		{name: "no mark any more", files: map[string]string{"x.go": "// Package x has no type marked //foray:functor.\n" + strings.Replace(functor, "//foray:functor\n", "", 1)}, gone: true},
		{name: "no file any more", gone: true},
		{name: "a file by hand", files: map[string]string{"x.go": "package x\n"}, hand: true, err: ErrNone},
		{name: "a functor for another system", files: map[string]string{"x.go": "package x\n", "x_plan9.go": functor}, err: ErrNone},
		{name: "only for another system", files: map[string]string{"x_plan9.go": "package x\n"}, err: source.ErrPackage},
		{name: "two packages", files: map[string]string{"x.go": "package x\n", "y.go": "package y\n"}, err: source.ErrPackage},
	} {
		dir := scratch(t)
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("x.go", functor)
		if err := Write(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, source.FileName)
		if c.hand {
			write(source.FileName, "package x\n")
		}
		if err := os.Remove(filepath.Join(dir, "x.go")); err != nil {
			t.Fatal(err)
		}
		for name, text := range c.files {
			write(name, text)
		}
		if err := Check(t.Context(), dir); c.gone && !errors.Is(err, ErrStale) || !c.gone && !errors.Is(err, c.err) {
			t.Errorf("%s: checked: %v", c.name, err)
		}
		var out strings.Builder
		err := Run(t.Context(), []string{dir}, false, false, &out)
		_, there := os.Stat(path)
		switch {
		case !c.gone && (!errors.Is(err, c.err) || there != nil):
			t.Errorf("%s: %v, %v", c.name, err, there)
		case c.gone && (err != nil || !errors.Is(there, os.ErrNotExist) || !strings.HasPrefix(out.String(), path+": removed, since no struct is marked")):
			t.Errorf("%s: %v, %v, %q", c.name, err, there, out.String())
		}
		if err := Check(t.Context(), dir); c.gone && !errors.Is(err, ErrNone) && !errors.Is(err, source.ErrPackage) {
			t.Errorf("%s: checked afterwards: %v", c.name, err)
		}
	}
}
