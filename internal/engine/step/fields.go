// This file holds how the fields of a functor in CUDA C++ are laid out.

package step

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
)

// fields are the fields of a functor on a GPU (operators.Kernel.Fields), in the order and alignment that C++ has.
type fields struct {
	words [FieldWords]uint64
	used  int // bytes
	err   error
}

// put appends fields.
func (f *fields) put(values []any) {
	for _, v := range values {
		if onHost[uint32](v) || onHost[int32](v) || onHost[float32](v) || onHost[uint64](v) || onHost[int64](v) || onHost[float64](v) {
			f.fail(fmt.Errorf("%w: a %T in the host's memory; make it on the device of the graph, by traverse.Array", device.ErrNotSupported, v))
			continue
		}
		if b, ok := v.(interface{ Closed() bool }); ok && b.Closed() {
			f.fail(fmt.Errorf("%w: a %T, by its Close, or by Result or Close of the traversal that made it", device.ErrClosed, v))
			continue
		}
		switch v := v.(type) {
		case interface{ Pointer() uintptr }:
			f.word(uint64(v.Pointer()))
		case uint64:
			f.word(v)
		case float64:
			f.word(math.Float64bits(v))
		case uint32:
			f.half(v)
		case int32:
			f.half(uint32(v))
		case float32:
			f.half(math.Float32bits(v))
		default:
			f.fail(fmt.Errorf("a field of type %T; want a device.Buffer, int32, uint32, float32, uint64 or float64", v))
		}
	}
}

// onHost reports a buffer of the host's memory, which no kernel can address.
func onHost[T device.Elem](v any) bool {
	b, ok := v.(*device.Buffer[T])
	return ok && b.Host() != nil
}

func (f *fields) word(x uint64) {
	f.used = (f.used + 7) &^ 7
	if f.used+8 > 8*len(f.words) {
		f.fail(fmt.Errorf("more than %d bytes of fields", 8*len(f.words)))
		return
	}
	f.words[f.used/8] = x
	f.used += 8
}

func (f *fields) half(x uint32) {
	if f.used+4 > 8*len(f.words) {
		f.fail(fmt.Errorf("more than %d bytes of fields", 8*len(f.words)))
		return
	}
	shift := f.used % 8 * 8
	f.words[f.used/8] = f.words[f.used/8]&^(math.MaxUint32<<shift) | uint64(x)<<shift
	f.used += 4
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}
