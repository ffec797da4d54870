// This file holds the GPUs of searches over processes.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/cluster"
	"github.com/foray-graph/foray/internal/comm"
	"github.com/foray-graph/foray/internal/nccl"
)

// cudaKind is what --device says of GPUs.
const cudaKind = "cuda"

// takeGPU takes a GPU for this process and connects it with those of the others, or returns nil where the search is on
// hosts: by --device auto if some process has no GPU or no NCCL. What NCCL connects has one already.
func (f *bfsFlags) takeGPU(ctx context.Context, c comm.Comm) (*nccl.Process, error) {
	name := f.deviceName()
	if name == host.Name {
		return nil, nil
	}
	if own, ok := c.(*nccl.Process); ok {
		return own, nil
	}
	own, err := nccl.Take(c.Rank())
	lacks := []uint64{0}
	if err != nil {
		if name == cudaKind {
			return nil, fmt.Errorf("--device %s: %w; --device %s takes none", name, err, host.Name)
		}
		lacks[0] = 1
	}
	if err := c.Max(ctx, lacks); err != nil || lacks[0] > 0 {
		if own != nil {
			own.Close()
		}
		return nil, err
	}
	if err := own.Join(ctx, c, nccl.Options{Deadline: hungAfter}); err != nil {
		own.Close()
		return nil, err
	}
	return own, nil
}

// place brings the part to the GPU. By --device auto it stays on the host, on all ranks, where the GPU of some rank has
// too little memory for its part.
func (s *partsSummary) place(ctx context.Context, c comm.Comm, own *nccl.Process) (err error) {
	stop := working(c)
	defer stop()
	s.placed, err = s.part.PlaceOn(ctx, own, s.flags.parents)
	if lacks := (*cluster.NoRoom)(nil); errors.As(err, &lacks) && s.flags.deviceName() != cudaKind {
		s.onHosts = ": " + lacks.Reason()
		return nil
	}
	s.gpu = own.Name()
	return err
}
