// Package kernels runs random functors on a GPU: a kernel for each, many in a module. Every
// case is a launch of one thread, which makes its calls one after the other, so that there
// is one order of events. Only commands that test use it.
package kernels

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

// Job is a functor, and cases of it.
type Job struct {
	Functor *ir.Functor
	Cases   []*functorfuzz.Case
}

// A call is a record of words in memory: which method it is of, its inputs, and behind them
// what the kernel writes: the result, and 1 once the call is done.
const (
	inputAt    = 1
	resultAt   = 5
	doneAt     = 6
	callWords  = 8
	blockWords = 32 // at most, of a functor
)

// Module returns PTX with a kernel for each job, k0 and so on, for a compute capability of
// major.x.
func Module(jobs []Job, major int) (string, error) {
	arch := 70
	if major >= 8 {
		arch = min(10*major, 90)
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".version 7.8\n.target sm_%d\n.address_size 64\n", arch)
	for i, j := range jobs {
		if err := kernel(&b, fmt.Sprintf("k%d", i), j.Functor); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// registers are the widths of a method's result and inputs.
func registers(f *ir.Functor, m *ir.Method) (result int, inputs []int) {
	result, inputs = 64, []int{32, 32, 32, 64}
	switch m.Kind {
	case ir.Edge, ir.Hit, ir.Key:
		result = 32
	case ir.Gather:
		result = m.Result.Bits()
	case ir.Apply, ir.Score:
		inputs = []int{32, f.TotalOf(m.Kind).Bits(), 32}
		if f.Method(ir.Key) != nil {
			inputs = append(inputs, 32)
		}
	case ir.Vertex:
		inputs = []int{32, 32}
	}
	return result, inputs
}

// kernel writes the kernel of a functor: a loop over calls, and in it the text of each method.
func kernel(b *strings.Builder, name string, f *ir.Functor) error {
	if _, words := f.Words(); words > blockWords {
		return fmt.Errorf("functor %s: a block of %d words, at most %d", f.Name, words, blockWords)
	}
	fmt.Fprintf(b, ".visible .entry %s(.param .align 8 .b8 %s_p[%d], .param .b64 %s_calls, .param .b32 %s_n) {\n", name, name, 8*blockWords, name, name)
	b.WriteString("\t.reg .pred %p;\n\t.reg .b32 %n, %stop, %r;\n\t.reg .b64 %call, %method, %flag, %d, %one;\n")
	b.WriteString("\t.reg .b32 %i<5>;\n\t.reg .b64 %w<5>, %at;\n")
	fmt.Fprintf(b, "\tld.param.b64 %%call, [%s_calls];\n\tld.param.b32 %%n, [%s_n];\n\tld.param.b64 %%flag, [%s_p+%d];\n\tmov.b64 %%one, 1;\n", name, name, name, 8*ir.StopWord)
	b.WriteString("next:\n\tsetp.eq.u32 %p, %n, 0;\n\t@%p bra stop;\n\tld.global.b64 %method, [%call];\n")
	for i, m := range f.Methods {
		text, err := ptx.Method(f, m)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\tsetp.ne.u64 %%p, %%method, %d;\n\t@%%p bra not%d;\n", i, i)
		result, inputs := registers(f, m)
		to := []string{"$p", name + "_p", "$0", "%r"}
		if result == 64 {
			to[3] = "%d"
		}
		for k, bits := range inputs {
			reg := fmt.Sprintf("%%i%d", k)
			if bits == 64 {
				reg = fmt.Sprintf("%%w%d", k)
			}
			fmt.Fprintf(b, "\tadd.u64 %%at, %%call, %d;\n\tld.global.b%d %s, [%%at];\n", 8*(inputAt+k), bits, reg)
			to = append(to, fmt.Sprintf("$%d", k+1), reg)
		}
		b.WriteString(strings.NewReplacer(to...).Replace(text))
		if m.Kind != ir.Edge || m.Result != ir.Void {
			fmt.Fprintf(b, "\tadd.u64 %%at, %%call, %d;\n\tst.global.b%d [%%at], %s;\n", 8*resultAt, result, to[3])
		}
		fmt.Fprintf(b, "\tbra done;\nnot%d:\n", i)
	}
	fmt.Fprintf(b, "done:\n\tadd.u64 %%at, %%call, %d;\n\tst.global.b64 [%%at], %%one;\n", 8*doneAt)
	b.WriteString("\tld.volatile.global.u32 %stop, [%flag];\n\tsetp.ne.u32 %p, %stop, 0;\n\t@%p bra stop;\n")
	fmt.Fprintf(b, "\tadd.u64 %%call, %%call, %d;\n\tsub.u32 %%n, %%n, 1;\n\tbra next;\nstop:\n\tret;\n}\n", 8*callWords)
	return nil
}
