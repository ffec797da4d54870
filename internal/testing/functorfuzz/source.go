// This file makes random functors as Go.

package functorfuzz

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Source is a random functor as Go, with data and calls.
type Source struct {
	Seed uint64
	Name string // of the type
	Text string // the type, its methods and functions, without package clause and imports
	Case *Case  // its functor has fields and the methods' kinds alone
}

// Imports is the beginning of a file of functors, behind its package clause.
const Imports = `
import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

var _, _, _, _, _ = bits.Len64, math.Pi, atomics.Load[int32], random.Uint64, traverse.Edge{}
`

// Header replaces Imports in one file of a package: it also has functions that functors call.
const Header = Imports + `
// The bits of NaN aren't the same everywhere: these know none.
func bits32(x float32) uint32 {
	if x != x {
		return 7
	}
	return math.Float32bits(x)
}

func bits64(x float64) uint64 {
	if math.IsNaN(x) {
		x = 7
	}
	return math.Float64bits(x)
}

// Functions with two results.
func mul64(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ bits.RotateLeft64(low, 7)
}

func add64(x, y, carry uint64) uint64 {
	sum, out := bits.Add64(x, y, carry&1)
	return sum ^ out<<9
}

func sub64(x, y, borrow uint64) uint64 {
	diff, out := bits.Sub64(x, y, borrow&1)
	return diff ^ out<<9
}

func mul32(x, y uint32) uint32 {
	high, low := bits.Mul32(x, y)
	return high ^ bits.RotateLeft32(low, 7)
}

func add32(x, y, carry uint32) uint32 {
	sum, out := bits.Add32(x, y, carry&1)
	return sum ^ out<<9
}

func sub32(x, y, borrow uint32) uint32 {
	diff, out := bits.Sub32(x, y, borrow&1)
	return diff ^ out<<9
}

func num32(x float32) float32 { return math.Float32frombits(bits32(x)) }
func num64(x float64) float64 { return math.Float64frombits(bits64(x)) }
`

// GenerateSource makes a random functor as Go.
func GenerateSource(seed uint64) *Source {
	r := NewRand(seed)
	f := &ir.Functor{Name: fmt.Sprintf("F%d", seed), Fields: r.fields(), Weights: true, IDs: true}
	w := &writer{Rand: r, f: f, most: pick(r, []int{1, 1, 2, 2, 3, 6})}
	w.deep = min(1+w.most, 3)
	for range r.IntN(min(w.most, 3)) {
		w.helper()
	}
	w.begin()
	switch r.IntN(6) {
	case 5:
		w.keyed()
	case 0:
		w.method(ir.Edge, pick(r, []ir.Type{ir.Bool, ir.Void}))
	case 1:
		w.due = w.chance(2)
		w.method(ir.Edge, ir.Uint32)
		w.method(ir.Vertex, ir.Uint32)
	case 2:
		w.method(ir.Gather, pick(r, types))
		w.method(ir.Apply, pick(r, []ir.Type{ir.Void, ir.Int64, ir.Uint64, ir.Float64}))
	case 3:
		w.sure = w.chance(3)
		w.method(ir.Hit, ir.Bool)
	default:
		w.method(ir.Vertex, pick(r, []ir.Type{ir.Void, ir.Int64, ir.Uint64, ir.Float64, ir.Bool}))
	}
	return &Source{Seed: seed, Name: f.Name, Text: w.b.String(), Case: r.data(f)}
}

// GenerateStep is GenerateSource for steps of traversals, some of which are of triangles.
func GenerateStep(seed uint64) *Source {
	if seed%trianglesOf > 0 {
		return GenerateSource(seed)
	}
	r := NewRand(seed)
	f := &ir.Functor{Name: fmt.Sprintf("F%d", seed), Fields: r.fields()}
	w := &writer{Rand: r, f: f, most: pick(r, []int{1, 2, 3}), deep: 3}
	w.begin()
	w.method(ir.Common, pick(r, []ir.Type{ir.Bool, ir.Void}))
	c := &Case{Functor: f, Vertices: 3, Edges: 6, Data: r.fill(f, 3, 6)}
	for range 1 + r.IntN(4) {
		c.Calls = append(c.Calls, Call{Method: f.Methods[0], Inputs: Inputs{ir.Level: 1}})
	}
	return &Source{Seed: seed, Name: f.Name, Text: w.b.String(), Case: c}
}

