//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the scenarios that go well.

package nccl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// random makes calls of all kinds with random sizes.
func random(ctx context.Context, r *rank) error {
	rng := rand.New(rand.NewPCG(1, 2)) // the same on all ranks
	sizes := []int{0, 1, 4, 5, 6, 7, 39, 40, 41, 100, 1000, 12345}
	for i := range 60 {
		seed, n := rng.Uint64(), sizes[rng.IntN(len(sizes))]
		var err error
		switch kind := rng.IntN(4); kind {
		case 0:
			err = errors.Join(r.Barrier(ctx), r.Wait(ctx))
		case 1:
			err = r.exchanged(ctx, seed, func(from, to int) int { return sizes[wordOf(seed, from, to)%uint64(len(sizes))] })
		default:
			err = r.reduced(ctx, kind == 2, seed, n)
		}
		if err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

// large unites more than is gathered, and sends lists of several pieces.
func large(ctx context.Context, r *rank) error {
	most := int(gatherMost) / 8
	for _, n := range []int{most - 1, most, 3*most + 1, 3*most + 2, 4 * most} {
		if err := r.reduced(ctx, false, uint64(n), n); err != nil {
			return err
		}
	}
	for seed := range uint64(2) {
		err := r.exchanged(ctx, 8+seed, func(from, to int) int { return (from + 2*to) * int(exchangePiece) * 2 / 3 })
		if err != nil {
			return err
		}
	}
	return nil
}

// many makes more calls than there are marks, without waiting.
func many(ctx context.Context, r *rank) error {
	b := bytesOf(7, r.Rank(), 1)
	got, err := r.with(b, func(at uintptr) error {
		for range 2*markRing + 3 {
			if err := r.summed(ctx, at, 1); err != nil {
				return err
			}
		}
		return r.Wait(ctx)
	})
	if err != nil {
		return err
	}
	want := uint64(0)
	for other := range r.Size() {
		want += wordOf(7, other, 0)
	}
	for range 2*markRing + 2 {
		want *= uint64(r.Size())
	}
	if x := binary.NativeEndian.Uint64(got); x != want {
		return fmt.Errorf("the sum is %x, not %x", x, want)
	}
	return nil
}

// beside computes in a second stream, with marks that order the two.
func beside(ctx context.Context, r *rank) error {
	s, computed, united := r.side, r.marks[0], r.marks[1]
	const words = 5000
	got, err := r.with(make([]byte, 8*words), func(at uintptr) error {
		for round := range 10 {
			// Who computes: rank 0 in round 0, and so on. The others' bits are 0.
			value := uint32(0)
			if r.Rank() == round%r.Size() {
				value = 1 << round
			}
			if err := s.After(united); err != nil {
				return err
			}
			if err := s.Fill(at+uintptr(8*round), value, 2*(words-10)); err != nil {
				return err
			}
			if err := computed.Record(); err != nil {
				return err
			}
			if err := r.s.After(computed); err != nil {
				return err
			}
			if err := r.united(ctx, at, 8*words); err != nil {
				return err
			}
			if err := united.Record(); err != nil {
				return err
			}
		}
		return r.Wait(ctx)
	})
	if err != nil {
		return err
	}
	for i := range words {
		want := uint64(0)
		switch {
		case i < 9:
			want = 1 << i
		case i < words-1:
			want = 1 << 9
		}
		if i >= words-10+9 {
			want = 0
		}
		if x := binary.NativeEndian.Uint64(got[8*i:]); x != want|want<<32 {
			return fmt.Errorf("word %d is %x, not %x", i, x, want|want<<32)
		}
	}
	return nil
}

// late: a rank that reports progress may take longer than the deadline.
func late(ctx context.Context, r *rank) error {
	if r.Rank() == 1 {
		for end := time.Now().Add(testDeadline * 3 / 2); time.Now().Before(end); time.Sleep(testDeadline / 10) {
			r.Progress()
		}
	}
	return errors.Join(r.Barrier(ctx), r.Wait(ctx))
}
