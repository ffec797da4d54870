// Package gpu is an NVIDIA GPU as a device.
//
// The guide is [docs/gpus.md].
//
// A program that imports an algorithm or an operator already has this device, and opens it by
// name with device.Open. Import the package for New, to use an existing CUDA context. A blank import registers
// the driver with device.Open, and what graph.Options.Device needs.
//
// [docs/gpus.md]: https://github.com/foray-graph/foray/blob/main/docs/gpus.md
package gpu

import (
	"github.com/foray-graph/foray/cuda"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	_ "github.com/foray-graph/foray/internal/layout/rows" // graph.Options.Device
)

// New makes a device of a context, which Close closes. In builds with the tag
// gorgonia that can be one that the program made with gorgonia.org/cu
// (cuda.FromCU).
func New(c *cuda.Context) (device.Device, error) {
	d, err := gpu.New((*driver.Context)(c))
	if err != nil {
		return nil, err
	}
	return d, nil
}
