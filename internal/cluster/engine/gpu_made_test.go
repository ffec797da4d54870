//go:build linux && (amd64 || arm64) && !nocuda

// This file tests parts that GPUs make of generated graphs.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/structs"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestMadeLayout(t *testing.T) {
	structs.Run(t, "internal/cluster/engine/made.cu",
		structs.Kernels("cluster_degrees", splitArgs{}),
		structs.Kernels("cluster_split", splitArgs{}),
		structs.Kernels("cluster_pack_rows", packArgs{}),
		structs.Kernels("cluster_lengths", orderArgs{}),
		structs.Kernels("cluster_reorder", orderArgs{}),
		structs.Kernels("cluster_renumber", renumberArgs{}))
}

// sameParts reports what differs between two parts of the same rank, of which a GPU may have the first one's rows.
func sameParts(ctx context.Context, x, y *Part) error {
	if err := x.bring(ctx, subND, subDD, subDN, subNN); err != nil {
		return err
	}
	for _, d := range []struct {
		name   string
		of     func(p *Part) any
		differ bool
	}{
		{"vertices", func(p *Part) any { return p.local }, false},
		{"delegates", func(p *Part) any { return p.delegate }, false},
		{"degrees of delegates", func(p *Part) any { return p.degree }, false},
		{"own delegates", func(p *Part) any { return p.here }, false},
		{"nn", func(p *Part) any { return p.nn }, false},
		{"nd", func(p *Part) any { return p.nd }, false},
		{"dn", func(p *Part) any { return p.dn }, false},
		{"dd", func(p *Part) any { return p.dd }, false},
	} {
		if a, b := fmt.Sprintf("%+v", d.of(x)), fmt.Sprintf("%+v", d.of(y)); a != b {
			return fmt.Errorf("rank %d: %s differ: %.300s and %.300s", x.rank, d.name, a, b)
		}
	}
	a, b := x.Stats, y.Stats
	for _, s := range []*Stats{&a, &b} {
		s.Took, s.Sent, s.Foretold, s.Made, s.NotMade = 0, 0, 0, false, nil
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("rank %d: %+v and %+v", x.rank, a, b)
	}
	return nil
}

func TestGPUMade(t *testing.T) {
	d, err := gpu.Open(0)
	if errors.Is(err, device.ErrNotSupported) {
		t.Skipf("needs a GPU, or the emulated one (scripts/gpu-test emulate): %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if used := d.Used(); used != 0 {
			t.Errorf("%d bytes were left on the GPU", used)
		}
		d.Close()
	}()
	defer func(n uint64) { madeAtOnce = n }(madeAtOnce)
	rounds := testlong.Rounds(5, 2000)
	for seed := testlong.Seed(0); seed < testlong.Seed(0)+uint64(rounds); seed++ {
		r := rand.New(rand.NewPCG(seed, 7))
		spec := []string{"kron7:seed=%d", "kron:scale=10,edgefactor=3,seed=%d", "kron:scale=5,edgefactor=40,seed=%d", "urand9:seed=%d", "urand:n=77,edgefactor=2,seed=%d"}[r.IntN(5)]
		spec = fmt.Sprintf(spec, r.IntN(1000))
		if r.IntN(4) == 0 {
			spec = []string{"grid2d:9x7", "grid3d:3x4x5", "grid2d:8x8,torus", "kron1"}[r.IntN(4)]
		}
		madeAtOnce = []uint64{1 << 26, 1000, 77}[r.IntN(3)]
		ranks, directed := 1+r.IntN(4), r.IntN(3) == 0
		o := Options{Threshold: []int64{Auto, 0, 1, 3, 20, 1 << 40}[r.IntN(6)], Workers: 1 + r.IntN(2)}
		t.Run(fmt.Sprintf("%d %s, directed %t, %d ranks, threshold %d", seed, spec, directed, ranks, o.Threshold), func(t *testing.T) {
			g, err := gen.Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			onRanks(t, ranks, func(c comm.Comm) error {
				e := generated(g, c.Rank(), c.Size())
				e.Directed = directed
				byGPU, o := e, o
				byGPU.Read, byGPU.Generator, o.GPU = nil, g, device.Device(d)
				got, err := Build(t.Context(), c, byGPU, o)
				if err != nil {
					return err
				}
				o.GPU, o.Threshold = nil, int64(got.Stats.Threshold) // hosts would choose another one
				want, err := Build(t.Context(), c, e, o)
				if err != nil {
					return err
				}
				return errors.Join(sameParts(t.Context(), got, want), got.Close())
			})
		})
	}
}

