//go:build unix

// This file measures searches over ranks of this process, which share its processors. They send and hold as
// much as separate processes, but their times differ. Two consecutive ranks count as one machine.

package engine

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// BenchmarkSearch searches the graph that FORAY_BENCH_GRAPH names, kron16 by default.
func BenchmarkSearch(b *testing.B) {
	spec := os.Getenv("FORAY_BENCH_GRAPH")
	if spec == "" {
		spec = "kron16"
	}
	g, err := gen.Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	push := [subgraphs]Direction{Push, Push, Push, Push}
	for _, c := range []struct {
		name      string
		ranks     int
		threshold int64
		o         SearchOptions
	}{
		{"ranks=1", 1, Auto, SearchOptions{}},
		{"ranks=2", 2, Auto, SearchOptions{}},
		{"ranks=4", 4, Auto, SearchOptions{}},
		{"ranks=4/twice", 4, Auto, SearchOptions{Twice: true}},
		{"ranks=4/local,twice", 4, Auto, SearchOptions{LocalAllToAll: true, Twice: true}},
		{"ranks=4/local", 4, Auto, SearchOptions{LocalAllToAll: true}},
		{"ranks=4/parents", 4, Auto, SearchOptions{Parents: true}},
		{"ranks=4/push", 4, Auto, SearchOptions{Directions: push}},
		{"ranks=4/push=nd", 4, Auto, SearchOptions{Directions: [subgraphs]Direction{subND: Push}}},
		{"ranks=4/push=dd", 4, Auto, SearchOptions{Directions: [subgraphs]Direction{subDD: Push}}},
		{"ranks=4/push=dn", 4, Auto, SearchOptions{Directions: [subgraphs]Direction{subDN: Push}}},
		{"ranks=4/threshold=0", 4, 0, SearchOptions{}},
		{"ranks=4/threshold=4", 4, 4, SearchOptions{}},
		{"ranks=4/threshold=32", 4, 32, SearchOptions{}},
		{"ranks=4/threshold=64", 4, 64, SearchOptions{}},
		{"ranks=4/threshold=64/twice", 4, 64, SearchOptions{Twice: true}},
		{"ranks=4/threshold=64/local,twice", 4, 64, SearchOptions{LocalAllToAll: true, Twice: true}},
		{"ranks=4/threshold=64/local", 4, 64, SearchOptions{LocalAllToAll: true}},
		{"ranks=4/threshold=128", 4, 128, SearchOptions{}},
		{"ranks=4/threshold=512", 4, 512, SearchOptions{}},
		{"ranks=4/threshold=huge", 4, 1 << 40, SearchOptions{}},
		{"ranks=4/threshold=huge/twice", 4, 1 << 40, SearchOptions{Twice: true}},
		{"ranks=4/threshold=huge/local,twice", 4, 1 << 40, SearchOptions{LocalAllToAll: true, Twice: true}},
		{"ranks=4/threshold=huge/local", 4, 1 << 40, SearchOptions{LocalAllToAll: true}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, g, c.ranks, c.threshold, c.o) })
	}
}

func benchmark(b *testing.B, g gen.Generator, ranks int, threshold int64, o SearchOptions) {
	onRanks(b, ranks, func(c comm.Comm) error {
		ctx := b.Context()
		p, err := Build(ctx, c, generated(g, c.Rank(), c.Size()), Options{Threshold: threshold, Workers: 1, PerMachine: 2})
		if err != nil {
			return err
		}
		source, _, err := p.LargestDegree(ctx)
		if err != nil {
			return err
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		if c.Rank() == 0 {
			b.ResetTimer()
		}
		used := processorTime()
		var r *Result
		var talking, levels time.Duration
		for range b.N {
			if r, err = p.Search(ctx, []int64{source}, o); err != nil {
				return err
			}
			for _, l := range r.Stats {
				levels += time.Duration(l.Seconds * 1e9)
				talking += time.Duration(l.Talking * 1e9)
			}
		}
		if c.Rank() != 0 {
			return nil
		}
		b.StopTimer()
		b.ReportMetric((processorTime()-used).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		sent, united, edges, across, messages := uint64(0), uint64(0), uint64(0), uint64(0), uint64(0)
		for _, l := range r.Stats {
			sent += l.Sent
			edges, across, messages = edges+l.Edges, across+l.Across, messages+l.Messages
			if l.United {
				united += r.UnitedBytes
			}
		}
		s := p.Stats
		share := func(n uint64) float64 { return 100 * float64(n) / float64(s.Entries) }
		b.ReportMetric(float64(sent)/1e3, "kB-sent")
		b.ReportMetric(float64(across)/1e3, "kB-between-machines")
		b.ReportMetric(float64(messages), "messages-between-machines")
		b.ReportMetric(float64(united)/1e3, "kB-united/rank")
		b.ReportMetric(float64(edges)/1e6, "M-edges-seen")
		b.ReportMetric(100*float64(talking)/float64(levels), "%-talking")
		b.ReportMetric(share(s.NN), "%-nn")
		b.ReportMetric(100*float64(s.Delegates)/float64(s.Vertices), "%-delegates")
		b.ReportMetric(float64(s.Threshold), "threshold")
		b.ReportMetric(float64(s.Bytes)/float64(s.Entries), "B/entry")
		b.ReportMetric(s.Took.Seconds(), "s-build")
		if r.Reached < 2 {
			b.Error("nothing was reached")
		}
		return nil
	})
}

// processorTime is what the process has used, of all ranks: on a busy machine it says
// more than the time that went by.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
