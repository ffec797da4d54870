// This file runs functors of reduces by key.

package steps

import (
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// reduces reports a method of a reduce.
func reduces(k ir.Kind) bool { return k == ir.Gather || k == ir.Apply || k == ir.Key || k == ir.Score }

// expectKeyed calls the methods as a reduce by key would. Key, Gather and Score write nothing.
func expectKeyed(self any, c *functorfuzz.Case, call functorfuzz.Call) (want expected, faulted string) {
	f := c.Functor
	run := func(k ir.Kind) (uint64, bool) {
		call.Method = f.Method(k)
		done := functorfuzz.Invoke(self, c, call)
		faulted, want.slices = done.Panic, done.Slices
		return done.Result, done.Panic == ""
	}
	key, ok := run(ir.Key)
	if !ok {
		return expected{}, faulted // Apply may run, or not
	}
	value := uint64(0)
	if uint32(key) != reduce.NoKey {
		if value, ok = run(ir.Gather); !ok {
			return expected{}, faulted
		}
	}
	apply := f.Method(ir.Apply)
	want.t = apply.Result
	call.Inputs[ir.KeyOf] = key
	call.Inputs[ir.Total] = fold(f.Reduce, f.Method(ir.Gather).Result, functorfuzz.Reduced(f, f.Method(ir.Gather), value))
	switch {
	case f.Method(ir.Score) != nil:
		score := math.Float64bits(math.NaN())
		if uint32(key) != reduce.NoKey {
			if score, ok = run(ir.Score); !ok {
				return expected{}, faulted
			}
		}
		if x := math.Float64frombits(score); x != x {
			call.Inputs[ir.KeyOf], score = uint64(reduce.NoKey), math.Float64bits(math.Inf(-1))
		}
		call.Inputs[ir.Total] = score
	case uint32(key) == reduce.NoKey:
		return want, ""
	}
	want.bits, _ = run(ir.Apply)
	if want.t == ir.Float64 {
		want.bits = functorfuzz.Word(0 + functorfuzz.Number[float64](want.bits))
	}
	return want, faulted
}

// keys runs a functor of a reduce by key whose values are T, if f is one.
func keys[T device.Elem](f any, x *traverse.Traversal, do func(...operators.Step)) (uint64, bool) {
	for _, try := range []trial{byKey[T, int64], byKey[T, uint64], byKey[T, float64]} {
		if bits, ok := try(f, x, do); ok {
			return bits, true
		}
	}
	return 0, false
}

func byKey[T device.Elem, V operators.Number](f any, x *traverse.Traversal, do func(...operators.Step)) (uint64, bool) {
	g, ok := f.(reduce.KeyFunctor[T, V])
	if !ok {
		return 0, false
	}
	into := traverse.Scalar[V](x, operators.Sum)
	do(reduce.InByKey(g, into))
	return functorfuzz.Word(traverse.Get(x, into)), true
}
