package generate

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

const vendored = `package f

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Lower lowers labels.
//
//foray:functor
type Lower[T uint32 | uint64] struct{ Label []T }

// Edge lowers that of the target.
func (l *Lower[T]) Edge(e traverse.Edge) bool {
	mine := l.Label[e.Source]
	return mine < atomics.Min(&l.Label[e.Target], mine)
}
`

// TestVendored: a module that embeds Foray, with the generator as a tool, and what it needs
// in a folder vendor, generates and compiles.
func TestVendored(t *testing.T) {
	testlong.Only(t)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/foray-graph/foray"
	mod := bytes.Replace(ours, []byte("module "+module), []byte("module example.org/v"), 1)
	mod = append(mod, "\nrequire "+module+" v0.0.0\nreplace "+module+" => "+root+"\ntool "+module+"/cmd/generate\n"...)
	dir := t.TempDir()
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sums, "f/f.go": []byte(vendored)} {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	addCalls(t, dir)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("mod", "vendor")
	run("tool", "generate", "f", "g")
	run("mod", "vendor") // what was generated imports more of the library
	run("vet", "./f", "./g")
	run("tool", "generate", "-check", "f", "g")
}

// TestNotWritten: a file that can't be written is an error that names it, and leaves nothing
// behind.
func TestNotWritten(t *testing.T) {
	dir := scratch(t)
	text, err := os.ReadFile("source/constructs/reference.go")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "x.go"), text, 0o644)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "foray_functors.go"), 0o755)
	}
	if err == nil { // or it would be replaced
		err = os.WriteFile(filepath.Join(dir, "foray_functors.go", "full"), nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	entries := func() (names []string) {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	before := entries()
	if err := Write(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "foray_functors.go") {
		t.Errorf("a folder in place of the file: %v", err)
	}
	if after := entries(); len(after) != len(before) {
		t.Errorf("left behind: %v, before %v", after, before)
	}
	if err := os.RemoveAll(filepath.Join(dir, "foray_functors.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	err = Write(t.Context(), dir)
	if os.Geteuid() == 0 { // who may write everywhere
		return
	}
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "foray_functors.go") && !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder that is read-only: %v", err)
	}
}
