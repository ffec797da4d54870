package source

import (
	"errors"
	"strings"
	"testing"
)

// refused are statements that functors can't have, and what is said of them. Each is in a
// method of a functor of its own, on line 34, if it doesn't say where else.
var refused = []struct{ code, want string }{
	{"go r.help(1)", "34:2: a goroutine; operators call functors from all workers already"},
	{"defer r.help(1)", "34:2: defer; call it where the function ends"},
	{"m := map[int]int{}; _ = m", "34:7: a composite literal; use local variables, or fields of the functor"},
	{"clear(r.X)", "34:2: clear; assign 0 to the elements in a loop: for i := range r.X { r.X[i] = 0 }"},
	{"copy(r.X, r.X)", "34:2: copy; assign the elements in a loop: for i, x := range r.X { r.Y[i] = x }"},
	{"_ = copy(r.X, r.X[1:])", "34:6: copy; assign the elements in a loop"},
	{"delete(map[int]int{}, 1)", "34:2: delete; functors have no maps; use a slice of the functor, and assign a number that stands for nothing"},
	{"close(make(chan int))", "34:2: close; functors have no channels; note what happened"},
	{"_ = new(int32)", "34:6: new; functors have no pointers; use a local variable, or a slice of the functor"},
	{"x := complex(1, float64(r.Most)); _ = x", "34:7: complex; functors have no complex numbers; compute with the two floats"},
	{"x := real(complex(1, float64(r.Most))); _ = x", "34:7: real; functors have no complex numbers"},
	{"x := imag(complex(1, float64(r.Most))); _ = x", "34:7: imag; functors have no complex numbers"},
	{"_ = recover()", "34:6: recover; functors don't panic; a fault ends the traversal, which returns it as an error"},
	{"print(1)", "34:2: print; note what happened in a slice of the functor"},
	{"_ = unsafe.SliceData(r.X)", "34:6: unsafe.SliceData; functors have neither pointers nor sizes of types"},
	{"_ = unsafe.Pointer(&r.X[0])", "34:6: a value of type unsafe.Pointer"},
	{"func() { r.X[0] = 1 }()", "34:2: a call of a function literal; declare a function of the package"},
	{"m := make([]int32, 4); _ = m", "34:7: make; functors neither make nor resize anything"},
	{"r.X = append(r.X, 1)", "34:2: an assignment to r.X; functors assign elements of their slices"},
	{"r.X = append(r.X, 1)", "34:8: append; functors neither make nor resize anything"},
	{"s := \"text\"; _ = s", "34:7: a value of type string; functors compute with int32, uint32, int64, uint64, int, uint, float32, float64 and bool"},
	{"var s string; _ = s", "34:6: a value of type string"},
	{"var a [4]int32; _ = a", "34:18: an array is used as a whole; functors assign and compare its elements, in a loop"},
	{"var a, b [4]int32; a = b; _ = a[0]", "34:21: an array is used as a whole"},
	{"var a [4]int32; b := a; b[0] = 1", "34:18: an array is used as a whole"},
	{"var a, b [4]int32; _ = a == b", "34:25: an array stands where a number has to; index it."},
	{"var a [2][2]int32; _ = a[0][1]", "34:6: an array of arrays; use one array of all elements, and compute the index"},
	{"var a [4]bool; _ = a[0]", "34:6: an array of bool; use uint32, of 0 and 1"},
	{"var a [4]int8; _ = a[0]", "34:6: a value of type int8"},
	{"var a [0]int32; for range a { }", "34:6: an array without elements"},
	{"var a [65]int32; a[0] = 1", "34:6: the arrays of the functor Functor have more than 256 bytes, with all calls inlined; use a slice"},
	{"var a [1 << 40]int64; a[0] = 1", "34:6: the arrays of the functor Functor have more than 256 bytes"},
	{"var a [4]int32; a[4] = 1", "34:20: invalid argument: index 4 out of bounds"},
	{"var a [4]int32; _ = a[:]", "34:22: a part of a slice; index the slice itself"},
	{"var a [4]int32; p := &a; p[0] = 1", "34:23: the address of something"},
	{"var a [4]int32; p := &a[0]; *p = 1", "34:23: the address of something"},
	{"var a [4]int32; _ = atomics.Add(&a[0], 1)", "34:22: atomics.Add of an array's element; no other call sees a local array: assign it"},
	{"var a [4]int32; _ = whole(a)", "34:22: an array as an argument; functions take numbers and slices of the functor: pass the elements that they need, or write the loop here"},
	{"a := arrayOf(); _ = a[0]", "57:27: an array of type [4]int32 as a parameter or result; functors have arrays as local variables alone: declare it"},
	{"var a [4]int32; for i, x := range a { a[i] = x + 1 }", "34:36: the body assigns elements of a, of which Go's range makes a copy; range over the indices alone: for i := range a"},
	{"n := 4; a := make([]int32, n); _ = a", "34:15: make; functors neither make nor resize anything"},
	{"var a [4]int32; _ = r.X[a]", "34:26: invalid argument: index a"},
	{"f := func() {}; f()", "34:7: a function literal; declare a function of the package"},
	{"f := free; _ = f", "34:7: the function free as a value; call it"},
	{"f := r.help; _ = f", "34:7: the method help as a value; call it"},
	{"var i any = 1; _ = i", "34:6: a value of type any"},
	{"p := &r.X[0]; _ = p", "34:7: the address of something; only atomics take one: atomics.Add(&r.Sum[v], x)"},
	{"x := 1; p := &x; _ = p", "34:15: the address of something"},
	{"var p *int32; _ = p", "34:6: a value of type *int32"},
	{"_ = recursive(3)", "45:37: a recursive call of recursive; write a loop"},
	{"r.Most = 4", "34:2: an assignment to r.Most; fields that are no slices are the same for all edges and vertices: make it an accumulator, such as traverse.Sum, or a slice of one element"},
	{"r.Most++", "34:2: an assignment to r.Most"},
	{"r.Most += 2", "34:2: an assignment to r.Most"},
	{"e.Source = 4", "34:2: an assignment to e.Source; what an operator hands out can't be changed"},
	{"e = traverse.Edge{}", "32:24: e is assigned again; a variable that stands for the functor"},
	{"x := int8(3); _ = x", "34:7: a value of type int8"},
	{"x := byte(r.Most); _ = x", "34:7: a value of type byte"},
	{"x := 1i; _ = x", "34:7: a value of type complex128"},
	{"for { }", "34:2: a loop that isn't bounded; write for i := a; i < b; i++"},
	{"i := 3; for i < 7 { i++ }", "34:10: a loop that isn't bounded"},
	{"for i := 0; i < 7; i++ { i++ }", "34:2: the body of the loop assigns i"},
	{"n := 4; for i := 0; i < n; i++ { n++ }", "34:26: the body of the loop assigns n, which its bound reads; write for i := a; i < b; i++"},
	{"for i := 0; i < i+1; i++ { }", "34:18: the bound of the loop is computed from its counter i; write for"},
	{"for i := int32(0); i < r.help(3); i++ { }", "34:25: the bound of the loop calls r.help; put the bound into a variable before the loop"},
	{"for i := 0; i < bits.Len32(uint32(r.Most)); i++ { }", "34:18: the bound of the loop calls bits.Len32; put the bound into a variable before the loop"},
	{"for i := int32(9); i > 2*free(r.Most); i-- { }", "34:27: the bound of the loop calls free; put the bound into a variable before the loop"},
	{"for i := int32(0); r.Most > 3 && i < free(r.Most); i++ { }", "34:39: the bound of the loop calls free; put the bound"},
	{"x := r.X; for i := int32(0); i < x[2]; i++ { }", "34:35: the bound of the loop reads x[2]; put the bound into a variable before the loop"},
	{"for i := 0; more(i); i++ { }", "34:2: a loop that isn't bounded; write for"},
	{"for i := 0; i < 7; i-- { }", "34:2: a loop that isn't bounded"},
	{"for i := 0; i < 7; i += 0 { }", "34:2: a loop that isn't bounded"},
	{"for i := 0; i != 7; i++ { }", "34:2: a loop that isn't bounded"},
	{"k := 1; for i := 0; i < 7; i += k { }", "34:10: a loop that isn't bounded"},
	{"for i := uint32(9); i >= 0; i-- { }", "34:22: the loop never ends: i >= 0 is always true"},
	{"for i := int32(9); i <= math.MaxInt32; i++ { }", "34:21: the loop never ends"},
	{"for i := int32(0); i < r.X[0]; i++ { r.X[0]++ }", "34:25: the bound of a loop reads X, which this functor writes; put the bound into a variable before the loop"},
	{"for i := range r.yield { _ = i }", "34:17: the method yield as a value"},
	{"for range \"text\" { }", "34:12: a value of type untyped string"},
	{"for range struct{}{} { }", "34:12: cannot range over struct{}{}"},
	{"switch r.Most { case 1: fallthrough; default: }", "34:26: fallthrough; list the cases together, or call a function"},
	{"switch any(r).(type) { }", "34:2: a switch on types; functors have no interfaces"},
	{"L: if r.Most > 1 { goto L }", "34:21: goto; use loops, break and continue"},
	{"L: { r.X[0]++; break L }", "34:23: invalid break label L"},
	{"panic(1)", "34:2: panic; note what happened in a slice of the functor"},
	{"println(1)", "34:2: println; note what happened in a slice of the functor"},
	{"ch := make(chan int); ch <- 1", "34:24: channels; note what happened in a slice of the functor"},
	{"var ch chan int; _ = <-ch", "34:23: a receive from a channel; functors have none"},
	{"select {}", "34:2: channels"},
	{"_ = global", "34:6: the variable global of the package; make it a constant, or a field of the functor"},
	{"global = 1", "34:2: an assignment to the variable global of the package; make it a slice of the functor"},
	{"global++", "34:2: an assignment to the variable global of the package"},
	{"_ = r.X == nil", "34:6: a slice stands where a number has to; index it"},
	{"_ = r.X[1:][0]", "34:6: a part of a slice; index the slice itself"},
	{"_ = cap(r.X)", "34:6: cap; functors have len of their slices"},
	{"_ = math.Sin(1)", "34:6: a call of math.Sin; of math there are Abs, Ceil"},
	{"_ = math.Inf(int(r.Most))", "34:6: math.Inf with a sign that is no constant"},
	{"_ = bits.Len8(1)", "34:6: a call of bits.Len8; of math/bits there are"},
	{"_ = errors.New(\"x\")", "34:6: a call of errors.New; functors call functions of their module, and of"},
	{"_ = errors.ErrUnsupported", "34:6: errors.ErrUnsupported is no constant"},
	{"_ = generic(r.Most)", "49:51: a recursive call of generic; write a loop"},
	{"_ = generic", "34:6: cannot use generic function generic without instantiation"},
	{"_ = generic[int32]", "34:6: a function as a value; call it"},
	{"_ = any2(struct{}{})", "34:11: a composite literal"},
	{"_ = any2(\"x\")", "34:11: a value of type string"},
	{"_ = many(3)", "34:6: a call of many, which takes any number of arguments"},
	{"x := int32(3); _ = atomics.Add(&x, 1)", "34:33: atomics.Add takes the address of an element of a slice: &r.Sum[v]"},
	{"_ = atomics.Add[int32](nil, 1)", "34:25: atomics.Add takes the address of an element of a slice: &r.Sum[v]"},
	{"n := int(r.Most); _ = r.X[0] << n", "34:31: a shift by a signed number, which may be negative; convert it: uint(n)"},
	{"r.X[0] = r.X[1] + atomics.Add(&r.X[2], 1)", "34:20: this statement also reads X to the left of this call, and Go doesn't say which comes first; read it into a variable before"},
	{"_ = undefined", "34:6: undefined: undefined"},
	{"x := 1", "34:2: declared and not used: x"},
	{"_ = r.Most + e.Source", "34:6: invalid operation: r.Most + e.Source (mismatched types int32 and uint32)"},
	{"_ = r.Most / 0", "34:15: invalid operation: division by zero"},
	{"_ = struct{a int}{}", "34:6: a composite literal"},
	{"_ = local{1}.x", "34:6: a composite literal"},
	{"var l local; _ = l", "34:6: a value of type local"},
	{"_ = bodyless(2)", "47:1: the function bodyless has no body"},
	{"r, q := q(r); _ = q; _ = r", "34:10: undefined: q"},
	{"x := r.X; x = nil; _ = x", "34:2: x is assigned again; a variable that stands for the functor, an edge, a vertex or a slice keeps what it is"},
	{"r.free()", "34:4: r.free undefined"},
	{"Functor.help(*r, 1)", "34:2: a call of Functor.help"},
}

