// This file holds Buffer, typed memory on a device, and its transfers from and to the host.

package device

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Elem is a type of elements of a Buffer.
type Elem interface {
	~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Buffer is an array of elements in a device's memory. The caller that made it frees it. It isn't
// safe for concurrent use with Close.
type Buffer[T Elem] struct {
	mem  Memory
	host []T
	n    int
}

// NewBuffer returns a zeroed buffer of n elements. The error is ErrSize for a
// number that no memory has, or the error of the device's Alloc.
func NewBuffer[T Elem](d Device, n int) (*Buffer[T], error) {
	var zero T
	if n < 0 {
		return nil, fmt.Errorf("device: %w: a buffer of %d elements; want 0 or more", ErrSize, n)
	}
	hi, size := bits.Mul64(uint64(n), uint64(unsafe.Sizeof(zero)))
	if hi != 0 {
		return nil, fmt.Errorf("device: %w: a buffer of %d elements is past the address space", ErrSize, n)
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

// Wrap returns a buffer over a slice of the host's memory, which the caller still owns.
func Wrap[T Elem](a []T) *Buffer[T] {
	return &Buffer[T]{mem: wrapped(uintptr(unsafe.Pointer(unsafe.SliceData(a)))), host: a, n: len(a)}
}

// wrapped is the address of memory that isn't the buffer's.
type wrapped uintptr

func (w wrapped) Host() []byte     { return nil }
func (w wrapped) Pointer() uintptr { return uintptr(w) }
func (w wrapped) Close() error     { return nil }

// Len returns the number of elements, 0 for a nil or closed buffer.
func (b *Buffer[T]) Len() int {
	if b == nil {
		return 0
	}
	return b.n
}

// Host returns the elements themselves if the host can address them, and nil on
// a GPU. The slice belongs to the buffer and is valid until Close. For a nil or
// closed buffer it is nil.
func (b *Buffer[T]) Host() []T {
	if b == nil {
		return nil
	}
	return b.host
}

// Pointer is the device's address of the first element, 0 for a nil or closed
// buffer.
func (b *Buffer[T]) Pointer() uintptr {
	if b == nil || b.mem == nil {
		return 0
	}
	return b.mem.Pointer()
}

// Closed reports whether Close was called.
func (b *Buffer[T]) Closed() bool { return b != nil && b.mem == nil }

// Move returns a new buffer that owns the memory. The old buffer acts as closed, so it can't be
// used to access memory that now has another owner. Moving nil returns nil.
func (b *Buffer[T]) Move() *Buffer[T] {
	if b == nil {
		return nil
	}
	to := *b
	*b = Buffer[T]{}
	return &to
}

// Close frees the memory. For a nil or closed buffer it does nothing.
func (b *Buffer[T]) Close() error {
	if b == nil || b.mem == nil {
		return nil
	}
	mem := b.mem
	b.mem, b.host, b.n = nil, nil, 0
	return mem.Close()
}

// discrete is a device whose memory the host can't address. It is the part of internal/discrete.Device that
// buffers use.
type discrete interface {
	Upload(dst Memory, bytes uint64, fill func(at uint64, part []byte)) error
	Download(dst []byte, src Memory, at uint64) error
}

// Write copies elements into the buffer, beginning at element at. It is done
// when the call returns; operators that are still under way are not waited for.
func (b *Buffer[T]) Write(d Device, at int, src []T) error {
	if at < 0 || at > b.Len() || len(src) > b.Len()-at {
		return fmt.Errorf("device: %w: writing %d elements at %d of %d", ErrSize, len(src), at, b.Len())
	}
	if len(src) == 0 {
		return nil
	}
	if h := b.Host(); h != nil {
		copy(h[at:], src)
		return nil
	}
	u, ok := d.(discrete)
	if !ok {
		return fmt.Errorf("device: %w: no transfer to %s", ErrNotSupported, d.Info().Name)
	}
	raw := bytesOf(src)
	return u.Upload(sub{b.mem, uint64(at) * uint64(unsafe.Sizeof(src[0]))}, uint64(len(raw)), func(at uint64, part []byte) {
		copy(part, raw[at:])
	})
}

// Read copies elements out of the buffer, beginning at element at. Operators
// that write them must have ended (see Stream.Sync).
func (b *Buffer[T]) Read(d Device, at int, dst []T) error {
	if at < 0 || at > b.Len() || len(dst) > b.Len()-at {
		return fmt.Errorf("device: %w: reading %d elements at %d of %d", ErrSize, len(dst), at, b.Len())
	}
	if len(dst) == 0 {
		return nil
	}
	if h := b.Host(); h != nil {
		copy(dst, h[at:])
		return nil
	}
	u, ok := d.(discrete)
	if !ok {
		return fmt.Errorf("device: %w: no transfer from %s", ErrNotSupported, d.Info().Name)
	}
	return u.Download(bytesOf(dst), b.mem, uint64(at)*uint64(unsafe.Sizeof(dst[0])))
}

func bytesOf[T Elem](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(unsafe.Sizeof(a[0])))
}

// sub is memory from an offset on.
type sub struct {
	Memory
	at uint64
}

func (s sub) Pointer() uintptr { return s.Memory.Pointer() + uintptr(s.at) }
