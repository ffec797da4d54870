//go:build linux && (amd64 || arm64) && !nocuda

// This file tests communicators between the GPUs of one process.

package nccl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// each runs f on all ranks, a goroutine each.
func each(ranks []*rank, f func(r *rank)) {
	var all sync.WaitGroup
	for _, r := range ranks {
		all.Go(func() { f(r) })
	}
	all.Wait()
}

// together connects GPUs of this process.
func together(t testing.TB, most int, o Options, prepare ...func(r *rank, size int) error) (ranks []*rank, emulated bool) {
	t.Helper()
	devs, emulated := gpus(t, most)
	var s []*gpu.Stream
	for _, d := range devs {
		r, err := newRank(d)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := r.free(); err != nil {
				t.Error(err)
			}
		})
		for _, f := range prepare {
			if err := f(r, len(devs)); err != nil {
				t.Fatal(err)
			}
		}
		ranks, s = append(ranks, r), append(s, r.s)
	}
	comms, err := All(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range comms {
		if c.Rank() != i || c.Size() != len(devs) {
			t.Errorf("rank %d of %d", c.Rank(), c.Size())
		}
		ranks[i].Comm = c
	}
	return ranks, emulated
}

// smallPieces lets small lists go in pieces.
func smallPieces() (restore func()) {
	e, g := exchangePiece, gatherMost
	exchangePiece, gatherMost = 100_000, 80_000
	return func() { exchangePiece, gatherMost = e, g }
}

