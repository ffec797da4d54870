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
}

// clusters reports whether one cluster may take a program over: its frontier is pushed, and
// nothing else is done with it, on a graph of short rows.
func (t *Traversal) clusters(p *step.Program) bool {
	return p.OnePush() && t.p.State().MaxDegree() <= shortRows
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
	a.enter, a.limit, a.state = clusterEnter, math.MaxUint32, y.persist.Own()
	for _, op := range p.Ops {
		if op.Code == step.OpAtMost {
			a.limit = min(a.limit, op.Number-1)
		}
	}
	return nil
}

// withBlock appends the block of functors written in Go, which is a kernel's last parameter.
func (y *stay) withBlock() {
	if y.block != nil {
		gpu.Struct(&y.args, y.block)
	}
}

// run runs a program until it has ended.
func (y *stay) run(k *gpu.Kernel, blocks int) (gpu.Mail, error) {
	grid := func() error {
		y.args.Reset()
		gpu.Struct(&y.args, &y.own)
		y.withBlock()
		return y.lease.Stream.LaunchStaying(k, blocks, &y.args)
	}
	if y.own.enter == 0 {
		return y.persist.Run(grid, nil, (*gpu.Ticket).Wait)
	}
	return y.persist.Run(grid, func() error {
		y.args.Reset()
		gpu.Struct(&y.args, &y.own)
		gpu.Struct(&y.args, &y.cluster.part)
		y.withBlock()
		return y.lease.Stream.LaunchCluster(y.cluster.kernel, &y.args)
	}, (*gpu.Ticket).Wait)
}
