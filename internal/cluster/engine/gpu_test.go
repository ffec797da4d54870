//go:build linux && (amd64 || arm64) && !nocuda

// This file tests searches over GPUs of this process, over NCCL: on an emulated GPU by an emulated one.

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/nccl"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/structs"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestLayout(t *testing.T) {
	structs.Run(t, "internal/cluster/engine/search.cu",
		structs.Kernels("cluster_heads", headsArgs{}),
		structs.Kernels("cluster_rows", uint64(0), uint64(0), uint64(0), uint32(0)),
		structs.Kernels("cluster_start", args{}, startArgs{}),
		structs.Kernels("cluster_missing", args{}, startArgs{}),
		structs.Kernels("cluster_list", args{}, uint64(0)),
		structs.Kernels("cluster_push", args{}),
		structs.Kernels("cluster_pull", pullsArgs{}),
		structs.Kernels("cluster_pack", args{}),
		structs.Kernels("cluster_post", args{}, sendArgs{}),
		structs.Kernels("cluster_send", args{}, sendArgs{}),
		structs.Kernels("cluster_tell", tellArgs{}),
		structs.Kernels("cluster_take", args{}, takeArgs{}),
		structs.Kernels("cluster_take_words", args{}, takeArgs{}),
		structs.Kernels("cluster_unite", args{}, takeArgs{}),
		structs.Kernels("cluster_label", args{}, labelArgs{}))
}

// gpuTeam are connected GPUs of this process.
type gpuTeam struct {
	comms    []*nccl.Comm
	streams  []*gpu.Stream
	emulated bool
	fails    bool // calls of NCCL, since a test wants them to
}

// connect connects up to so many GPUs.
func connect(t testing.TB, most int) (g *gpuTeam) {
	t.Helper()
	g = &gpuTeam{}
	for i := range most {
		d, err := gpu.Open(i)
		if err != nil {
			if !errors.Is(err, device.ErrNotSupported) && !errors.Is(err, device.ErrUnknown) && !errors.Is(err, driver.ErrNotFound) {
				t.Fatal(err)
			}
			if i < 2 {
				t.Skipf("needs two GPUs, or emulated ones (FORAY_EMULATOR_DEVICES=2): there are %d: %v", i, err)
			}
			break
		}
		g.emulated = strings.Contains(d.Info().Model, "Emulated")
		s, err := d.Stream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.streams = append(g.streams, s)
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if used := d.Used(); used != 0 {
				t.Errorf("%d bytes were left on a GPU", used)
			}
			d.Close()
		})
	}
	probe, err := nccl.Take(0)
	if err != nil && os.Getenv("FORAY_NCCL") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("needs NCCL 2.23 or later: set FORAY_NCCL to libnccl.so.2: %v", err)
	}
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	comms, err := nccl.All(context.Background(), g.streams, nccl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g.comms = comms
	t.Cleanup(func() {
		done := make(chan error)
		for _, c := range comms {
			go func() { done <- c.Close() }()
		}
		for range comms {
			if err := <-done; err != nil && !g.fails {
				t.Error(err)
			}
		}
	})
	return g
}

func (g *gpuTeam) place(ctx context.Context, p *Part) (io.Closer, error) { return g.placeOn(ctx, p) }

func (g *gpuTeam) placeOn(ctx context.Context, p *Part) (*OnGPU, error) {
	i := p.rank % len(g.comms) // or the only one of this process
	return p.Place(ctx, g.streams[i], g.comms[i])
}

// smallMessages lets small searches send lists and bitmaps, and use few bitmaps of levels again; some exchange by NCCL alone.
func smallMessages(r *rand.Rand) (restore func()) {
	d, n, p, c := briefDelegates, briefNormals, planes, callsOnly
	briefDelegates, briefNormals, planes, callsOnly = uint32(2+2*r.IntN(20)), uint32(2+2*r.IntN(20)), 3+r.IntN(8), r.IntN(3) == 0
	return func() { briefDelegates, briefNormals, planes, callsOnly = d, n, p, c }
}

