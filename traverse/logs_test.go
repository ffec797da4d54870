// This file tests what all algorithms log: a line each, under the caller's context, with its error.

package traverse_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// noted is a handler that notes what it gets, and whether it came with the request's context.
type noted struct {
	slog.Handler
	lines *[]string
	lost  *int
	from  slog.Level
}

type requestKey struct{}

func (h noted) Enabled(ctx context.Context, l slog.Level) bool {
	if ctx.Value(requestKey{}) == nil {
		return false // as a handler does that wants some requests only
	}
	return l >= h.from
}

func (h noted) Handle(ctx context.Context, r slog.Record) error {
	if ctx.Value(requestKey{}) == nil {
		*h.lost++
	}
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.Key + "=" + fmt.Sprint(a.Value)
		return true
	})
	*h.lines = append(*h.lines, line)
	return nil
}

// TestLogsOfAll: every algorithm says once that it has ended, or failed, to the context's handler.
func TestLogsOfAll(t *testing.T) {
	p, dag := weighted(t), testgraph.Placed(graph.Options{Directed: true}, []int64{1, 2}, []int64{2, 3})
	var lines []string
	var lost int
	log := slog.New(noted{slog.DiscardHandler, &lines, &lost, slog.LevelInfo})
	pool, err := dobfs.NewPool(p, dobfs.Options{Logger: log}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	searcher, err := bfs.NewSearcher(p, bfs.Options{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	search, err := sssp.NewSearcher(p, sssp.Options{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	defer search.Close()
	for name, run := range map[string]func(ctx context.Context) error{
		"bfs": func(ctx context.Context) error { _, err := bfs.Run(ctx, p, 0, bfs.Options{Logger: log}); return err },
		"dobfs": func(ctx context.Context) error {
			_, err := dobfs.Run(ctx, p, 0, dobfs.Options{Logger: log})
			return err
		},
		"dobfs by a pool": func(ctx context.Context) error {
			return pool.Run(ctx, bfs.Query{Sources: []uint32{0}}, func(*bfs.Result) error { return nil })
		},
		"bfs by a searcher": func(ctx context.Context) error {
			_, err := searcher.Run(ctx, bfs.Query{Sources: []uint32{0}})
			return err
		},
		"sssp": func(ctx context.Context) error { _, err := sssp.Run(ctx, p, 0, sssp.Options{Logger: log}); return err },
		"sssp by a searcher": func(ctx context.Context) error {
			_, err := search.Run(ctx, sssp.Query{Sources: []uint32{0}})
			return err
		},
		"pagerank": func(ctx context.Context) error {
			_, err := pagerank.Run(ctx, p, pagerank.Options{Logger: log})
			return err
		},
		"cc": func(ctx context.Context) error { _, err := cc.Run(ctx, p, cc.Options{Logger: log}); return err },
		"cc strong": func(ctx context.Context) error {
			_, err := cc.Strong(ctx, p, cc.Options{Logger: log})
			return err
		},
		"kcore": func(ctx context.Context) error { _, err := kcore.Run(ctx, p, kcore.Options{Logger: log}); return err },
		"degree": func(ctx context.Context) error {
			_, err := degree.Run(ctx, p, degree.Options{Logger: log})
			return err
		},
		"eigenvector": func(ctx context.Context) error {
			_, err := eigenvector.Run(ctx, p, eigenvector.Options{Logger: log})
			return err
		},
		"hits": func(ctx context.Context) error { _, err := hits.Run(ctx, p, hits.Options{Logger: log}); return err },
		"katz": func(ctx context.Context) error { _, err := katz.Run(ctx, p, katz.Options{Logger: log}); return err },
		"lpa":  func(ctx context.Context) error { _, err := lpa.Run(ctx, p, lpa.Options{Logger: log}); return err },
		"louvain": func(ctx context.Context) error {
			_, err := louvain.Run(ctx, p, louvain.Options{Logger: log})
			return err
		},
		"leiden": func(ctx context.Context) error {
			_, err := leiden.Run(ctx, p, leiden.Options{Logger: log})
			return err
		},
		"color": func(ctx context.Context) error { _, err := color.Run(ctx, p, color.Options{Logger: log}); return err },
		"mis":   func(ctx context.Context) error { _, err := mis.Run(ctx, p, mis.Options{Logger: log}); return err },
		"ktruss": func(ctx context.Context) error {
			_, err := ktruss.Run(ctx, p, ktruss.Options{Logger: log})
			return err
		},
		"kclique": func(ctx context.Context) error {
			_, err := kclique.Run(ctx, p, kclique.Options{Logger: log})
			return err
		},
		"bridges": func(ctx context.Context) error {
			_, err := bridges.Run(ctx, p, bridges.Options{Logger: log})
			return err
		},
		"msf":  func(ctx context.Context) error { _, err := msf.Run(ctx, p, msf.Options{Logger: log}); return err },
		"topo": func(ctx context.Context) error { _, err := topo.Run(ctx, dag, topo.Options{Logger: log}); return err },
		"walks": func(ctx context.Context) error {
			for _, err := range walks.Each(ctx, p, walks.Options{Logger: log}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"paths": func(ctx context.Context) error {
			_, err := paths.Run(ctx, p, paths.Options{Pairs: [][2]uint32{{0, 1}}, Logger: log})
			return err
		},
		"similar": func(ctx context.Context) error {
			_, err := similar.Run(ctx, p, similar.Options{Logger: log})
			return err
		},
		"triangles": func(ctx context.Context) error {
			_, err := triangles.Run(ctx, p, triangles.Options{Logger: log})
			return err
		},
		"bc": func(ctx context.Context) error { _, err := bc.Run(ctx, p, bc.Options{Logger: log}); return err },
		"closeness": func(ctx context.Context) error {
			_, err := closeness.Run(ctx, p, closeness.Options{Logger: log})
			return err
		},
		"msbfs": func(ctx context.Context) error {
			_, err := msbfs.Run(ctx, p, []uint32{0, 1}, msbfs.Options{Logger: log})
			return err
		},
		"msbfs each": func(ctx context.Context) error {
			for _, err := range msbfs.Each(ctx, p, []uint32{0, 1}, msbfs.EachOptions{Logger: log}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"algorithm": func(ctx context.Context) error {
			_, err := traverse.Run(ctx, p, traverse.Algorithm[int, int]{Run: func(*traverse.Traversal, int) (int, error) { return 0, nil }}, 0, traverse.Options{Logger: log})
			return err
		},
	} {
		request := context.WithValue(t.Context(), requestKey{}, 1)
		gone, cancel := context.WithCancel(request)
		cancel()
		algorithm, _, _ := strings.Cut(name, " ")
		for _, ctx := range []context.Context{request, gone} {
			lines, lost = nil, 0
			err := run(ctx)
			if (ctx == gone) != (err != nil) || err != nil && !errors.Is(err, context.Canceled) && !strings.HasPrefix(name, "dobfs by a pool") {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if name == "dobfs by a pool" && err != nil { // it never began
				continue
			}
			if len(lines) != 1 || lost > 0 || !strings.Contains(lines[0], " algorithm="+algorithm+" ") && !strings.Contains(lines[0], " algorithm="+algorithm) {
				t.Errorf("%s: %d lines, %d without the request's context:\n%s", name, len(lines), lost, strings.Join(lines, "\n"))
				continue
			}
			if (err != nil) != strings.Contains(lines[0], " error=") {
				t.Errorf("%s: %v, and the line is %s", name, err, lines[0])
			}
		}
	}
	// What fails for another reason is logged with it.
	lines = nil
	ctx := context.WithValue(t.Context(), requestKey{}, 1)
	if _, err := bfs.Run(ctx, p, 1000, bfs.Options{Logger: log}); !errors.Is(err, graph.ErrNoVertex) || len(lines) != 1 || !strings.Contains(lines[0], err.Error()) {
		t.Errorf("%v: %q", err, lines)
	}
	if _, err := sssp.Run(ctx, p, 1000, sssp.Options{Logger: log}); err == nil || len(lines) != 2 || !strings.Contains(lines[1], " error=") {
		t.Errorf("%v: %q", err, lines)
	}
	// Levels are logged if the request's context sets the level.
	for _, from := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
		lines = nil
		o := bfs.Options{Logger: slog.New(noted{slog.DiscardHandler, &lines, &lost, from})}
		r, err := bfs.Run(ctx, p, 0, o)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[slog.Level]int{slog.LevelDebug: r.Levels + 1, slog.LevelInfo: 1}[from]; len(lines) != want {
			t.Errorf("from %v: %d lines, want %d", from, len(lines), want)
		}
	}
	if lost > 0 {
		t.Errorf("%d lines of levels came without the request's context", lost)
	}
}
