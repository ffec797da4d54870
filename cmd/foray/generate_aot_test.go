package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ahead"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// otherGraphs runs a traversal on graphs that its own test doesn't have.
const otherGraphs = `package widest

import (
	"testing"

	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

func TestOther(t *testing.T) {
	var all []foraytest.Graph
	for _, spec := range []string{"kron9:weights=1:255", "road:30x30,weights=1:100", "cycle:300,weights=1:9"} {
		s, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(t.Context(), s, graph.Options{Weights: true})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, foraytest.Graph{Name: spec, Graph: g})
	}
	foraytest.Compare(t, Paths, naive, foraytest.Options{Graphs: all})
}
`

// exampleFiles returns the files of an example, for a module.
func exampleFiles(t *testing.T, names ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("../../examples/widest", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return files
}

// The pack of a package has the code of each kernel that its traversal launches, on graphs of the test and on others.
func TestGenerateAOT(t *testing.T) {
	testlong.Project(t)
	for name, program := range map[string]string{"ptxas": "ptxas", "compiler": "g++"} {
		if _, err := exec.LookPath(program); err != nil {
			testlong.Missing(t, name, "needs "+program)
		}
	}
	module(t, exampleFiles(t, "widest.go", "widest_test.go"))
	out, _ := foray(t, 0, "generate", "--aot")
	contains(t, out, "foray_kernels.bin: ", " kernels, ", "by ptxas V")
	if out, err := exec.Command("go", "vet", ".").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	pack, err := os.ReadFile("foray_kernels.bin")
	if err != nil {
		t.Fatal(err)
	}
	// Once more, from the folder above. The tests now run with the pack in the program, and record the same.
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("..")
	foray(t, 0, "generate", "--aot", dir)
	t.Chdir(dir)
	if again, err := os.ReadFile("foray_kernels.bin"); err != nil || !bytes.Equal(again, pack) {
		t.Error("the pack is another one the second time", err)
	}
	if err := os.WriteFile("other_test.go", []byte(otherGraphs), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, capability := range []string{"70", "80", "90"} {
		t.Setenv("FORAY_EMULATOR_SM", capability)
		t.Setenv(ahead.RecordVariable, folder)
		if out, err := exec.Command("go", "test", "-count=1", "-run=Other", ".").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	all, err := ahead.Read(folder)
	if err != nil || len(all) < 4 {
		t.Fatalf("%d kernels, %v", len(all), err)
	}
	for _, m := range all {
		if gpu.CodeAhead(m.PTX, m.Major) != nil {
			t.Errorf("%s for %d: this program has code of it", m.Kernel, m.Major)
		}
	}
	gpu.AddAhead(pack)
	for _, m := range all {
		if !bytes.HasPrefix(gpu.CodeAhead(m.PTX, m.Major), []byte("\x7fELF")) {
			t.Errorf("the pack lacks %s for %d", m.Kernel, m.Major)
		}
	}
}

// What is missing is named, and nothing is written then.
func TestGenerateAOTMissing(t *testing.T) {
	testlong.Project(t)
	files := exampleFiles(t, "widest.go")
	files["failing/widest.go"] = files["widest.go"]
	files["failing/widest_test.go"] = "package widest\n\nimport \"testing\"\n\nfunc TestPaths(t *testing.T) { t.Error(\"a wrong\\nwidth\") }\n"
	module(t, files)
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(goCommand, filepath.Join(bin, "go")); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	t.Setenv("PATH", bin)
	contains(t, stderrOf(t, 1, "generate", "--aot"), "ptxas compiles the kernels: ", "install the CUDA toolkit")
	fake := "#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.131'\n"
	if err := os.WriteFile(filepath.Join(bin, "ptxas"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	contains(t, stderrOf(t, 1, "generate", "--aot"), ".: its tests launch no functor on the emulated GPU", "foraytest.Compare")
	got := stderrOf(t, 1, "generate", "--aot", "failing")
	contains(t, got, "failing: its tests fail, which record the kernels", "a wrong\n        width\n")
	if strings.Contains(got, "generate:") {
		t.Errorf("two beginnings: %s", got)
	}
	for _, name := range []string{"foray_kernels.bin", "foray_kernels.go", "failing/foray_kernels.go"} {
		if _, err := os.Stat(name); err == nil {
			t.Error(name, "is written")
		}
	}
	contains(t, stderrOf(t, 2, "generate", "--aot", "--check"), "--aot goes neither with --check nor with --dump")
	contains(t, stderrOf(t, 2, "generate", "--aot", "--dump"), "--aot goes neither with")
}
