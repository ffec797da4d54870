package source

// refusedGeneric are functors whose type parameters are wrong, or some of whose instances are.
var refusedGeneric = []struct{ code, want string }{
	{"//foray:functor\ntype F[T any] struct { X []T }", ":15:8: the type parameter T may be of any type; write the types that there are, such as [T float32 | float64]; they are some of int32, uint32"},
	{"//foray:functor\ntype F[T comparable] struct { X []T }", "the type parameter T may be of any type; write"},
	{"//foray:functor\ntype F[T interface{ String() string }] struct { X []T }", "the type parameter T has no type that functors can have; write"},
	{"//foray:functor\ntype F[T ~string | int] struct { X []T }", "the type parameter T has no type that functors can have; write"},
	{"//foray:functor\ntype F[T cmp.Ordered] struct { X []T }", "the type parameter T may be int, int8, int16, uint, uint8, uint16, uintptr, string, which functors can't have; write [T int32 | uint32 | int64 | uint64 | float32 | float64]"},
	{"//foray:functor\ntype F[T bool | float32] struct { X []T }", "the type parameter T may be bool, which functors can't have; write [T float32]"},
	{"type D float32\n//foray:functor\ntype F[T D | float32 | ~[]int32] struct { X []T }", "the type parameter T may be D, []int32, which functors can't have; write [T float32]"},
	{"//foray:functor\ntype F[T undefined] struct { X []T }", "undefined: undefined"},
	{"type A interface { A }\n//foray:functor\ntype F[T A] struct { X []T }", "the constraint of the type parameter T is unknown; go build says why"},
	{"type n interface { int32 | int64 | float32 }\n//foray:functor\ntype F[A, B, C, D n] struct{}\nfunc (F[A, B, C, D]) Edge(e traverse.Edge) {}", "the functor F is for 81 combinations of types, of at most 32; give its type parameters fewer types"},
	{"//foray:functor\ntype F[T int32 | int64] struct { X []*T }", "a field of type []*T; it has to be int32"},
	{"//foray:functor\ntype F[T int32 | int64] struct { X []T }\nfunc (f F[T]) Vertex(v traverse.Vertex) T { return f.X[v.ID] }", "the method Vertex of a functor is Vertex(v traverse.Vertex) bool, or uint32, int64, uint64, float64, or without a result (in F[int32])"},
	{"//foray:functor\ntype F[T int32 | float32] struct { X []T }\n//foray:reduce or\nfunc (F[T]) Gather(e traverse.Edge) T { return 1 }\nfunc (F[T]) Apply(v traverse.Vertex, x T) {}", "//foray:reduce or is for integers; Gather returns float32 (in F[float32])"},
	{"//foray:functor\ntype F[T int32 | int64] struct { X []T }\nfunc (f *F[T]) Edge(e traverse.Edge) { go f.Edge(e) }", "a goroutine; operators call functors from all workers already"},
	{"//foray:functor\ntype F[T int32] struct { X []T }\nfunc (f *F[T]) Edge(e traverse.Edge) {}\n//foray:functor\ntype FInt32 struct{}\nfunc (FInt32) Edge(e traverse.Edge) {}", ":18:6: NewFInt32 is what the generator declares for the functors F[int32] and FInt32; give one of them another name"},
	{"//foray:functor\ntype F[T int32] struct { X []T }\nfunc (f *F[T]) Edge(e traverse.Edge) {}\n//foray:functor\ntype FInt32[T int32] struct{}\nfunc (FInt32[T]) Edge(e traverse.Edge) {}", ":18:6: NewFInt32 is what the generator declares for the functors F[int32] and FInt32; give one of them another name"},
	{"//foray:functor\ntype F[T int32] struct { X []T }\nfunc (f *F[T]) Edge(e traverse.Edge) {}\nfunc NewF() {}", "NewF is what the generator declares for the functor F; give"},
	{"//foray:functor\ntype F[T int32] struct { X []T }\nfunc (f *F[T]) Edge(e traverse.Edge) {}\ntype FInt32Functor int", "FInt32Functor is what the generator declares for the functor F[int32]; give"},
}

// refusedMarks are marks that stand in a wrong place, or are written in a wrong way.
var refusedMarks = []struct{ code, want string }{
	{"//foray:functor\nvar x = 1", "//foray:functor stands in the comment directly above a struct type of the package"},
	{"func f() {\n//foray:functor\ntype F struct{}\n}", "//foray:functor stands in the comment directly above a struct type"},
	{"//foray:fun\ntype F struct{}", "unknown //foray:fun; there are //foray:functor, //foray:reduce, //foray:unique, //foray:direct and //foray:disjoint"},
	{"//foray:unique\nfunc f() {}", "//foray:unique stands in the comment directly above a method Edge of a functor"},
	{"//foray:reduce sum\nfunc f() {}", "//foray:reduce stands in the comment directly above a method Gather of a functor"},
	{"// foray:functor\ntype F struct{}", ":14:1: a space before the mark, which is a comment then; write //foray:functor"},
	{"type F struct{}\n//\tforay:reduce min \nfunc (F) Gather(e traverse.Edge) int32 { return 1 }", ":15:1: a space before the mark, which is a comment then; write //foray:reduce"},
	{"//foray:direct\nfunc f() {}", "//foray:direct stands in the comment directly above a method Edge of a functor"},
	{"// foray:unique\nfunc f() {}", "a space before the mark, which is a comment then; write //foray:unique"},
	{"//foray:functor of edges\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) {}", "//foray:functor is followed by of; nothing stands behind it"},
	{"//foray:functor\nfunc f() {}", "//foray:functor stands in the comment directly above a struct type of the package"},
	{"//foray:functor\n\ntype F struct{}", "//foray:functor stands in the comment directly above a struct type of the package"},
	{"//foray:functor\ntype ( F struct{} )", "//foray:functor stands in the comment directly above a struct type of the package"},
	{"//foray:functor\ntype F struct{}\n//foray:unique\nfunc (F) Vertex(v traverse.Vertex) bool { return true }", ":16:1: //foray:unique stands in the comment directly above a method Edge of a functor"},
	{"//foray:functor\ntype F struct{}\n//foray:reduce min\nfunc (F) Edge(e traverse.Edge) bool { return true }", ":16:1: //foray:reduce stands in the comment directly above a method Gather of a functor"},
	{"type F struct{}\n//foray:unique\nfunc (F) Edge(e traverse.Edge) bool { return true }", ":15:1: //foray:unique stands in the comment directly above a method Edge of a functor"},
}

