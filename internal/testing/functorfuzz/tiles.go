// This file processes rows of edges, or vertices, as loops of functors do.

package functorfuzz

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Row is a row of edges, as operators.Row.
type Row struct {
	First  uint64
	Source uint32
	Len    uint32
}

// Tiles are the inputs of the loops of a functor, with its data.
type Tiles struct {
	Functor *ir.Functor
	Data    *Data
	Rows    []Row // vertices are their sources
	Targets []uint32
	Level   int32
	In      bool    // of a reduction: over in-edges
	How     ir.Fold // the fold of the vertices' values into a scalar
	ends    []int   // of each row's pairs, behind Pairs
	Ell4    bool    // no self-loops, and no two rows of a vertex: ELL4 rows can be made of them
}

// Tiles makes tiles for the functor of a case.
func (c *Case) Tiles(seed uint64) *Tiles {
	r := NewRand(seed)
	t := &Tiles{Functor: c.Functor, Level: 1 + r.Int32N(5), In: r.chance(2), How: ir.Fold(r.IntN(3))}
	vertices, edges := 1+r.IntN(6), 0
	t.Ell4 = vertices > 1 && r.chance(2)
	seen := map[uint32]bool{}
	for range 1 + r.IntN(4) {
		row := Row{First: uint64(edges), Source: r.Uint32N(uint32(vertices)), Len: r.Uint32N(5)}
		if t.Ell4 && seen[row.Source] {
			continue
		}
		seen[row.Source] = true
		for range row.Len {
			target := r.Uint32N(uint32(vertices))
			for t.Ell4 && target == row.Source {
				target = r.Uint32N(uint32(vertices))
			}
			t.Targets = append(t.Targets, target)
		}
		t.Rows, edges = append(t.Rows, row), edges+int(row.Len)
	}
	t.Data = r.fill(c.Functor, vertices, edges)
	return t
}

// Fault is the first fault of loops, or of calls. The zero Fault means no fault.
type Fault struct {
	Line  int
	Zero  bool // a division, not an index
	Index int64
}

// FaultOf returns the fault of a site.
func FaultOf(s ir.Site, index int64) Fault {
	return Fault{Line: s.Line, Zero: s.What == "division by zero", Index: index}
}

// Left is what going through tiles has left.
type Left struct {
	Out    []uint64 // what loops put out, and return
	Slices [][]uint64
	Fault  Fault
}

