package traverse_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestSearcherResults: as documented, runs of a Searcher return the same result. Freeing one that an earlier run
// returned frees that of the last one, and the next run works all the same.
func TestSearcherResults(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true, Reverse: true}, []int64{1, 2, 3}, []int64{2, 3, 4}, 1, 1, 1)
	defer p.Close()
	type search struct {
		run   func(source uint32) (result any, err error)
		free  func(result any) error
		err   func(result any) error // of reading its values
		close func() error
	}
	searches := map[string]func() (search, error){
		"bfs": func() (search, error) {
			s, err := bfs.NewSearcher(p, bfs.Options{})
			return search{func(v uint32) (any, error) { return s.Run(context.Background(), bfs.Query{Sources: []uint32{v}}) },
				func(r any) error { r.(*bfs.Result).Close(); return nil },
				func(r any) error { _, err := r.(*bfs.Result).Depths(); return err }, s.Close}, err
		},
		"dobfs": func() (search, error) {
			s, err := dobfs.NewSearcher(p, dobfs.Options{})
			return search{func(v uint32) (any, error) { return s.Run(context.Background(), bfs.Query{Sources: []uint32{v}}) },
				func(r any) error { r.(*bfs.Result).Close(); return nil },
				func(r any) error { _, err := r.(*bfs.Result).Depths(); return err }, s.Close}, err
		},
		"sssp": func() (search, error) {
			s, err := sssp.NewSearcher(p, sssp.Options{})
			return search{func(v uint32) (any, error) { return s.Run(context.Background(), sssp.Query{Sources: []uint32{v}}) },
				func(r any) error { return r.(*sssp.Result).Close() },
				func(r any) error { _, err := r.(*sssp.Result).Distances.Slice(); return err }, s.Close}, err
		},
		"bc": func() (search, error) {
			s, err := bc.NewSearcher(p, bc.Options{})
			return search{func(v uint32) (any, error) { return s.Run(context.Background(), []uint32{v}) },
				func(r any) error { return r.(*bc.Result).Close() },
				func(r any) error { _, err := r.(*bc.Result).Betweenness.Slice(); return err }, s.Close}, err
		},
		"msbfs": func() (search, error) { // whose result is the host's, and has no Free
			s, err := msbfs.NewSearcher(p, msbfs.Options{})
			return search{func(v uint32) (any, error) { return s.Run(context.Background(), []uint32{v}) }, nil, nil, s.Close}, err
		},
	}
	for name, open := range searches {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.run(0)
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.run(3)
		if err != nil {
			t.Fatal(err)
		}
		if first != second {
			t.Errorf("%s: two runs return two results; Searcher's documentation says that they return the same", name)
		}
		if s.free != nil {
			if err := s.free(first); err != nil {
				t.Fatal(err)
			}
			if err := s.err(second); !errors.Is(err, device.ErrClosed) {
				t.Errorf("%s: the result of the last run, freed by the one before: %v, want device.ErrClosed", name, err)
			}
			again, err := s.run(0)
			if err == nil {
				err = s.err(again)
			}
			if err != nil {
				t.Errorf("%s: the run after that: %v", name, err)
			}
		}
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
	}
}