// trianglesOf: one functor in so many is of triangles.
const trianglesOf = 8

// begin writes the struct.
func (w *writer) begin() {
	fmt.Fprintf(&w.b, "//foray:functor\ntype %s struct {\n", w.f.Name)
	for _, x := range w.f.Fields {
		t := x.Type.String()
		if x.Slice {
			t = "[]" + t
		}
		if x.Accumulator {
			t = fmt.Sprintf("traverse.%s[%s]", accumulators[x.Fold], t)
		}
		fmt.Fprintf(&w.b, "\t%s %s\n", x.Name, t)
	}
	w.b.WriteString("}\n\n")
}

// keyed writes the methods of a reduce by key.
func (w *writer) keyed() {
	w.pure = true
	w.method(ir.Key, ir.Uint32)
	w.method(ir.Gather, pick(w.Rand, types))
	results := []ir.Type{ir.Void, ir.Int64, ir.Uint64} // without Score the order of calls is open, on which a sum of floats depends
	if w.chance(2) {
		w.method(ir.Score, ir.Float64)
		results = append(results, ir.Float64)
	}
	w.pure = false
	w.method(ir.Apply, pick(w.Rand, results))
}

// accumulators are the types, by fold.
var accumulators = [...]string{"Sum", "Min", "Max", "Or"}

// variable is one in sight.
type variable struct {
	name string
	t    ir.Type
	set  bool // it may be assigned
}

type function struct {
	name   string
	params []ir.Type
	result ir.Type
}

// writer writes one functor.
type writer struct {
	Rand
	b       strings.Builder
	f       *ir.Functor
	kind    ir.Kind
	result  ir.Type
	plain   bool // in a function without a functor
	pure    bool // in a method that may not write
	vars    []variable
	locals  []local // arrays
	helpers []function
	names   int
	indent  int
	loops   int
	most    int  // statements of a method, about
	sure    bool // a method Hit returns true always
	due     bool // of a push with two piles, Vertex never returns more than Edge
	deep    int  // operators in each other, at most
}

func (w *writer) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("\t", w.indent))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *writer) name() string {
	w.names++
	return fmt.Sprint("x", w.names)
}

// helper writes a function.
func (w *writer) helper() {
	h := function{name: fmt.Sprintf("help%s%d", w.f.Name, len(w.helpers)), result: pick(w.Rand, types)}
	w.plain, w.result, w.vars, w.locals = true, h.result, nil, nil
	var params []string
	for range 1 + w.IntN(3) {
		v := variable{w.name(), pick(w.Rand, append(types, ir.Bool)), true}
		w.vars = append(w.vars, v)
		h.params = append(h.params, v.t)
		params = append(params, v.name+" "+v.t.String())
	}
	fmt.Fprintf(&w.b, "func %s(%s) %s {\n", h.name, strings.Join(params, ", "), h.result)
	w.body(1 + w.IntN(3))
	w.helpers = append(w.helpers, h)
	w.plain = false
}

