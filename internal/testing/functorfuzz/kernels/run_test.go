package kernels

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ptx/ptxtest"
)

// interpret runs a kernel for a case of an image as a GPU would.
func interpret(text string, k int, m *image, p *place) error {
	_, text, _ = strings.Cut(text, fmt.Sprintf(".entry k%d(", k))
	text, _, _ = strings.Cut(text, "\tret;\n}\n")
	_, text, _ = strings.Cut(text, "\n")
	name := fmt.Sprintf("k%d_", k)
	text = strings.NewReplacer(
		"["+name+"p+", "[$p+", "["+name+"calls]", fmt.Sprintf("[$p+%d]", 8*blockWords), "["+name+"n]", fmt.Sprintf("[$p+%d]", 8*blockWords+8),
	).Replace(text)
	// Names of a block hide those of another; the interpreter has one scope.
	for i := range len(p.c.Functor.Methods) {
		next := fmt.Sprintf("\nnot%d:\n", i)
		if first, others, more := strings.Cut(text, next); more {
			text = first + next + strings.ReplaceAll(others, string(rune('f'+i))+"_", string(rune('g'+i))+"_")
		}
	}
	program, err := ptxtest.Parse(text)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	var memory ptxtest.Memory
	memory.SetBytes(m.base, m.bytes)
	block := m.block(p)
	_, err = program.Run(&memory, append(block[:], m.base+uint64(p.calls), uint64(len(p.c.Calls))), nil, 1_000_000)
	return err
}

// TestInterpreted runs kernels by an interpreter of PTX, on the memory that a GPU would have.
func TestInterpreted(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs amd64: floating-point conversions and exp differ on", runtime.GOARCH)
	}
	var all []Job
	for seed := range uint64(100) {
		all = append(all, FromIR(seed, 4))
	}
	more, err := FromGo(0, 100, 4)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, more...)
	text, err := Module(all, 9)
	if err != nil {
		t.Fatal(err)
	}
	m := image{base: 1 << 20}
	for _, j := range all {
		for _, c := range j.Cases {
			m.add(c)
		}
	}
	before := m
	m.bytes = slices.Clone(m.bytes)
	at, faults := 0, 0
	for k, j := range all {
		for i, c := range j.Cases {
			p := &m.cases[at]
			at++
			if err := interpret(text, k, &m, p); err != nil {
				t.Fatalf("%v\n%s", err, Show(j, i))
			}
			got, err := m.ended(p, &before)
			if err != nil {
				t.Fatalf("%v\n%s", err, Show(j, i))
			}
			want, err := c.Expect()
			if err != nil {
				t.Fatal(err)
			}
			if want.Calls[len(want.Calls)-1].Site != 0 {
				faults++
			}
			if how := c.Differ(want, got); how != "" {
				t.Fatalf("%s\n%s", how, Show(j, i))
			}
		}
	}
	t.Logf("%d of %d cases faulted", faults, at)
	if faults == 0 || faults > at/2 {
		t.Errorf("%d of %d cases faulted: they say little", faults, at)
	}
}
