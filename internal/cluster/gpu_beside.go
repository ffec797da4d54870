//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the pulls of a level, and what is exchanged beside them, in a stream of its own: bitmaps of normal
// vertices while delegates are looked for, those of delegates while normal vertices are. Compare Pan, Pearce, Owens,
// IPDPS 2018, section V.

package cluster

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/nccl"
)

// beside is a second stream.
type beside struct {
	s           *gpu.Stream
	ready, told *gpu.Mark // what is exchanged is there; it was
}

func (b *beside) open(ctx context.Context, s *gpu.Stream) (err error) {
	if b.s, err = s.GPU().Stream(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if b.ready, err = s.Mark(); err != nil {
		return err
	}
	b.told, err = b.s.Mark()
	return err
}

func (b *beside) close() error {
	err := errors.Join(b.ready.Close(), b.told.Close())
	if b.s != nil {
		err = errors.Join(err, b.s.Close())
	}
	*b = beside{}
	return err
}

// besides says whether a block is gathered beside pulls.
func (g *OnGPU) besides(b nccl.Block) bool {
	return !g.p.directed && b.Bytes*uint64(g.p.comm.Size()-1) >= besideLeast
}

// gatherBeside gathers a block, beside what is enqueued from now on in the search's own stream.
func (s *gpuSearch) gatherBeside(ctx context.Context, block nccl.Block) error {
	b := &s.beside
	return s.timed(b.s, func() error {
		return errors.Join(b.ready.Record(), b.s.Await(b.ready), s.c.GatherOn(ctx, b.s, block), b.told.Record())
	})
}

// pullAll pulls along all subgraphs that are pulled: those that find delegates first, whose rows are the best to look
// along.
func (s *gpuSearch) pullAll(ctx context.Context, a args, pulled [subgraphs]bool, x *exchange) error {
	delegates, normals := []int{subDD, subND}, []int{subDN, subNN}
	unknown := pulled[subNN] && !s.current
	late := unknown && s.besides(s.normalBlock())
	x.apart = x.delegates && pulled[subDD] && pulled[subND] && s.besides(s.delegateBlock())
	if late {
		if err := s.gatherBeside(ctx, s.normalBlock()); err != nil {
			return err
		}
	} else if unknown {
		if err := s.talk(func() error { return s.c.Gather(ctx, s.normalBlock()) }); err != nil {
			return err
		}
	}
	if unknown {
		s.turn()
	}
	if !late && !x.apart {
		return s.pullAlong(a, pulled, false, append(delegates, normals...)...)
	}
	if err := s.pullAlong(a, pulled, late, delegates...); err != nil {
		return err
	}
	if late {
		if err := s.s.Await(s.beside.told); err != nil {
			return err
		}
	}
	if x.apart {
		if err := s.gatherBeside(ctx, s.delegateBlock()); err != nil {
			return err
		}
	}
	return s.pullAlong(a, pulled, x.apart, normals...)
}

// pullAlong pulls along some subgraphs, in one kernel, which leaves NCCL room on the GPU if it is beside a call.
func (s *gpuSearch) pullAlong(a args, pulled [subgraphs]bool, besides bool, which ...int) error {
	pulls := pullsArgs{slot: a.next}
	for _, i := range which {
		along := back[i]
		if !pulled[i] || s.pull[along].words == 0 {
			continue
		}
		pull := s.pull[along]
		sink := sinkArgs{parents: a.parents[kindOf[along]], mark: s.marks[along]}
		if i == subNN {
			sink.own, sink.count = a.rank*a.stride, a.stride
			pull.frontier = uint64(s.knowns[s.turned])
		}
		pulls.of[pulls.count], pulls.sinks[pulls.count] = pull, sink
		pulls.count++
	}
	if pulls.count == 0 {
		return nil
	}
	k, err := s.kernel("cluster_pull")
	if err != nil {
		return err
	}
	blocks := maxBlocks
	if besides {
		blocks = max(1, k.Resident()*besideShare/8)
	}
	return run(s.OnGPU, "cluster_pull", blocks, &pulls)
}