func TestGPURandom(t *testing.T) {
	smallTiles(t)
	for ranks := 2; ranks <= 4; ranks++ {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			team := connect(t, ranks)
			if len(team.comms) < ranks {
				t.Skipf("needs %d GPUs, or emulated ones (FORAY_EMULATOR_DEVICES): there are %d", ranks, len(team.comms))
			}
			rounds := testlong.Rounds(15, 5000)
			for seed := testlong.Seed(0); seed < testlong.Seed(0)+uint64(rounds); seed++ {
				r := rand.New(rand.NewPCG(seed, uint64(ranks)))
				in, o, so, sources := randomCase(r, seed)
				so.Twice = false
				in.place = team.place
				for range r.IntN(3) {
					b := SearchOptions{Parents: r.IntN(2) == 0, DepthLimit: int(r.IntN(4)), Timed: r.IntN(2) == 0}
					for i := range b.Directions {
						if b.Directions[i] = Direction(r.IntN(3)); in.directed {
							b.Directions[i] = Direction(r.IntN(2))
						}
					}
					in.before = append(in.before, b)
				}
				restore := smallMessages(r)
				name := fmt.Sprintf("%d %s, directed %t, threshold %d, %+v", seed, in.name, in.directed, o.Threshold, so)
				ok := t.Run(name, func(t *testing.T) {
					want, ref := in.depths(t, sources, so.Targets, so.DepthLimit)
					in.compare(t, ranks, o, so, sources, want, ref)
				})
				restore()
				if !ok {
					break
				}
			}
		})
	}
}

// TestGPUOneHome: a rank that has all vertices has ranks gather as much as it has, of which they have nothing. Those
// without edges aren't on GPUs.
func TestGPUOneHome(t *testing.T) {
	const ranks, n = 3, 1 << 20
	team := connect(t, ranks)
	if len(team.comms) < ranks {
		t.Skipf("needs %d GPUs, or emulated ones (FORAY_EMULATOR_DEVICES): there are %d", ranks, len(team.comms))
	}
	in := &input{dense: true, n: n, place: team.place}
	last := int64(-1)
	for id := range int64(n) {
		if r, _ := (homes{ranks, true}).deal(uint64(id)); r != 1 {
			continue
		}
		if last >= 0 {
			in.src, in.dst = append(in.src, last), append(in.dst, id)
		}
		if len(in.src) < 5 { // a path, and at its end a star
			last = id
		}
	}
	so := SearchOptions{Parents: true}
	sources := []int64{in.src[0]}
	want, ref := in.depths(t, sources, nil, 0)
	for _, d := range []Direction{Either, Pull} {
		so.Directions = [subgraphs]Direction{d, d, d, d}
		in.compare(t, ranks, Options{Threshold: 1 << 40}, so, sources, want, ref)
	}
}

// TestGathersNN uses the figures of kron26 per GPU and threshold 64 (bench/notes/processes.md).
func TestGathersNN(t *testing.T) {
	const stride, nn = 56 << 20, 24 << 20 // of a rank
	for ranks, want := range map[uint64]bool{2: true, 4: true, 8: true, 128: false, 1024: false} {
		if got := gathersNN(ranks, stride, ranks*nn); got != want {
			t.Errorf("%d ranks: %t", ranks, got)
		}
	}
}

// TestThresholdOnGPU: the one that was fastest on two GPUs costs least, or within a twentieth of that (kron26 on H200, urand22 on H100).
func TestThresholdOnGPU(t *testing.T) {
	type threshold struct{ delegates, nn, us float64 } // nn of all entries
	for _, g := range []struct {
		name string
		of   []threshold
	}{
		{"kron26", []threshold{{8.418e6, 0.0018, 841}, {5.657e6, 0.0044, 784}, {2.747e6, 0.0186, 726}, {2.533e6, 0.0204, 723}, {0.972e6, 0.071, 694}, {0.314e6, 0.188, 861}, {0, 1, 1176}}},
		{"urand22", []threshold{{4.024e6, 0.0007, 782}, {0.049e6, 0.966, 751}}},
	} {
		entries := map[string]float64{"kron26": 2.104e9, "urand22": 134.2e6}[g.name]
		best, at := math.Inf(1), threshold{}
		fastest := math.Inf(1)
		for _, x := range g.of {
			// As many edges lead out of normal vertices as make so many of nn.
			normal := math.Sqrt(x.nn) * entries
			f := forecast{gpu: true, ranks: 2, total: uint64(entries), all: split{delegates: uint64(x.delegates), edges: uint64(entries - normal)}}
			if c := f.cost(); c < best {
				best, at = c, x
			}
			fastest = min(fastest, x.us)
		}
		if at.us > fastest*1.05 {
			t.Errorf("%s: chosen is what takes %.0f us, where %.0f are possible", g.name, at.us, fastest)
		}
	}
}
