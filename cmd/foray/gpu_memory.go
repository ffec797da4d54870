// This file keeps a command to --gpu-memory, and reports graphs of which a part is in the host's memory.

package main

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
)

// addGPUMemory adds --gpu-memory.
func (f *inputFlags) addGPUMemory(g flagGroup) {
	g.flags.Var(&f.gpuMemory, "gpu-memory", "most memory of a GPU for a graph and what runs on it, such as 8GiB (default: what is free); a part of a larger graph stays in the host's memory")
}

// limitGPU keeps a device to --gpu-memory.
func (f *inputFlags) limitGPU(dev device.Device) error {
	if f.gpuMemory == 0 {
		return nil
	}
	switch dev := dev.(type) {
	case *gpu.Group:
		return fmt.Errorf("--gpu-memory on several GPUs: %w; name one, such as --device cuda:0", device.ErrNotSupported)
	case *gpu.Device:
		dev.Limit(uint64(f.gpuMemory))
	}
	return nil
}

// The memory of a GPU that --gpu-memory leaves for an algorithm: its arrays and frontiers, and two buffers of rows.
const (
	runVertexBytes = 80
	runFixedBytes  = 144 << 20
)

// place places a graph on a device for breadth-first searches, within --gpu-memory.
func (a *app) place(g *loaded, dev device.Device) (*graph.Placed, error) { return a.placed(g, dev, 0) }

// placeToRun places it for any algorithm.
func (a *app) placeToRun(g *loaded, dev device.Device) (*graph.Placed, error) {
	return a.placed(g, dev, runVertexBytes*uint64(g.NumVertices())+runFixedBytes)
}

// placed leaves run bytes of the memory of a graph in tiers for an algorithm.
func (a *app) placed(g *loaded, dev device.Device, run uint64) (*graph.Placed, error) {
	p, err := g.Place(dev, graph.PlaceOptions{Memory: uint64(g.in.flags.gpuMemory), Run: run})
	if err != nil {
		return nil, err
	}
	if t, ok := p.Tiers(); ok {
		if err := a.note("the graph is in tiers, since it takes more memory than %s has for it: %v", dev.Info().Name, t); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}
