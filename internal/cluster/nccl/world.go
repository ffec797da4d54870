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
	"github.com/foray-graph/foray/internal/calls/panics"
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
	lent   bool   // GPU, which another Process has too
	parted func() // ends what keeps that one's communicator waiting
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

// Here connects the first n GPUs of this process, of which each is a rank. They have no communicator in host memory.
func Here(ctx context.Context, n int, o Options) (all []*Process, err error) {
	defer func() {
		if err != nil {
			for _, p := range all {
				err = errors.Join(err, p.free())
			}
			all = nil
		}
	}()
	var streams []*gpu.Stream
	for i := range n {
		p := &Process{which: fmt.Sprintf("GPU %d", i)}
		if p.GPU, err = gpu.Open(i); err != nil {
			return all, err
		}
		all = append(all, p)
		if p.Stream, err = p.GPU.Stream(context.Background()); err != nil {
			return all, err
		}
		streams = append(streams, p.Stream)
	}
	comms, err := All(ctx, streams, o)
	if err != nil {
		return all, err
	}
	for i, p := range all {
		p.NCCL = comms[i]
	}
	return all, nil
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
	life, err := beginLifeline(ctx, o) // first, so that it is known if this process ends
	if err != nil {
		return nil, err
	}
	p, err := life.take(ctx, rank)
	if err != nil {
		life.give(err)
		return nil, fmt.Errorf("without MPI, processes connect by NVIDIA's NCCL: %w; or install Open MPI or MPICH and start the processes by mpirun -n %d, where they need no GPU (with Slurm by srun --mpi=pmix or --mpi=pmi2)", err, size)
	}
	if p.NCCL, err = life.meet(ctx, p.Stream, o); err == nil {
		p.Comm, err = p.NCCL.Host(ctx)
	}
	if err != nil {
		err = p.explain(err)
		p.free()
		return nil, err
	}
	return p, nil
}

// take is Take, unless another rank fails or the context ends before: the driver may wait for a process that is stopped. It
// leaves a thread there then, and the program should exit.
func (l *lifeline) take(ctx context.Context, rank int) (*Process, error) {
	type taken struct {
		p   *Process
		err error
	}
	done := make(chan taken, 1)
	go func() {
		var x taken
		x.err = panics.Call(func() (err error) {
			x.p, err = Take(rank)
			return err
		})
		done <- x
	}()
	select {
	case x := <-done:
		return x.p, x.err
	case <-l.failed:
		return nil, l.failure()
	case <-ctx.Done():
		return nil, &comm.Error{Rank: rank, Err: comm.Ended(ctx)}
	}
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
	if p.NCCL != nil && p.NCCL.team.life != nil && !p.lent && p.NCCL.Err() != nil {
		p.NCCL.team.life.leaving()
	}
	if p.Comm != nil {
		err = p.Comm.Close()
	}
	if p.parted != nil {
		p.parted()
		p.parted = nil
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
	if p.lent {
		return err
	}
	return errors.Join(err, p.GPU.Close())
}

// Leave closes the communicator that Join made. The process keeps its GPU, and may join others.
func (p *Process) Leave() error {
	err := p.NCCL.Close()
	p.NCCL = nil
	return err
}

// Leaving reports whether a rank has told this one, after a failure, that its process ends soon.
func (p *Process) Leaving(rank int) bool {
	l := p.NCCL.team.life
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ends[rank] != nil && l.ends[rank].ends
}

// First implements comm.First, for processes that World connects: the first n are connected once more. What it returns is a
// *Process.
func (p *Process) First(ctx context.Context, n int) (_ comm.Comm, err error) {
	lib, id := p.NCCL.lib, new(uniqueID)
	out := make([][]byte, p.Size())
	if p.Rank() == 0 {
		if id, err = lib.newID(); err != nil {
			p.Abort(err)
			return nil, err
		}
		for r := range out {
			out[r] = id[:]
		}
	}
	in, err := p.Exchange(ctx, out)
	if err != nil || p.Rank() >= n {
		return nil, err
	}
	copy(id[:], in[0])
	q := &Process{GPU: p.GPU, which: p.which, lent: true, parted: comm.Working(p.Progress)}
	defer func() {
		if err != nil {
			q.parted()
			err = errors.Join(err, q.free())
		}
	}()
	if q.Stream, err = q.GPU.Stream(context.Background()); err != nil {
		p.Abort(err)
		return nil, err
	}
	t := newTeam(Options{Deadline: p.NCCL.team.deadline}, p.Comm) // they fail together
	t.life = p.NCCL.team.life
	all, err := lib.connect(ctx, t, []*gpu.Stream{q.Stream}, p.Rank(), n, func() (*uniqueID, error) { return id, nil })
	if err != nil {
		p.Abort(err)
		return nil, err
	}
	q.NCCL = all[0]
	if q.Comm, err = q.NCCL.Host(ctx); err != nil {
		return nil, err
	}
	return q, nil
}
