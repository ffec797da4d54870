// This file holds what brings the copies of arrays together that several devices have: a foreach, or a keep, of a
// functor that is written here as IR, so that there is no kernel for it.

package step

import (
	"fmt"
	"sync"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/functor/ptx"
)

// Copies are the copies of an array, one on each device.
type Copies struct {
	Of     []uintptr
	Before uintptr // of an array that was added to: where the entry of number 0 would be, as it was before the step
	Wide   bool    // entries have 64 bits
	Fold   ir.Update
}

// Folds are arrays to bring together, for a part of a graph.
type Folds struct {
	Me     int       // the device of the part
	Arrays []Copies  // of which there may be none
	Found  []uintptr // bitmaps of the vertices that each device let through; nil: all entries are folded
	Seen   uintptr   // a bitmap of vertices that aren't let through again; 0: none
}

// Run enqueues the folding of a part's own entries. The vertices that were found, except those that were seen, become the frontier to.
func (f *Folds) Run(x *Env, to *frontier.Frontier) error {
	l, err := Launches(x)
	if err != nil {
		return err
	}
	j := &joined{folds: f, n: x.Placed.Remote().Shard.Of.Numbers(), code: f.code()}
	if f.Found == nil {
		return l.Launch(&Operation{Code: &Code{Kind: Vertices, Generated: j}, Op: Op{Code: OpEach, Flags: AllVertices}, Level: x.Level})
	}
	if err := to.Reset(frontier.Queue); err != nil {
		return err
	}
	return l.Launch(&Operation{Code: &Code{Kind: Vertices, Generated: j, Use: link.Use{Keep: true}}, Op: Op{Code: OpKeep}, To: to, Level: x.Level})
}

// joined is the functor.
type joined struct {
	folds *Folds
	n     int // numbers of vertices
	code  *link.Code
	state link.State
}

func (j *joined) Code() *link.Code           { return j.code }
func (j *joined) State(link.Key) *link.State { return &j.state }

func (j *joined) Bind(b *link.Binder) {
	bind := func(at uintptr, n int) {
		link.Number(b, uint64(at))
		link.Number(b, uint64(n))
	}
	for _, at := range j.folds.Found {
		bind(at, j.n/32)
	}
	if j.folds.Seen != 0 {
		bind(j.folds.Seen, j.n/32)
	}
	for _, a := range j.folds.Arrays {
		for _, at := range a.Of {
			bind(at, j.n)
		}
		if a.Fold.Adds() {
			bind(a.Before, j.n)
		}
	}
}

// joins has the codes of folds, by their shape.
var joins sync.Map // of string: *link.Code

func (f *Folds) code() *link.Code {
	key := fmt.Sprint(f.Me, len(f.Found), f.Seen != 0)
	for _, a := range f.Arrays {
		key += fmt.Sprint(" ", a.Fold, a.Wide, len(a.Of))
	}
	known, ok := joins.Load(key)
	if !ok {
		known, _ = joins.LoadOrStore(key, f.write())
	}
	return known.(*link.Code)
}

// write writes the functor's method:
//
//	func (f *joined) Vertex(v traverse.Vertex) bool {
//		in0 := f.Found0[v.ID/32]>>(v.ID%32)&1 != 0 // and so on, of each device
//		if !(in0 || in1) {
//			return false
//		}
//		x := f.A0[v.ID] // of each array
//		if in1 {
//			x = min(x, f.A1[v.ID])
//		}
//		f.A0[v.ID], f.A1[v.ID] = x, x
//		if f.Seen[v.ID/32]>>(v.ID%32)&1 != 0 {
//			return false
//		}
//		atomics.Or(&f.Seen[v.ID/32], 1<<(v.ID%32))
//		return true
//	}
func (f *Folds) write() *link.Code {
	w := &writer{f: &ir.Functor{Name: "joined"}, m: &ir.Method{Kind: ir.Vertex, Labels: 1}}
	vertex, i := w.value(ir.Uint32, false), w.value(ir.Uint64, false)
	w.m.Inputs = [ir.NumInputs]int{-1, -1, -1, -1, -1, -1, vertex, -1, -1}
	w.to(&w.m.Body, ir.Convert, ir.Uint32, i, ir.Var(vertex))
	var in []int // whether each device found the vertex
	result := ""
	if f.Found != nil {
		w.m.Result, result = ir.Bool, "bool"
		in = w.found(f, vertex)
	}
	for _, a := range f.Arrays {
		w.array(f, &a, i, in)
	}
	if f.Found != nil {
		w.seen(f)
	}
	text, err := ptx.Method(w.f, w.m)
	if err != nil {
		panic(err) // the code above is wrong
	}
	_, words := w.f.Words()
	return &link.Code{Name: w.f.Name, Words: words, Vertex: text, VertexResult: result}
}

