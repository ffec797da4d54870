package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// constants has functions that return their argument, so that Go's compiler sees no constant.
var constants = func() string {
	var b strings.Builder
	for _, t := range numbers {
		fmt.Fprintf(&b, "func k%s(x %s) %s { return x }\n", t, t, t)
	}
	return b.String()
}()

// typesError returns the error of Go's type checker for a source, including functions that aren't called.
func typesError(t testing.TB, text string) error {
	found, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, errs := parseFile(fset, "x.go", []byte(text))
	if errs != nil {
		return errs
	}
	conf := types.Config{Importer: sharedImporter(found)}
	_, err = conf.Check("x", fset, []*ast.File{f}, nil)
	return err
}

// TestRandom writes random functors in Go, runs them as Go compiles them, and compares that
// with their IR, with their PTX, and with the host loops that are generated of them. FORAY_RANDOM is their number, and FORAY_SEED the first seed.
func TestRandom(t *testing.T) {
	testlong.Only(t)
	if testing.Short() {
		t.Skip("needs a run without -short: compiling a program takes long")
	}
	n, seed := 60, uint64(1)
	if s := os.Getenv("FORAY_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("FORAY_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	var functors strings.Builder
	var names, constructors []string
	refusals := map[string]int{}
	r := rand.New(rand.NewPCG(seed, 14))
	for tried := 0; len(names) < n; tried++ {
		if tried > 20*n {
			t.Fatalf("%d of %d random functors are accepted; refused were %v", len(names), tried, refusals)
		}
		text := (&writer{Rand: r}).functor(tried)
		_, err := checkText(t, header+constants+text)
		if err == nil {
			err = typesError(t, header+constants+text)
		}
		if err != nil {
			e, _, _ := strings.Cut(err.Error(), "\n")
			if os.Getenv("FORAY_RANDOM_SHOW") != "" {
				t.Logf("%s\n%s", e, text)
			}
			refusals[e[strings.Index(e, ": "):]]++
			continue
		}
		names = append(names, fmt.Sprintf("F%d{}", tried))
		constructors = append(constructors, fmt.Sprintf("NewF%d", tried))
		functors.WriteString(text)
	}
	dir := scratch(t)
	main := `package main

import (
	"fmt"
	"os"

	"` + Module + `/internal/functor/generate/source/gocall"
)

func main() {
	faults, err := gocall.Package(".", []any{` + strings.Join(names, ", ") + `}, []any{` + strings.Join(constructors, ", ") + `}, 100)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Print(faults)
}
`
	for name, text := range map[string]string{"main.go": main, "functors.go": strings.Replace(header, "package x", "package main", 1) + constants + functors.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out []byte
	for _, args := range [][]string{{"run", Module + "/cmd/foray", "generate"}, {"run", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	if faults, err := strconv.Atoi(string(out)); err != nil || faults > 100*n/2 {
		t.Errorf("%s of %d calls faulted: they say little", out, 100*n)
	}
	if os.Getenv("FORAY_RANDOM") != "" {
		t.Logf("%d functors, %s of %d calls faulted; refused were %v", n, out, 100*n, refusals)
	}
}
