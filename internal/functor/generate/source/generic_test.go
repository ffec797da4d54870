package source

import (
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
)

const generic = `
//foray:functor
type Relax[T int32 | uint32 | int64 | uint64 | float32 | float64] struct {
	Dist []T // of every vertex
	Most T
}

func (r *Relax[E]) Edge(e traverse.Edge) bool {
	d := r.Dist[e.Source] + E(e.Weight) + 1
	return d < r.Most && d < atomics.Min(&r.Dist[e.Target], d)
}
`

// TestGeneric: an instance is what the same functor is with its types written out.
func TestGeneric(t *testing.T) {
	p, err := checkText(t, header+generic)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range p.Functors {
		names = append(names, f.Name)
		arg := f.Args[0].String()
		text := strings.NewReplacer("Relax[E]", f.Name, "E(", arg+"(", "[]T", "[]"+arg, "Most T", "Most "+arg).Replace(generic)
		text = strings.Replace(text, "Relax[T int32 | uint32 | int64 | uint64 | float32 | float64]", f.Name, 1)
		plain, err := checkText(t, header+text)
		if err != nil {
			t.Fatal(err)
		}
		if err := invalid(f); err != nil {
			t.Errorf("%s: %v", f.GoType(), err)
		}
		got, want := f.String(), strings.Replace(plain.Functors[0].String(), f.Name, f.GoType(), 1)
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if want := []string{"RelaxInt32", "RelaxUint32", "RelaxInt64", "RelaxUint64", "RelaxFloat32", "RelaxFloat64"}; !slices.Equal(names, want) {
		t.Errorf("instances %v, want %v", names, want)
	}
	g := p.Functors[5].Generic
	if g.Name != "Relax" || !slices.Equal(g.Fields, []int{0, 0}) || g.Total != -1 || len(g.Instances) != 6 || p.Functors[5].Args[0] != ir.Float64 {
		t.Errorf("%+v", g)
	}
}

// TestGenericHelpers: functions and methods with type parameters are lowered for the types
// that they are called with.
func TestGenericHelpers(t *testing.T) {
	p, err := checkText(t, header+`
type small interface{ ~int32 | ~float32 }

//foray:functor
type F[T small, U interface{ int64 | uint64 }] struct {
	X []T
	Y []U
	Z []float32
	A T
}

func (f *F[T, U]) Edge(e traverse.Edge) {
	put(f.X, e.Source, f.twice(f.A))
	put(f.Y, e.Source, first[U](U(f.A), 3))
	put(f.Z, e.Source, 2)
	put(f.Z, e.Source, float32(math.Sqrt(float64(f.A))))
}

func (f *F[A, B]) twice(x A) (y A) { y = x + x + 1; var z B; z++; return y + A(z) }

func put[S ~[]E, E small | int64 | uint64](s S, i uint32, x E) {
	const two = 2
	if x > two && x != -0 {
		s[i] = min(x, 1) * E(two)
	}
}

func first[K, V any](a K, b V) K { return a }
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Functors) != 4 {
		t.Fatalf("%d instances", len(p.Functors))
	}
	for _, f := range p.Functors {
		if err := invalid(f); err != nil {
			t.Errorf("%s: %v\n%s", f.GoType(), err, f)
		}
		if f.Fields[0].Type != f.Args[0] || f.Fields[1].Type != f.Args[1] || f.Fields[2].Type != ir.Float32 || f.Fields[3].Type != f.Args[0] {
			t.Errorf("%s has %v", f.GoType(), f.Fields)
		}
		if sqrt := strings.Contains(f.String(), "call float32 sqrt"); sqrt != (f.Args[0] == ir.Float32) {
			t.Errorf("the square root of %s in 32 bits: %v", f.Args[0], sqrt)
		}
	}
	if name := p.Functors[3].Name; name != "FFloat32Uint64" || p.Functors[3].GoType() != "F[float32, uint64]" {
		t.Error(name)
	}
	if g := p.Functors[0].Generic; !slices.Equal(g.Fields, []int{0, 1, -1, 0}) || !g.Params[0].Terms[1].Tilde || g.Params[1].Terms[0].Tilde {
		t.Errorf("%+v", g)
	}
}

// TestGenericResults: what Gather and Apply return is of a type parameter.
func TestGenericResults(t *testing.T) {
	p, err := checkText(t, header+`
//foray:functor
type F[V uint64 | float64, T float32 | int32] struct { X, Y []T }

//foray:reduce max
func (f F[V, T]) Gather(e traverse.Edge) T { return f.X[e.Source] }
func (f F[V, T]) Apply(v traverse.Vertex, total T) V { f.Y[v.ID] = total; return V(total) }
`)
	if err != nil {
		t.Fatal(err)
	}
	if g := p.Functors[0].Generic; g.Total != 1 || g.Value != 0 {
		t.Errorf("%+v", g)
	}
	for _, f := range p.Functors {
		if f.Method(ir.Gather).Result != f.Args[1] || f.Method(ir.Apply).Result != f.Args[0] || f.Reduce != ir.MaxFold {
			t.Error(f)
		}
	}
}

// TestGenericConstants: constants are of the instance's type.
func TestGenericConstants(t *testing.T) {
	p, err := checkText(t, header+`
//foray:functor
type F[T uint64 | float32] struct { X []T }
func (f *F[T]) Vertex(v traverse.Vertex) { f.X[v.ID] = T(math.MaxInt64); f.X[v.ID] += 3 * T(16777217.0) }
`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"X v1, 9223372036854775807", "X v1, 9.223372e+18"} {
		if text := p.Functors[i].String(); !strings.Contains(text, want) || !strings.Contains(text, []string{", 50331651", ", 5.033165e+07"}[i]) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