// writer writes a method.
type writer struct {
	f         *ir.Functor
	m         *ir.Method
	word, bit int // of the vertex, in bitmaps
	seenAt    int // the field
}

func (w *writer) value(t ir.Type, temp bool) int {
	w.m.Values = append(w.m.Values, ir.Value{Type: t, Temp: temp})
	return len(w.m.Values) - 1
}

func (w *writer) slice(t ir.Type, written bool) int {
	w.f.Fields = append(w.f.Fields, ir.Field{Name: fmt.Sprint("F", len(w.f.Fields)), Type: t, Slice: true, Written: written})
	return len(w.f.Fields) - 1
}

// to appends an instruction that assigns a value.
func (*writer) to(list *[]ir.Instr, op ir.Op, t ir.Type, dst int, args ...ir.Arg) {
	*list = append(*list, ir.Instr{Op: op, Type: t, Dst: dst, Args: args})
}

// new is to with a new value of the given type.
func (w *writer) new(list *[]ir.Instr, op ir.Op, t, of ir.Type, args ...ir.Arg) int {
	dst := w.value(of, true)
	w.to(list, op, t, dst, args...)
	return dst
}

// load appends the loading of an entry.
func (w *writer) load(list *[]ir.Instr, t ir.Type, field, at int) int {
	dst := w.value(t, true)
	*list = append(*list, ir.Instr{Op: ir.Load, Type: t, Dst: dst, Field: field, Args: []ir.Arg{ir.Var(at)}})
	return dst
}

func when(is int, then []ir.Instr) ir.Instr {
	return ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{ir.Var(is)}, Then: then}
}

func store(t ir.Type, field, at, x int) ir.Instr {
	return ir.Instr{Op: ir.Store, Type: t, Dst: -1, Field: field, Args: []ir.Arg{ir.Var(at), ir.Var(x)}}
}

func returns(x uint64) ir.Instr {
	return ir.Instr{Op: ir.Return, Type: ir.Bool, Dst: -1, Args: []ir.Arg{ir.Const(x)}}
}

// has reports whether the vertex is in a bitmap.
func (w *writer) has(field int) (is, bits int) {
	l := &w.m.Body
	x := w.load(l, ir.Uint32, field, w.word)
	y := w.new(l, ir.Shr, ir.Uint32, ir.Uint32, ir.Var(x), ir.Var(w.bit))
	bits = w.new(l, ir.And, ir.Uint32, ir.Uint32, ir.Var(y), ir.Const(1))
	return w.new(l, ir.NotEqual, ir.Uint32, ir.Bool, ir.Var(bits), ir.Const(0)), bits
}

// found returns which devices found the vertex, if one did.
func (w *writer) found(f *Folds, vertex int) (in []int) {
	l := &w.m.Body
	word := w.new(l, ir.Shr, ir.Uint32, ir.Uint32, ir.Var(vertex), ir.Const(5))
	w.word = w.new(l, ir.Convert, ir.Uint32, ir.Uint64, ir.Var(word))
	bit := w.new(l, ir.And, ir.Uint32, ir.Uint32, ir.Var(vertex), ir.Const(31))
	w.bit = w.new(l, ir.Convert, ir.Uint32, ir.Uint64, ir.Var(bit))
	fields := make([]int, len(f.Found))
	for j := range fields {
		fields[j] = w.slice(ir.Uint32, false)
	}
	if f.Seen != 0 {
		w.seenAt = w.slice(ir.Uint32, true)
	}
	any := 0
	for j, field := range fields {
		is, bits := w.has(field)
		in = append(in, is)
		if j == 0 {
			any = bits
			continue
		}
		any = w.new(l, ir.Or, ir.Uint32, ir.Uint32, ir.Var(any), ir.Var(bits))
	}
	none := w.new(l, ir.Equal, ir.Uint32, ir.Bool, ir.Var(any), ir.Const(0))
	*l = append(*l, when(none, []ir.Instr{returns(0)}))
	return in
}

