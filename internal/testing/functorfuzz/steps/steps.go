// Package steps runs random functors as steps of traversals, on any device, and compares the
// results with Go's calls of their methods. Only test programs that are generated around it use
// it.
//
// Every call is a traversal of a graph of one edge, or of one triangle, so that there is one order of events.
package steps

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Generated is a random functor: its seed, what makes a pointer to its struct, and what calls the
// constructor that was generated.
type Generated struct {
	Seed uint64
	Go   func() any
	New  func(b *Bound) any
}

// Bound is a functor's data on a device.
type Bound struct {
	dev  device.Device
	c    *functorfuzz.Case
	data *functorfuzz.Data
	err  error
	read []func() ([]uint64, error)
	free []func() error
}

// Buf returns the buffer of a field.
func Buf[T functorfuzz.Element](b *Bound, field int) *device.Buffer[T] {
	bits := b.data.Slices[field]
	s := make([]T, len(bits))
	for i, x := range bits {
		s[i] = functorfuzz.Number[T](x)
	}
	buf, err := device.NewBuffer[T](b.dev, len(s))
	if err != nil {
		b.err = errors.Join(b.err, err)
		return nil
	}
	b.free = append(b.free, buf.Close)
	if len(s) > 0 {
		b.err = errors.Join(b.err, buf.Write(b.dev, 0, s))
	}
	b.read[field] = func() ([]uint64, error) {
		out := make([]uint64, len(s))
		if len(s) == 0 {
			return out, nil
		}
		err := buf.Read(b.dev, 0, s)
		for i, x := range s {
			out[i] = functorfuzz.Word(x)
		}
		return out, err
	}
	return buf
}

// Acc returns the scalar of an accumulator.
func Acc[T operators.Number](b *Bound, field int) *operators.Scalar[T] {
	s, err := step.NewScalar[T](b.dev, operators.Reduction(b.c.Functor.Fields[field].Fold))
	if err != nil {
		b.err = errors.Join(b.err, err)
		return nil
	}
	b.free = append(b.free, s.Close)
	b.read[field] = func() ([]uint64, error) {
		x, err := s.Get()
		return []uint64{functorfuzz.Word(x)}, err
	}
	return (*operators.Scalar[T])(s)
}

// Num returns the value of a field that is no slice.
func Num[T functorfuzz.Scalar](b *Bound, field int) T {
	return functorfuzz.Number[T](b.data.Scalars[field])
}

// Graph returns the graph of one edge of a case, or of one triangle, and fits the case's calls to it.
func Graph(c *functorfuzz.Case) (*graph.Graph, error) {
	if c.Functor.Method(ir.Common) != nil {
		return graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 4, 6}, Targets: []uint32{1, 2, 0, 2, 0, 1}}, graph.CSROptions{})
	}
	source, target := uint32(c.Calls[0].Inputs[ir.Source]), uint32(c.Calls[0].Inputs[ir.Target])
	row := func(from, to uint32) graph.CSR {
		offsets := make([]uint64, c.Vertices+1)
		for v := range c.Vertices {
			offsets[v+1] = offsets[v]
			if v == int(from) {
				offsets[v+1]++
			}
		}
		weight := math.Float32frombits(uint32(c.Data.Slices[len(c.Functor.Fields)][0]))
		return graph.CSR{Offsets: offsets, Targets: []uint32{to}, Weights: []float32{weight}, EdgeIDs: []uint64{c.Data.Slices[len(c.Functor.Fields)+1][0]}}
	}
	in := row(target, source)
	for i := range c.Calls {
		x := &c.Calls[i].Inputs
		x[ir.Source], x[ir.Target], x[ir.Index], x[ir.Level] = uint64(source), uint64(target), 0, 1
		x[ir.Weight], x[ir.EdgeID] = c.Data.Slices[len(c.Functor.Fields)][0], c.Data.Slices[len(c.Functor.Fields)+1][0]
		if k := c.Calls[i].Method.Kind; reduces(k) || near(c.Functor) {
			x[ir.VertexID] = uint64(target)
		}
	}
	return graph.FromCSR(row(source, target), graph.CSROptions{In: &in, Directed: true})
}

