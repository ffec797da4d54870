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
	{"//foray:fun\ntype F struct{}", "unknown //foray:fun; there are //foray:functor, //foray:reduce and //foray:unique"},
	{"//foray:unique\nfunc f() {}", "//foray:unique stands in the comment directly above a method Edge of a functor"},
	{"//foray:reduce sum\nfunc f() {}", "//foray:reduce stands in the comment directly above a method Gather of a functor"},
	{"// foray:functor\ntype F struct{}", ":14:1: a space before the mark, which is a comment then; write //foray:functor"},
	{"type F struct{}\n//\tforay:reduce min \nfunc (F) Gather(e traverse.Edge) int32 { return 1 }", ":15:1: a space before the mark, which is a comment then; write //foray:reduce"},
	{"// foray:unique\nfunc f() {}", "a space before the mark, which is a comment then; write //foray:unique"},
	{"//foray:functor of edges\ntype F struct{}\nfunc (F) Edge(e traverse.Edge) {}", "//foray:functor is followed by of; nothing stands behind it"},
	{"//foray:functor\nfunc f() {}", "//foray:functor stands in the comment directly above a struct type of the package"},
	{"//foray:functor\n\ntype F struct{}", "//foray:functor stands in the comment directly above a struct type of the package"},
	{"//foray:functor\ntype ( F struct{} )", "//foray:functor stands in the comment directly above a struct type of the package"},
	{"//foray:functor\ntype F struct{}\n//foray:unique\nfunc (F) Vertex(v traverse.Vertex) bool { return true }", ":16:1: //foray:unique stands in the comment directly above a method Edge of a functor"},
	{"//foray:functor\ntype F struct{}\n//foray:reduce min\nfunc (F) Edge(e traverse.Edge) bool { return true }", ":16:1: //foray:reduce stands in the comment directly above a method Gather of a functor"},
	{"type F struct{}\n//foray:unique\nfunc (F) Edge(e traverse.Edge) bool { return true }", ":15:1: //foray:unique stands in the comment directly above a method Edge of a functor"},
}