// Walk calls the methods of the tiles' functor as operators do, one edge or vertex after the
// other, and returns their output. After a fault, call returns ok as false.
func (t *Tiles) Walk(call func(m *ir.Method, in *Inputs) (result uint64, ok bool)) (out []uint64) {
	edge := func(m *ir.Method, r Row, j uint32, in bool) (uint64, bool) {
		e := r.First + uint64(j)
		a, b := uint64(r.Source), uint64(t.Targets[e])
		if in {
			a, b = b, a
		}
		return call(m, &Inputs{ir.Source: a, ir.Target: b, ir.Index: e, ir.Level: uint64(t.Level),
			ir.Weight: t.Data.Slices[t.Functor.WeightsField()][e], ir.EdgeID: t.Data.Slices[t.Functor.IDsField()][e]})
	}
	keyed := func(m *ir.Method, p Pair) (uint64, bool) {
		return call(m, &Inputs{ir.Level: uint64(t.Level), ir.VertexID: uint64(p.Vertex), ir.KeyOf: uint64(p.Key), ir.Total: p.Total})
	}
	vertex := func(m *ir.Method, r Row, total uint64) (uint64, bool) {
		return call(m, &Inputs{ir.Level: uint64(t.Level), ir.VertexID: uint64(r.Source), ir.Total: total})
	}
	f := t.Functor
	first := t.first()
	switch {
	case first.Kind == ir.Key:
		var keys, values, scores []uint64
		for _, r := range t.Rows {
			for j := range r.Len {
				x, _ := edge(first, r, j, t.In)
				keys = append(keys, x)
			}
		}
		for _, r := range t.Rows {
			for j := range r.Len {
				x, _ := edge(f.Method(ir.Gather), r, j, t.In)
				values = append(values, Reduced(f, f.Method(ir.Gather), x))
			}
		}
		pairs := t.Pairs(keys, values)
		if m := f.Method(ir.Score); m != nil {
			for _, p := range pairs {
				x, _ := keyed(m, p)
				scores = append(scores, x)
			}
			pairs = t.Chosen(pairs, scores)
		}
		out = append(append(keys, values...), scores...)
		m := f.Method(ir.Apply)
		out = t.reduced(m, len(pairs), out, func(i int) (uint64, bool) { return keyed(m, pairs[i]) })
	case first.Kind == ir.Edge:
		for _, r := range t.Rows {
			for j := range r.Len {
				x, ok := edge(first, r, j, false)
				target := uint64(t.Targets[r.First+uint64(j)])
				switch {
				case !ok:
				case first.Result == ir.Bool && x != 0:
					out = append(out, target)
				case first.Result == ir.Uint32 && x != math.MaxUint32: // pile.Never
					out = append(out, target, x)
				}
			}
		}
		if m := f.Method(ir.Vertex); m != nil {
			for _, r := range t.Rows {
				x, _ := vertex(m, r, 0)
				out = append(out, x)
			}
		}
	case first.Kind == ir.Hit:
		for _, r := range t.Rows {
			for j := range r.Len {
				x, _ := edge(first, r, j, true)
				out = append(out, x)
			}
		}
	case first.Kind == ir.Gather:
		for _, r := range t.Rows {
			total := Identity(first.Result, f.Reduce)
			for j := range r.Len {
				x, _ := edge(first, r, j, t.In)
				total = join(first.Result, f.Reduce, total, Reduced(f, first, x))
			}
			out = append(out, total)
		}
		m := f.Method(ir.Apply)
		out = t.reduced(m, len(t.Rows), out, func(i int) (uint64, bool) { return vertex(m, t.Rows[i], out[i]) })
	case first.Result == ir.Bool:
		for _, r := range t.Rows {
			if x, ok := vertex(first, r, 0); ok && x != 0 {
				out = append(out, uint64(r.Source))
			}
		}
	default:
		out = t.reduced(first, len(t.Rows), nil, func(i int) (uint64, bool) { return vertex(first, t.Rows[i], 0) })
	}
	return out
}

// first returns the method that is called first.
func (t *Tiles) first() *ir.Method {
	for _, k := range []ir.Kind{ir.Edge, ir.Hit, ir.Key, ir.Gather} {
		if m := t.Functor.Method(k); m != nil {
			return m
		}
	}
	return t.Functor.Method(ir.Vertex)
}

// reduced appends what so many calls bring to a scalar.
func (t *Tiles) reduced(m *ir.Method, calls int, out []uint64, call func(i int) (uint64, bool)) []uint64 {
	total := uint64(0)
	if m.Result != ir.Void {
		total = Identity(m.Result, t.How)
	}
	for i := range calls {
		if x, _ := call(i); m.Result != ir.Void {
			total = join(m.Result, t.How, total, Reduced(t.Functor, m, x))
		}
	}
	return append(out, total)
}

// Reduced returns what a step reduces where a method, as Go compiled it, returns a value: 0 for -0, where functors do so.
func Reduced(f *ir.Functor, m *ir.Method, x uint64) uint64 {
	if f.Positive(m) {
		return binary(ir.Add, m.Result, x, 0)
	}
	return x
}

