// This file holds the test of options that are checked before there is a graph.

package conformance

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Options draws options, most of which are invalid together, and compares Check's
// error with the error of a searcher of a graph.
func (s Suite) Options(t *testing.T) {
	p, err := s.caseOf("two").Graph(1).On(s.Device) // symmetric: there is a reverse
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r := rand.New(rand.NewPCG(79, 1))
	seldom := func() bool { return r.IntN(4) == 0 }
	good, bad := 0, 0
	same := func(what string, o any, check error, make func() (*bfs.Searcher, error)) {
		one, err := make()
		if (err == nil) != (check == nil) || err != nil && (err.Error() != check.Error() || !errors.Is(check, graph.ErrOptions)) {
			t.Errorf("%s, %+v: Check says %v, a searcher %v", what, o, check, err)
		}
		if err != nil {
			bad++
			return
		}
		good++
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 2000 {
		o := bfs.Options{Outputs: testsearch.Outputs(!seldom(), seldom()), ByID: seldom(), Tuning: bfs.Tuning{CountCulls: r.IntN(16) == 0}}
		if seldom() {
			o.Tuning.Strategy = []string{"", "queue", "read", "hybrid", "fused"}[r.IntN(5)]
		}
		if seldom() {
			o.Tuning.Coupling = []string{"", "expand-contract", "contract-expand", "two-phase", "hybrid", "fused", "quadratic", "quadratic-pull", "auto", "read"}[r.IntN(10)]
		}
		if seldom() {
			o.Tuning.Balance = advance.Strategy(r.IntN(8))
		}
		if seldom() {
			o.Tuning.Culls = filter.Culls(r.IntN(2 * int(filter.Exactly)))
		}
		if r.IntN(16) == 0 {
			o.Tuning.Alpha = 1
		}
		if seldom() {
			o.Targets = []uint32{0}
		}
		if seldom() {
			o.DepthLimit = int(r.IntN(5)) - 1
		}
		same("bfs", o, o.Check(s.Device), func() (*bfs.Searcher, error) { return bfs.NewSearcher(p, o) })
		d := dobfs.Options{Outputs: o.Outputs, ByID: o.ByID, Targets: o.Targets, Tuning: bfs.Tuning{Coupling: o.Tuning.Coupling}}
		if seldom() {
			d.Tuning.Alpha = float64(r.IntN(6)) - 1
		}
		if r.IntN(16) == 0 {
			d.Tuning = o.Tuning
		}
		same("dobfs", d, d.Check(s.Device), func() (*bfs.Searcher, error) { return dobfs.NewSearcher(p, d) })
	}
	if good < 200 || bad < 200 {
		t.Errorf("%d go together, %d don't", good, bad)
	}
	d := dobfs.Options{DepthLimit: -1}
	_, err = dobfs.Run(t.Context(), p, 0, d)
	if check := d.Check(s.Device); !errors.Is(check, graph.ErrOptions) || !errors.Is(err, graph.ErrOptions) {
		t.Errorf("a negative limit: %v, %v", check, err)
	}
}
