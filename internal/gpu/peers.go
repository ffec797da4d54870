// This file holds access of one GPU to another one's memory.

package gpu

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/internal/gpu/driver"
)

// Access lets kernels on this GPU load and store the memory of another one, by the other's addresses.
// It reports whether they can: false without an error means that this machine's GPUs can't reach
// one another. The reverse direction needs its own call. It holds for memory of Alloc, whenever it was
// allocated, until the GPU is closed everywhere; a repeated call is cheap.
func (d *Device) Access(other *Device) (bool, error) {
	for _, x := range [...]*Device{d, other} {
		if err := x.err(); err != nil {
			return false, err
		}
	}
	can, err := d.c.CanAccess(other.c)
	if err == nil && can {
		err = d.c.EnablePeer(other.c)
		if errors.Is(err, driver.ErrNotSupported) {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("gpu: %s to the memory of %s: %w", d.info.Name, other.info.Name, err)
	}
	return can, nil
}

// CopyFrom enqueues a copy of bytes bytes from another GPU's memory to this one's. Access isn't needed, but
// makes the copy faster. The work that writes the source must be done.
func (s *Stream) CopyFrom(dst uintptr, from *Device, src uintptr, bytes uint64) error {
	return s.h.CopyPeer(driver.Ptr(dst), s.d.c, driver.Ptr(src), from.c, bytes)
}
