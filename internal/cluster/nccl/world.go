//go:build linux && (amd64 || arm64) && !nocuda

// This file holds processes that were started without MPI, a GPU each.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// Process is one of several processes, each with its own GPU. World also returns it as their communicator in host
// memory. Close frees all of it.
type Process struct {
	comm.Comm
	GPU    *gpu.Device
	Stream *gpu.Stream
	NCCL   *Comm
	which  string
}

// Take opens NCCL and takes a GPU for this process: the one that comm.LocalRank names, or else its rank modulo
// the number of GPUs here. It doesn't connect to other processes.
func Take(rank int) (*Process, error) {
	if _, err := open(); err != nil {
		return nil, err
	}
	gpus := 0
	for _, d := range device.List() {
		if d.Kind == gpu.Kind {
			gpus++
		}
	}
	if gpus == 0 {
		_, err := gpu.Open(0)
		return nil, fmt.Errorf("each process takes a GPU: %w", err)
	}
	local, known, err := comm.LocalRank()
	if err != nil {
		return nil, err
	}
	i, err := pick(local, known, rank, gpus, os.Getenv("CUDA_VISIBLE_DEVICES"))
	if err != nil {
		return nil, err
	}
	p := &Process{which: fmt.Sprintf("GPU %d of %d", i, gpus)}
	if p.GPU, err = gpu.Open(i); err != nil {
		return nil, err
	}
	if p.Stream, err = p.GPU.Stream(context.Background()); err != nil {
		return nil, errors.Join(err, p.free())
	}
	return p, nil
}

// Join connects the GPU with those of the other processes, which are the ranks of host: all of them call it. Close
// leaves host as it is.
func (p *Process) Join(ctx context.Context, host comm.Comm, o Options) (err error) {
	if p.NCCL, err = Join(ctx, p.Stream, host, o); err != nil {
		return p.explain(err)
	}
	return nil
}

// Name is what the GPU is.
func (p *Process) Name() string { return p.GPU.Info().Model }

// Device is the GPU.
func (p *Process) Device() device.Device { return p.GPU }

// World connects this process with those that were started with it, by Meet, each with the GPU that it takes. size is
// for the error where there is no GPU or no NCCL.
func World(ctx context.Context, rank, size int, o Options) (*Process, error) {
	p, err := Take(rank)
	if err != nil {
		return nil, fmt.Errorf("without MPI, processes connect by NVIDIA's NCCL: %w; or install Open MPI or MPICH and start the processes by mpirun -n %d, where they need no GPU (with Slurm by srun --mpi=pmix or --mpi=pmi2)", err, size)
	}
	if p.NCCL, err = Meet(ctx, p.Stream, o); err == nil {
		p.Comm, err = p.NCCL.Host(ctx)
	}
	if err != nil {
		err = p.explain(err)
		p.free()
		return nil, err
	}
	return p, nil
}

// explain says why NCCL may refuse a GPU.
func (p *Process) explain(err error) error {
	var n *Error
	if errors.As(err, &n) && code(n.Code) == invalidUsage {
		err = fmt.Errorf("%w (this process took %s: two processes of a machine can't share one; LOCAL_RANK says which each takes)", err, p.which)
	}
	return err
}

// pick is the GPU of a process. visible is CUDA_VISIBLE_DEVICES: where a launcher lets each process
// see one GPU, it is that.
func pick(local int, known bool, rank, gpus int, visible string) (int, error) {
	if !known {
		return rank % gpus, nil
	}
	if gpus == 1 && visible != "" && !strings.Contains(visible, ",") {
		return 0, nil
	}
	if local >= gpus {
		noun := "GPUs"
		if gpus == 1 {
			noun = "GPU"
		}
		return 0, fmt.Errorf("this is process %d of its machine, from 0, which has %d %s: each process takes a GPU; start no more processes than GPUs on a machine", local, gpus, noun)
	}
	return local, nil
}

// Close closes all. After a failure it returns that.
func (p *Process) Close() error {
	var err error
	if p.Comm != nil {
		err = p.Comm.Close()
	}
	if freed := p.free(); err == nil {
		err = freed
	}
	return err
}

func (p *Process) free() (err error) {
	if p.NCCL != nil {
		err = p.NCCL.Close()
	}
	if p.Stream != nil {
		err = errors.Join(err, p.Stream.Close())
	}
	return errors.Join(err, p.GPU.Close())
}