func (w *writer) method(k ir.Kind, result ir.Type) {
	w.f.Methods = append(w.f.Methods, &ir.Method{Kind: k, Result: result})
	w.kind, w.result, w.vars, w.locals = k, result, nil, nil
	of := result.String()
	if result == ir.Void {
		of = ""
	}
	switch k {
	case ir.Edge, ir.Hit, ir.Gather, ir.Key:
		w.vars = []variable{{"e.Source", ir.Uint32, false}, {"e.Target", ir.Uint32, false}, {"e.Index", ir.Uint64, false},
			{"e.ID", ir.Uint64, false}, {"e.Weight", ir.Float32, false}, {"e.Level", ir.Int32, false}}
		if k == ir.Gather {
			folds := []string{"sum", "min", "max"}
			if result.Integer() {
				folds = append(folds, "or")
			}
			w.f.Reduce = ir.Fold(w.IntN(len(folds)))
			fmt.Fprintf(&w.b, "//foray:reduce %s\n", folds[w.f.Reduce])
		}
		if k == ir.Edge && w.f.Name[len(w.f.Name)-1]%2 == 1 {
			w.f.Direct = true
			w.b.WriteString("//foray:direct\n")
		}
		if k == ir.Edge || k == ir.Hit || k == ir.Gather {
			w.b.WriteString("//foray:disjoint\n") // they are compared with one worker, or each has its own elements
		}
		fmt.Fprintf(&w.b, "func (f *%s) %s(e traverse.Edge) %s {\n", w.f.Name, k, of)
	case ir.Common:
		w.vars = []variable{{"c.A", ir.Uint32, false}, {"c.B", ir.Uint32, false}, {"c.C", ir.Uint32, false},
			{"c.AB", ir.Uint64, false}, {"c.AC", ir.Uint64, false}, {"c.BC", ir.Uint64, false}, {"c.Level", ir.Int32, false}}
		fmt.Fprintf(&w.b, "func (f *%s) Common(c traverse.Corner) %s {\n", w.f.Name, of)
	default:
		w.vars = []variable{{"v.ID", ir.Uint32, false}, {"v.Level", ir.Int32, false}}
		total := ""
		if k == ir.Apply || k == ir.Score {
			if w.f.Method(ir.Key) != nil {
				w.vars = append(w.vars, variable{"key", ir.Uint32, true})
				total = ", key uint32"
			}
			t := w.f.TotalOf(k)
			w.vars = append(w.vars, variable{"total", t, true})
			total += ", total " + t.String()
		}
		if k != ir.Score {
			w.b.WriteString("//foray:disjoint\n") // vertices are visited one after the other
		}
		fmt.Fprintf(&w.b, "func (f *%s) %s(v traverse.Vertex%s) %s {\n", w.f.Name, k, total, of)
	}
	for _, x := range w.f.Fields {
		if !x.Slice && !x.Accumulator {
			w.vars = append(w.vars, variable{"f." + x.Name, x.Type, false})
		}
	}
	w.body(w.most/3 + 1 + w.IntN(w.most))
}

func (w *writer) body(n int) {
	w.indent = 1
	if !w.plain && w.edge() && w.chance(3) {
		w.mask()
	}
	w.statements(n)
	w.ret()
	w.b.WriteString("}\n\n")
}

func (w *writer) ret() {
	if w.result == ir.Void {
		w.line("return")
		return
	}
	if w.sure {
		w.line("return true")
		return
	}
	within := ""
	switch {
	case w.kind == ir.Key && !w.plain && w.chance(6):
		w.line("return math.MaxUint32") // reduce.NoKey
		return
	case w.kind == ir.Key && !w.plain && !w.chance(4):
		within = " & 3"
	case !w.due:
	case w.kind == ir.Edge:
		within = " | 15"
	default:
		within = " & 15"
	}
	w.line("return %s%s", w.expr(w.result, w.deep).s, within)
}

// block writes statements in braces; the brace before them is there already.
func (w *writer) block(make func()) {
	n, locals := len(w.vars), len(w.locals)
	w.indent++
	make()
	w.indent--
	w.vars, w.locals = w.vars[:n], w.locals[:locals]
}

func (w *writer) statements(n int) {
	for range n {
		w.statement()
	}
}

func (w *writer) declare(t ir.Type, value string) {
	name := w.name()
	w.line("%s := %s", name, value)
	w.line("_ = %s", name)
	w.vars = append(w.vars, variable{name, t, true})
}

