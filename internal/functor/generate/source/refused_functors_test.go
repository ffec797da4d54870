package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// refusedFunctors are functors that are wrong as a whole.
var refusedFunctors = []struct{ code, want string }{
	{"//foray:functor\ntype F struct { X []int32 }", "the functor F has no methods; give it Edge, or Hit, or Gather and Apply, or Vertex, or Common"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Common(e traverse.Edge) {}", "the method Common of a functor is Common(c traverse.Corner) bool, or without a result"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Common(c traverse.Corner) uint32 { return 1 }", "the method Common of a functor is"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Triangle(c traverse.Corner) {}", "no step calls the method Triangle of the functor F; name it Common"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Common(c traverse.Corner) {}\nfunc (F) Vertex(v traverse.Vertex) {}", "the functor F has Common and a method other than Edge; make two functors"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Common(c traverse.Corner) {}\nfunc (F) Edge(e traverse.Edge) {}", "an Edge beside Common returns bool: whether the edge takes part in triangles"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Common(c traverse.Corner) {}\n//foray:unique\nfunc (F) Edge(e traverse.Edge) bool { return true }", "//foray:unique is for an Edge without Common"},
	{"//foray:functor\ntype F struct{ X []uint32 }\nfunc (f F) Common(c traverse.Corner) { f.Common(c) }", "a recursive call of Common"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) bump(i uint32) uint32 { f.X[i] += 5; return 1 }\nfunc (f *F) Vertex(v traverse.Vertex) uint64 { return uint64(f.X[v.ID] + f.bump(v.ID)) }", ":17:74: this call writes X, which the statement also reads to its left"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc bump(x []uint32, i uint32) uint32 { x[i] += 5; return 1 }\nfunc (f *F) Vertex(v traverse.Vertex) uint64 { y, z := f.X[v.ID], bump(f.X, v.ID); return uint64(y + z) }", "this call writes X, which the statement also reads to its left"},
	{"//foray:functor\ntype F struct { A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, F0, F1, F2, F3, F4, F5, F6, F7, F8, F9, G0, G1, G2, G3 []uint32 }\nfunc (F) Edge(e traverse.Edge) {}", "the functor F has 130 words of fields, of 128; a slice takes two"},
	racing("f.X[v.ID] = x", "return f.X[e.Source]", ":18:50: Apply writes an element of X that Gather may use at the same time, for another vertex (line 17); write to another slice, or by package atomics, or put //foray:disjoint above Apply if that never happens"),
	racing("f.X[v.ID] = x", "return f.X[e.Target]", "Apply writes an element of X that Gather may use"),
	racing("f.X[v.ID] += x", "return f.X[f.Y[e.Target]]", "Apply writes an element of X that Gather may use"),
	racing("f.X[f.Y[v.ID]] = x", "return f.X[e.Source]", "Apply writes an element of X that Gather may use"),
	racing("f.X[v.ID] = x", "return atomics.Load(&f.X[e.Source])", "Apply writes an element of X that Gather may use"),
	racing("f.X[v.ID] = f.X[x]", "return 1", "Apply writes an element of X that Apply may use"),
	racing("f.set(v.ID, x) }\nfunc (f *F) set(i, x uint32) { f.X[i] = x", "return f.X[e.Source]", ":19:32: Apply writes an element of X"),
	racing("_ = f.X[v.ID]", "f.X[e.Source]++; return 1", "Gather writes an element of X that Apply may use at the same time, for another vertex (line 18)"),
	racing("", "f.X[e.Source] = f.X[e.Target]; return 1", "Gather writes an element of X that Gather may use"),
	{"//foray:functor\ntype F struct { X, Y []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { f.X[v.ID] = f.X[f.Y[v.ID]] }", ":16:41: Vertex writes an element of X that Vertex may use at the same time, for another vertex (line 16); write to another slice, or by package atomics, or put //foray:disjoint above Vertex if that never happens"},
	{"//foray:functor\ntype F struct { X, Y []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) bool { f.X[f.Y[v.ID]] = 1; return f.X[v.ID] > 0 }", "Vertex writes an element of X that Vertex may use"},
	{"//foray:functor\ntype F struct { X, Y []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { f.X[v.ID] = 0; f.X[f.Y[v.ID]] = 1 }", "Vertex writes an element of X that Vertex may use"},
	{"//foray:functor\ntype F struct { X, Y []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { f.X[v.ID] = 0; atomics.Add(&f.X[f.Y[v.ID]], 1) }", "Vertex writes an element of X that Vertex may use"},
	{"//foray:functor\ntype F[T int32 | int64] struct { X []T }\nfunc (f *F[T]) Vertex(v traverse.Vertex) { for _, x := range f.X { f.X[v.ID] += x } }", "Vertex writes an element of X that Vertex may use"},
	{"//foray:functor\ntype F struct { X []uint32 }\n//foray:disjoint\nfunc (f *F) Key(e traverse.Edge) uint32 { return 1 }\nfunc (f *F) Gather(e traverse.Edge) uint32 { return 1 }\nfunc (f *F) Apply(v traverse.Vertex, key, x uint32) {}", ":16:1: //foray:disjoint stands in the comment directly above a method Apply, Vertex, Edge, Hit, Gather or Common of a functor"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Edge(e traverse.Edge) { f.X[e.Target]++ }", "this assignment to X depends on the old value of the element of an edge's target, which other calls may change at the same time: updates get lost"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc add(x []uint32, i uint32) { x[i] += 2 }\nfunc (f *F) Hit(e traverse.Edge) bool { add(f.X, e.Source); return true }", "depends on the old value of the element of an edge's source"},
	{"//foray:functor\ntype F struct { X []uint32; At uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { f.X[f.At] |= 1 }", "depends on the old value of an element that all calls share"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Key(e traverse.Edge) uint32 { return e.Target }\nfunc (f *F) Gather(e traverse.Edge) uint32 { return 1 }\nfunc (f *F) Apply(v traverse.Vertex, key, total uint32) { f.X[0] += total }", "depends on the old value of an element that all calls share"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Common(c traverse.Corner) { f.X[c.BC]++ }", "depends on the old value of an element that other triangles have too"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Edge(e traverse.Edge) bool { return f.X[e.Index] == 0 }\nfunc (f *F) Common(c traverse.Corner) { f.X[c.AB] = 1 }", "Common writes X, by which Edge masks the edges of triangles"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Edge(e traverse.Edge) { x := f.X[e.Target]; f.X[e.Target] = x + 1 }", "depends on the old value of the element of an edge's target"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Edge(e traverse.Edge) { f.X[e.Target] = min(f.X[e.Target], e.Source) }", "depends on the old value of the element of an edge's target"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { f.X[v.Level]++ }", "depends on the old value of an element that all calls share"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { for i := range uint32(3) { f.X[i] = f.X[i] + v.ID } }", "depends on the old value of an element that all calls share"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Gather(e traverse.Edge) uint32 { f.X[e.Source]++; return 1 }\nfunc (f *F) Apply(v traverse.Vertex, x uint32) {}", "depends on the old value of the element of an edge's source"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Key(e traverse.Edge) uint32 { return e.Target }\nfunc (f *F) Gather(e traverse.Edge) uint32 { return 1 }\nfunc (f *F) Apply(v traverse.Vertex, key, total uint32) { f.X[key] += total }", "depends on the old value of the element of a key"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Common(c traverse.Corner) { f.X[c.A] = f.X[c.A] + 1 }", "depends on the old value of the element of an edge's source"},
	{"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Common(c traverse.Corner) {}\nfunc (f *F) Edge(e traverse.Edge) bool { f.X[e.Index] = 1; return true }", "Edge of F masks the edges of triangles"},
	{"//foray:functor\ntype F struct { X []uint32 }\n// foray:disjoint\nfunc (f *F) Vertex(v traverse.Vertex) {}", "a space before the mark, which is a comment then; write //foray:disjoint"},
	{"//foray:functor\ntype F []int32", "a functor is a struct; F is none"},
	{"//foray:functor\ntype F = struct{}", "a functor is a struct type of its own; F is an alias"},
	{"//foray:functor\ntype F interface{}", "a functor is a struct; F is none"},
	{"//foray:functor\ntype F struct{}\n//foray:unique\nfunc (F) Edge(e traverse.Edge) {}", "//foray:unique is for an Edge that returns bool"},
	{"//foray:functor\ntype F struct { X int }", "a field of type int; it has to be int32, uint32, int64, uint64, float32, float64, bool, a slice of one of these but bool, or a traverse.Sum, Min, Max or Or; write int64"},
	{"//foray:functor\ntype F struct { X []byte }", "a field of type []byte; it has to be"},
	{"//foray:functor\ntype F struct { X []bool }", "a field of type []bool; it has to be int32, uint32, int64, uint64, float32, float64, bool, a slice of one of these but bool, or a traverse.Sum, Min, Max or Or; write []uint32"},
	{"//foray:functor\ntype F struct { X []string }", "strings of a column have codes: write []uint32, and get the code of a string by traverse.Code"},
	{"//foray:functor\ntype F struct { X string }", "strings of a column have codes: write uint32, and get the code of a string by traverse.Code"},
	{"//foray:functor\ntype F struct { X map[int]int }", "a field of type map[int]int"},
	{"//foray:functor\ntype F struct { X *int32 }", "a field of type *int32"},
	{"//foray:functor\ntype F struct { X [][]int32 }", "a field of type [][]int32"},
	{"type D float32\n//foray:functor\ntype F struct { X []D }", "a field of type []D; it has to be int32, uint32, int64, uint64, float32, float64, bool, a slice of one of these but bool, or a traverse.Sum, Min, Max or Or; write []float32"},
	{"//foray:functor\ntype F struct { X []unknown }", "undefined: unknown"},
	{"type E struct{}\n//foray:functor\ntype F struct { E }", "an embedded field; a functor's fields have names"},
	{"//foray:functor\ntype F struct { _ int32 }", "a field without a name"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e int32) bool { return true }", "the method Edge of a functor is Edge(e traverse.Edge) bool, or uint32, or without a result"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) int { return 1 }", "the method Edge of a functor is"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e ...traverse.Edge) {}", "the method Edge of a functor is"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Vertex(v traverse.Edge) {}", "the method Vertex of a functor is"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Vertex(v traverse.Vertex) {}\nfunc (F) Edge(e traverse.Edge) {}", "the functor F has Edge and Vertex; make two functors"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) uint32 { return 1 }", "an Edge that returns uint32, when the target is due, needs a method Vertex(v traverse.Vertex) uint32"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Vertex(v traverse.Vertex) uint32 { return 1 }", "a Vertex that returns uint32, when the vertex is due, needs a method Edge"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Gather(e traverse.Edge) int32 { return 1 }", "the functor F has one of Gather and Apply; a reduction needs both"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Gather(e traverse.Edge) int32 { return 1 }\nfunc (F) Apply(v traverse.Vertex, x int64) {}", "the method Apply of a functor is Apply(v traverse.Vertex, total T)"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Gather(e traverse.Edge) int32 { return 1 }\nfunc (F) Apply(v traverse.Vertex, x int32) {}\nfunc (F) Edge(e traverse.Edge) {}", "the functor F has Gather and Apply, and Edge or Vertex as well; make two functors"},
	{"//foray:functor\ntype F struct{}\n//foray:reduce mean\nfunc (F) Gather(e traverse.Edge) int32 { return 1 }\nfunc (F) Apply(v traverse.Vertex, x int32) {}", "//foray:reduce is followed by sum, min, max or or"},
	{"//foray:functor\ntype F struct{}\n//foray:reduce or\nfunc (F) Gather(e traverse.Edge) float32 { return 1 }\nfunc (F) Apply(v traverse.Vertex, x float32) {}", "//foray:reduce or is for integers; Gather returns float32"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Key(e traverse.Edge) uint32 { return 1 }", "the functor F has Key without Gather and Apply; a keyed reduce needs all three"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Score(v traverse.Vertex, key, total uint32) float64 { return 1 }", "the functor F has Score and no Key; a keyed reduce needs Key, Gather and Apply"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Key(e traverse.Edge) uint64 { return 1 }", "the method Key of a functor is Key(e traverse.Edge) uint32"},
	byKey("return 1", "return 1", "", "total uint32) {}", "the method Apply of a functor is Apply(v traverse.Vertex, key uint32, total T), without a result"),
	byKey("return 1", "return 1", "", "key, total uint64) {}", "the method Apply of a functor is Apply(v traverse.Vertex, key uint32, total T), without a result"),
	byKey("return 1", "return 1", "func (f *F) Score(v traverse.Vertex, key, total uint32) float64 { return 1 }", "key, total uint32) {}", "the method Apply of a functor is Apply(v traverse.Vertex, key uint32, score float64), without a result"),
	byKey("return 1", "return 1", "func (f *F) Score(v traverse.Vertex, key, total uint32) float32 { return 1 }", "key uint32, score float64) {}", "the method Score of a functor is Score(v traverse.Vertex, key uint32, total T) float64"),
	byKey("f.X[e.Source] = 1; return 1", "return 1", "", "key, total uint32) {}", "Key of the keyed reduce F writes; it may be called more than once for an edge or a key: write in Apply"),
	byKey("return 1", "return atomics.Add(&f.X[e.Source], 1)", "", "key, total uint32) {}", "Gather of the keyed reduce F writes"),
	byKey("return f.X[e.Target]", "return 1", "func (f *F) Score(v traverse.Vertex, key, total uint32) float64 { return 1 }", "key uint32, score float64) { f.X[v.ID] = key }", "Apply writes an element of X that Key may use at the same time, for another vertex"),
	byKey("return 1", "return 1", "func (f *F) Score(v traverse.Vertex, key, total uint32) float64 { return float64(f.X[key]) }", "key uint32, score float64) { f.X[v.ID] = key }", "Apply writes an element of X that Score may use at the same time, for another vertex"),
	byKey("return 1", "return 1", "", "key, total uint32) { f.X[v.ID] += total }", "Apply writes an element of X that Apply may use at the same time, for another key of the vertex"),
	{"//foray:functor\ntype F struct{}\nfunc (F) Hit(e traverse.Edge) {}", "the method Hit of a functor is Hit(e traverse.Edge) bool"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Hit(e traverse.Edge) uint32 { return 1 }", "the method Hit of a functor is Hit(e traverse.Edge) bool"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Hit(v traverse.Vertex) bool { return true }", "the method Hit of a functor is Hit(e traverse.Edge) bool"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Hit(e traverse.Edge) bool { return true }\nfunc (F) Edge(e traverse.Edge) bool { return true }", "the functor F has Hit and another method; make two functors"},
	{"//foray:functor\ntype F struct{}\n//foray:unique\nfunc (F) Hit(e traverse.Edge) bool { return true }", "//foray:unique"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) {}\nfunc NewF() {}", "NewF is what the generator declares for the functor F; give one of them another name"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) { x := 0; " + "x += 1 +" + strings.Repeat("(", 600) + "x" + strings.Repeat(")", 600) + "; _ = x }", "the function Edge has an expression of more than 500 operators in each other; use local variables"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) { " + strings.Repeat("if e.Level > 1 {", 200) + strings.Repeat("}", 200) + "}", "the function Edge has statements nested more than 100 deep"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) { f0(e.Source) }\n" + doubling(20), "the functor F has more than 20000 instructions and calls, with all calls inlined; make it smaller"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) { f0(1) }\n" + strings.NewReplacer("if x > 3 { return", "x +=", " }; return", "; return").Replace(doubling(40)), "the functor F has more than 20000"},
	accumulating("traverse.Sum[float64]", "", ":15:19: a traverse.Sum of float64 would depend on the order of the edges; return the value from Vertex or Apply, which are reduced in one order, or gather it by a reduce"),
	accumulating("traverse.Sum[float32]", "", "a traverse.Sum of float32 would depend on the order of the edges"),
	accumulating("traverse.Sum[uint32]", "", "a traverse.Sum of uint32; scalars are int64, uint64 or float64: write traverse.Sum[uint64], and convert what is added"),
	accumulating("traverse.Max[float32]", "", "a traverse.Max of float32; scalars are int64, uint64 or float64: write traverse.Max[float64]"),
	accumulating("traverse.Min[int]", "", "a traverse.Min of int; scalars are int64, uint64 or float64: write traverse.Min[int64]"),
	accumulating("traverse.Or[float64]", "", "a traverse.Or of float64; write traverse.Or[uint64]"),
	accumulating("traverse.Min[string]", "", "a traverse.Min of string; scalars are int64, uint64 or float64"),
	accumulating("traverse.Min[unknown]", "", "undefined: unknown"),
	accumulating("[]traverse.Sum[uint64]", "", "a slice of accumulators; write to a slice of numbers by atomics, or make one field for each"),
	accumulating("*traverse.Sum[uint64]", "", "a field of type *traverse.Sum[uint64]; it has to be"),
	accumulating("traverse.Sum[uint64]", "if f.S.Value() > 3 { return }", "S is an accumulator; methods call its Add, and what it came to is in its scalar after the step: traverse.Get(t, S)"),
	accumulating("traverse.Sum[uint64]", "s := f.S; s.Add(1)", "S is an accumulator; methods call its Add"),
	accumulating("traverse.Sum[uint64]", "s := &f.S; s.Add(1)", "the address of something"),
	accumulating("traverse.Sum[uint64]", "f.S = traverse.Sum[uint64]{}", "an assignment to f.S; methods call its Add"),
	accumulating("traverse.Sum[uint64]", "x := f.S.Add; x(1)", "the method Add as a value; call it"),
	accumulating("traverse.Sum[uint64]", "_ = f.S", "S is an accumulator; methods call its Add"),
	accumulating("traverse.Sum[uint64]", "(*F).Edge(f, e)", "a call of (*F).Edge"),
	accumulating("traverse.Sum[uint64]", "g := *f; g.S.Add(1)", "a copy of the functor, whose accumulator S would be a copy too; write *F"),
	accumulating("traverse.Sum[uint64]", "f.x() }\nfunc (f F) x() { f.S.Add(2)", "a copy of the functor, whose accumulator S would be a copy too; write *F"),
	{"//foray:functor\ntype F struct { S traverse.Sum[uint64] }\nfunc (f F) Edge(e traverse.Edge) { f.S.Add(2) }", ":16:7: a copy of the functor, whose accumulator S would be a copy too; write *F"},
	{"//foray:functor\ntype F struct { S traverse.Sum[uint64] }\nfunc (f *F) Edge(e traverse.Edge) uint32 { return 1 }\nfunc (f *F) Vertex(v traverse.Vertex) uint32 { f.S.Add(1); return 1 }", "S.Add in Vertex, which is asked more than once when a vertex is due; call it in Edge"},
}