// fault lets the emulated NCCL fail; -2 stands for the last rank.
func fault(t testing.TB, what string, size int) {
	t.Helper()
	env, err := environment()
	if err == nil {
		err = env.put("FORAY_EMULATOR_NCCL_FAIL", strings.Replace(what, "-2", fmt.Sprint(size-1), 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.remove("FORAY_EMULATOR_NCCL_FAIL") })
}

func TestGPUOneProcess(t *testing.T) {
	n, _ := count(t, 4)
	for most := 2; most <= n; most++ {
		if testing.Short() && most < n {
			continue
		}
		for _, s := range scenarios {
			if s.only != 0 && s.only&oneProcess == 0 || most < n && (s.cause != nil || s.text != "" || s.name == "late") && s.name != "hangs" {
				continue
			}
			t.Run(fmt.Sprintf("%d/%s", most, s.name), func(t *testing.T) {
				defer smallPieces()()
				ranks, emulated := together(t, most, Options{Deadline: testDeadline})
				if s.env != "" {
					if !emulated {
						each(ranks, func(r *rank) { r.Close() })
						t.Skip("needs the emulated NCCL (scripts/gpu-test emulate): the test makes it fail")
					}
					fault(t, s.env, len(ranks))
				}
				began := time.Now()
				each(ranks, func(r *rank) {
					if said := s.judge(r, r.run(func() error { return s.run(t.Context(), r) }), oneProcess); said != "" {
						t.Errorf("rank %d: %s", r.Rank(), said)
					}
				})
				if d := time.Since(began); d > 10*time.Second && emulated == false {
					t.Errorf("it took %v", d)
				}
			})
		}
	}
}

// TestGPUTwo: two communicators work at once, each in its own stream.
func TestGPUTwo(t *testing.T) {
	ranks, _ := together(t, 4, Options{Deadline: testDeadline})
	var sides []*gpu.Stream
	for _, r := range ranks {
		sides = append(sides, r.side)
	}
	second, err := All(t.Context(), sides, Options{Deadline: testDeadline})
	if err != nil {
		t.Fatal(err)
	}
	each(ranks, func(r *rank) {
		b := second[r.Rank()]
		if err := b.roomFor(8 * 4000); err != nil {
			t.Error(err)
		}
		err := r.run(func() error {
			sum, err := r.put(bytesOf(1, r.Rank(), 1))
			if err != nil {
				return err
			}
			bits, err := r.put(bytesOf(2, r.Rank(), 4000))
			if err != nil {
				return err
			}
			for range 20 {
				if err := errors.Join(r.summed(t.Context(), sum.Pointer(), 1), b.united(t.Context(), bits.Pointer(), 8*4000)); err != nil {
					return err
				}
			}
			if err := errors.Join(r.Wait(t.Context()), b.Wait(t.Context())); err != nil {
				return err
			}
			got, err := r.get(sum, 8)
			if err != nil {
				return err
			}
			want, union := uint64(0), uint64(0)
			for other := range ranks {
				want += wordOf(1, other, 0)
				union |= wordOf(2, other, 3999)
			}
			for range 19 {
				want *= uint64(len(ranks))
			}
			all, err := r.get(bits, 8*4000)
			if x, y := binary.NativeEndian.Uint64(got), binary.NativeEndian.Uint64(all[8*3999:]); x != want || y != union {
				err = errors.Join(err, fmt.Errorf("%x and %x, not %x and %x", x, y, want, union))
			}
			// Freed at the end: other ranks' kernels may be waiting for this one.
			t.Cleanup(func() { sum.Close(); bits.Close() })
			return err
		})
		if err = errors.Join(err, r.Close(), b.Close()); err != nil {
			t.Errorf("rank %d: %v", r.Rank(), err)
		}
	})
}

// TestGPUNever: a rank never comes, and the others give up.
func TestGPUNever(t *testing.T) {
	devs, _ := gpus(t, 2)
	var s []*gpu.Stream
	for _, d := range devs {
		one, err := d.Stream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		s = append(s, one)
	}
	was := startDeadline
	startDeadline = time.Second
	defer func() { startDeadline = was }()
	lib, err := open()
	if err != nil {
		t.Fatal(err)
	}
	id, err := lib.newID()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err = lib.connect(t.Context(), newTeam(Options{}, nil), s[:1], 0, 2, func() (*uniqueID, error) { return id, nil })
	if !errors.Is(err, comm.ErrHung) || time.Since(began) > 8*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if id, err = lib.newID(); err != nil {
		t.Fatal(err)
	}
	_, err = lib.connect(ctx, newTeam(Options{}, nil), s[:1], 0, 2, func() (*uniqueID, error) { return id, nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestGPUBegin: what fails at the start is told, and leaves nothing behind.
func TestGPUBegin(t *testing.T) {
	devs, emulated := gpus(t, 2)
	var s []*gpu.Stream
	for _, d := range devs {
		one, err := d.Stream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		s = append(s, one)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := All(ctx, s, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// One GPU twice.
	if _, err := All(t.Context(), append(s[:1:1], s[0]), Options{}); err == nil || !strings.Contains(err.Error(), "ncclResult_t 5") {
		t.Error(err)
	}
	if !emulated {
		return
	}
	for _, what := range []string{"ncclGetUniqueId -1 2", "ncclCommInitRankScalable 1 3", "ncclGroupStart -1 3", "ncclGroupEnd -1 3", "ncclCommGetAsyncError 1 1"} {
		fault(t, what, 2)
		name, _, _ := strings.Cut(what, " ")
		if _, err := All(t.Context(), s, Options{}); err == nil || !strings.Contains(err.Error(), "made to fail: "+name) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// At the end.
	for _, what := range []string{"ncclCommFinalize -1 3", "ncclCommDestroy -1 3"} {
		fault(t, "none -1 0", 2)
		ranks, _ := together(t, 2, Options{Deadline: testDeadline})
		fault(t, what, 2)
		each(ranks, func(r *rank) {
			if err := r.Close(); err == nil || !strings.Contains(err.Error(), "made to fail") {
				t.Errorf("%s: rank %d: %v", what, r.Rank(), err)
			}
			if err := r.Close(); err != nil {
				t.Errorf("%s: closing again: %v", what, err)
			}
		})
	}
}

// TestGPUStuckAtEnd: NCCL's own end doesn't return.
func TestGPUStuckAtEnd(t *testing.T) {
	for _, what := range []string{"ncclCommFinalize -2 99", "ncclCommDestroy -2 99"} {
		fault(t, "none -1 0", 2)
		ranks, emulated := together(t, 2, Options{Deadline: testDeadline / 3})
		if !emulated {
			each(ranks, func(r *rank) { r.Close() })
			t.Skip("needs the emulated NCCL (scripts/gpu-test emulate): the test makes it hang")
		}
		fault(t, what, 2)
		each(ranks, func(r *rank) {
			if err := r.Close(); r.Rank() == 1 && !errors.Is(err, comm.ErrHung) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
}
