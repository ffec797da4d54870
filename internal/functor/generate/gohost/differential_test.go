package gohost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators"
)

// input is what a program of generated functors is given, as JSON.
type input struct {
	Arrays  [][][]uint64 // by functor and field
	Numbers [][]uint64
	Ways    []int // how scalars reduce; negative: reduce.In
	Rows    []operators.Row
	Targets []uint32
	NoLoops []uint32 // targets for ELL4 rows
	Weights []uint32 // bits
	IDs     []uint64
}

// output is what a functor left, in one of four forms: alone and shared, by rows and by rows of
// fixed width.
type output struct {
	None   bool // it doesn't have that form
	Arrays [][]uint64
	Out    []uint64
	Fault  uint64
}

const testLevel = 7

// TestRandomFunctors compares generated loops with the instructions that they were made of.
func TestRandomFunctors(t *testing.T) {
	testlong.Project(t)
	for round := range testlong.Of(1, 8) {
		t.Run(fmt.Sprint(round), func(t *testing.T) { compare(t, uint64(round), testlong.Of(60, 150)) })
	}
}

func compare(t *testing.T, seed uint64, count int) {
	r := rand.New(rand.NewPCG(seed, 1))
	var fs []Functor
	in := input{}
	at := uint64(0)
	const n = 24
	for v := range uint32(n) {
		d := uint32(r.IntN(5))
		in.Rows = append(in.Rows, operators.Row{First: at, Source: v, Len: d})
		at += uint64(d)
		for range d {
			in.Targets = append(in.Targets, uint32(r.IntN(n)))
			in.NoLoops = append(in.NoLoops, (v+1+uint32(r.IntN(n-1)))%n)
			in.Weights = append(in.Weights, uint32(constantOf(r, ir.Float32)))
			in.IDs = append(in.IDs, r.Uint64())
		}
	}
	for i := range count {
		f := randomFunctor(r, fmt.Sprintf("Fun%d", i), set(i%7))
		fs = append(fs, Functor{Functor: f})
		var arrays [][]uint64
		var numbers []uint64
		for _, x := range f.Fields {
			var a []uint64
			if x.Slice {
				for range n + len(in.Targets) {
					a = append(a, constantOf(r, x.Type))
				}
			}
			arrays, numbers = append(arrays, a), append(numbers, constantOf(r, x.Type))
		}
		in.Arrays, in.Numbers = append(in.Arrays, arrays), append(in.Numbers, numbers)
		in.Ways = append(in.Ways, r.IntN(4))
	}
	src, err := File("main", fs)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("testdata", "run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	main := programOf(t, fs)
	for name, text := range map[string][]byte{"foray_functors.go": src, "main.go": main} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := runProgram(t, dir, in)
	ell4 := 0
	for i, f := range fs {
		for form := range 4 {
			in, have := in, got[4*i+form]
			if form >= 2 {
				in.Targets = in.NoLoops
			}
			if have.None {
				continue
			}
			ell4 += form / 2
			tiles := tilesOf(f.Functor, in, i)
			want, err := tiles.ByIR()
			if err != nil {
				t.Fatalf("seed %d, functor %d: %v\n%s", seed, i, err, f.Functor)
			}
			if msg := tiles.Differ(want, have.left(f.Functor), nil); msg != "" {
				one, err := File("main", fs[i:i+1])
				t.Fatalf("seed %d, functor %d, form %d: %s\n%s%s\n%v", seed, i, form, msg, f.Functor, one, err)
			}
		}
	}
	if ell4 < count/20 {
		t.Errorf("%d of %d functors were run over ELL4 rows, alone or shared", ell4, count)
	}
}

// programOf returns the program that runs functors.
func programOf(t *testing.T, fs []Functor) []byte {
	text, err := os.ReadFile(filepath.Join("testdata", "program.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.NewBuffer(text)
	b.WriteString("\nfunc one(i int, in *input, form int) output {\n\tswitch i {\n")
	for i, f := range fs {
		p := printer{Functor: f}
		s, err := p.set()
		if err != nil {
			t.Fatal(err)
		}
		var args []string
		for j, x := range f.Fields {
			kind := "number"
			if x.Slice {
				kind = "array"
			}
			if x.Type == ir.Bool {
				args = append(args, fmt.Sprintf("in.Numbers[i][%d] != 0", j))
				continue
			}
			args = append(args, fmt.Sprintf("%s[%s](in, i, %d)", kind, x.Type, j))
		}
		v := "uint64"
		if m := f.Method(ir.Apply); m != nil && m.Result != ir.Void {
			v = m.Result.String()
		}
		if m := f.Method(ir.Vertex); m != nil && m.Result != ir.Void {
			v = m.Result.String()
		}
		call := [...]string{"push(f, in, w, form)", "visit(f, in, w)", "near(f, in, w)", "", "each[" + v + "](f, in, w)", "keep(f, in, w)", "pull(f, in, w)"}[s]
		if s == reduce {
			call = fmt.Sprintf("gather[%s, %s](f, in, w)", f.Method(ir.Gather).Result, v)
		}
		fmt.Fprintf(b, "\tcase %d:\n\t\tf := New%s(%s)\n\t\tif !has(f, form) {\n\t\t\treturn output{None: true}\n\t\t}\n\t\tw := begin(f, in, i, form%%2 == 0)\n\t\tout := %s\n\t\treturn end(f, in, i, out)\n", i, f.Name, strings.Join(args, ", "), call)
	}
	b.WriteString("\t}\n\tpanic(i)\n}\n")
	return b.Bytes()
}

func runProgram(t *testing.T, dir string, in input) (out []output) {
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if testlong.Long() {
		vetProgram(t, dir)
	}
	cmd := exec.Command("go", "run", "./"+dir)
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err = cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func vetProgram(t *testing.T, dir string) {
	vet := exec.Command("go", "vet", "./"+dir)
	if msg, err := vet.CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, msg)
	}
}

// tilesOf returns what a functor is given, for the interpreter of its IR.
func tilesOf(f *ir.Functor, in input, i int) *functorfuzz.Tiles {
	weights := make([]uint64, len(in.Weights))
	for e, w := range in.Weights {
		weights[e] = uint64(w)
	}
	data := &functorfuzz.Data{Slices: append(slices.Clone(in.Arrays[i]), weights, in.IDs), Scalars: in.Numbers[i]}
	t := &functorfuzz.Tiles{Functor: f, Data: data, Targets: in.Targets, Level: testLevel, In: in.Ways[i]%2 == 1, How: ir.Fold(in.Ways[i])}
	for _, r := range in.Rows {
		t.Rows = append(t.Rows, functorfuzz.Row(r))
	}
	return t
}

// left is what a form of a functor has left.
func (o *output) left(f *ir.Functor) *functorfuzz.Left {
	left := &functorfuzz.Left{Out: o.Out, Slices: o.Arrays}
	if o.Fault != 0 {
		const up = 64 - ir.FaultBits
		left.Fault = functorfuzz.FaultOf(f.Sites[o.Fault>>ir.FaultBits-1], int64(o.Fault<<up)>>up)
	}
	return left
}