// slices returns fields that can be indexed here.
func (w *writer) slices() (out []int) {
	for i, x := range w.f.Fields {
		if x.Slice && !w.plain && (!x.PerEdge || w.edge() || w.kind == ir.Common) {
			out = append(out, i)
		}
	}
	return out
}

func (w *writer) edge() bool {
	return w.kind == ir.Edge || w.kind == ir.Hit || w.kind == ir.Gather || w.kind == ir.Key
}

// element returns an element of a field.
func (w *writer) element(field int) string {
	x := w.f.Fields[field]
	i := ""
	switch {
	case w.chance(4):
	case x.PerVertex && w.kind == ir.Common:
		i = pick(w.Rand, []string{"c.A", "c.B", "c.C"})
	case x.PerEdge && w.kind == ir.Common:
		i = pick(w.Rand, []string{"c.AB", "c.AC", "c.BC"})
	case x.PerVertex && w.edge():
		i = pick(w.Rand, []string{"e.Source", "e.Target"})
	case x.PerVertex:
		i = "v.ID"
	case x.PerEdge && w.edge():
		i = "e.Index"
	}
	if i == "" {
		t := pick(w.Rand, types[:4])
		i = w.moving(t, 1)
		if t == ir.Int64 && w.chance(2) {
			i = "int(" + i + ")"
		}
		switch {
		case x.PerVertex && w.chance(2):
			i = fmt.Sprintf("uint(%s)%%uint(len(f.%s))", i, x.Name)
		case !w.chance(6):
			i = "(" + i + ")&3"
		default:
			i = "(" + i + ")*3" // no id of a vertex alone: only of some fields is that an index
		}
	}
	return fmt.Sprintf("f.%s[%s]", x.Name, i)
}

func (w *writer) assignable() (out []variable) {
	for _, v := range w.vars {
		if v.set {
			out = append(out, v)
		}
	}
	return out
}

func (w *writer) statement() {
	fields := w.slices()
	for _, x := range w.f.Fields {
		if x.Accumulator && !w.plain && !w.pure && !(w.kind == ir.Vertex && w.f.Method(ir.Edge) != nil) && w.chance(8) {
			w.line("f.%s.Add(%s)", x.Name, w.expr(x.Type, 2).s)
			return
		}
	}
	if w.chance(8) {
		w.array()
		return
	}
	switch k := w.IntN(16); {
	case k < 3:
		t := pick(w.Rand, append(types, ir.Bool))
		w.declare(t, w.expr(t, w.deep).s)
	case k < 6:
		vars := w.assignable()
		if len(vars) == 0 {
			return
		}
		v := pick(w.Rand, vars)
		w.assign(v.name, v.t)
	case k < 7:
		if len(fields) > 0 && !w.pure {
			i := pick(w.Rand, fields)
			w.assign(w.element(i), w.f.Fields[i].Type)
		}
	case k < 10:
		if len(fields) > 0 && !w.pure {
			w.atomic(pick(w.Rand, fields))
		}
	case k < 13:
		w.line("if %s {", w.condition())
		w.block(func() { w.branch() })
		if w.chance(2) {
			w.line("} else {")
			w.block(func() { w.branch() })
		}
		w.line("}")
	case k < 15:
		w.loop()
	default:
		w.choose()
	}
}

func (w *writer) branch() {
	w.statements(w.IntN(3))
	if w.chance(6) {
		w.ret()
	}
}

func (w *writer) condition() string {
	if fields := w.slices(); len(fields) > 0 && !w.pure && w.chance(4) {
		i := pick(w.Rand, fields)
		if call, t := w.atomicCall(i); t != ir.Void && t != ir.Bool {
			return fmt.Sprintf("%s && %s < %s", w.simple(ir.Bool), w.simple(t), call)
		}
	}
	return w.expr(ir.Bool, 2).s
}

// simple returns a variable or a constant.
func (w *writer) simple(t ir.Type) string { return w.expr(t, 0).s }

