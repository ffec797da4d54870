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
	"github.com/foray-graph/foray/internal/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// Process is one of several processes, with a GPU of its own. It is their communicator in host
// memory; Close gives all of it back.
type Process struct {
	comm.Comm
	GPU    *gpu.Device
	Stream *gpu.Stream
	NCCL   *Comm
}

// World connects this process with those that were started with it, by Meet. It takes the GPU
// that comm.LocalRank says, or else the one of its rank modulo the number of GPUs here. size is for
// the error where there is no GPU or no NCCL.
func World(ctx context.Context, rank, size int, o Options) (*Process, error) {
	otherwise := fmt.Sprintf("or install Open MPI or MPICH and start the processes by mpirun -n %d, which takes no GPU (with Slurm by srun --mpi=pmix or --mpi=pmi2)", size)
	if _, err := open(); err != nil {
		return nil, fmt.Errorf("without MPI, processes connect by NVIDIA's NCCL: %w; %s", err, otherwise)
	}
	gpus := 0
	for _, d := range device.List() {
		if d.Kind == gpu.Kind {
			gpus++
		}
	}
	if gpus == 0 {
		_, err := gpu.Open(0)
		return nil, fmt.Errorf("without MPI, each process takes a GPU, by which it connects: %w; %s", err, otherwise)
	}
	local, known, err := comm.LocalRank()
	if err != nil {
		return nil, err
	}
	i, err := pick(local, known, rank, gpus, os.Getenv("CUDA_VISIBLE_DEVICES"))
	if err != nil {
		return nil, fmt.Errorf("%w, %s", err, otherwise)
	}
	p := &Process{}
	if p.GPU, err = gpu.Open(i); err != nil {
		return nil, err
	}
	if p.Stream, err = p.GPU.Stream(context.Background()); err == nil {
		p.NCCL, err = Meet(ctx, p.Stream, o)
	}
	if err == nil {
		p.Comm, err = p.NCCL.Host(ctx)
	}
	if err != nil {
		var n *Error
		if errors.As(err, &n) && code(n.Code) == invalidUsage {
			err = fmt.Errorf("%w (this process took GPU %d of %d: two processes of a machine can't share one; LOCAL_RANK says which each takes)", err, i, gpus)
		}
		p.free()
		return nil, err
	}
	return p, nil
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
		return 0, fmt.Errorf("this is process %d of its machine, from 0, which has %d %s: without MPI, each process takes a GPU; start no more processes than GPUs on a machine", local, gpus, noun)
	}
	return local, nil
}

// Close closes all. After a failure it returns that.
func (p *Process) Close() error {
	err := p.Comm.Close()
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
