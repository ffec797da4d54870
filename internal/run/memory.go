// This file holds the refusal of traversals that a GPU has too little memory for.

package run

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/text"
)

// CheckMemory returns device.ErrMemory where the placed graph is on a GPU that has less
// memory free than need. refusal says so with three verbs %s: for what is needed, the
// device's name and what is free.
func CheckMemory(p *graph.Placed, need uint64, refusal string) error {
	dev, ok := p.Device().(*gpu.Device)
	if !ok || need == 0 {
		return nil
	}
	free, _, err := dev.Context().MemInfo()
	if err != nil || need <= free { // what is wrong with the device the traversal will say
		return nil
	}
	return fmt.Errorf("%w: "+refusal, device.ErrMemory, text.Bytes(need), dev.Info().Name, text.Bytes(free))
}

// BitmapBytes is what a bitmap of n vertices takes.
func BitmapBytes(n uint64) uint64 { return (n + 63) / 64 * 8 }
