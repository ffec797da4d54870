// Package gpu is an NVIDIA GPU as a device.
//
// A program that imports an algorithm or an operator has this device already, and
// opens it by name with device.Open. Import the package for Open, where it must be
// a GPU, and for New, where the program has a CUDA context of its own. An import
// for nothing else registers the driver with device.Open, and what graph.Options.Device needs.
package gpu

import (
	"github.com/foray-graph/foray/cuda"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	_ "github.com/foray-graph/foray/internal/rows" // graph.Options.Device
)

// Kind is the kind of these devices.
const Kind device.Kind = gpu.Kind

// Device is an NVIDIA GPU. It is safe for concurrent use; whoever opened it closes
// it.
type Device = gpu.Device

// Open opens GPU i, counted from 0. Close gives it back. The error wraps
// device.ErrNotSupported where there is none that can be used.
func Open(i int) (*Device, error) { return gpu.Open(i) }

// New makes a device of a context, which Close closes. In builds with the tag
// gorgonia that can be one that the program made with gorgonia.org/cu
// (cuda.FromCU).
func New(c *cuda.Context) (*Device, error) { return gpu.New(c) }