func (w *writer) assign(to string, t ir.Type) {
	if t != ir.Bool && w.chance(3) {
		ops := []string{"+", "-", "*", "/"}
		if t.Integer() {
			ops = append(ops, "%", "&", "|", "^", "&^")
			if w.chance(4) {
				w.line("%s %s= %s", to, pick(w.Rand, []string{"<<", ">>"}), w.count())
				return
			}
		}
		if w.chance(4) {
			w.line("%s%s", to, pick(w.Rand, []string{"++", "--"}))
			return
		}
		op := pick(w.Rand, ops)
		if op == "/" || op == "%" {
			w.line("%s %s= %s", to, op, w.moving(t, 2))
			return
		}
		w.line("%s %s= %s", to, op, w.expr(t, 2).s)
		return
	}
	w.line("%s = %s", to, w.expr(t, w.deep).s)
}

// atomicCall returns a call of atomics, and the type of its result.
func (w *writer) atomicCall(field int) (string, ir.Type) {
	t := w.f.Fields[field].Type
	names := []string{"Load", "Store", "Min", "Max", "Min", "Max", "Add", "Exchange", "CompareAndSwap"}
	if t.Integer() {
		names = append(names, "Or", "And")
	}
	name, at, x := pick(w.Rand, names), w.element(field), w.expr(t, 2).s
	if x[0] == '(' || x[0] == '-' {
		x = fmt.Sprintf("%s(%s)", t, x)
	}
	switch name {
	case "Load":
		return fmt.Sprintf("atomics.Load(&%s)", at), t
	case "Store":
		return fmt.Sprintf("atomics.Store(&%s, %s)", at, x), ir.Void
	case "CompareAndSwap":
		switch t {
		case ir.Float32:
			x = "num32(" + x + ")"
		case ir.Float64:
			x = "num64(" + x + ")"
		}
		return fmt.Sprintf("atomics.CompareAndSwap(&%s, %s, %s)", at, x, w.simple(t)), ir.Bool
	}
	return fmt.Sprintf("atomics.%s(&%s, %s)", name, at, x), t
}

func (w *writer) atomic(field int) {
	call, t := w.atomicCall(field)
	if t == ir.Void || w.chance(3) {
		w.line("%s", call)
		return
	}
	w.declare(t, call)
}

func (w *writer) loop() {
	if w.loops == 2 {
		return
	}
	w.loops++
	defer func() { w.loops-- }()
	i := w.name()
	switch w.IntN(3) {
	case 0:
		w.line("for %s := range %d {", i, 1+w.IntN(4))
	case 1:
		w.line("for %s := 0; %s < %d; %s++ {", i, i, 1+w.IntN(4), i)
	default:
		w.line("for %s := %d; %s >= 0; %s -= 2 {", i, w.IntN(6), i, i)
	}
	w.block(func() {
		w.line("_ = %s", i)
		w.vars = append(w.vars, variable{"int64(" + i + ")", ir.Int64, false})
		w.statements(1 + w.IntN(2))
		if w.chance(2) {
			w.line("if %s {", w.condition())
			w.block(func() {
				w.statements(w.IntN(2))
				w.line("%s", pick(w.Rand, []string{"break", "continue"}))
			})
			w.line("}")
			w.statements(w.IntN(2))
		}
	})
	w.line("}")
}

func (w *writer) choose() {
	if w.chance(2) {
		w.line("switch {")
		for range 1 + w.IntN(3) {
			w.line("case %s:", w.expr(ir.Bool, 2).s)
			w.block(func() { w.branch() })
		}
	} else {
		t := pick(w.Rand, types[:4])
		w.line("switch %s {", w.moving(t, 2))
		for i := range 1 + w.IntN(3) {
			w.line("case %d, %d:", 2*i, 2*i+1)
			w.block(func() { w.branch() })
		}
	}
	if w.chance(2) {
		w.line("default:")
		w.block(func() { w.branch() })
	}
	w.line("}")
}
