package bfs_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// TestPanickingCallbacks: a search whose callback panics ends its own stream
// and to no other, whatever memory the others use again.
func TestPanickingCallbacks(t *testing.T) {
	for _, name := range []string{"uniform-undirected", "road-undirected"} {
		g := testgraph.ByName(name).Graph(81)
		p := testgraph.Place(g, 2)
		rounds := 40
		if testgraph.Race {
			rounds = 10
		}
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range rounds {
					source := []uint32{uint32(w*100 + i)}
					if i%3 == 0 {
						func() {
							defer func() {
								if recover() != "enough" {
									t.Errorf("%s: the callback's panic didn't reach the caller", name)
								}
							}()
							bfs.RunMultiSource(context.Background(), p, source, bfs.Options{EachLevel: func(bfs.Level) { panic("enough") }})
						}()
						continue
					}
					r, err := bfs.RunMultiSource(context.Background(), p, source, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
					if err == nil {
						err = testsearch.Check(g, source, bfs.Options{Outputs: bfs.Depths | bfs.Parents}, r)
					}
					if err != nil {
						t.Errorf("%s from %v: %v", name, source, err)
						return
					}
					r.Close()
				}
			}()
		}
		wg.Wait()
	}
}

// panicking is a log handler that panics at the line of a search.
type panicking struct{ slog.Handler }

func (panicking) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "search" {
		panic("enough")
	}
	return nil
}

// TestPanickingLogger: a logger that panics when the result stands leaves its
// arrays to the next search.
func TestPanickingLogger(t *testing.T) {
	for _, name := range []string{"uniform-undirected", "road-undirected"} {
		g := testgraph.ByName(name).Graph(83)
		loud := slog.New(panicking{slog.NewTextHandler(io.Discard, nil)})
		for what, search := range map[string]func(*graph.Placed) error{
			"bfs": func(p *graph.Placed) error {
				_, err := bfs.Run(t.Context(), p, 1, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Logger: loud})
				return err
			},
			"dobfs": func(p *graph.Placed) error {
				_, err := dobfs.Run(t.Context(), p, 1, dobfs.Options{Outputs: bfs.Depths | bfs.Parents, Logger: loud})
				return err
			},
			"searcher": func(p *graph.Placed) error {
				s, err := bfs.NewSearcher(p, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Logger: loud})
				if err != nil {
					return err
				}
				for i := range 2 { // it can be used on
					func() {
						defer func() {
							if recover() != "enough" {
								t.Errorf("search %d didn't panic", i)
							}
						}()
						_, _ = s.Run(t.Context(), bfs.Query{Sources: []uint32{uint32(i)}})
					}()
				}
				_, err = s.Run(t.Context(), bfs.Query{Sources: []uint32{1}})
				return err
			},
		} {
			p := testgraph.Place(g, 2)
			first, err := bfs.Run(t.Context(), p, 1, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
			if err != nil {
				t.Fatal(err)
			}
			depths, parents := &testgraph.Array(first.Depths())[0], &testgraph.Array(first.Parents())[0]
			first.Close()
			func() {
				defer func() {
					if recover() != "enough" {
						t.Errorf("%s, %s: the logger's panic didn't reach the caller", name, what)
					}
				}()
				t.Error(search(p))
			}()
			next, err := bfs.Run(t.Context(), p, 1, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
			if err != nil {
				t.Fatal(err)
			}
			if &testgraph.Array(next.Depths())[0] != depths || &testgraph.Array(next.Parents())[0] != parents {
				t.Errorf("%s, %s: what the search had is lost", name, what)
			}
			next.Close()
		}
	}
}

// TestNilCallbacks: a pool without a function to call returns an error.
func TestNilCallbacks(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 2}, Targets: []uint32{1, 0}}, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 1)
	pool, err := bfs.NewPool(p, bfs.Options{}, device.NewBudget(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, err := range []error{pool.Run(context.Background(), bfs.Query{Sources: []uint32{0}}, nil), pool.Do(context.Background(), nil)} {
		if !errors.Is(err, graph.ErrOptions) {
			t.Error(err)
		}
	}
}
