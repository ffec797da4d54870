//go:build linux && (amd64 || arm64) && !nocuda

// This file tests the gathering of blocks, and what calls cost the host.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// gathered gathers blocks of so many words, each in place or not, and compares the result.
func (r *rank) gathered(ctx context.Context, seed uint64, words []int) (err error) {
	type place struct {
		from, to device.Memory // from is nil if it is in place
		words    int
	}
	var places []place
	defer func() {
		for _, p := range places {
			err = errors.Join(err, p.to.Close())
			if p.from != nil {
				err = errors.Join(err, p.from.Close())
			}
		}
	}()
	var list []Block
	for i, n := range words {
		own := bytesOf(seed+uint64(i), r.Rank(), n)
		b := Block{Bytes: uint64(8 * n)}
		all := make([]byte, r.Size()*8*n)
		p := place{words: n}
		inPlace := (seed+uint64(i))%2 == 0
		if inPlace {
			copy(all[r.Rank()*8*n:], own)
		} else if p.from, err = r.put(own); err != nil {
			return err
		}
		if p.to, err = r.put(all); err != nil {
			return err
		}
		places = append(places, p)
		b.To = p.to.Pointer()
		if b.From = b.To + uintptr(r.Rank()*8*n); !inPlace {
			b.From = p.from.Pointer()
		}
		list = append(list, b)
	}
	err = r.Gather(ctx, list...)
	if err = errors.Join(err, r.waitIf(ctx, err)); err != nil {
		return err
	}
	for i, p := range places {
		got, err := r.get(p.to, 8*p.words*r.Size())
		if err != nil {
			return err
		}
		for other := range r.Size() {
			if string(got[other*8*p.words:][:8*p.words]) != string(bytesOf(seed+uint64(i), other, p.words)) {
				return fmt.Errorf("block %d of %d words: rank %d's isn't what it sent", i, p.words, other)
			}
		}
	}
	return nil
}

// blocks gathers none, one and several blocks, some of them empty.
func blocks(ctx context.Context, r *rank) error {
	for seed, words := range [][]int{nil, {1}, {8}, {0}, {0, 5, 0}, {8, 8192, 65536}, {8, 8192, 65536}, {3, 0, 1, 700, 2}, {8}} {
		if err := r.gathered(ctx, uint64(seed), words); err != nil {
			return fmt.Errorf("%d: %w", words, err)
		}
	}
	return nil
}

// nothing exchanges and gathers nothing. That involves no other rank, so that one may be ahead by
// any number of calls.
func nothing(ctx context.Context, r *rank) error {
	lists := make([]List, r.Size())
	for range r.Rank() * 2 * turnRing {
		if err := errors.Join(r.Exchange(ctx, lists, lists), r.Gather(ctx), r.united(ctx, 0, 0)); err != nil {
			return err
		}
	}
	for range (r.Size() - r.Rank()) * 2 * turnRing {
		if err := errors.Join(r.Exchange(ctx, lists, lists), r.Gather(ctx), r.united(ctx, 0, 0)); err != nil {
			return err
		}
	}
	// A list to the next rank only.
	return r.exchanged(ctx, 2, func(from, to int) int { return 1000 * ((to - from + 1 + r.Size()) % r.Size() / (r.Size() - 1)) })
}

// TestGPUAlone: a communicator of one rank.
func TestGPUAlone(t *testing.T) {
	devs, _ := gpus(t, 2)
	r, err := newRank(devs[0])
	if err != nil {
		t.Fatal(err)
	}
	all, err := All(t.Context(), []*gpu.Stream{r.s}, Options{Deadline: testDeadline})
	if err != nil {
		t.Fatal(err)
	}
	r.Comm = all[0]
	err = r.run(func() error {
		for _, s := range scenarios {
			if slices.Contains([]string{"random", "many", "blocks"}, s.name) {
				if err := s.run(t.Context(), r); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
			}
		}
		return nil
	})
	if err = errors.Join(err, r.Close(), r.free()); err != nil {
		t.Error(err)
	}
}

// TestGPUBlockOfOddLength is refused.
func TestGPUBlockOfOddLength(t *testing.T) {
	ranks, _ := together(t, 2, Options{Deadline: testDeadline})
	each(ranks, func(r *rank) {
		err := r.Gather(t.Context(), Block{Bytes: 8}, Block{Bytes: 12})
		if err == nil || !strings.Contains(err.Error(), "Gather needs blocks of a multiple of 8 bytes and was given one of 12") {
			t.Errorf("rank %d: %v", r.Rank(), err)
		}
		r.Close()
	})
}

// TestGPUBlocksDiffer: ranks of one process that gather other blocks are told.
func TestGPUBlocksDiffer(t *testing.T) {
	ranks, _ := together(t, 2, Options{Deadline: testDeadline})
	each(ranks, func(r *rank) {
		at := r.words.Pointer()
		lists := []Block{{at, at, 0}, {at, at, 8}}
		if r.Rank() == 1 {
			slices.Reverse(lists)
		}
		err := r.Gather(t.Context(), lists...)
		if err = errors.Join(err, r.waitIf(t.Context(), err)); err == nil || !strings.Contains(err.Error(), "Gather of 2 blocks with 8 bytes (call 1)") {
			t.Errorf("rank %d: %v", r.Rank(), err)
		}
		r.Close()
	})
}

// TestGPUAllocations: calls allocate nothing on the host.
func TestGPUAllocations(t *testing.T) {
	if testgraph.Race {
		t.Log("the race detector allocates")
		return
	}
	ranks, _ := together(t, 2, Options{Deadline: testDeadline})
	ctx := t.Context()
	r := ranks[0]
	lists, none := make([]List, 2), make([]List, 2)
	at := r.words.Pointer()
	lists[1] = List{at, 8}
	const rounds = 50
	each(ranks, func(r *rank) {
		at := r.words.Pointer()
		in := make([]List, 2)
		in[0] = List{at, 8}
		if r.Rank() == 1 {
			for range rounds + 1 {
				err := errors.Join(r.summed(ctx, at, 1), r.Gather(ctx, Block{at, at + 8, 8}), r.Gather(ctx, Block{at, at + 8, 8}, Block{at, at + 8, 8}), r.Exchange(ctx, none, in), r.Wait(ctx))
				if err != nil {
					t.Error(err)
				}
			}
			return
		}
		n := testing.AllocsPerRun(rounds, func() {
			err := r.summed(ctx, at, 1)
			if err == nil {
				err = r.Gather(ctx, Block{at, at + 8, 8})
			}
			if err == nil {
				err = r.Gather(ctx, Block{at, at + 8, 8}, Block{at, at + 8, 8})
			}
			if err == nil {
				err = r.Exchange(ctx, lists, none)
			}
			if err == nil {
				err = r.Wait(ctx)
			}
			if err != nil {
				t.Error(err)
			}
		})
		if n > 0 {
			t.Errorf("five calls allocate %v times", n)
		}
	})
	each(ranks, func(r *rank) {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
