// This file holds Buffer, typed memory on a device.

package device

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Elem is what a buffer may hold.
type Elem interface {
	~int32 | ~uint32 | ~int64 | ~uint64 | ~float32
}

// Buffer is an array of n elements in a device's memory. It belongs to whoever
// made it, who frees it.
type Buffer[T Elem] struct {
	mem  Memory
	host []T
	n    int
}

// NewBuffer returns a zeroed buffer of n elements.
func NewBuffer[T Elem](d Device, n int) (*Buffer[T], error) {
	var zero T
	if n < 0 {
		return nil, fmt.Errorf("device: buffer of %d elements", n)
	}
	hi, size := bits.Mul64(uint64(n), uint64(unsafe.Sizeof(zero)))
	if hi != 0 {
		return nil, fmt.Errorf("device: buffer of %d elements is past the address space", n)
	}
	mem, err := d.Alloc(size)
	if err != nil {
		return nil, err
	}
	b := &Buffer[T]{mem: mem, n: n}
	if raw := mem.Host(); len(raw) > 0 {
		b.host = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), n)
	}
	return b, nil
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int { return b.n }

// Host returns the elements themselves where the host can address them, and
// nil on a GPU.
func (b *Buffer[T]) Host() []T { return b.host }

// Pointer is the device's address of the first element.
func (b *Buffer[T]) Pointer() uintptr { return b.mem.Pointer() }

// Free gives the memory back. A nil or freed buffer is left alone.
func (b *Buffer[T]) Free() error {
	if b == nil || b.mem == nil {
		return nil
	}
	mem := b.mem
	b.mem, b.host, b.n = nil, nil, 0
	return mem.Free()
}
