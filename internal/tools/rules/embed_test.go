// This file holds the rule on what a program that embeds the library takes in: nothing
// that only the command line needs, neither as a package nor as a line of its go.sum.

package rules

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// commandsOwn are modules of which only commands import packages. The test reckons with all
// there are; it would be wrong if these weren't among them.
var commandsOwn = []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/image", "github.com/schollz/progressbar/v3"}

// goTool runs the go command in a folder, without the network, and returns the lines that
// it prints.
func goTool(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	c := exec.Command("go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOFLAGS=")
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s(run go mod download where modules are missing)", strings.Join(args, " "), err, errs.String())
	}
	return strings.Fields(string(out))
}

// modulesOf returns the modules of all packages that the given packages import, directly or not.
func modulesOf(t *testing.T, dir, mode, packages string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range goTool(t, dir, "list", "-mod="+mode, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", packages) {
		all[m] = true
	}
	return all
}

// takenIn names the modules that only commands need and that a program took in: those whose
// packages it imports, and those that its go.sum names.
func takenIn(own []string, imports map[string]bool, sum string) (offenses []string) {
	for _, m := range own {
		if imports[m] {
			offenses = append(offenses, fmt.Sprintf("a program that imports the library's packages imports %s, which only cmd/foray should need; "+
				"see what brings it: go list -deps, and let the library return values or take a function instead", m))
		}
		for line := range strings.Lines(sum) {
			if strings.HasPrefix(line, m+" ") {
				offenses = append(offenses, fmt.Sprintf("go.sum of a program that imports the library's packages has %q, for cmd/foray alone; "+
					"if no package of the library imports it (go mod why -m %s), cmd/foray needs a module of its own", strings.TrimSpace(line), m))
			}
		}
	}
	return offenses
}

// TestEmbedding builds a module that imports all public packages and nothing else.
func TestEmbedding(t *testing.T) {
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go .*$`).Find(gomod)
	program := "package main\n\nimport (\n"
	for _, folder := range r.folders() {
		if public(folder) {
			program += fmt.Sprintf("\t_ %q\n", module+"/"+folder)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": program + ")\n\nfunc main() {}\n",
		"go.mod":  fmt.Sprintf("module example.com/embedder\n\n%[3]s\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]q\n", module, root, version),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	imports := modulesOf(t, dir, "mod", ".") // which also writes go.sum
	if !imports[module] {
		t.Fatalf("the program imports %v", imports)
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	library := imports
	var own []string
	for m := range modulesOf(t, root, "readonly", "./cmd/...") {
		if !library[m] || slices.Contains(commandsOwn, m) {
			own = append(own, m)
		}
	}
	slices.Sort(own)
	for _, m := range commandsOwn {
		if !slices.Contains(own, m) {
			t.Errorf("no command imports %s any more; take it out of commandsOwn in internal/tools/rules/embed_test.go", m)
		}
	}
	for _, offense := range takenIn(own, imports, string(sum)) {
		t.Error(offense)
	}
	t.Logf("%d modules, %d lines in go.sum; commands alone: %s", len(imports), strings.Count(string(sum), "\n"), strings.Join(own, " "))
}

func TestEmbeddingBroken(t *testing.T) {
	own := []string{"example.com/draw", "example.com/flags"}
	if found := takenIn(own, map[string]bool{"example.com/drawing": true}, "example.com/drawing v1.0.0 h1:a\n"); len(found) > 0 {
		t.Errorf("offenses where there is none: %q", found)
	}
	found := takenIn(own, map[string]bool{"example.com/draw": true}, "example.com/flags v1.0.0/go.mod h1:a\n")
	if len(found) != 2 || !strings.Contains(found[0], "imports example.com/draw,") || !strings.Contains(found[1], `has "example.com/flags v1.0.0/go.mod h1:a"`) {
		t.Errorf("offenses %q", found)
	}
}