// TestGPUMadeNoRoom: where a GPU has too little memory hosts make the parts.
func TestGPUMadeNoRoom(t *testing.T) {
	d, err := gpu.Open(0)
	if errors.Is(err, device.ErrNotSupported) {
		t.Skipf("needs a GPU, or the emulated one (scripts/gpu-test emulate): %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := gen.Parse("kron12")
	if err != nil {
		t.Fatal(err)
	}
	defer func(f func(*gpu.Device) uint64) { freeOn = f }(freeOn)
	// In half a megabyte no edges fit. With one more than making takes at least, edges fit but no rows.
	for _, left := range []uint64{1 << 19, madeFixed + 1<<19 + 1<<16} {
		freeOn = func(*gpu.Device) uint64 { return left }
		onRanks(t, 2, func(c comm.Comm) error {
			e := generated(g, c.Rank(), c.Size())
			want, err := Build(t.Context(), c, e, Options{Threshold: 8})
			if err != nil {
				return err
			}
			e.Generator = g
			got, err := Build(t.Context(), c, e, Options{Threshold: 8, GPU: d})
			if err != nil {
				return err
			}
			if got.Stats.Made || got.Stats.NotMade == nil {
				t.Errorf("made by a GPU: %t, %v", got.Stats.Made, got.Stats.NotMade)
			}
			return sameParts(t.Context(), got, want)
		})
		if used := d.Used(); used != 0 {
			t.Errorf("%d bytes were left on the GPU", used)
		}
	}
}

// TestGPUMadeCanceled: a context ends the making on all ranks wherever it is, and nothing is left on the GPU.
func TestGPUMadeCanceled(t *testing.T) {
	d, err := gpu.Open(0)
	if errors.Is(err, device.ErrNotSupported) {
		t.Skipf("needs a GPU, or the emulated one (scripts/gpu-test emulate): %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := gen.Parse("kron:scale=9,edgefactor=8")
	if err != nil {
		t.Fatal(err)
	}
	defer func(n uint64) { madeAtOnce = n }(madeAtOnce)
	madeAtOnce = 200
	const ranks = 2
	var whole [ranks][]uint32 // where rows begin, of all subgraphs
	looks := func(most int64) (n int64, canceled bool) {
		asked := atomic.Int64{}
		errs := make([]error, ranks)
		var all sync.WaitGroup
		for _, c := range comm.InProcess(ranks) {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				x := looked{ctx, func() {
					if c.Rank() == 1 && asked.Add(1) == most {
						cancel()
					}
				}}
				e := generated(g, c.Rank(), c.Size())
				e.Generator = g
				p, err := Build(x, c, e, Options{Threshold: 4, GPU: d})
				if err == nil {
					off := slices.Concat(p.nd.off, p.dd.off, p.dn.off, p.nn.off)
					if whole[c.Rank()] == nil {
						whole[c.Rank()] = off
					}
					if !slices.Equal(whole[c.Rank()], off) {
						t.Errorf("rank %d, canceled at look %d: rows are missing, and nobody noticed", c.Rank(), most)
					}
					err = p.Close()
				}
				errs[c.Rank()] = err
			})
		}
		all.Wait()
		if used := d.Used(); used != 0 {
			t.Errorf("%d bytes were left on the GPU, canceled at look %d", used, most)
		}
		for r, err := range errs {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("rank %d, canceled at look %d: %v", r, most, err)
			}
			canceled = canceled || err != nil
		}
		return asked.Load(), canceled
	}
	late := int64(0)
	if !strings.Contains(d.Info().Model, "Emulated") {
		late = 8 // looks of a last wait that is over by then: all rows are there
	}
	n, canceled := looks(-1)
	if canceled {
		t.Fatal("canceled without a reason")
	}
	for most := int64(1); most < n; most += max(1, n/15) {
		// How often it looks differs, since it looks while it waits.
		if n, canceled := looks(most); !canceled && n > most+late {
			t.Errorf("canceled at look %d of %d, and nobody noticed", most, n)
		}
	}
}

// looked is a context that tells when it is asked whether it has ended.
type looked struct {
	context.Context
	look func()
}

func (l looked) Err() error {
	l.look()
	return l.Context.Err()
}
