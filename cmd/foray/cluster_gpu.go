// This file holds the GPUs of searches over processes.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/cluster/nccl"
)

// cudaKind is the value of --device for GPUs.
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
	if err != nil && name == cudaKind {
		return nil, fmt.Errorf("--device %s: %w; --device %s takes none", name, err, host.Name)
	}
	lacks, why, err := firstLacking(ctx, c, err)
	if err != nil || lacks > 0 {
		if own != nil {
			own.Close()
		}
		if lacks < c.Size() { // others have GPUs, which are idle now
			f.onHosts = why
		}
		return nil, err
	}
	if err := own.Join(ctx, c, nccl.Options{Deadline: hungAfter}); err != nil {
		own.Close()
		return nil, err
	}
	return own, nil
}

// firstLacking returns how many ranks have no GPU, and why the first of them has none.
func firstLacking(ctx context.Context, c comm.Comm, own error) (lacks int, why string, err error) {
	out := make([][]byte, c.Size())
	if own != nil {
		for r := range out {
			out[r] = []byte(own.Error())
		}
	}
	in, err := c.Exchange(ctx, out)
	if err != nil {
		return 0, "", err
	}
	for r, text := range in {
		if len(text) > 0 {
			if lacks++; lacks == 1 {
				why = fmt.Sprintf(": rank %d has no GPU: %s", r, text)
			}
		}
	}
	return lacks, why, nil
}

// place brings the part to the GPU. By --device auto it stays on the host, on all ranks, where the GPU of some rank has
// too little memory for its part.
func (s *partsSummary) place(ctx context.Context, c comm.Comm, own *nccl.Process) (err error) {
	stop := comm.Working(c.Progress)
	defer stop()
	s.placed, err = s.part.PlaceOn(ctx, own, s.flags.parents)
	if lacks := (*engine.NoRoom)(nil); errors.As(err, &lacks) && s.flags.deviceName() != cudaKind {
		s.flags.onHosts = ": " + lacks.Reason()
		return nil
	}
	s.gpu = own.Name()
	return err
}