// Run runs a functor on a device by an engine. It returns the number of calls, and how
// many of them faulted.
func Run(ctx context.Context, dev device.Device, engine traverse.Engine, m Generated) (calls, faults int, err error) {
	c := functorfuzz.GenerateStep(m.Seed).Case
	g, err := Graph(c)
	if err != nil {
		return 0, 0, err
	}
	p, err := g.On(dev)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	data := c.Data
	for _, call := range c.Calls {
		self := m.Go()
		functorfuzz.Fill(self, c, data)
		want, faulted := expect(self, c, call)
		b := &Bound{dev: dev, c: c, data: data, read: make([]func() ([]uint64, error), len(c.Functor.Fields))}
		got, err := b.run(ctx, p, engine, m, call, want.asked)
		err = errors.Join(err, b.err)
		var fault *functor.Fault
		calls++
		switch {
		case faulted != "":
			faults++
			if !errors.As(err, &fault) {
				return calls, faults, fmt.Errorf("%v: Go panics with %q, the step's error is %v", call, faulted, err)
			}
		case err != nil:
			return calls, faults, fmt.Errorf("%v: %w", call, err)
		case !functorfuzz.Same(want.t, got, want.bits):
			return calls, faults, fmt.Errorf("%v: result %#x, want %#x", call, got, want.bits)
		}
		for i, x := range c.Functor.Fields {
			if !x.Slice && !x.Accumulator || want.slices == nil || x.Accumulator && faulted != "" {
				continue // the value of a scalar after a fault is undefined
			}
			after, err := b.read[i]()
			if err != nil {
				return calls, faults, err
			}
			for j, bits := range want.slices[i] {
				if !functorfuzz.Same(x.Type, bits, after[j]) {
					return calls, faults, fmt.Errorf("%v: %s[%d] is %#x, want %#x", call, x.Name, j, after[j], bits)
				}
			}
		}
		for _, free := range b.free {
			if err := free(); err != nil {
				return calls, faults, err
			}
		}
		if faulted != "" {
			break
		}
		data = &functorfuzz.Data{Slices: want.slices, Scalars: data.Scalars}
	}
	return calls, faults, nil
}

// expected is what Go does.
type expected struct {
	t      ir.Type
	bits   uint64
	slices [][]uint64
	asked  bool // of a push with two piles: pile.Refill may ask Vertex
}

// expect calls the methods as an operator would.
func expect(self any, c *functorfuzz.Case, call functorfuzz.Call) (want expected, faulted string) {
	k := call.Method.Kind
	if near(c.Functor) {
		return expectNear(self, c, call)
	}
	if c.Functor.Method(ir.Key) != nil {
		return expectKeyed(self, c, call)
	}
	if !reduces(k) {
		done := functorfuzz.Invoke(self, c, call)
		want = expected{t: call.Method.Result, bits: done.Result, slices: done.Slices}
		if k == ir.Common { // a step has no result
			want.t, want.bits = ir.Uint64, 0
		}
		if k == ir.Vertex && want.t == ir.Float64 {
			want.bits = functorfuzz.Word(0 + functorfuzz.Number[float64](want.bits))
		}
		return want, done.Panic
	}
	call.Method = c.Functor.Method(ir.Gather)
	done := functorfuzz.Invoke(self, c, call)
	if done.Panic != "" {
		return expected{}, done.Panic // Apply may run, or not
	}
	call.Inputs[ir.Total] = fold(c.Functor.Reduce, call.Method.Result, functorfuzz.Reduced(c.Functor, call.Method, done.Result))
	call.Method = c.Functor.Method(ir.Apply)
	done = functorfuzz.Invoke(self, c, call)
	want = expected{t: call.Method.Result, bits: done.Result, slices: done.Slices}
	if want.t == ir.Float64 {
		want.bits = functorfuzz.Word(0 + functorfuzz.Number[float64](want.bits))
	}
	return want, done.Panic
}

// fold reduces one value: it joins the value with the initial value of the reduction.
func fold(how ir.Fold, t ir.Type, x uint64) uint64 {
	first := func(inf int) float64 {
		if how == ir.SumFold {
			return 0
		}
		return math.Inf(inf)
	}
	sign := 1
	if how == ir.MaxFold {
		sign = -1
	}
	switch t {
	case ir.Float32:
		return functorfuzz.Word(operators.Join(operators.Reduction(how), float32(first(sign)), functorfuzz.Number[float32](x)))
	case ir.Float64:
		return functorfuzz.Word(operators.Join(operators.Reduction(how), first(sign), functorfuzz.Number[float64](x)))
	}
	return x
}

