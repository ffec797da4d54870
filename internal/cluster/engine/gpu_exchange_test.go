//go:build linux && (amd64 || arm64) && !nocuda

// This file tests exchanges between GPUs that end early.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// TestGPUExchangeEnds: a rank's context ends at some time in a long search, or the rank stops to take part. Kernels of the
// other ranks, which wait for it, end soon, and the error names the rank.
func TestGPUExchangeEnds(t *testing.T) {
	const most, who = 3, 1
	rng := rand.New(rand.NewPCG(5, 5))
	in := &input{dense: true, n: 150}
	for v := range int64(in.n) - 1 {
		in.src, in.dst = append(in.src, v), append(in.dst, v+1)
	}
	for round := range 6 {
		calls, aborts := round%3 == 2, round%2 == 1
		t.Run(fmt.Sprintf("by NCCL %t, aborted %t", calls, aborts), func(t *testing.T) {
			team := connect(t, most)
			ranks := len(team.comms)
			team.fails = true
			defer func(c bool) { callsOnly = c }(callsOnly)
			callsOnly = calls
			cause := errors.New("a cause of its own")
			var ended atomic.Int64
			after := time.Duration(rng.IntN(300)) * time.Millisecond
			search := func(c comm.Comm) error {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				p, err := Build(ctx, c, in.edges(c.Rank(), ranks), Options{Threshold: 1})
				if err != nil {
					return err
				}
				placed, err := team.placeOn(ctx, p)
				if err != nil {
					return err
				}
				if (placed.peers == nil) != calls && team.emulated {
					t.Errorf("ranks reach each other's memory: %t", placed.peers != nil)
				}
				defer placed.free()
				if c.Rank() == who {
					time.AfterFunc(after, func() {
						ended.Store(time.Now().UnixNano())
						if aborts {
							team.comms[who].Abort(cause)
						} else {
							cancel(cause)
						}
					})
				}
				for err == nil { // until it ends in a search
					_, err = placed.run(ctx, []place{delegate(0)}, nil, &Result{part: p})
				}
				if took := time.Since(time.Unix(0, ended.Load())); took > 7*time.Second {
					t.Errorf("rank %d ended after %v: %v", c.Rank(), took, err)
				}
				return err
			}
			var all sync.WaitGroup
			for _, c := range comm.InProcess(ranks) {
				all.Go(func() {
					err := comm.Do(c, func() error { return search(c) })
					if e := (*comm.Error)(nil); !errors.As(err, &e) || e.Rank != who {
						t.Errorf("rank %d: %v", c.Rank(), err)
					}
				})
			}
			all.Wait()
		})
	}
}
