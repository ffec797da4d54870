// This file interprets the PTX of functors.

package functorfuzz

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/functor/ptx/ptxtest"
)

// Programs are the PTX of a functor's methods.
type Programs struct {
	f      *ir.Functor
	text   map[*ir.Method]string
	parsed map[*ir.Method]*ptxtest.Program
}

// Parse prints and parses the PTX of a functor.
func Parse(f *ir.Functor) (*Programs, error) {
	p := &Programs{f, map[*ir.Method]string{}, map[*ir.Method]*ptxtest.Program{}}
	for _, m := range f.Methods {
		var err error
		if p.text[m], err = ptx.Method(f, m); err != nil {
			return nil, err
		}
		if p.parsed[m], err = ptxtest.Parse(p.text[m]); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, p.text[m])
		}
	}
	return p, nil
}

// String returns the functor as IR and as PTX.
func (p *Programs) String() string {
	var b strings.Builder
	b.WriteString(p.f.String())
	for _, m := range p.f.Methods {
		b.WriteString(p.text[m])
	}
	return b.String()
}

// Call runs a method on data, which it changes.
func (p *Programs) Call(m *ir.Method, d *Data, in *Inputs) (out Outcome, err error) {
	f := p.f
	var memory ptxtest.Memory
	at, size := f.Words()
	block, fault, stop := make([]uint64, size), make([]uint64, 1), make([]uint64, 1)
	block[ir.FaultWord], block[ir.StopWord] = memory.Add(8, fault), memory.Add(4, stop)
	for i, w := range at {
		x := f.FieldOf(i)
		switch {
		case w < 0:
		case x.Accumulator: // of the one thread that there is
			block[w] = memory.Add(8, d.Slices[i])
		case x.Slice:
			block[w], block[w+1] = memory.Add(x.Type.Bits()/8, d.Slices[i]), uint64(len(d.Slices[i]))
		default:
			block[w] = d.Scalars[i]
		}
	}
	inputs := []uint64{in[ir.Source], in[ir.Target], in[ir.Level], in[ir.Index]}
	switch m.Kind {
	case ir.Apply, ir.Score:
		inputs = []uint64{in[ir.VertexID], in[ir.Total], in[ir.Level]}
		if f.Method(ir.Key) != nil {
			inputs = append(inputs, in[ir.KeyOf])
		}
	case ir.Vertex:
		inputs = []uint64{in[ir.VertexID], in[ir.Level]}
	}
	out.Result, err = p.parsed[m].Run(&memory, block, inputs, 20*MaxSteps)
	if m.Kind == ir.Edge && m.Result == ir.Void {
		out.Result = 0 // it has none
	}
	if fault[0] != 0 || stop[0] != 0 {
		const up = 64 - ir.FaultBits
		out.Site, out.Index = int(fault[0]>>ir.FaultBits), int64(fault[0]<<up)>>up
		if out.Site < 1 || out.Site > len(f.Sites) || stop[0] != 1 || out.Result != 0 {
			err = fmt.Errorf("fault word %#x, stop flag %d, result %#x", fault[0], stop[0], out.Result)
		}
	}
	return out, err
}

// ByPTX processes tiles by the PTX of their functor.
func (t *Tiles) ByPTX(p *Programs) (*Left, error) {
	return t.by(func(m *ir.Method, d *Data, in *Inputs) (Outcome, error) { return p.Call(m, d, in) })
}