// racing is a functor of a reduce.
func racing(apply, gather, want string) struct{ code, want string } {
	return struct{ code, want string }{"//foray:functor\ntype F struct { X, Y []uint32 }\n\nfunc (f *F) Gather(e traverse.Edge) uint32 { " + gather + " }\nfunc (f *F) Apply(v traverse.Vertex, x uint32) { " + apply + " }", want}
}

// accumulating is a functor with an accumulator of a type.
func accumulating(typ, body, want string) struct{ code, want string } {
	return struct{ code, want string }{"//foray:functor\ntype F struct { S " + typ + " }\nfunc (f *F) Edge(e traverse.Edge) { " + body + " }", want}
}

// doubling returns functions, each of which calls the next one twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func f%d(x uint32) uint32 { if x > 3 { return f%d(x*3) }; return f%d(x+1) }\n", i, i+1, i+1)
	}
	return b.String() + fmt.Sprintf("func f%d(x uint32) uint32 { return x + 1 }\n", n)
}

func TestRefusedFunctors(t *testing.T) {
	for _, c := range slices.Concat(refusedFunctors, refusedGeneric, refusedMarks, refusedRemedies) {
		_, err := checkText(t, header+c.code)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s:\ngot  %v\nwant %s", c.code, err, c.want)
		}
	}
}

