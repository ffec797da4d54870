// This file holds the host's part of traversals that the whole grid and one cluster of blocks
// run by turns (cluster.cuh).

package traverse

import (
	"errors"
	"math"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/layout/shortrows"
)

// clusterBytes is the size of ClusterShared, stateBytes that of RepeatState (repeat.cuh).
const (
	clusterBytes = 106992
	stateBytes   = 64
)

// clusterPart is what the kernel takes beside repeatArgs (repeat_cluster.cuh).
type clusterPart struct {
	heads        uint64
	leave, sends uint32
	local, _     uint32
}

// cluster is the kernel of the program that was run last.
type cluster struct {
	kernel *gpu.Kernel
	image  *byte
	name   string
	part   clusterPart
	again  gpu.Ticket
}

// clusters reports whether one cluster may take a program over: its frontier is pushed, and
// nothing else is done with it, on a graph of short rows.
func (t *Traversal) clusters(p *step.Program) bool {
	return p.OnePush() && t.p.MaxDegree() <= shortRows
}

// readyCluster readies the kernel of one cluster. Without memory for it the whole grid does
// all rounds.
func (t *Traversal) readyCluster(y *stay, a *repeatArgs, p *step.Program) error {
	c := &y.cluster
	image, name, err := p.ClusterKernel(y.lease.Stream)
	if err != nil {
		return err
	}
	if c.kernel == nil || c.name != name || c.image != unsafe.SliceData(image) {
		words := (t.p.NumVertices() + 31) / 32
		k, err := y.lease.Stream.ClusterKernel(image, name, gpu.Block, func(blocks int) int {
			c.part.local = uint32((words + blocks - 1) / blocks)
			return clusterBytes + 4*int(c.part.local)
		}, func() int {
			c.part.local = 0
			return clusterBytes
		})
		if err != nil {
			return err
		}
		c.kernel, c.name, c.image = k, name, unsafe.SliceData(image)
	}
	at, err := shortrows.Of(t.p, y.lease.Stream)
	if errors.Is(err, device.ErrMemory) {
		return nil
	} else if err != nil {
		return err
	}
	c.part.heads, c.part.leave, c.part.sends = at, clusterLeave, tuning.DeepSends
	a.enter, a.limit, a.state = clusterEnter, math.MaxUint32, uint64(y.grid.Pointer())+gridBytes
	for _, op := range p.Ops {
		if op.Code == step.OpAtMost {
			a.limit = min(a.limit, op.Number-1)
		}
	}
	if t.reports() { // the cluster adds to notes
		return y.lease.Stream.Fill(y.notes.Pointer(), 0, uint64(y.noted)*uint64(unsafe.Sizeof(levelNote{}))/4)
	}
	return nil
}

// withBlock appends the block of functors written in Go, which is a kernel's last parameter.
func (y *stay) withBlock() {
	if y.block != nil {
		gpu.Struct(&y.args, y.block)
	}
}

// launch enqueues the kernel of the whole grid, which reports to a ticket.
func (y *stay) launch(k *gpu.Kernel, blocks int, to *gpu.Ticket) (err error) {
	if y.own.engine.Post, err = y.lease.Stream.Post(to); err != nil {
		return err
	}
	y.args.Reset()
	gpu.Struct(&y.args, &y.own)
	y.withBlock()
	return y.lease.Stream.LaunchStaying(k, blocks, &y.args)
}

// run runs a program until it has ended. The grid's and the cluster's kernels take turns. The kernel
// whose turn it isn't exits immediately, so the host need not wait between launches.
func (y *stay) run(k *gpu.Kernel, blocks int) (gpu.Mail, error) {
	if err := y.launch(k, blocks, &y.tick); err != nil {
		return gpu.Mail{}, err
	}
	if y.own.enter == 0 {
		return y.tick.Wait()
	}
	y.own.engine.Resume = 1
	for {
		y.args.Reset()
		gpu.Struct(&y.args, &y.own)
		gpu.Struct(&y.args, &y.cluster.part)
		y.withBlock()
		if err := y.lease.Stream.LaunchCluster(y.cluster.kernel, &y.args); err != nil {
			return gpu.Mail{}, err
		}
		if err := y.launch(k, blocks, &y.cluster.again); err != nil {
			return gpu.Mail{}, err
		}
		switch mail, err := y.cluster.again.Wait(); {
		case err != nil:
			return gpu.Mail{}, err
		case mail.Counts[1] == endedNothing:
			return y.tick.Wait()
		case mail.Counts[1] != endedPaused:
			return mail, nil
		}
	}
}
