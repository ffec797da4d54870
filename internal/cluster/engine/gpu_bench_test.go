//go:build linux && (amd64 || arm64) && !nocuda

// This file measures searches over GPUs of this process, over NCCL.

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/nccl"
	"github.com/foray-graph/foray/internal/gpu"
)

// BenchmarkGPU is of the GPUs of this process or, where it was started by mpirun or with RANK and WORLD_SIZE, of all
// processes, a GPU each. It
// searches the graph that FORAY_BENCH_GRAPH names, kron16 by default, from 16 vertices (FORAY_BENCH_SOURCES), three times each,
// on so many GPUs as FORAY_BENCH_GPUS says, by the thresholds of FORAY_BENCH_THRESHOLDS. Depths are compared with those
// of hosts' searches. FORAY_BENCH_PUSHED are subgraphs that are only pushed, such as "nn" or "nd,dd,dn,nn"; "-" is
// none. There may be several such sets.
func BenchmarkGPU(b *testing.B) {
	env := func(name, otherwise string) string {
		if s := os.Getenv(name); s != "" {
			return s
		}
		return otherwise
	}
	spec := env("FORAY_BENCH_GRAPH", "kron16")
	g, err := gen.Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	world, err := comm.World(b.Context(), comm.Options{Plain: func(ctx context.Context, rank, size int) (comm.Comm, error) {
		p, err := nccl.World(ctx, rank, size, nccl.Options{})
		if err != nil {
			return nil, err
		}
		return p, nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	gpus := env("FORAY_BENCH_GPUS", "2 4")
	if world != nil {
		b.Cleanup(func() { world.Close() })
		gpus = strconv.Itoa(world.Size())
	}
	for _, n := range strings.Fields(gpus) {
		ranks, err := strconv.Atoi(n)
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range strings.Fields(env("FORAY_BENCH_THRESHOLDS", "-1")) {
			threshold, err := strconv.ParseInt(t, 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/gpus=%d/threshold=%d", spec, ranks, threshold), func(b *testing.B) {
				benchmarkGPU(b, world, g, ranks, threshold, strings.Fields(env("FORAY_BENCH_PUSHED", "-")))
			})
		}
	}
}

func benchmarkGPU(b *testing.B, world comm.Comm, g gen.Generator, ranks int, threshold int64, pushed []string) {
	var team *gpuTeam
	if world != nil {
		team = joined(b, world)
	} else if team = connect(b, ranks); len(team.comms) < ranks {
		b.Skipf("needs %d GPUs, or emulated ones (FORAY_EMULATOR_DEVICES): there are %d", ranks, len(team.comms))
	}
	src, dst := make([]uint32, 1<<20), make([]uint32, 1<<20)
	n := g.Block(0, src, dst)
	rng := rand.New(rand.NewPCG(1, 1))
	var sources []int64
	count, err := strconv.Atoi(cmp.Or(os.Getenv("FORAY_BENCH_SOURCES"), "16"))
	if err != nil {
		b.Fatal(err)
	}
	for len(sources) < count {
		if i := rng.IntN(n); src[i] != dst[i] {
			sources = append(sources, int64(src[i]))
		}
	}
	all := func(f func(c comm.Comm) error) { onRanks(b, ranks, f) }
	if world != nil {
		all = func(f func(c comm.Comm) error) {
			if err := comm.Do(world, func() error { return f(world) }); err != nil {
				b.Error(err)
			}
		}
	}
	all(func(c comm.Comm) error {
		ctx := b.Context()
		e := generated(g, c.Rank(), c.Size())
		e.Generator = g
		p, err := Build(ctx, c, e, Options{Threshold: threshold, Workers: max(1, runtime.GOMAXPROCS(0)/ranks), GPU: team.streams[c.Rank()%len(team.streams)].GPU()})
		if err != nil {
			return err
		}
		defer p.Close()
		began := time.Now()
		placed, err := team.placeOn(ctx, p)
		if err != nil {
			return err
		}
		defer placed.Close()
		if c.Rank() == 0 {
			s := p.Stats
			b.Logf("built in %.1f s, placed in %.1f s, threshold %d, %d delegates, nn %.2f%%, %.2f GB a GPU, %.2f B an entry", s.Took.Seconds(),
				time.Since(began).Seconds(), s.Threshold, s.Delegates, 100*float64(s.NN)/float64(s.Entries), float64(placed.Bytes())/1e9,
				float64(placed.Bytes())*float64(ranks)/float64(s.Entries))
		}
		for _, these := range pushed {
			if err := searchAll(ctx, b, c, p, placed, sources, these); err != nil {
				return err
			}
		}
		return nil
	})
}

// searchAll searches from all sources.
func searchAll(ctx context.Context, b *testing.B, c comm.Comm, p *Part, placed *OnGPU, sources []int64, pushed string) error {
	count := len(sources)
	o := SearchOptions{}
	for i, name := range []string{subND: "nd", subDD: "dd", subDN: "dn", subNN: "nn"} {
		if strings.Contains(pushed, name) {
			o.Directions[i] = Push
		}
	}
	var medians []float64
	rates := []float64{}
	for i, source := range sources {
		var times []float64
		var last *Result
		for run := range 5 { // the first isn't counted, and the last has its levels timed
			o.Timed = run == 4
			r, err := p.Search(ctx, []int64{source}, o)
			if err != nil {
				return err
			}
			took := []uint64{uint64(r.Searched)}
			if err := c.Max(ctx, took); err != nil {
				return err
			}
			times, last = append(times, float64(took[0])/1e6), r
		}
		if err := sameOnHost(ctx, p, placed, source, last); err != nil {
			return err
		}
		if i == 0 && os.Getenv("FORAY_BENCH_CHECK") != "no" { // one goroutine goes over all edges
			if err := last.Check(ctx); err != nil {
				return err
			}
		}
		times = times[1:4]
		slices.Sort(times)
		medians = append(medians, times[1])
		rates = append(rates, float64(last.TraversedEdges)/times[1]/1e6)
		if c.Rank() == 0 && i < 2 {
			for _, l := range last.Stats {
				b.Logf("  %d: %d vertices, %d edges, pulled %v, sent %d: %.0f us, %.0f of it exchange", l.Depth, l.Frontier, l.Edges, l.Pulled, l.Sent, l.Seconds*1e6, l.Talking*1e6)
			}
		}
	}
	if c.Rank() == 0 {
		all := slices.Clone(medians)
		slices.Sort(medians)
		slices.Sort(rates)
		b.Logf("pushed %s, ms: median %.3f, %.3f to %.3f; %.0f GTEPS; all %.3f", pushed, medians[count/2], medians[0], medians[count-1], rates[count/2], all)
	}
	return nil
}

// joined connects GPUs of several processes.
func joined(b *testing.B, world comm.Comm) *gpuTeam {
	if p, ok := world.(*nccl.Process); ok {
		return &gpuTeam{comms: []*nccl.Comm{p.NCCL}, streams: []*gpu.Stream{p.Stream}}
	}
	local, ok, err := comm.LocalRank()
	if err != nil {
		b.Fatal(err)
	}
	if !ok {
		local = world.Rank()
	}
	d, err := gpu.Open(local)
	if err != nil {
		b.Fatal(err)
	}
	s, err := d.Stream(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	c, err := nccl.Join(b.Context(), s, world, nccl.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(c.Close(), s.Close(), d.Close()); err != nil {
			b.Error(err)
		}
	})
	return &gpuTeam{comms: []*nccl.Comm{c}, streams: []*gpu.Stream{s}}
}

// sameOnHost compares a result with what a search on the host finds.
func sameOnHost(ctx context.Context, p *Part, placed *OnGPU, source int64, got *Result) error {
	p.engine = hostSearch{p}
	defer func() { p.engine = placed }()
	want, err := p.Search(ctx, []int64{source}, SearchOptions{})
	if err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	if maphash.Bytes(seed, bytesOf(unsigned32(want.Depths))) != maphash.Bytes(seed, bytesOf(unsigned32(got.Depths))) {
		return fmt.Errorf("source %d: depths differ from those on the host", source)
	}
	if want.Reached != got.Reached || want.TraversedEdges != got.TraversedEdges {
		return fmt.Errorf("source %d: %d vertices reached over %d edges, on the host %d over %d", source, got.Reached, got.TraversedEdges, want.Reached, want.TraversedEdges)
	}
	return nil
}

func unsigned32(d []int32) []uint32 {
	u := make([]uint32, len(d))
	for i, x := range d {
		u[i] = uint32(x)
	}
	return u
}
