// This file holds the ways of getting all edges of a generator: in parallel,
// and in order.

package gen

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/panics"
)

// buffersPerWorker lets a worker of Ordered make a block while another waits
// for its turn.
const buffersPerWorker = 2

// Edges calls yield once for every block, from several goroutines at once and
// in no particular order. The slices belong to Edges and are valid during the
// call only; yield may write to them. workers is the number of goroutines; 0
// or less means GOMAXPROCS. The edges of a block don't depend on it.
//
// The first error of yield stops the rest and is returned; when ctx is done,
// its error is, within one block.
func Edges(ctx context.Context, g Generator, workers int, yield func(block int, src, dst []uint32) error) error {
	if err := callctx.Check(ctx, "gen"); err != nil {
		return err
	}
	if err := checkCall(g, yield); err != nil {
		return err
	}
	blocks := g.Blocks()
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range workersFor(workers, blocks) {
		group.Go(func() (err error) {
			defer panics.Recover(&err)
			src, dst := make([]uint32, BlockEdges), make([]uint32, BlockEdges)
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return nil
				}
				panics.Point("generate")
				n := g.Block(b, src, dst)
				if err := yield(b, src[:n], dst[:n]); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

type buffer struct{ src, dst []uint32 }

// Ordered calls yield once for every block in the order of blocks, from the
// caller's goroutine, while workers make the next ones: for writing files. In
// all else it is like Edges.
func Ordered(ctx context.Context, g Generator, workers int, yield func(block int, src, dst []uint32) error) error {
	if err := callctx.Check(ctx, "gen"); err != nil {
		return err
	}
	if err := checkCall(g, yield); err != nil {
		return err
	}
	blocks := g.Blocks()
	workers = workersFor(workers, blocks)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	// Worker w makes the blocks w, w+workers, and so on, so that the next block
	// in order is the next one of a known worker. Both channels hold all of its
	// buffers, so sending never waits.
	made := make([]chan buffer, workers)
	free := make([]chan buffer, workers)
	var group panics.Group
	for w := range workers {
		made[w] = make(chan buffer, buffersPerWorker)
		free[w] = make(chan buffer, buffersPerWorker)
		for range buffersPerWorker {
			free[w] <- buffer{make([]uint32, BlockEdges), make([]uint32, BlockEdges)}
		}
		group.Go(func() {
			defer close(made[w]) // after the last block, or a panic
			for b := w; b < blocks; b += workers {
				select {
				case buf := <-free[w]:
					n := g.Block(b, buf.src, buf.dst)
					made[w] <- buffer{buf.src[:n], buf.dst[:n]}
				case <-inner.Done():
					return
				}
			}
		})
	}
	err := inOrder(ctx, blocks, made, free, yield)
	cancel()
	if panicked := group.Err(); panicked != nil {
		return panicked
	}
	return err
}

// inOrder hands the workers' blocks to yield, and their buffers back.
func inOrder(ctx context.Context, blocks int, made, free []chan buffer, yield func(int, []uint32, []uint32) error) error {
	for b := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := b % len(made)
		select {
		case buf, ok := <-made[w]:
			if !ok {
				return nil // a worker panicked, which its group tells
			}
			if err := yield(b, buf.src, buf.dst); err != nil {
				return err
			}
			free[w] <- buffer{buf.src[:BlockEdges], buf.dst[:BlockEdges]}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func workersFor(workers, blocks int) int {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, min(workers, blocks))
}

// checkCall reports a generator or a function that is nil.
func checkCall(g Generator, yield func(block int, src, dst []uint32) error) error {
	if err := checkGenerator(g); err != nil {
		return err
	}
	if yield == nil {
		return fmt.Errorf("gen: %w: yield is nil; give a function that takes the edges", graph.ErrOptions)
	}
	return nil
}

// checkGenerator reports a generator that is nil.
func checkGenerator(g Generator) error {
	if g == nil {
		return fmt.Errorf("gen: %w: the generator is nil; Parse makes one", graph.ErrOptions)
	}
	return nil
}
