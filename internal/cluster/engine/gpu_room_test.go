//go:build linux && (amd64 || arm64) && !nocuda

// This file tests parts for which a GPU has too little memory.

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// fill takes all of a GPU's memory but for so many bytes, more or less, until the returned function is called.
func fill(t *testing.T, d *gpu.Device, left uint64) (empty func()) {
	t.Helper()
	var all []device.Memory
	for n := d.Info().MemoryFree; n >= 1<<10; {
		if d.Info().MemoryFree >= left+n {
			if m, err := d.Alloc(n); err == nil {
				all = append(all, m)
				continue
			}
		}
		n /= 2
	}
	return func() {
		for _, m := range all {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestGPUNoRoom: where one GPU has too little memory, all ranks are told the same, nothing is left on GPUs, and the
// search is right on hosts.
func TestGPUNoRoom(t *testing.T) {
	const ranks = 3
	team := connect(t, ranks)
	if len(team.comms) < ranks {
		t.Skipf("needs %d GPUs, or emulated ones (FORAY_EMULATOR_DEVICES): there are %d", ranks, len(team.comms))
	}
	if !team.emulated {
		t.Skip("needs the emulated GPU (scripts/gpu-test emulate): the test takes its memory but for a few bytes")
	}
	r := rand.New(rand.NewPCG(1, 1))
	in := &input{dense: true, n: 1 << 15}
	for range 1 << 16 {
		in.src, in.dst = append(in.src, r.Int64N(1<<15)), append(in.dst, r.Int64N(1<<15))
	}
	sources := []int64{in.src[0]}
	want, ref := in.depths(t, sources, nil, 0)
	var takes [ranks]uint64 // without parents
	for _, c := range []struct {
		lacks   int // which rank lacks memory, -1 for none
		left    uint64
		parents bool
	}{{-1, 0, false}, {1, 64 << 10, false}, {0, 0, true}, {2, 32 << 10, true}, {-1, 0, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			var used [ranks]uint64
			if c.lacks >= 0 {
				if c.parents { // there is room for all else
					c.left += takes[c.lacks]
				}
				defer fill(t, team.streams[c.lacks].GPU(), c.left)()
			}
			for i, s := range team.streams {
				used[i] = s.GPU().Used()
			}
			in.place = func(ctx context.Context, p *Part) (io.Closer, error) {
				g, err := p.placeOn(ctx, team.streams[p.rank], team.comms[p.rank], c.parents)
				if c.lacks < 0 {
					if err == nil && !c.parents {
						takes[p.rank] = g.Bytes()
					}
					return g, err
				}
				var lacks *NoRoom
				switch {
				case !errors.As(err, &lacks) || !errors.Is(err, device.ErrMemory) || g != nil:
					return nil, fmt.Errorf("rank %d was told nothing: %w", p.rank, err)
				case lacks.Rank != c.lacks || lacks.Needs <= lacks.Free || lacks.Free > c.left+4096:
					return nil, fmt.Errorf("rank %d was told %+v", p.rank, *lacks)
				}
				return io.NopCloser(nil), nil
			}
			in.compare(t, ranks, Options{Threshold: 8}, SearchOptions{Parents: true}, sources, want, ref)
			for i, s := range team.streams {
				if now := s.GPU().Used(); now != used[i] {
					t.Errorf("GPU %d has %d bytes in use, and had %d", i, now, used[i])
				}
			}
		})
	}
}
