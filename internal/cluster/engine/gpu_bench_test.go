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
// of hosts' searches, or those of the first FORAY_BENCH_HOST sources. FORAY_BENCH_PUSHED are subgraphs that are only pushed,
// such as "nn" or "nd,dd,dn,nn"; "-" is the empty set. There may be several sets. FORAY_BENCH_EXCHANGE is how ranks exchange:
// "memory", where kernels store to all ranks' memory, or "nccl". There may be both: their depths are compared then, and
// the one by which the source was searched first alternates.
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
		ways := strings.Fields(cmp.Or(os.Getenv("FORAY_BENCH_EXCHANGE"), "memory"))
		if c.Rank() == 0 && placed.peers == nil {
			b.Log("ranks don't reach each other's memory: all exchanges are NCCL's")
		}
		for _, these := range pushed {
			if err := searchAll(ctx, b, c, p, placed, sources, these, ways); err != nil {
				return err
			}
		}
		return nil
	})
}

// measured is what was measured of an exchange: by source.
type measured struct {
	ms, rates []float64
	tables    []string
}

// searchAll searches from all sources.
func searchAll(ctx context.Context, b *testing.B, c comm.Comm, p *Part, placed *OnGPU, sources []int64, pushed string, ways []string) error {
	o := SearchOptions{}
	for i, name := range []string{subND: "nd", subDD: "dd", subDN: "dn", subNN: "nn"} {
		if strings.Contains(pushed, name) {
			o.Directions[i] = Push
		}
	}
	peers, most := placed.peers, len(sources)
	defer func() { placed.peers = peers }()
	if n := os.Getenv("FORAY_BENCH_HOST"); n != "" {
		var err error
		if most, err = strconv.Atoi(n); err != nil {
			return err
		}
	}
	of := make([]measured, len(ways))
	for i, source := range sources {
		var first *Result
		for k := range ways {
			way := (i + k) % len(ways)
			placed.peers, placed.now.headers, placed.now.united = peers, 0, 0
			if ways[way] == "nccl" {
				placed.peers = nil
			}
			r, err := searchOne(ctx, c, p, source, o, &of[way])
			if err != nil {
				return err
			}
			switch {
			case first == nil:
				first = r
				if i < most {
					err = sameOnHost(ctx, p, placed, source, r)
				}
			default:
				err = sameDepths(source, r, first)
			}
			if err != nil {
				return err
			}
		}
		if i == 0 && os.Getenv("FORAY_BENCH_CHECK") != "no" { // one goroutine goes over all edges
			if err := first.Check(ctx); err != nil {
				return err
			}
		}
	}
	for k := range ways {
		m := &of[k]
		if c.Rank() != 0 {
			continue
		}
		sorted, rates, n := slices.Sorted(slices.Values(m.ms)), slices.Sorted(slices.Values(m.rates)), len(m.ms)
		b.Logf("%s, pushed %s, ms: median %.3f, %.3f to %.3f; %.0f GTEPS; all %.3f", ways[k], pushed, sorted[n/2], sorted[0], sorted[n-1], rates[n/2], m.ms)
		at := slices.Index(m.ms, sorted[n/2])
		b.Logf("%s, levels of source %d, which took the median:\n%s", ways[k], at, m.tables[at])
	}
	return nil
}

// searchOne searches from a source several times, and measures. Depths are read after the first search, which isn't counted.
func searchOne(ctx context.Context, c comm.Comm, p *Part, source int64, o SearchOptions, m *measured) (*Result, error) {
	first, err := p.Search(ctx, []int64{source}, o)
	if err != nil {
		return nil, err
	}
	var times []float64
	var last *Result
	o.Discard = true
	for run := range 5 { // the last two have their kernels timed
		o.Timed, o.kernels = run >= 3, run >= 3
		if last, err = p.Search(ctx, []int64{source}, o); err != nil {
			return nil, err
		}
		times = append(times, float64(last.Searched)/1e6)
		if last.Reached != first.Reached {
			return nil, fmt.Errorf("source %d: %d vertices reached, not %d", source, last.Reached, first.Reached)
		}
	}
	times = times[:3]
	slices.Sort(times)
	m.ms, m.rates = append(m.ms, times[1]), append(m.rates, float64(first.TraversedEdges)/times[1]/1e6)
	table, err := levelTable(ctx, c, last)
	m.tables = append(m.tables, table)
	return first, err
}

// levelTable is the times of a search's levels in us: the whole level by the slowest rank's host, kernels by the GPUs' clocks,
// as the mean over ranks. The rest is the host's, and gaps between kernels.
func levelTable(ctx context.Context, c comm.Comm, r *Result) (string, error) {
	columns := []string{"cluster_list", "cluster_pull", "cluster_push", "pack", talking, "cluster_take", "cluster_unite"}
	var text strings.Builder
	text.WriteString("| depth | vertices | edges | pulled | all |")
	for _, name := range columns {
		text.WriteString(" " + strings.TrimPrefix(name, "cluster_") + " |")
	}
	text.WriteString(" rest |\n")
	text.WriteString(strings.Repeat("|---", len(columns)+6) + "|\n")
	for i, l := range r.Stats {
		sums := make([]uint64, len(columns))
		of := r.kernels[i]
		own := map[string]float64{"pack": of["cluster_pack"] + of["cluster_post"], talking: of[talking] + of["cluster_send"]}
		if of["cluster_post"] > 0 { // it waits, too
			own["pack"] -= min(of[talking], of["cluster_post"])
		}
		for k, name := range columns {
			x, ok := own[name]
			if !ok {
				x = of[name]
			}
			sums[k] = uint64(x * 1e9)
		}
		if err := c.Sum(ctx, sums); err != nil {
			return "", err
		}
		rest := l.Seconds * 1e6
		fmt.Fprintf(&text, "| %d | %d | %d | %v | %.0f |", l.Depth, l.Frontier, l.Edges, l.Pulled, rest)
		for _, ns := range sums {
			us := float64(ns) / 1e3 / float64(c.Size())
			rest -= us
			fmt.Fprintf(&text, " %.0f |", us)
		}
		fmt.Fprintf(&text, " %.0f |\n", rest)
	}
	var ends [2]uint64
	for _, of := range r.kernels {
		ends[0], ends[1] = ends[0]+uint64(of["cluster_start"]*1e9), ends[1]+uint64(of["cluster_label"]*1e9)
	}
	if err := c.Max(ctx, ends[:]); err != nil {
		return "", err
	}
	fmt.Fprintf(&text, "start %.0f us, depths %.0f us in the end", float64(ends[0])/1e3, float64(ends[1])/1e3)
	return text.String(), nil
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
	return sameDepths(source, got, want)
}

func sameDepths(source int64, got, want *Result) error {
	seed := maphash.MakeSeed()
	if maphash.Bytes(seed, bytesOf(unsigned32(want.Depths))) != maphash.Bytes(seed, bytesOf(unsigned32(got.Depths))) {
		return fmt.Errorf("source %d: depths differ", source)
	}
	if want.Reached != got.Reached || want.TraversedEdges != got.TraversedEdges {
		return fmt.Errorf("source %d: %d vertices reached over %d edges, not %d over %d", source, got.Reached, got.TraversedEdges, want.Reached, want.TraversedEdges)
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
