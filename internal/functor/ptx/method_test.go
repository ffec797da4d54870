package ptx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// relax returns the IR of a relaxation of shortest paths.
func relax() *ir.Functor {
	f := &ir.Functor{Name: "Relax", Fields: []ir.Field{
		{Name: "Dist", Type: ir.Float32, Slice: true, PerVertex: true, Written: true},
		{Name: "Most", Type: ir.Float32},
	}, Weights: true}
	u32, u64, f32, is := ir.Value{Type: ir.Uint32}, ir.Value{Type: ir.Uint64, Temp: true}, ir.Value{Type: ir.Float32, Temp: true}, ir.Value{Type: ir.Bool, Temp: true}
	m := &ir.Method{Kind: ir.Edge, Result: ir.Bool, Inputs: [ir.NumInputs]int{0, 1, 2, -1, -1, -1, -1, -1, -1},
		Values: []ir.Value{u32, u32, {Type: ir.Uint64}, u64, f32, f32, f32, f32, is, u64, f32, is, {Type: ir.Bool}}}
	m.Body = []ir.Instr{
		{Op: ir.Convert, Type: ir.Uint32, Dst: 3, Args: []ir.Arg{ir.Var(0)}},
		{Op: ir.Load, Type: ir.Float32, Dst: 4, Field: 0, Args: []ir.Arg{ir.Var(3)}},
		{Op: ir.Load, Type: ir.Float32, Dst: 5, Field: f.WeightsField(), Args: []ir.Arg{ir.Var(2)}},
		{Op: ir.Add, Type: ir.Float32, Dst: 6, Args: []ir.Arg{ir.Var(4), ir.Var(5)}},
		{Op: ir.Scalar, Type: ir.Float32, Dst: 7, Field: 1},
		{Op: ir.Less, Type: ir.Float32, Dst: 8, Args: []ir.Arg{ir.Var(6), ir.Var(7)}},
		{Op: ir.Move, Type: ir.Bool, Dst: 12, Args: []ir.Arg{ir.Var(8)}},
		{Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(12)}, Then: []ir.Instr{
			{Op: ir.Convert, Type: ir.Uint32, Dst: 9, Args: []ir.Arg{ir.Var(1)}},
			{Op: ir.Atomic, Func: ir.AtomicMin, Type: ir.Float32, Dst: 10, Field: 0, Args: []ir.Arg{ir.Var(9), ir.Var(6)}},
			{Op: ir.Less, Type: ir.Float32, Dst: 11, Args: []ir.Arg{ir.Var(6), ir.Var(10)}},
			{Op: ir.Move, Type: ir.Bool, Dst: 12, Args: []ir.Arg{ir.Var(11)}},
		}},
		{Op: ir.Return, Type: ir.Bool, Dst: -1, Args: []ir.Arg{ir.Var(12)}},
	}
	f.Methods = []*ir.Method{m}
	return f
}

// result returns the register type of a method's result.
func result(m *ir.Method) string {
	if m.Kind == ir.Edge || m.Kind == ir.Hit || m.Kind == ir.Key || m.Kind == ir.Gather && m.Result.Bits() == 32 {
		return "b32"
	}
	return "b64"
}

// kernel puts a method's text into a kernel.
func kernel(name, text string, f *ir.Functor, m *ir.Method) string {
	_, words := f.Words()
	r := result(m)
	in := []string{"b32", "b32", "b32", "b64"}
	switch m.Kind {
	case ir.Apply, ir.Score:
		in = []string{"b32", "b64", "b32", "b32"} // a vertex, a total or a score, a level, a key
		if f.Method(ir.Gather) != nil && f.TotalOf(m.Kind).Bits() == 32 {
			in[1] = "b32"
		}
	case ir.Vertex:
		in = []string{"b32", "b32"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry %s(.param .align 8 .b8 %s_p[%d], .param .b64 %s_in, .param .b64 %s_out) {\n", name, name, 8*words, name, name)
	fmt.Fprintf(&b, "\t.reg .%s %%x;\n\t.reg .b64 %%in, %%out;\n\tld.param.b64 %%in, [%s_in];\n\tld.param.b64 %%out, [%s_out];\n", r, name, name)
	to := []string{"$p", name + "_p", "$0", "%x"}
	for i, t := range in {
		fmt.Fprintf(&b, "\t.reg .%s %%i%d;\n\tld.global.%s %%i%d, [%%in+%d];\n", t, i, t, i, 8*i)
		to = append(to, fmt.Sprintf("$%d", i+1), fmt.Sprintf("%%i%d", i))
	}
	b.WriteString(strings.NewReplacer(to...).Replace(text))
	if m.Kind != ir.Edge || m.Result != ir.Void {
		fmt.Fprintf(&b, "\tst.global.%s [%%out], %%x;\n", r)
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// assemble has ptxas assemble kernels for all compute capabilities that functors are for.
func assemble(t *testing.T, kernels string) {
	t.Helper()
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		testlong.Missing(t, "ptxas", "needs ptxas: install nvidia-cuda-toolkit")
	}
	dir := t.TempDir()
	for _, arch := range []string{"sm_70", "sm_80", "sm_90"} {
		file := filepath.Join(dir, arch+".ptx")
		text := ".version 7.8\n.target " + arch + "\n.address_size 64\n" + kernels
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(ptxas, "-arch="+arch, "-o", filepath.Join(dir, "cubin"), file).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", arch, err, out, kernels)
		} else if len(out) > 0 {
			t.Errorf("%s: %s", arch, out)
		}
	}
}

func TestRelaxAssembles(t *testing.T) {
	f := relax()
	text, err := ptx.Method(f, f.Methods[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Log(text)
	assemble(t, kernel("relax", text, f, f.Methods[0]))
}
