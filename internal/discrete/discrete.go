// Package discrete moves elements between the host and discrete devices, whose memory the host can't address.
package discrete

import "github.com/foray-graph/foray/device"

// Device is a device whose memory the host can't address.
type Device interface {
	device.Device
	// Upload fills the first bytes of dst. fill is called for one part after
	// the other, from several goroutines at once, and writes what belongs at
	// at, at+1, ...; parts begin at multiples of 64 KiB.
	Upload(dst device.Memory, bytes uint64, fill func(at uint64, part []byte)) error
	// Download copies from src, beginning at byte at, to dst.
	Download(dst []byte, src device.Memory, at uint64) error
}

// Write copies elements to the beginning of a device's memory.
func Write[T device.Elem](d Device, dst device.Memory, src []T) error { return WriteAt(d, dst, 0, src) }

// WriteAt copies elements to a device's memory, beginning at element at.
func WriteAt[T device.Elem](d Device, dst device.Memory, at int, src []T) error {
	return Over[T](dst, at+len(src)).Write(d, at, src)
}

// Read copies elements from the beginning of a device's memory.
func Read[T device.Elem](d Device, dst []T, src device.Memory) error {
	return Over[T](src, len(dst)).Read(d, 0, dst)
}

// View returns a buffer over n elements at an address of a device's memory. It doesn't own them,
// and the host can't address them.
func View[T device.Elem](at uintptr, n int) *device.Buffer[T] {
	return Over[T](address(at), n)
}

// Over returns a buffer over n elements of a memory, which it owns.
func Over[T device.Elem](mem device.Memory, n int) *device.Buffer[T] {
	b, _ := device.NewBuffer[T](fixed{memory: mem}, n) // fails only for more elements than memory has
	return b
}

// fixed is a device whose Alloc returns one memory.
type fixed struct {
	device.Device
	memory device.Memory
}

func (f fixed) Alloc(uint64) (device.Memory, error) { return f.memory, nil }

// address is memory that belongs to another owner.
type address uintptr

func (a address) Host() []byte     { return nil }
func (a address) Pointer() uintptr { return uintptr(a) }
func (a address) Close() error     { return nil }
