package generate

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// helperText is a package whose functions functors of another package call.
const helperText = `// Package h has functions within the subset.
package h

import (
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

// Kind is a named type.
type Kind uint32

// The kinds.
const (
	None Kind = iota
	Even
	Odd
)

// Number is what sums are of.
type Number interface{ int64 | uint64 | float64 }

// Of returns the kind of a number.
func Of(x uint32) Kind {
	if half(x)*2 == x {
		return Even
	}
	return Odd
}

func half(x uint32) uint32 { return x / 2 }

// Weight is a method.
func (k Kind) Weight() uint64 {
	switch k {
	case Even:
		return 3
	case Odd:
		return 5
	}
	return 7
}

// Sum adds up a part of a slice.
func Sum[T Number](s []T, first, last uint64) (sum T, n int) {
	for i := first; i < last; i++ {
		sum += s[i]
		n++
	}
	return sum, n
}

// Lower lowers the element of an edge's target.
func Lower(s []uint64, e traverse.Edge) bool {
	x := mix(e.ID) % 16
	return x < atomics.Min(&s[e.Target], x)
}

func mix(x uint64) uint64 {
	high, low := bits.Mul64(x, random.Uint64(1, x, 2))
	return high ^ low
}
`

const callsText = `package main

import (
	"@/h"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

// Pass calls functions of other packages at edges.
//
//foray:functor
type Pass struct{ X []uint64 }

// Edge lowers the target's.
func (p *Pass) Edge(e traverse.Edge) bool {
	k := h.Of(e.Source)
	if k == h.Even && random.Below(3, 5, uint64(e.Source), e.Index) == 0 {
		return k.Weight() > 4
	}
	return h.Lower(p.X, e)
}

// Draw chooses by weight.
//
//foray:functor
type Draw struct {
	Rows []uint64
	Sums []float64
	Of   []int64
}

// Vertex returns the edge.
//
//foray:disjoint
func (d *Draw) Vertex(v traverse.Vertex) uint64 {
	sum, n := h.Sum(d.Of, 0, uint64(v.ID%4))
	d.Of[v.ID] = sum + int64(n)
	edge, ok := random.Choose(d.Rows, d.Sums, v.ID, random.Float64(9, uint64(v.ID), uint64(v.Level)))
	if !ok {
		return uint64(n)
	}
	return edge
}
`

const runText = `package main

import (
	"fmt"
	"os"

	"github.com/foray-graph/foray/internal/functor/generate/source/gocall"
)

func main() {
	faults, err := gocall.Package(".", []any{Pass{}, Draw{}}, []any{NewPass, NewDraw}, 200)
	if err != nil || faults == 0 || faults == 400 { // rows of random numbers
		fmt.Println(faults, err)
		os.Exit(1)
	}
}
`

// TestOtherPackages calls functions of a package of the same module and of package random. Go, the IR, the PTX and the
// host loops do the same, and a change of such a function makes the generated file stale.
func TestOtherPackages(t *testing.T) {
	testlong.Project(t)
	dir := scratch(t)
	path := "github.com/foray-graph/foray/internal/functor/generate/" + filepath.ToSlash(dir)
	write := func(name, text string) {
		t.Helper()
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(strings.ReplaceAll(text, "@", path)), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("h/h.go", helperText)
	write("calls.go", callsText)
	write("main.go", runText)
	if err := Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"vet", "."}, {"run", "."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	if err := Check(t.Context(), dir); err != nil {
		t.Error(err)
	}
	write("h/h.go", strings.Replace(helperText, "% 16", "% 17", 1))
	if err := Check(t.Context(), dir); !errors.Is(err, ErrStale) {
		t.Errorf("after a change of an unexported function of another package: %v", err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"return x / 2", "m := map[uint32]uint32{}; return m[x]", "h.go:33:35: a composite literal; use local variables, or fields of the functor (in a call from calls.go:16)"},
		{"return x / 2", "return shared + x", "the variable shared of the package; make it a constant, or a field of the functor (in a call from calls.go:16)"},
		{"return x / 2", "return half(x)", "a recursive call of half; write a loop (in a call from calls.go:16)"},
		{"return x / 2", "return undefined", "undefined: undefined"},
		{"return x / 2", "return uint32(len(strings.Repeat(\"a\", int(x))))", "a call of strings.Repeat; functors call functions of their module, and of github.com/foray-graph/foray/random"},
	} {
		text := strings.Replace(helperText, c.from, c.to, 1) + "\nvar shared uint32\n"
		if strings.Contains(c.to, "strings.") {
			text = strings.Replace(text, "import (", "import (\n\t\"strings\"", 1)
		}
		write("h/h.go", text)
		if _, _, err := Text(t.Context(), dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	// Functors don't call functions of another module.
	write("h/h.go", helperText)
	write("h/go.mod", "module @/h\n\ngo 1.25\n")
	if _, _, err := Text(t.Context(), dir); err == nil {
		t.Error("functions of another module are called")
	}
}

const vendoredCalls = `package f

import (
	"example.org/v/f/internal/h"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

// Draw draws.
//
//foray:functor
type Draw struct{ X []uint64 }

// Vertex draws.
func (d *Draw) Vertex(v traverse.Vertex) { d.X[v.ID] = h.Twice(random.Uint64(1, uint64(v.ID), 0)) }
`

// addCalls adds a package that calls package random, vendored, and an internal package of the module.
func addCalls(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{"g/g.go": strings.ReplaceAll(vendoredCalls, "v/f/", "v/g/"), "g/internal/h/h.go": "package h\n\nfunc Twice(x uint64) uint64 { return 2 * x }\n"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, bytes.TrimSpace([]byte(text)), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}