// TestAllErrors has several errors in one package: all of them are reported, in order, and
// what is wrong outside of functors isn't.
func TestAllErrors(t *testing.T) {
	_, err := checkText(t, header+relax+`
var outside = undefined

//foray:functor
type A struct { X []int32 }

func (a *A) Edge(e traverse.Edge) {
	go a.f()
	a.f()
	a.f()
}

func (a *A) f() { defer a.f() }

//foray:functor
type B struct { X []int8; Y string }
`)
	var list Errors
	if !errors.As(err, &list) || len(list) != 4 {
		t.Fatal(err)
	}
	for i, want := range []string{"a goroutine", "defer", "[]int8", "string"} {
		if !strings.Contains(list[i].Text, want) {
			t.Errorf("error %d is %v, want %s", i, list[i], want)
		}
	}
}

// TestNoRace: writes that no other vertex of the step may see, or that are atomic, are accepted.
func TestNoRace(t *testing.T) {
	reduce := func(apply, gather string) string { return racing(apply, gather, "").code }
	vertex := func(body string) string {
		return "//foray:functor\ntype F struct { X, Y []uint32 }\nfunc (f *F) Vertex(v traverse.Vertex) { " + body + " }"
	}
	for _, code := range []string{
		reduce("atomics.Store(&f.X[v.ID], x)", "return f.X[e.Source]"),
		reduce("atomics.Min(&f.X[v.ID], x)", "return f.X[e.Source]"),
		reduce("f.X[v.ID] = x", "return f.Y[e.Source]"),
		reduce("f.X[v.ID] += x", "return 1"),
		strings.Replace(reduce("f.X[v.ID] = x", "return f.X[e.Source]"), "func (f *F) Apply", "//foray:disjoint\nfunc (f *F) Apply", 1),
		strings.Replace(vertex("f.X[v.ID] = f.X[f.Y[v.ID]]"), "func (f", "//foray:disjoint\nfunc (f", 1),
		vertex("f.X[v.ID] = f.Y[f.Y[v.ID]]"),
		vertex("f.X[int(v.ID)] += f.X[uint64(v.ID)]"),
		vertex("for i := range 4 { f.X[4*int(v.ID)+i] += f.X[4*int(v.ID)+3-i] }"),
		vertex("atomics.Store(&f.X[v.ID], f.X[f.Y[v.ID]])"),
		vertex("if false { f.X[v.ID] = f.X[f.Y[v.ID]] }"),
		"//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Edge(e traverse.Edge) { f.X[e.Target] = f.X[e.Source] }",
	} {
		if _, err := checkText(t, header+code); err != nil {
			t.Errorf("%s:\n%v", code, err)
		}
	}
}

// byKey is a functor with Key, Gather and Apply.
func byKey(key, gather, score, apply, want string) struct{ code, want string } {
	return struct{ code, want string }{fmt.Sprintf("//foray:functor\ntype F struct { X []uint32 }\nfunc (f *F) Key(e traverse.Edge) uint32 { %s }\nfunc (f *F) Gather(e traverse.Edge) uint32 { %s }\n%s\nfunc (f *F) Apply(v traverse.Vertex, %s", key, gather, score, apply), want}
}
