// This file holds the transfer between the host's memory and that of a device
// that the host can't address.

package device

import (
	"fmt"
	"unsafe"
)

// Uploader is a device whose memory the host can't address.
type Uploader interface {
	Device
	// Upload fills the first bytes of dst. fill is called for one part after
	// the other, from several goroutines at once, and writes what belongs at
	// at, at+1, ...; parts begin at multiples of 64 KiB.
	Upload(dst Memory, bytes uint64, fill func(at uint64, part []byte)) error
	// Download copies from src, beginning at byte at, to dst.
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
	u, ok := d.(Uploader)
	if !ok {
		return fmt.Errorf("device: %w: no transfer to %s", ErrNotSupported, d.Info().Name)
	}
	return WriteAt(u, b.mem, at, src)
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
	u, ok := d.(Uploader)
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

// WriteTo copies elements to the beginning of a device's memory.
func WriteTo[T Elem](u Uploader, dst Memory, src []T) error { return WriteAt(u, dst, 0, src) }

// WriteAt copies elements to a device's memory, beginning at element at.
func WriteAt[T Elem](u Uploader, dst Memory, at int, src []T) error {
	raw := bytesOf(src)
	if len(raw) == 0 {
		return nil
	}
	return u.Upload(sub{dst, uint64(at) * uint64(unsafe.Sizeof(src[0]))}, uint64(len(raw)), func(at uint64, part []byte) {
		copy(part, raw[at:])
	})
}

// ReadFrom copies elements from the beginning of a device's memory.
func ReadFrom[T Elem](u Uploader, dst []T, src Memory) error {
	if len(dst) == 0 {
		return nil
	}
	return u.Download(bytesOf(dst), src, 0)
}
