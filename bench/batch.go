// This file holds the measuring of batches: many searches, one after the other
// in the same memory.

package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// Batch is the time of a batch of searches, by the host's clock, from the call to
// the last result.
type Batch struct {
	Searches int     `json:"searches"`
	MS       float64 `json:"ms"`           // of all
	EachMS   float64 `json:"ms_each"`      // MS by Searches
	SingleMS float64 `json:"single_ms"`    // the mean of the sources' medians, one by one
	Ratio    float64 `json:"ratio_single"` // EachMS by SingleMS
}

// searcher returns a searcher of the algorithm; Sequential has none.
func (a Algorithm) searcher(p *graph.Placed, o Options) (*bfs.Searcher, error) {
	if a.Kind == DOBFS {
		return dobfs.NewSearcher(p, a.dobfs(o))
	}
	return bfs.NewSearcher(p, a.bfs(o))
}

// batches measures a batch of every algorithm, from the sources in turn.
func (s *suite) batches(ctx context.Context, r *Report) error {
	for i, a := range s.o.Algorithms {
		if a.Kind == Sequential {
			continue
		}
		if err := s.batch(ctx, a, &r.Results[i]); err != nil {
			return fmt.Errorf("batch of %s: %w", a, err)
		}
		if s.o.Progress != nil {
			s.o.Progress(graph.Progress{Phase: "timing batches", Done: uint64(i + 1), Total: uint64(len(s.o.Algorithms))})
		}
	}
	return nil
}

func (s *suite) batch(ctx context.Context, a Algorithm, to *Result) error {
	one, err := a.searcher(s.p, s.o)
	if err != nil {
		return err
	}
	defer one.Close()
	// Once from every source, to warm up, and compared with what single searches
	// found.
	i := -1
	for res, err := range one.Batch(ctx, s.sources) {
		if err != nil {
			return err
		}
		if i++; s.o.NoCheck {
			continue
		}
		f := found{res: res}
		if err := f.fetch(); err != nil {
			return err
		}
		if err := s.compare(f, oracle.Depths(s.p.Graph().Out(), s.sources[i]), s.rows[i]); err != nil {
			return &CheckError{Algorithm: a.String(), Source: s.rows[i].ID, Err: err}
		}
	}
	n := s.o.Batch
	sources := slices.Repeat(s.sources, (n+len(s.sources)-1)/len(s.sources))[:n]
	if err := s.warmUp(ctx, s.sources[0]); err != nil {
		return err
	}
	start := time.Now()
	for _, err := range one.Batch(ctx, sources) {
		if err != nil {
			return err
		}
	}
	b := &Batch{Searches: n, MS: milliseconds(time.Since(start))}
	for i := range n {
		b.SingleMS += to.Sources[i%len(to.Sources)].MedianMS / float64(n)
	}
	b.EachMS = b.MS / float64(n)
	if b.SingleMS > 0 {
		b.Ratio = b.EachMS / b.SingleMS
	}
	to.Batch = b
	return nil
}
