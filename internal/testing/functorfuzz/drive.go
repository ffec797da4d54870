// This file calls methods of functors as Go has compiled them.

package functorfuzz

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/traverse"
)

// Called is how a call ended, and the contents of the functor's slices then.
type Called struct {
	Result uint64
	Panic  string
	Slices [][]uint64
}

// Fill sets the fields of a functor: a pointer to its struct.
func Fill(functor any, c *Case, d *Data) {
	v := reflect.ValueOf(functor)
	for i, x := range c.Functor.Fields {
		f := v.Elem().Field(i)
		if x.Accumulator {
			continue // the zero value is as data begin
		}
		if !x.Slice {
			put(f, d.Scalars[i])
			continue
		}
		s := d.Slices[i]
		f.Set(reflect.MakeSlice(f.Type(), len(s), len(s)))
		for j, b := range s {
			put(f.Index(j), b)
		}
	}
}

// Invoke calls a method of a functor: a pointer to its struct.
func Invoke(functor any, c *Case, call Call) Called {
	done := invoke(reflect.ValueOf(functor), call)
	done.Slices = Slices(functor, c.Functor)
	return done
}

// Slices returns the contents of a functor's fields; functor is a pointer to its struct.
func Slices(functor any, f *ir.Functor) (all [][]uint64) {
	v := reflect.ValueOf(functor).Elem()
	for i, x := range f.Fields {
		var s []uint64
		if x.Slice {
			for j := range v.Field(i).Len() {
				s = append(s, Bits(v.Field(i).Index(j)))
			}
		}
		if x.Accumulator {
			s = []uint64{Bits(v.Field(i).Addr().MethodByName("Value").Call(nil)[0])}
		}
		all = append(all, s)
	}
	return all
}

func invoke(v reflect.Value, call Call) (done Called) {
	defer func() {
		if x := recover(); x != nil {
			done.Panic = fmt.Sprint(x)
			if !strings.Contains(done.Panic, "index out of range") && !strings.Contains(done.Panic, "divide by zero") {
				panic(x)
			}
		}
	}()
	done.Result = CallMethod(v, call.Method.Kind, &call.Inputs)
	return done
}

// CallMethod calls a method of the functor that v points to.
func CallMethod(v reflect.Value, k ir.Kind, in *Inputs) (result uint64) {
	var m reflect.Value
	switch k { // by names that the linker sees: it leaves out what else has methods
	case ir.Edge:
		m = v.MethodByName("Edge")
	case ir.Hit:
		m = v.MethodByName("Hit")
	case ir.Gather:
		m = v.MethodByName("Gather")
	case ir.Apply:
		m = v.MethodByName("Apply")
	case ir.Key:
		m = v.MethodByName("Key")
	case ir.Common:
		m = v.MethodByName("Common")
	case ir.Score:
		m = v.MethodByName("Score")
	default:
		m = v.MethodByName("Vertex")
	}
	var args []reflect.Value
	switch k {
	case ir.Edge, ir.Hit, ir.Gather, ir.Key:
		args = []reflect.Value{reflect.ValueOf(traverse.Edge{Source: uint32(in[ir.Source]), Target: uint32(in[ir.Target]), Index: in[ir.Index],
			ID: in[ir.EdgeID], Weight: math.Float32frombits(uint32(in[ir.Weight])), Level: int32(in[ir.Level])})}
	case ir.Common: // of the one triangle of three vertices
		args = []reflect.Value{reflect.ValueOf(traverse.Corner{A: 2, B: 1, C: 0, AB: 5, AC: 4, BC: 2, Level: int32(in[ir.Level])})}
	default:
		args = []reflect.Value{reflect.ValueOf(traverse.Vertex{ID: uint32(in[ir.VertexID]), Level: int32(in[ir.Level])})}
		n := m.Type().NumIn()
		if n == 3 {
			args = append(args, reflect.ValueOf(uint32(in[ir.KeyOf])))
		}
		if n > 1 {
			total := reflect.New(m.Type().In(n - 1)).Elem()
			put(total, in[ir.Total])
			args = append(args, total)
		}
	}
	if out := m.Call(args); len(out) > 0 {
		result = Bits(out[0])
	}
	return result
}

// put sets a number to bits.
func put(v reflect.Value, bits uint64) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits != 0)
	case reflect.Int32, reflect.Int64:
		if v.Kind() == reflect.Int32 {
			bits = uint64(int32(bits))
		}
		v.SetInt(int64(bits))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(bits)
	case reflect.Float32:
		// By its bits: a conversion would change a NaN.
		*(v.Addr().Interface().(*float32)) = math.Float32frombits(uint32(bits))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	}
}

// Bits returns the bits of a number that reflection has.
func Bits(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		return bit(v.Bool())
	case reflect.Int32:
		return uint64(uint32(v.Int()))
	case reflect.Int64:
		return uint64(v.Int())
	case reflect.Uint32, reflect.Uint64:
		return v.Uint()
	case reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float())))
	}
	return math.Float64bits(v.Float())
}
