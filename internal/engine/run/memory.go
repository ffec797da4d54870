// This file holds the estimate of memory, and the refusal of traversals that a GPU has too
// little of it for.

package run

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/text"
)

// CheckMemory lets all traversals pass: the host's memory is the system's.
func (*Host) CheckMemory(uint64, string) error { return nil }

// CheckMemory implements Lease.
func (l *GPU) CheckMemory(need uint64, refusal string) error {
	return checkMemory(l.dev, need, refusal)
}

// checkMemory is CheckMemory of one GPU.
func checkMemory(dev *gpu.Device, need uint64, refusal string) error {
	if need == 0 {
		return nil
	}
	free, err := dev.Free()
	if err != nil || need <= free { // what is wrong with the device the traversal will say
		return nil
	}
	return fmt.Errorf("%w: "+refusal, device.ErrMemory, text.Bytes(need), dev.Info().Name, text.Bytes(free))
}

// BitmapBytes is what a bitmap of n vertices takes.
func BitmapBytes(n uint64) uint64 { return (n + 63) / 64 * 8 }
