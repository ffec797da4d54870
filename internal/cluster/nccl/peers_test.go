//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the scenario of memory that the kernels of all ranks reach.

package nccl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// reaching has each rank's kernel store a word to every rank's memory. Then one rank isn't willing, and no rank gets any.
func reaching(ctx context.Context, r *rank) (err error) {
	const round, all, none = 3, true, false
	host, err := r.Host(ctx)
	if err != nil {
		return err
	}
	for i := range round {
		if err := r.reaches(ctx, host, uint64(i), all); err != nil {
			return fmt.Errorf("round %d: %w", i, err)
		}
	}
	if err := r.reaches(ctx, host, 9, none); err != nil {
		return fmt.Errorf("one isn't willing: %w", err)
	}
	return host.Close()
}

func (r *rank) reaches(ctx context.Context, host comm.Comm, seed uint64, all bool) error {
	m, err := r.d.Alloc(MemoryUnit)
	if err != nil {
		return err
	}
	p, err := r.Peers(ctx, host, m, all || r.Rank() != r.Size()-1)
	if err != nil {
		return errors.Join(err, m.Close())
	}
	emulated := strings.Contains(r.d.Info().Model, "Emulated")
	switch {
	case p == nil && all && emulated && os.Getenv("FORAY_EMULATOR_PEERS") != "0":
		return errors.Join(errors.New("GPUs don't reach each other's memory"), m.Close())
	case p == nil:
		return m.Close()
	case !all:
		return errors.New("it reaches memory of a rank that isn't willing")
	}
	const from = MemoryUnit - 8
	word := wordOf(seed, r.Rank(), 1)
	err = r.d.Upload(m, MemoryUnit, func(at uint64, b []byte) {
		clear(b)
		if at+uint64(len(b)) == MemoryUnit {
			binary.NativeEndian.PutUint64(b[len(b)-8:], word)
		}
	})
	if err == nil {
		err = host.Barrier(ctx)
	}
	for to := range p.At {
		if err == nil {
			err = r.unite(p.At[to]+uintptr(8*r.Rank()), m.Pointer()+from, 1, 0, r.Size())
		}
	}
	if err == nil {
		err = r.Wait(ctx)
	}
	if err == nil {
		err = host.Barrier(ctx)
	}
	got := make([]byte, 8*r.Size())
	if err == nil {
		err = r.d.Download(got, m, 0)
	}
	for other := range r.Size() {
		if x := binary.NativeEndian.Uint64(got[8*other:]); err == nil && x != wordOf(seed, other, 1) {
			err = fmt.Errorf("rank %d stored %x, not %x", other, x, wordOf(seed, other, 1))
		}
	}
	err = errors.Join(err, p.Close())
	if err == nil {
		err = host.Barrier(ctx)
	}
	return errors.Join(err, m.Close())
}
