// Package gocall calls methods of functors as Go compiles them, and compares the results with
// those of their IR. Only tests use it.
package gocall

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"

	"github.com/foray-graph/foray/internal/functor/generate/source"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/traverse"
)

const vertices, edges = 8, 20

// toGo makes a Go value of bits.
func toGo(t ir.Type, bits uint64) reflect.Value {
	switch t {
	case ir.Bool:
		return reflect.ValueOf(bits != 0)
	case ir.Int32:
		return reflect.ValueOf(int32(bits))
	case ir.Uint32:
		return reflect.ValueOf(uint32(bits))
	case ir.Int64:
		return reflect.ValueOf(int64(bits))
	case ir.Uint64:
		return reflect.ValueOf(bits)
	case ir.Float32:
		return reflect.ValueOf(math.Float32frombits(uint32(bits)))
	}
	return reflect.ValueOf(math.Float64frombits(bits))
}

// Compare calls the methods of a functor, which is of a struct type, and runs its IR and its
// PTX, with the same random fields. It reports whether there was a fault. Where there is a constructor of
// what was generated, and one method, the host loops are compared too.
func Compare(f *ir.Functor, typ reflect.Type, construct any, seed uint64) (faulted bool, err error) {
	r := functorfuzz.NewRand(seed)
	self := reflect.New(typ)
	data := &functorfuzz.Data{}
	for i, x := range f.Fields {
		if x.Accumulator {
			data.Scalars, data.Slices = append(data.Scalars, 0), append(data.Slices, []uint64{functorfuzz.Identity(x.Type, x.Fold)})
			continue
		}
		if !x.Slice {
			bits := r.Bits(x.Type)
			data.Scalars, data.Slices = append(data.Scalars, bits), append(data.Slices, nil)
			self.Elem().Field(i).Set(toGo(x.Type, bits))
			continue
		}
		s := make([]uint64, edges)
		v := reflect.MakeSlice(self.Elem().Field(i).Type(), edges, edges)
		for j := range s {
			s[j] = r.Bits(x.Type)
			v.Index(j).Set(toGo(x.Type, s[j]))
		}
		data.Scalars, data.Slices = append(data.Scalars, 0), append(data.Slices, s)
		self.Elem().Field(i).Set(v)
	}
	weights, ids := make([]uint64, edges), make([]uint64, edges)
	for j := range weights {
		weights[j], ids[j] = r.Bits(ir.Float32), r.Bits(ir.Uint64)
	}
	data.Slices = append(data.Slices, weights, ids)
	for _, m := range f.Methods {
		var in functorfuzz.Inputs
		in[ir.Source], in[ir.Target], in[ir.VertexID] = r.Uint64N(vertices), r.Uint64N(vertices), r.Uint64N(vertices)
		in[ir.Index], in[ir.Level] = r.Uint64N(edges), 1+r.Uint64N(5)
		var args []reflect.Value
		switch m.Kind {
		case ir.Edge, ir.Hit, ir.Gather:
			args = append(args, reflect.ValueOf(traverse.Edge{
				Source: uint32(in[ir.Source]), Target: uint32(in[ir.Target]), Index: in[ir.Index], Level: int32(in[ir.Level]),
				Weight: math.Float32frombits(uint32(weights[in[ir.Index]])), ID: ids[in[ir.Index]],
			}))
		default:
			args = append(args, reflect.ValueOf(traverse.Vertex{ID: uint32(in[ir.VertexID]), Level: int32(in[ir.Level])}))
		}
		if m.Kind == ir.Apply {
			total := f.Method(ir.Gather).Result
			in[ir.Total] = r.Bits(total)
			args = append(args, toGo(total, in[ir.Total]))
		}
		before := data.Clone()
		result, site, what := call(self.MethodByName(m.Kind.String()), args)
		result = functorfuzz.Reduced(f, m, result)
		out, err := functorfuzz.Run(f, m, data, &in, 1_000_000)
		if err != nil {
			return false, err
		}
		if err := comparePTX(f, m, before.Clone(), data, &in, out); err != nil {
			return false, fmt.Errorf("%s%v: %w", m.Kind, args, err)
		}
		if construct != nil {
			if err := compareHost(f, construct, before, &in, result, faultWord(out), self); err != nil {
				return false, fmt.Errorf("%s%v: %w", m.Kind, args, err)
			}
		}
		if out.Site != 0 || what != "" {
			if out.Site != 0 && what != "" && site == "" {
				return true, nil // of several faults in a statement, Go leaves open which comes first
			}
			if out.Site == 0 || !strings.Contains(site, fmt.Sprintf("/%s:%d", f.Sites[out.Site-1].File, f.Sites[out.Site-1].Line)) ||
				strings.HasPrefix(f.Sites[out.Site-1].What, "index") != strings.Contains(what, "index out of range") {
				return false, fmt.Errorf("%s: Go says %s at %s, fault at site %d of %v", m.Kind, what, site, out.Site, f.Sites)
			}
			return true, nil
		}
		if !functorfuzz.Same(m.Result, out.Result, result) && m.Result != ir.Void {
			return false, fmt.Errorf("%s%v: got %x, want %x", m.Kind, args, out.Result, result)
		}
		for i, x := range f.Fields {
			for j, bits := range data.Slices[i] {
				if want := element(self, i, j); !functorfuzz.Same(x.Type, bits, want) {
					return false, fmt.Errorf("%s%v: %s[%d] is %x, want %x", m.Kind, args, x.Name, j, bits, want)
				}
			}
		}
	}
	return false, nil
}

// element returns the bits of a slice's element, or of an accumulator's value.
func element(self reflect.Value, field, i int) uint64 {
	if x := self.Elem().Field(field); x.Kind() == reflect.Slice {
		return functorfuzz.Bits(x.Index(i))
	}
	return functorfuzz.Bits(self.Elem().Field(field).Addr().MethodByName("Value").Call(nil)[0])
}

// call calls a method, and returns where it panicked and why: where only of package constructs.
func call(method reflect.Value, args []reflect.Value) (result uint64, site, what string) {
	defer func() {
		if x := recover(); x != nil {
			what = fmt.Sprint(x)
			pcs := make([]uintptr, 64)
			frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
			for {
				f, more := frames.Next()
				if strings.Contains(f.File, "/constructs/") {
					site = fmt.Sprintf("%s:%d", f.File, f.Line)
					return
				}
				if !more {
					return
				}
			}
		}
	}()
	for _, v := range method.Call(args) {
		result = functorfuzz.Bits(v)
	}
	return result, "", ""
}

// Package compares all functors of a package, whose structs and constructors are given in
// their order, each with so many random fields. It returns how many calls faulted.
func Package(dir string, structs, constructors []any, times int) (faults int, err error) {
	p, err := source.Load(context.Background(), dir)
	if err != nil {
		return 0, err
	}
	if len(p.Functors) != len(structs) {
		return 0, fmt.Errorf("%d functors, %d structs", len(p.Functors), len(structs))
	}
	for i, f := range p.Functors {
		for seed := range times {
			faulted, err := Compare(f, reflect.TypeOf(structs[i]), constructors[i], uint64(seed))
			if err != nil {
				return 0, fmt.Errorf("%s, seed %d: %w\n%s", f.Name, seed, err, f)
			}
			if faulted {
				faults++
			}
		}
	}
	return faults, nil
}
