package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramsCompile: the programs beside this package, which "go run" starts one by one and "go build
// ./..." doesn't see, fit the packages that they import.
func TestProgramsCompile(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte("//go:build ignore")) {
			continue
		}
		programs++
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", file, err, out)
		}
	}
	if programs == 0 {
		t.Error("no program has a go:build ignore line: the test looks in the wrong folder")
	}
}

// TestPrograms: what append.go and load.go are told wrongly, they say so.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a run without -short: building the programs takes long")
	}
	for args, want := range map[string]string{
		"append.go":                        "usage: go run bench/append.go",
		"append.go -percent 150 kron6":     "-percent is 150: want more than 0 and less than 100",
		"append.go -percent 0 kron6":       "-percent is 0: want more than 0 and less than 100",
		"append.go -percent 99.999 path:9": "leave none on one side",
		"append.go -trials 1 gen:kron6":    "gen:kron6: built in",
		"load.go":                          "usage: go run bench/load.go",
		"load.go -trials 1 gen:kron6":      "gen:kron6: 64 vertices",
	} {
		out, _ := exec.Command("go", append([]string{"run"}, strings.Fields(args)...)...).CombinedOutput() // some fail, as they should
		if !strings.Contains(string(out), want) || strings.Contains(string(out), "panic") {
			t.Errorf("%s: no %q in %s", args, want, out)
		}
	}
}
