//go:build linux && (amd64 || arm64) && !nocuda

// This file tests communicators between the GPUs of one process.

package nccl

import (
	"sync"
	"testing"
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
func together(t testing.TB, most int, o Options) (ranks []*rank, emulated bool) {
	t.Helper()
	devs, emulated := gpus(t, most)
	s := streams(t, devs)
	comms, err := All(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range comms {
		if c.Rank() != i || c.Size() != len(devs) {
			t.Errorf("rank %d of %d", c.Rank(), c.Size())
		}
		ranks = append(ranks, &rank{c, devs[i], s[i]})
	}
	return ranks, emulated
}

func TestGPUThin(t *testing.T) {
	ranks, _ := together(t, 2, Options{Deadline: testDeadline})
	each(ranks, func(r *rank) {
		if err := r.part(func() error { return r.reduced(t.Context(), true, 3, 5) }); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
