package ptx_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functorfuzz"
	"github.com/foray-graph/foray/internal/ir"
	"github.com/foray-graph/foray/internal/ptx"
	"github.com/foray-graph/foray/internal/ptx/ptxtest"
)

var (
	cases = flag.Int("functors", 2000, "how many random functors")
	first = flag.Uint64("seed", 1, "seed of the first one")
)

const steps = 20000

// onAMD64 skips a test that compares with what Go does on amd64.
func onAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("functors have the conversions and the exp of Go on amd64, not those of", runtime.GOARCH)
	}
}

// words lays out a functor's block and its data in memory.
func words(f *ir.Functor, d *functorfuzz.Data, m *ptxtest.Memory) (block, fault, stop []uint64) {
	at, size := f.Words()
	block, fault, stop = make([]uint64, size), make([]uint64, 1), make([]uint64, 1)
	block[ir.FaultWord], block[ir.StopWord] = m.Add(8, fault), m.Add(4, stop)
	for i, w := range at {
		x := f.FieldOf(i)
		switch {
		case w < 0:
		case x.Accumulator: // of the one thread that there is
			block[w] = m.Add(8, d.Slices[i])
		case x.Slice:
			block[w], block[w+1] = m.Add(x.Type.Bits()/8, d.Slices[i]), uint64(len(d.Slices[i]))
		default:
			block[w] = d.Scalars[i]
		}
	}
	return block, fault, stop
}

// inputs are those of the PTX of a method.
func inputs(m *ir.Method, in *functorfuzz.Inputs) []uint64 {
	switch m.Kind {
	case ir.Apply:
		return []uint64{in[ir.VertexID], in[ir.Total], in[ir.Level]}
	case ir.Vertex:
		return []uint64{in[ir.VertexID], in[ir.Level]}
	}
	return []uint64{in[ir.Source], in[ir.Target], in[ir.Level], in[ir.Index]}
}

// compare runs a case by its IR and by its PTX. It says how many calls were compared, and how
// many of those faulted.
func compare(c *functorfuzz.Case) (calls, faults int, err error) {
	programs := map[*ir.Method]*ptxtest.Program{}
	for _, m := range c.Functor.Methods {
		text, err := ptx.Method(c.Functor, m)
		if err != nil {
			return 0, 0, err
		}
		if programs[m], err = ptxtest.Parse(text); err != nil {
			return 0, 0, fmt.Errorf("%w\n%s", err, text)
		}
	}
	want := c.Data.Clone()
	got := c.Data.Clone()
	for _, call := range c.Calls {
		out, err := functorfuzz.Run(c.Functor, call.Method, want, &call.Inputs, steps)
		if err != nil {
			return calls, faults, err
		}
		var memory ptxtest.Memory
		block, fault, stop := words(c.Functor, got, &memory)
		result, err := programs[call.Method].Run(&memory, block, inputs(call.Method, &call.Inputs), 20*steps)
		if err != nil {
			return calls, faults, err
		}
		calls++
		if call.Method.Result == ir.Void && call.Method.Kind == ir.Edge {
			result = 0
		}
		t := call.Method.Result
		if out.Site != 0 {
			faults++
			t = ir.Uint64
			if w := ir.PackFault(out.Site, out.Index); fault[0] != w || stop[0] != 1 {
				return calls, faults, fmt.Errorf("fault word %#x and stop flag %d, want %#x", fault[0], stop[0], w)
			}
		} else if fault[0] != 0 || stop[0] != 0 {
			return calls, faults, fmt.Errorf("fault word %#x and stop flag %d, want none", fault[0], stop[0])
		}
		if t == ir.Void || t == ir.Bool || call.Method.Kind != ir.Edge && call.Method.Kind != ir.Hit && call.Method.Kind != ir.Gather && t.Bits() == 32 {
			t = ir.Uint64 // extended by zeros
		}
		if !functorfuzz.Same(t, result, out.Result) {
			return calls, faults, fmt.Errorf("result %#x, want %#x", result, out.Result)
		}
		for i := range c.Functor.Fields {
			for j, x := range want.Slices[i] {
				if y := got.Slices[i][j]; !functorfuzz.Same(c.Functor.Fields[i].Type, x, y) {
					return calls, faults, fmt.Errorf("%s[%d] is %#x, want %#x", c.Functor.Fields[i].Name, j, y, x)
				}
			}
			copy(got.Slices[i], want.Slices[i]) // NaN have other bits
		}
		if out.Site != 0 {
			break
		}
	}
	return calls, faults, nil
}

// TestRandomFunctors compares the PTX of random functors with their IR. A million take ten
// minutes: go test -run RandomFunctors -functors 1000000.
func TestRandomFunctors(t *testing.T) {
	onAMD64(t)
	calls, faults := 0, 0
	for i := range uint64(*cases) {
		c := functorfuzz.Generate(*first + i)
		n, f, err := compare(c)
		calls += n
		faults += f
		if err != nil {
			var b strings.Builder
			for _, m := range c.Functor.Methods {
				text, _ := ptx.Method(c.Functor, m)
				b.WriteString(text)
			}
			t.Fatalf("seed %d: %v\n%s\n%s", *first+i, err, c.Functor, b.String())
		}
	}
	t.Logf("%d calls, %d of them faulted", calls, faults)
	if calls == 0 || faults == 0 || faults > calls/2 {
		t.Errorf("%d of %d calls faulted: the functors don't test much", faults, calls)
	}
}

func TestRandomFunctorsAssemble(t *testing.T) {
	var b strings.Builder
	n := 0
	for i := range uint64(60) {
		f := functorfuzz.Generate(*first + i).Functor
		for _, m := range f.Methods {
			text, err := ptx.Method(f, m)
			if err != nil {
				t.Fatal(err)
			}
			n++
			b.WriteString(kernel(fmt.Sprintf("k%d", n), text, f, m))
		}
	}
	assemble(t, b.String())
}
