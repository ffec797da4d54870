package ir_test

import (
	"errors"
	"math"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestAccessesHold: what random functors write, when they run, is among their accesses.
func TestAccessesHold(t *testing.T) {
	testlong.Project(t)
	seeds, writes, told := uint64(8_000), 0, 0
	if testlong.Long() {
		seeds *= 20
	}
	for seed := range seeds {
		c := functorfuzz.Generate(seed)
		f := c.Functor
		at, _ := f.Words()
		d := c.Data.Clone()
		for _, call := range c.Calls {
			m := call.Method
			var of = map[int]ir.Access{}
			for _, a := range f.Accesses(m) {
				of[a.Word] = a
			}
			before, in := d.Clone(), call.Inputs
			out, err := functorfuzz.Run(f, m, d, &in, functorfuzz.MaxSteps)
			if errors.Is(err, functorfuzz.ErrSteps) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			atTarget := false
			for i, s := range d.Slices {
				if at[i] < 0 || !f.FieldOf(i).Slice {
					continue
				}
				for j, x := range s {
					if x == before.Slices[i][j] {
						continue
					}
					writes++
					if m.Kind == ir.Edge && uint64(j) == in[ir.Target] && in[ir.Source] != in[ir.Target] && !nan(f.FieldOf(i).Type, before.Slices[i][j]) {
						atTarget = true
					}
					if !allowed(of[at[i]], m, uint64(j), &in) {
						t.Fatalf("seed %d: %s writes element %d of %s, its accesses are %v\n%s", seed, m.Kind, j, f.FieldOf(i).Name, of[at[i]], f)
					}
				}
			}
			if m.Kind == ir.Edge && f.Tells() {
				told++
				if atTarget && out.Result != 1 {
					t.Fatalf("seed %d: something has changed at the target, which isn't let through\n%s", seed, f)
				}
			}
			if m.Kind == ir.Gather && m.Pure() && out.Site != 0 {
				t.Fatalf("seed %d: a fault of a pure method\n%s", seed, f)
			}
		}
	}
	if writes < 5_000 || told < 20 {
		t.Errorf("%d elements were written, %d calls tell what they change", writes, told)
	}
}

func nan(of ir.Type, bits uint64) bool {
	return of == ir.Float32 && math.IsNaN(float64(math.Float32frombits(uint32(bits)))) || of == ir.Float64 && math.IsNaN(math.Float64frombits(bits))
}

// allowed reports whether a method's accesses include a write of an element.
func allowed(a ir.Access, m *ir.Method, element uint64, in *functorfuzz.Inputs) bool {
	if m.Kind == ir.Apply || m.Kind == ir.Score || m.Kind == ir.Vertex {
		return a.Others == ir.Write || a.Vertex == ir.Write && element == in[ir.VertexID]
	}
	return a.Others == ir.Write || a.Edge == ir.Write && element == in[ir.Index] || a.Source == ir.Write && element == in[ir.Source] || a.Target == ir.Write && element == in[ir.Target]
}
