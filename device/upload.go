// This file holds the transfer between the host's memory and that of a device
// that the host can't address.

package device

import (
	"fmt"
	"unsafe"
)

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