const refusedHeader = `package x

import (
	"errors"
	"math"
	"math/bits"
	"unsafe"
	"` + Module + `/atomics"
	"` + Module + `/traverse"
)

var _ = math.Pi
var _ = bits.Len
var _ = atomics.Load[int32]
var _, _ = errors.New, unsafe.Pointer(nil)

var global int32

type local struct{ x int }

type method = Functor

var _ method
var _ = NewFunctor

//foray:functor
type Functor struct {
	X    []int32
	Most int32
}

func (r *Functor) Edge(e traverse.Edge) {

	`

const refusedFooter = `
	_ = e
}

func (r Functor) help(x int32) int32 { return x }

func (r Functor) yield(func(int32) bool) {}

func free(x int32) int32 { return x }

func recursive(x int32) int32 { return mutual(x) }
func mutual(x int32) int32 { return recursive(x) }

func bodyless(x int32) int32

func generic[T int32 | int64](x T) T { return x * generic(x-1) }
func any2[T any](x T) T { return x }

func many(x ...int32) int32 { return 1 }

func more(i int) bool { return i < 3 }

func whole(a [4]int32) int32 { return a[0] }
func arrayOf() [4]int32 { return [4]int32{1} }
`

func TestRefused(t *testing.T) {
	for _, c := range refused {
		_, err := checkText(t, refusedHeader+c.code+refusedFooter)
		var list Errors
		if !errors.As(err, &list) {
			t.Errorf("%s: no error", c.code)
			continue
		}
		if !strings.Contains("\n"+err.Error(), "\nx.go:"+c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.code, err, c.want)
		}
	}
}
