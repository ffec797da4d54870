// This file holds what one GPU may do with another one's memory.

package gpu

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/internal/gpu/driver"
)

// Access lets kernels on this GPU load and store the memory of another one, by the addresses that
// it has there, and says whether they can: false, and no error, is a machine whose GPUs don't reach
// one another. The other way round takes a call of its own. It holds for memory of Alloc, whenever it was
// allocated, until the GPU is closed everywhere; asking again is cheap.
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

// CopyFrom enqueues a copy of so many bytes from another GPU's memory to this one's. It needs no
// Access, which makes it faster. What writes them there must be done.
func (s *Stream) CopyFrom(dst uintptr, from *Device, src uintptr, bytes uint64) error {
	return s.h.CopyPeer(driver.Ptr(dst), s.d.c, driver.Ptr(src), from.c, bytes)
}
