// This file tests which levels EachLevel and loggers report.

package conformance

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Told compares the arguments of EachLevel with the statistics of the same search, and counts
// lines of the log.
func (s Suite) Told(t *testing.T) {
	s.some(t, 211, []string{"two", "sparse-65", "skewed-reverse", "road-undirected", "path", "components", "star"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		n := p.NumVertices()
		for _, v := range s.variants()[:s.times(2, 2)+map[bool]int{true: 6}[s.GPU]] {
			var told []bfs.Level
			lines := 0
			o := bfs.Options{
				Outputs: testsearch.Outputs(true, r.IntN(2) == 0), Stats: true, ByID: r.IntN(2) == 0, DepthLimit: r.IntN(2) * 4,
				EachLevel: func(l bfs.Level) { told = append(told, l) },
				Logger: slog.New(calling{slog.DiscardHandler, func(r slog.Record) {
					if r.Message == "level" {
						lines++
					}
				}}),
			}
			if o = v.countable(o); !v.fits(p.Graph(), o) {
				continue
			}
			for range s.times(4, 2) {
				told, lines = told[:0], 0
				res, err := v.run(p, []uint32{uint32(r.IntN(n))}, o)
				if err != nil {
					t.Fatalf("%s: %v", v.name, err)
				}
				// How long a level took may be known better at the end.
				same := func(a, b bfs.Level) bool { a.Took = b.Took; return a == b }
				if last := len(res.Stats) - 1; last >= 0 && res.Stats[last].Levels == 1 && !slices.EqualFunc(told, res.Stats, same) {
					i := 0
					for i < min(len(told), last+1) && same(told[i], res.Stats[i]) {
						i++
					}
					t.Fatalf("%s: told of %d levels, statistics have %d; they differ from level %d on", v.name, len(told), last+1, i)
				}
				if lines != len(told) {
					t.Fatalf("%s: %d lines of %d levels", v.name, lines, len(told))
				}
				res.Close()
			}
			quiet := o
			quiet.Stats, quiet.Logger = false, nil
			told = told[:0]
			res, err := v.run(p, []uint32{0}, quiet)
			if err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			levels := 0
			for _, l := range told {
				if l.Level != levels+1 {
					t.Fatalf("%s: told of level %d, want %d", v.name, l.Level, levels+1)
				}
				levels += l.Levels
			}
			if len(res.Stats) != 0 || levels != res.Levels && !res.Limited {
				t.Fatalf("%s: told of %d levels of %d, and %d statistics", v.name, levels, res.Levels, len(res.Stats))
			}
			res.Close()
		}
	})
	p, err := s.caseOf("path").Graph(7).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for at := 1; at <= s.times(30, 6); at++ { // canceled by its EachLevel
		ctx, cancel := context.WithCancel(context.Background())
		last := 0
		res, err := bfs.Run(ctx, p, 0, bfs.Options{EachLevel: func(l bfs.Level) {
			if last = l.Level; last == at {
				cancel()
			}
		}})
		if err != context.Canceled && (err == nil || res != nil || ctx.Err() == nil) {
			t.Fatalf("canceled at level %d: %v", at, err)
		}
		if last != at {
			t.Errorf("told of level %d after the search was given up at %d", last, at)
		}
		cancel()
	}
}
