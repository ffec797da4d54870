//go:build nocuda || !linux || !(amd64 || arm64)

// This file stands in for parts on GPUs in builds that open no libraries.

package engine

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/nccl"
)

// OnGPU is a part in a GPU's memory.
type OnGPU struct{}

// PlaceOn is an error.
func (p *Part) PlaceOn(context.Context, *nccl.Process, bool) (*OnGPU, error) {
	return nil, fmt.Errorf("%w: this build opens no libraries", device.ErrNotSupported)
}

// Close does nothing.
func (*OnGPU) Close() error { return nil }

// Bytes is 0.
func (*OnGPU) Bytes() uint64 { return 0 }

func newMaker(*builder) source { return nil }
