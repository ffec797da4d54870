package gohost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/ir"
	"github.com/foray-graph/foray/internal/testlong"
	"github.com/foray-graph/foray/operators"
)

// input is what a program of generated functors is given, as JSON.
type input struct {
	Arrays  [][][]uint64 // by functor and field
	Numbers [][]uint64
	Ways    []int // how scalars reduce; negative: reduce.In
	Rows    []operators.Row
	Targets []uint32
	NoLoops []uint32 // targets for rows of fixed width
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
	fours := 0
	for i, f := range fs {
		for form := range 4 {
			in, have := in, got[4*i+form]
			if form >= 2 {
				in.Targets = in.NoLoops
			}
			if have.None {
				continue
			}
			fours += form / 2
			want := expect(f.Functor, in, i)
			if msg := differ(f.Functor, want, have); msg != "" {
				one, err := File("main", fs[i:i+1])
				t.Fatalf("seed %d, functor %d, form %d: %s\n%s%s\n%v", seed, i, form, msg, f.Functor, one, err)
			}
		}
	}
	if fours < count/20 {
		t.Errorf("%d of %d functors were run over rows of fixed width, alone or shared", fours, count)
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
	vet := exec.Command("go", "vet", "-bools=false", "./"+dir) // x && x is what random functors do
	if msg, err := vet.CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, msg)
	}
}

// expect runs a functor instruction by instruction.
func expect(f *ir.Functor, in input, i int) output {
	x := &machine{f: f, scalar: in.Numbers[i]}
	for _, a := range in.Arrays[i] {
		x.arrays = append(x.arrays, append([]uint64(nil), a...))
	}
	for _, w := range in.Weights {
		x.weights = append(x.weights, uint64(w))
	}
	p := printer{Functor: Functor{Functor: f}}
	s, _ := p.set()
	how := in.Ways[i]
	var out []uint64
	edge := func(m *ir.Method, r operators.Row, j uint32, swap bool) (uint64, bool) {
		e := r.First + uint64(j)
		a := [ir.NumInputs]uint64{uint64(r.Source), uint64(in.Targets[e]), e, testLevel, uint64(in.Weights[e]), in.IDs[e]}
		if swap {
			a[0], a[1] = a[1], a[0]
		}
		return x.call(m, a)
	}
	vertex := func(m *ir.Method, v uint32, total uint64) (uint64, bool) {
		return x.call(m, [ir.NumInputs]uint64{ir.Level: testLevel, ir.VertexID: uint64(v), ir.Total: total})
	}
	sum := func(t ir.Type, total, y uint64) uint64 { return joinOf(t, ir.Fold(how), total, y) }
	switch s {
	case push, visit, near:
		m := f.Method(ir.Edge)
		for _, r := range in.Rows {
			for j := range r.Len {
				y, ok := edge(m, r, j, false)
				switch t := uint64(in.Targets[r.First+uint64(j)]); {
				case !ok || s == visit:
				case s == push && y != 0:
					out = append(out, t)
				case s == near && y != math.MaxUint32:
					out = append(out, t, y)
				}
			}
		}
		if s == near {
			for _, r := range in.Rows {
				y, _ := vertex(f.Method(ir.Vertex), r.Source, 0)
				out = append(out, y)
			}
		}
	case pull:
		for _, r := range in.Rows {
			for j := range r.Len {
				y, ok := edge(f.Method(ir.Hit), r, j, true)
				if !ok {
					y = 0
				}
				out = append(out, y)
			}
		}
	case reduce:
		m, apply := f.Method(ir.Gather), f.Method(ir.Apply)
		t := m.Result
		for _, r := range in.Rows {
			total := identityOf(t, f.Reduce)
			for j := range r.Len {
				y, _ := edge(m, r, j, how%2 == 1)
				total = joinOf(t, f.Reduce, total, y)
			}
			out = append(out, total)
		}
		total, v := uint64(0), apply.Result
		if v != ir.Void {
			total = identityOf(v, ir.Fold(how))
		}
		for k, r := range in.Rows {
			y, _ := vertex(apply, r.Source, out[k])
			if v != ir.Void {
				total = sum(v, total, y)
			}
		}
		out = append(out, total)
	case each, keep:
		m := f.Method(ir.Vertex)
		total := uint64(0)
		if s == each && m.Result != ir.Void {
			total = identityOf(m.Result, ir.Fold(how))
		}
		for _, r := range in.Rows {
			y, ok := vertex(m, r.Source, 0)
			switch {
			case s == keep && ok && y != 0:
				out = append(out, uint64(r.Source))
			case s == each && m.Result != ir.Void:
				total = sum(m.Result, total, y)
			}
		}
		if s == each {
			out = append(out, total)
		}
	}
	return output{Arrays: x.arrays, Out: out, Fault: x.fault}
}

func joinOf(t ir.Type, how ir.Fold, a, b uint64) uint64 {
	switch {
	case how == ir.MinFold && binary(ir.Less, t, b, a) != 0, how == ir.MaxFold && binary(ir.Less, t, a, b) != 0:
		return b
	case how == ir.OrFold && !t.Float():
		return a | b
	case how == ir.SumFold:
		return binary(ir.Add, t, a, b)
	}
	return a
}

func identityOf(t ir.Type, how ir.Fold) uint64 {
	most := map[ir.Type]uint64{ir.Int32: math.MaxInt32, ir.Uint32: math.MaxUint32, ir.Int64: math.MaxInt64, ir.Uint64: math.MaxUint64,
		ir.Float32: word(float32(math.Inf(1))), ir.Float64: word(math.Inf(1))}
	least := map[ir.Type]uint64{ir.Int32: 1 << 31, ir.Int64: 1 << 63, ir.Float32: word(float32(math.Inf(-1))), ir.Float64: word(math.Inf(-1))}
	switch how {
	case ir.MinFold:
		return most[t]
	case ir.MaxFold:
		return least[t]
	}
	return 0
}

// differ says how results differ. Any NaN is as good as another.
func differ(f *ir.Functor, want, have output) string {
	if want.Fault != have.Fault {
		return fmt.Sprintf("fault %#x, want %#x", have.Fault, want.Fault)
	}
	for i := range want.Arrays {
		for j := range want.Arrays[i] {
			if a, b := canonical(f.Fields[i].Type, have.Arrays[i][j]), canonical(f.Fields[i].Type, want.Arrays[i][j]); a != b {
				return fmt.Sprintf("%s[%d] is %#x, want %#x", f.Fields[i].Name, j, a, b)
			}
		}
	}
	t := ir.Uint64
	if m := f.Method(ir.Gather); m != nil {
		t = m.Result
	}
	if len(have.Out) != len(want.Out) {
		return fmt.Sprintf("%d results, want %d", len(have.Out), len(want.Out))
	}
	for i := range want.Out {
		t := t
		if i == len(want.Out)-1 {
			for _, m := range f.Methods {
				if m.Kind == ir.Apply || m.Kind == ir.Vertex {
					if t = ir.Uint64; m.Result.Float() {
						t = m.Result
					}
				}
			}
		}
		if a, b := canonical(t, have.Out[i]), canonical(t, want.Out[i]); a != b {
			return fmt.Sprintf("result %d is %#x, want %#x", i, a, b)
		}
	}
	return ""
}

func canonical(t ir.Type, x uint64) uint64 {
	switch {
	case t == ir.Float32 && value[float32](x) != value[float32](x):
		return math.MaxUint64
	case t == ir.Float64 && math.IsNaN(value[float64](x)):
		return math.MaxUint64
	}
	return x
}