// refusedRemedies are near misses, of which it is said what to write.
var refusedRemedies = []struct{ code, want string }{
	field("*device.Buffer[float32]", "a field of type *device.Buffer[float32]; it has to be int32, uint32, int64, uint64, float32, float64, bool, a slice of one of these but bool, or a traverse.Sum, Min, Max or Or; write []float32, for which the constructor takes a *device.Buffer[float32]"),
	field("device.Buffer[uint64]", "; write []uint64, for which the constructor takes a *device.Buffer[uint64]"),
	field("*operators.Scalar[uint64]", "; write traverse.Sum[uint64], or Min, Max or Or, an accumulator, for which the constructor takes the scalar"),
	field("operators.Scalar[float64]", "; write traverse.Min[float64] or Max, an accumulator"),
	field("*traverse.Max[int64]", "; write traverse.Max[int64]"),
	field("[]uint16", "a field of type []uint16; it has to be"), field("[]uint16", "; write []uint32"),
	field("[]int8", "; write []int32"), field("[]byte", "; write []uint32"), field("[]int", "; write []int64"), field("[]uint", "; write []uint64"),
	field("uint8", "; write uint32"), field("[4]float64", "; write []float64"), field("*int32", "; write []int32, of one element"),
	field("[][]float32", "; write one []float32 of all rows, and another slice of where each begins"),
	{"type on bool\n//foray:functor\ntype F struct { X on }", "a field of type on; it has to be"},
	{"type on bool\n//foray:functor\ntype F struct { X on }", "; write bool"},
	{"//foray:functor\ntype F[T int32 | int64] struct { X *device.Buffer[T] }", "; write []T, for which the constructor takes a *device.Buffer[T]"},
	{"//foray:functor\ntype F struct{}\nfunc (F) edge(e traverse.Edge) bool { return true }", ":16:10: no step calls the method edge of the functor F; write Edge(e traverse.Edge) bool, or uint32, or without a result"},
	{"//foray:functor\ntype F struct{}\nfunc (F) hit(e traverse.Edge) bool { return true }", "no step calls the method hit of the functor F; write Hit(e traverse.Edge) bool"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Gather(e traverse.Edge) int32 { return 1 }\nfunc (F) apply(v traverse.Vertex, x int32) {}", ":17:10: no step calls the method apply of the functor F; write Apply(v traverse.Vertex, total T)"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) uint32 { return 1 }\nfunc (F) VERTEX(v traverse.Vertex) uint32 { return 1 }", "no step calls the method VERTEX of the functor F; write Vertex(v traverse.Vertex) bool, or uint32"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Visit(e traverse.Edge) bool { return true }", "no step calls the method Visit of the functor F; name it Edge, Hit, Gather or Key"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Keep(v traverse.Vertex) bool { return true }", "no step calls the method Keep of the functor F; name it Vertex, Apply or Score"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(e *traverse.Edge) bool { return true }", "this is Edge(e *traverse.Edge) bool; the method Edge of a functor is Edge(e traverse.Edge) bool, or"},
	{"//foray:functor\ntype F struct{}\nfunc (F) Edge(source, target uint32) (bool, error) { return true, nil }", "this is Edge(source uint32, target uint32) (bool, error); the method Edge"},
	{"type B struct { X []int32 }\n//foray:functor\ntype F B\nfunc (F) Edge(e traverse.Edge) {}", ":16:6: a functor's fields are written out; F has those of B: write type F struct { ... }"},
	{"/*foray:functor*/\ntype F struct{}", ":14:1: a mark between /* and */, which is a comment then; write //foray:functor"},
	{"/*\n * F is one.\n *\n * foray:functor\n */\ntype F struct{}", ":14:1: a mark between /* and */"},
	{"type F struct{}\n/* foray:reduce min */\nfunc (F) Gather(e traverse.Edge) int32 { return 1 }", "a mark between /* and */, which is a comment then; write //foray:reduce"},
	{"//Foray:Functor\ntype F struct{}", "capital letters in a mark, which is a comment then; write //foray:functor"},
	{"// Foray:functor\ntype F struct{}", "a space before the mark, which is a comment then; write //foray:functor"},
}

// field is a functor with a field of a type.
func field(typ, want string) struct{ code, want string } {
	return struct{ code, want string }{"//foray:functor\ntype F struct { X " + typ + " }\nfunc (f *F) Edge(e traverse.Edge) {}", want}
}