// run runs a functor as a step, and returns its result.
func (b *Bound) run(ctx context.Context, p *graph.Placed, engine traverse.Engine, m Generated, call functorfuzz.Call, asked bool) (result uint64, err error) {
	f := m.New(b)
	if b.err != nil {
		return 0, b.err
	}
	if call.Method.Kind == ir.Hit || b.c.Functor.Method(ir.Key) != nil {
		engine = traverse.LevelByLevel
	}
	x := traverse.New(ctx, p, traverse.Options{Engine: engine})
	defer func() { err = errors.Join(err, x.Close()) }()
	if g, ok := f.(intersect.TriangleFunctor); ok {
		all := x.All()
		x.Next(all) // to round 1
		x.Do(all, intersect.Triangles(g))
		return 0, x.Err()
	}
	at := call.Inputs[ir.VertexID]
	if call.Method.Kind == ir.Edge || call.Method.Kind == ir.Hit || near(b.c.Functor) {
		at = call.Inputs[ir.Source]
	}
	cur := x.From(uint32(at))
	do := func(s ...operators.Step) { x.Repeat(cur, append(s, traverse.MaxRounds(1))...) }
	count := func(s ...operators.Step) (uint64, error) {
		do(s...)
		n := uint64(cur.Len())
		return n, x.Err()
	}
	if near(b.c.Functor) {
		return runNear(f, x, cur, do, asked)
	}
	if call.Method.Kind == ir.Edge {
		switch f := f.(type) {
		case advance.Functor:
			return count(advance.Push(f), filter.Unique())
		case advance.Visitor:
			waits := traverse.Scalar[uint64](x, operators.Sum)
			do(advance.Visit(f))
			return traverse.Get(x, waits), x.Err()
		}
		return 0, fmt.Errorf("no operator for %T", f)
	}
	if f, ok := f.(advance.Sink); ok {
		return count(advance.Pull(f, x.Bits()))
	}
	if f, ok := f.(filter.Predicate); ok && call.Method.Result == ir.Bool {
		return count(filter.Keep(f))
	}
	for _, try := range []trial{
		each[int64], each[uint64], each[float64],
		gathers[int32], gathers[uint32], gathers[int64], gathers[uint64], gathers[float32], gathers[float64],
		keys[int32], keys[uint32], keys[int64], keys[uint64], keys[float32], keys[float64],
	} {
		if bits, ok := try(f, x, do); ok {
			return bits, x.Err()
		}
	}
	return 0, fmt.Errorf("no operator for %v", reflect.TypeOf(f))
}

// A trial runs a functor by an operator, if it is one for that.
type trial func(f any, x *traverse.Traversal, do func(...operators.Step)) (uint64, bool)

// each runs a functor of vertices whose results are T, if f is one.
func each[T operators.Number](f any, x *traverse.Traversal, do func(...operators.Step)) (uint64, bool) {
	g, ok := f.(foreach.Functor[T])
	if !ok {
		return 0, false
	}
	into := traverse.Scalar[T](x, operators.Sum)
	do(foreach.Each(g, into))
	return functorfuzz.Word(traverse.Get(x, into)), true
}

// gathers runs a functor of a reduction whose values are T, if f is one.
func gathers[T device.Elem](f any, x *traverse.Traversal, do func(...operators.Step)) (uint64, bool) {
	for _, try := range []trial{gather[T, int64], gather[T, uint64], gather[T, float64]} {
		if bits, ok := try(f, x, do); ok {
			return bits, true
		}
	}
	return 0, false
}

func gather[T device.Elem, V operators.Number](f any, x *traverse.Traversal, do func(...operators.Step)) (uint64, bool) {
	g, ok := f.(reduce.Functor[T, V])
	if !ok {
		return 0, false
	}
	into := traverse.Scalar[V](x, operators.Sum)
	do(reduce.In(g, into))
	return functorfuzz.Word(traverse.Get(x, into)), true
}