// seen drops a vertex that was seen, and lets the others through.
func (w *writer) seen(f *Folds) {
	l := &w.m.Body
	if f.Seen != 0 {
		is, _ := w.has(w.seenAt)
		*l = append(*l, when(is, []ir.Instr{returns(0)}))
		bit := w.new(l, ir.Shl, ir.Uint32, ir.Uint32, ir.Const(1), ir.Var(w.bit))
		*l = append(*l, ir.Instr{Op: ir.Atomic, Func: ir.AtomicOr, Type: ir.Uint32, Dst: -1, Field: w.seenAt, Args: []ir.Arg{ir.Var(w.word), ir.Var(bit)}})
	}
	*l = append(*l, returns(1))
}

// types are what entries are folded as.
var types = map[ir.Update]ir.Type{ir.MinInt32: ir.Int32, ir.MaxInt32: ir.Int32, ir.MinFloat32: ir.Float32, ir.MaxFloat32: ir.Float32,
	ir.MinInt64: ir.Int64, ir.MaxInt64: ir.Int64, ir.MinFloat64: ir.Float64, ir.MaxFloat64: ir.Float64, ir.Add64: ir.Uint64}

// array folds the entries of an array. in has, by device, whether it changed its copy; nil: any device may have.
func (w *writer) array(f *Folds, a *Copies, i int, in []int) {
	t, is := types[a.Fold]
	switch {
	case is:
	case a.Wide:
		t = ir.Uint64
	default:
		t = ir.Uint32
	}
	fields := make([]int, len(a.Of))
	for j := range fields {
		fields[j] = w.slice(t, true)
	}
	l := &w.m.Body
	x, had := w.value(t, false), make([]int, len(fields))
	before := 0
	switch {
	case a.Fold.Adds():
		before = w.load(l, t, w.slice(t, false), i)
		w.to(l, ir.Move, t, x, ir.Var(before))
	case a.Fold != ir.Replace:
		had[f.Me] = w.load(l, t, fields[f.Me], i)
		w.to(l, ir.Move, t, x, ir.Var(had[f.Me]))
	}
	for j := len(fields) - 1; j >= 0; j-- { // the first that changed it comes last
		if j == f.Me && a.Fold != ir.Replace && !a.Fold.Adds() {
			continue
		}
		var then []ir.Instr
		had[j] = w.load(&then, t, fields[j], i)
		w.join(&then, a.Fold, t, x, had[j], before)
		if in == nil {
			*l = append(*l, then...)
		} else {
			*l = append(*l, when(in[j], then))
		}
	}
	for j, field := range fields {
		if in != nil { // a look at what is there may be as far as a store
			*l = append(*l, store(t, field, i, x))
			continue
		}
		other := w.new(l, ir.NotEqual, t, ir.Bool, ir.Var(had[j]), ir.Var(x))
		*l = append(*l, when(other, []ir.Instr{store(t, field, i, x)}))
	}
}

// join appends the combination of a copy's entry y with the value of the other copies.
func (w *writer) join(l *[]ir.Instr, fold ir.Update, t ir.Type, x, y, before int) {
	less := func(a, b int) {
		is := w.new(l, ir.Less, t, ir.Bool, ir.Var(a), ir.Var(b))
		*l = append(*l, when(is, []ir.Instr{{Op: ir.Move, Type: t, Dst: x, Args: []ir.Arg{ir.Var(y)}}}))
	}
	switch {
	case fold == ir.Replace:
		w.to(l, ir.Move, t, x, ir.Var(y))
	case fold.Least():
		less(y, x)
	case fold.Greatest():
		less(x, y)
	case fold == ir.Or32, fold == ir.Or64:
		w.to(l, ir.Or, t, x, ir.Var(x), ir.Var(y))
	case fold == ir.And32:
		w.to(l, ir.And, t, x, ir.Var(x), ir.Var(y))
	default:
		more := w.new(l, ir.Sub, t, t, ir.Var(y), ir.Var(before))
		w.to(l, ir.Add, t, x, ir.Var(x), ir.Var(more))
	}
}
