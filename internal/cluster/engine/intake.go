// This file reads a rank's share of the edges: a goroutine reads batches, and
// rounds take them.

package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// block is edges that were read.
type block struct {
	src, dst []uint64 // dst is empty where src are vertices alone
}

// intake is one reading of the share.
type intake struct {
	team   *team
	blocks chan *block
	free   chan *block
	cancel context.CancelFunc
	done   sync.WaitGroup
	idle   func() // ends the showing of progress
	err    error  // once blocks is closed
	edges  uint64
	block  atomic.Int64 // edges of the largest block
}

// start begins to read.
func (e *Edges) start(ctx context.Context, t *team) *intake {
	ctx, cancel := context.WithCancel(ctx)
	in := &intake{team: t, blocks: make(chan *block), free: make(chan *block, t.workers+2), cancel: cancel}
	for range cap(in.free) {
		in.free <- &block{}
	}
	in.done.Go(func() {
		defer close(in.blocks)
		in.err = panics.Call(func() error {
			return e.Read(ctx, func(src, dst []int64) error {
				select {
				case b := <-in.free:
					b.src, b.dst = append(b.src[:0], unsigned(src)...), append(b.dst[:0], unsigned(dst)...)
					select {
					case in.blocks <- b:
						return nil
					case <-ctx.Done():
					}
				case <-ctx.Done():
				}
				return ctx.Err()
			})
		})
	})
	in.idle = comm.Working(t.progress) // reads from a store have their own time limits
	return in
}

// stop ends reading, if it hasn't ended yet.
func (in *intake) stop() {
	in.cancel()
	in.done.Wait()
	in.idle()
}

// round hands blocks to workers until about batchEdges edges were taken. It reports
// whether there may be more.
func (in *intake) round(take func(worker int, b *block)) (more bool, err error) {
	var taken, edges atomic.Int64
	var ended atomic.Bool
	var all panics.Group
	work := func(w int) {
		for taken.Load() < int64(batchEdges) {
			b, ok := <-in.blocks
			if !ok {
				ended.Store(true)
				return
			}
			n := int64(len(b.dst))
			taken.Add(int64(len(b.src)))
			edges.Add(n)
			for old := in.block.Load(); n > old && !in.block.CompareAndSwap(old, n); old = in.block.Load() {
			}
			take(w, b)
			in.free <- b
			in.team.progress()
		}
	}
	for w := range in.team.workers {
		all.Go(func() { work(w) })
	}
	if err := all.Err(); err != nil {
		return false, err
	}
	in.edges += uint64(edges.Load())
	if ended.Load() {
		return false, in.err // blocks was closed after err was written
	}
	return true, nil
}
