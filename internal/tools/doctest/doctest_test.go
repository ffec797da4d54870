// This file holds the tests of the documents.

package doctest

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/testing/structs"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

const root = "../../.."

var modules = sync.OnceValues(func() (*module, error) { return load(root) })

// documents are the pages in docs and the folders in there.
func documents() ([]string, error) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	more, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	return append(pages, more...), err
}

// Test checks every document.
func Test(t *testing.T) {
	testlong.Project(t)
	pages, err := documents()
	if err != nil {
		t.Fatal("no page in docs:", err)
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", filepath.Join("examples", "README.md")} {
		pages = append(pages, filepath.Join(root, name))
	}
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			all, err := markdown(filepath.ToSlash(file), string(text))
			if err != nil {
				t.Fatal(err)
			}
			report(t, all)
		})
	}
	packages, err := comments(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages["operators/advance"]) == 0 {
		t.Error("no code block in the documentation of operators/advance")
	}
	for _, p := range slices.Sorted(maps.Keys(packages)) {
		t.Run(p, func(t *testing.T) { report(t, packages[p]) })
	}
}

// report checks the blocks of a document.
func report(t *testing.T, all []*block) {
	t.Helper()
	for _, err := range problems(t, all) {
		t.Error(err)
	}
}

func problems(t *testing.T, all []*block) []error {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh, which runs the commands:", err)
	}
	m, err := modules()
	if err != nil {
		t.Fatal(err)
	}
	found := m.golang(all)
	desk, err := newBench(absolute(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range all {
		if b.mark["from"] != "" {
			found = append(found, b.quoted()...)
		}
		switch {
		case b.program() && len(found) == 0 && b.main():
			if err := desk.program(b); err != nil {
				found = append(found, err)
			}
		case b.mark["from"] == "" && (b.lang == "c" || b.lang == "python"):
			found = append(found, b.problem(0, "%s that nothing compiles: quote a program that is tested, by <!-- from: FILE -->", b.lang))
		case b.lang == "sh":
			found = append(found, desk.commands(b)...)
		}
	}
	return append(found, device(t, all)...)
}

func absolute(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// main reports whether a program can be run.
func (b *block) main() bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", b.text, parser.PackageClauseOnly)
	return err == nil && f.Name.Name == "main"
}

// quoted returns whether a block is a part of the file that it says.
func (b *block) quoted() []error {
	text, err := os.ReadFile(filepath.Join(root, b.mark["from"]))
	if err != nil {
		return []error{b.problem(-2, "%v", err)}
	}
	if !strings.Contains(string(text), b.text) {
		return []error{b.problem(0, "it isn't a part of %s, word for word", b.mark["from"])}
	}
	return nil
}

// device returns what is wrong with CUDA code.
func device(t *testing.T, all []*block) (found []error) {
	t.Helper()
	whole := ""
	var first *block
	end := func() {
		if first == nil {
			return
		}
		file := filepath.Join(t.TempDir(), "block.cu")
		if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := structs.Compile(file); err != nil {
			found = append(found, first.problem(0, "%v", err))
		}
		first, whole = nil, ""
	}
	for _, b := range all {
		if b.lang != "cuda" {
			continue
		}
		if runtime.GOOS != "linux" {
			t.Skip("needs Linux: elsewhere CUDA code isn't compiled")
		}
		if _, err := exec.LookPath("g++"); err != nil {
			testlong.Missing(t, "compiler", "needs g++, which compiles CUDA code for the CPU: install g++:", err)
		}
		if strings.Contains(b.text, "#include") {
			end()
			first = b
		}
		if first == nil {
			found = append(found, b.problem(0, "no block before it has an #include"))
			continue
		}
		whole += fmt.Sprintf("#line %d %q\n%s", b.line, b.file, b.text)
	}
	end()
	return found
}