// join reduces two values.
func join(t ir.Type, how ir.Fold, a, b uint64) uint64 {
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

// Identity is the initial value of a reduction or an accumulator.
func Identity(t ir.Type, how ir.Fold) uint64 {
	sign := 0
	switch how {
	case ir.MinFold:
		sign = 1
	case ir.MaxFold:
		sign = -1
	}
	switch {
	case sign == 0:
		return 0
	case t == ir.Float32:
		return uint64(math.Float32bits(float32(math.Inf(sign))))
	case t == ir.Float64:
		return math.Float64bits(math.Inf(sign))
	}
	most := uint64(1)<<t.Bits() - 1
	if t.Signed() {
		most >>= 1
	}
	if sign > 0 {
		return most
	}
	return clip(t, ^most) // 0 of unsigned ones
}

// ByIR processes tiles by the IR of their functor.
func (t *Tiles) ByIR() (*Left, error) {
	return t.by(func(m *ir.Method, d *Data, in *Inputs) (Outcome, error) { return Run(t.Functor, m, d, in, MaxSteps) })
}

// by processes tiles by calls of an interpreter.
func (t *Tiles) by(call func(m *ir.Method, d *Data, in *Inputs) (Outcome, error)) (*Left, error) {
	data, left := t.Data.Clone(), &Left{}
	var failed error
	left.Out = t.Walk(func(m *ir.Method, in *Inputs) (uint64, bool) {
		if failed != nil {
			return 0, false
		}
		x, err := call(m, data, in)
		if err != nil {
			failed = err
			return 0, false
		}
		if x.Site != 0 && left.Fault.Line == 0 {
			left.Fault = FaultOf(t.Functor.Sites[x.Site-1], x.Index)
		}
		return x.Result, x.Site == 0
	})
	left.Slices = data.Slices
	return left, failed
}

// Of returns the tiles with another functor, whose fields and methods are the same.
func (t *Tiles) Of(f *ir.Functor) *Tiles {
	d := *t
	d.Functor = f
	return &d
}

// outType returns the type of an element of Left.Out.
func (t *Tiles) outType(i, n int) ir.Type {
	m := t.first()
	switch edges := len(t.Targets); {
	case (m.Kind == ir.Gather || m.Kind == ir.Key) && i == n-1:
		m = t.Functor.Method(ir.Apply)
	case m.Kind == ir.Key && i >= 2*edges:
		m = t.Functor.Method(ir.Score)
	case m.Kind == ir.Key && i >= edges:
		m = t.Functor.Method(ir.Gather)
	}
	if m.Kind != ir.Edge && m.Kind != ir.Hit {
		return m.Result
	}
	return ir.Uint64
}

// Several returns the lines in which a functor may fault in several ways.
func Several(f *ir.Functor) map[int]bool {
	places, lines := map[int]int{}, map[int]bool{}
	var count func(list []ir.Instr)
	count = func(list []ir.Instr) {
		for _, in := range list {
			if in.Site > 0 {
				places[f.Sites[in.Site-1].Line]++
			}
			count(in.Then)
			count(in.Else)
		}
	}
	for _, m := range f.Methods {
		count(m.Body)
	}
	for line, n := range places {
		lines[line] = n > 1
	}
	return lines
}

// Differ describes how the actual memory and faults differ from the expected ones, or returns "". It compares
// faults on the lines in several by line only: if a statement has several faults, Go leaves open which comes first.
func (t *Tiles) Differ(want, got *Left, several map[int]bool) string {
	if want.Fault != got.Fault && (want.Fault.Line != got.Fault.Line || !several[want.Fault.Line]) {
		return fmt.Sprintf("fault %+v, want %+v", got.Fault, want.Fault)
	}
	if len(want.Out) != len(got.Out) {
		return fmt.Sprintf("%d put out, want %d", len(got.Out), len(want.Out))
	}
	for i, x := range want.Out {
		if y := got.Out[i]; x != y && !Same(t.outType(i, len(want.Out)), x, y) {
			return fmt.Sprintf("%#x put out at %d, want %#x", y, i, x)
		}
	}
	for i, f := range t.Functor.Fields {
		for j := range t.Data.Slices[i] {
			if x, y := want.Slices[i][j], got.Slices[i][j]; !Same(f.Type, x, y) {
				return fmt.Sprintf("%s[%d] is %#x, want %#x", f.Name, j, y, x)
			}
		}
	}
	return ""
}
