// This file runs the host loops that are generated of functors.

package gocall

import (
	"fmt"
	"math"
	"reflect"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/operators"
)

// These are what generated functors of edges and of vertices do.
type (
	visitor interface {
		Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int
	}
	found interface {
		Found(w operators.Worker, vertices, parents []uint32)
	}
	foundEdges interface {
		FoundEdges(w operators.Worker, vertices, parents []uint32, edges []uint64)
	}
	hitEdges interface {
		HitEdges(w operators.Worker, vertices, parents []uint32, edges []uint64, hits []bool)
	}
	keeper interface {
		Keep(w operators.Worker, in, out []uint32) int
	}
	looper[V operators.Number] interface {
		Visit(w operators.Worker, vs []uint32) V
	}
)

func wrap[T device.Elem](s reflect.Value) reflect.Value {
	return reflect.ValueOf(device.Wrap(s.Interface().([]T)))
}

var wraps = map[ir.Type]func(reflect.Value) reflect.Value{
	ir.Int32: wrap[int32], ir.Uint32: wrap[uint32], ir.Int64: wrap[int64], ir.Uint64: wrap[uint64], ir.Float32: wrap[float32], ir.Float64: wrap[float64],
}

// goSlice makes a slice of bits.
func goSlice(t ir.Type, bits []uint64) reflect.Value {
	v := reflect.MakeSlice(reflect.SliceOf(toGo(t, 0).Type()), len(bits), len(bits))
	for i, x := range bits {
		v.Index(i).Set(toGo(t, x))
	}
	return v
}

// host makes a functor by its constructor and has its loop visit one edge or vertex. It returns what the
// method returned, the fields, and the fault word. It isn't ok for functors of
// several methods.
func host(f *ir.Functor, construct any, d *functorfuzz.Data, in *functorfuzz.Inputs, alone bool) (result uint64, fields []reflect.Value, fault uint64, ok bool) {
	var args []reflect.Value
	var partials []uint64
	for i, x := range f.Fields {
		if x.Accumulator {
			fields = append(fields, reflect.Value{})
			args = append(args, reflect.Zero(reflect.TypeOf(construct).In(i))) // no step leaves anything there
			partials = append(partials, functorfuzz.Identity(x.Type, x.Fold))
			continue
		}
		if !x.Slice {
			fields = append(fields, reflect.Value{})
			args = append(args, toGo(x.Type, d.Scalars[i]))
			continue
		}
		fields = append(fields, goSlice(x.Type, d.Slices[i]))
		args = append(args, wraps[x.Type](fields[i]))
	}
	g := reflect.ValueOf(construct).Call(args)[0].Interface().(link.Functor)
	state := g.State(link.Key{})
	state.Weights = goSlice(ir.Float32, d.Slices[f.WeightsField()]).Interface().([]float32)
	state.IDs = goSlice(ir.Uint64, d.Slices[f.IDsField()]).Interface().([]uint64)
	state.Partials = partials
	w := operators.Worker{Alone: alone, Level: int32(in[ir.Level])}
	vs, out := []uint32{uint32(in[ir.VertexID])}, make([]uint32, 1)
	if len(f.Methods) != 1 {
		return 0, nil, 0, false
	}
	switch g := g.(type) {
	case visitor:
		result = uint64(g.Visit(w, uint32(in[ir.Source]), in[ir.Index], []uint32{uint32(in[ir.Target])}, out))
	case found:
		result = hit(g, w, []uint32{uint32(in[ir.Target])}, []uint32{uint32(in[ir.Source])}, []uint64{in[ir.Index]})
	case keeper:
		result = uint64(g.Keep(w, vs, out))
	case looper[int64]:
		result = uint64(g.Visit(w, vs))
	case looper[uint64]:
		result = g.Visit(w, vs)
	case looper[float64]:
		result = math.Float64bits(g.Visit(w, vs))
	default:
		return 0, nil, 0, false
	}
	n := 0
	for i, x := range f.Fields {
		if x.Accumulator {
			fields[i] = goSlice(x.Type, partials[n:][:1])
			n++
		}
	}
	return result, fields, state.Fault.Load(), true
}

// hit shows a functor of a pull an edge, and returns whether it accepts it.
func hit(f found, w operators.Worker, vertices, parents []uint32, edges []uint64) uint64 {
	switch f := f.(type) {
	case hitEdges:
		hits := []bool{false}
		f.HitEdges(w, vertices, parents, edges, hits)
		if !hits[0] {
			return 0
		}
	case foundEdges:
		f.FoundEdges(w, vertices, parents, edges)
	default:
		f.Found(w, vertices, parents)
	}
	return 1
}

// compareHost compares host loops with what a call has left in the functor itself.
func compareHost(f *ir.Functor, construct any, d *functorfuzz.Data, in *functorfuzz.Inputs, result, fault uint64, self reflect.Value) error {
	m := f.Methods[0]
	for _, alone := range []bool{true, false} {
		got, fields, word, ok := host(f, construct, d, in, alone)
		switch {
		case ok && word != fault:
			return fmt.Errorf("host loop, alone %v: fault word %#x, want %#x", alone, word, fault)
		case !ok || fault != 0:
			continue
		case m.Result == ir.Float64 && math.Float64frombits(got) == 0 && math.Float64frombits(result) == 0: // a sum of -0 is 0
		case !functorfuzz.Same(m.Result, got, result):
			return fmt.Errorf("host loop, alone %v: got %x, want %x", alone, got, result)
		}
		for i, x := range f.Fields {
			for j := range d.Slices[i] {
				if bits, want := functorfuzz.Bits(fields[i].Index(j)), element(self, i, j); !functorfuzz.Same(x.Type, bits, want) {
					return fmt.Errorf("host loop, alone %v: %s[%d] is %x, want %x", alone, x.Name, j, bits, want)
				}
			}
		}
	}
	return nil
}
