package gohost

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/internal/ir"
)

// atomicOf does to a word what package atomics does to an element.
func atomicOf(f ir.Func, t ir.Type, p *uint64, a, b uint64) uint64 {
	switch t {
	case ir.Int32:
		return atomicInteger[int32](f, p, a, b)
	case ir.Uint32:
		return atomicInteger[uint32](f, p, a, b)
	case ir.Int64:
		return atomicInteger[int64](f, p, a, b)
	case ir.Uint64:
		return atomicInteger[uint64](f, p, a, b)
	case ir.Float32:
		return atomicNumber[float32](f, p, a, b)
	}
	return atomicNumber[float64](f, p, a, b)
}

func atomicInteger[T int32 | uint32 | int64 | uint64](f ir.Func, p *uint64, a, b uint64) uint64 {
	e := value[T](*p)
	defer func() { *p = word(e) }()
	switch f {
	case ir.AtomicOr:
		return word(atomics.Or(&e, value[T](a)))
	case ir.AtomicAnd:
		return word(atomics.And(&e, value[T](a)))
	}
	w := word(e)
	r := atomicNumber[T](f, &w, a, b)
	e = value[T](w)
	return r
}

func atomicNumber[T number](f ir.Func, p *uint64, a, b uint64) uint64 {
	e, x := value[T](*p), value[T](a)
	defer func() { *p = word(e) }()
	switch f {
	case ir.AtomicLoad:
		return word(atomics.Load(&e))
	case ir.AtomicStore:
		atomics.Store(&e, x)
		return 0
	case ir.AtomicMin:
		return word(atomics.Min(&e, x))
	case ir.AtomicMax:
		return word(atomics.Max(&e, x))
	case ir.AtomicAdd:
		return word(atomics.Add(&e, x))
	case ir.AtomicExchange:
		return word(atomics.Exchange(&e, x))
	case ir.AtomicCompareAndSwap:
		return bit(atomics.CompareAndSwap(&e, x, value[T](b)))
	}
	panic(f.String())
}
