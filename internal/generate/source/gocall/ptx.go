// This file runs the PTX of functors.

package gocall

import (
	"fmt"
	"sync"

	"github.com/foray-graph/foray/internal/functorfuzz"
	"github.com/foray-graph/foray/internal/ir"
	"github.com/foray-graph/foray/internal/ptx"
	"github.com/foray-graph/foray/internal/ptx/ptxtest"
)

// programs are the PTX of methods, parsed.
var programs sync.Map

type program struct {
	*ptxtest.Program
	text string
}

func programOf(f *ir.Functor, m *ir.Method) (*ptxtest.Program, string, error) {
	if p, ok := programs.Load(m); ok {
		return p.(program).Program, p.(program).text, nil
	}
	text, err := ptx.Method(f, m)
	if err != nil {
		return nil, "", err
	}
	p, err := ptxtest.Parse(text)
	if err != nil {
		return nil, "", fmt.Errorf("%w\n%s", err, text)
	}
	programs.Store(m, program{p, text})
	return p, text, nil
}

// faultWord returns the fault word that a call leaves.
func faultWord(out functorfuzz.Outcome) uint64 {
	if out.Site == 0 {
		return 0
	}
	return ir.PackFault(out.Site, out.Index)
}

// comparePTX runs the PTX of a method on data as they were before a call, and compares what
// it leaves with what the IR has left.
func comparePTX(f *ir.Functor, m *ir.Method, before, after *functorfuzz.Data, in *functorfuzz.Inputs, out functorfuzz.Outcome) error {
	p, text, err := programOf(f, m)
	if err != nil {
		return err
	}
	var memory ptxtest.Memory
	at, size := f.Words()
	block, fault, stop := make([]uint64, size), make([]uint64, 1), make([]uint64, 1)
	block[ir.FaultWord], block[ir.StopWord] = memory.Add(8, fault), memory.Add(4, stop)
	for i, w := range at {
		x := f.FieldOf(i)
		switch {
		case w < 0:
		case x.Accumulator: // of the one thread that there is
			block[w] = memory.Add(8, before.Slices[i])
		case x.Slice:
			block[w], block[w+1] = memory.Add(x.Type.Bits()/8, before.Slices[i]), uint64(len(before.Slices[i]))
		default:
			block[w] = before.Scalars[i]
		}
	}
	inputs := []uint64{in[ir.Source], in[ir.Target], in[ir.Level], in[ir.Index]}
	switch m.Kind {
	case ir.Apply:
		inputs = []uint64{in[ir.VertexID], in[ir.Total], in[ir.Level]}
	case ir.Vertex:
		inputs = []uint64{in[ir.VertexID], in[ir.Level]}
	}
	result, err := p.Run(&memory, block, inputs, 20_000_000)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	want := faultWord(out)
	if fault[0] != want {
		return fmt.Errorf("PTX: fault word %#x, want %#x\n%s", fault[0], want, text)
	}
	t := m.Result
	if t == ir.Bool {
		t = ir.Uint64 // 0 or 1
	}
	if out.Site == 0 && t != ir.Void && !functorfuzz.Same(t, result, out.Result) {
		return fmt.Errorf("PTX: result %#x, want %#x\n%s", result, out.Result, text)
	}
	for i, x := range f.Fields {
		for j, bits := range after.Slices[i] {
			if y := before.Slices[i][j]; !functorfuzz.Same(x.Type, y, bits) {
				return fmt.Errorf("PTX: %s[%d] is %#x, want %#x\n%s", x.Name, j, y, bits, text)
			}
		}
	}
	return nil
}
