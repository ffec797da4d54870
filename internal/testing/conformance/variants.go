// This file holds the variants of the searches: algorithms and options that must find the
// same.

package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// variant is a way to search.
type variant struct {
	name string
	o    bfs.Options
	pull bool // dobfs

	alpha, beta float64 // of dobfs
}

func (v variant) run(p *graph.Placed, sources []uint32, o bfs.Options) (*bfs.Result, error) {
	return v.runIn(context.Background(), p, sources, o)
}

func (v variant) runIn(ctx context.Context, p *graph.Placed, sources []uint32, o bfs.Options) (*bfs.Result, error) {
	if v.pull {
		return dobfs.RunMultiSource(ctx, p, sources, dobfs.Options{
			Outputs: o.Outputs, DepthLimit: o.DepthLimit, Targets: o.Targets, Stats: o.Stats, ByID: o.ByID, EachLevel: o.EachLevel, Logger: o.Logger, Tuning: bfs.Tuning{Coupling: v.o.Tuning.Coupling, Alpha: v.alpha, Beta: v.beta}})
	}
	o.Tuning = v.o.Tuning
	return bfs.RunMultiSource(ctx, p, sources, o)
}

// everyOther is a factor beta with which every other level is pulled.
const everyOther = 1e-9

// variants returns all variants that the device has.
func (s Suite) variants() (vs []variant) {
	vs = append(vs, variant{name: "bfs"}, variant{name: "dobfs", pull: true})
	if !s.GPU {
		return vs
	}
	for _, pull := range []bool{false, true} {
		vs = append(vs, variant{name: map[bool]string{false: "fused bfs", true: "fused dobfs"}[pull], o: bfs.Options{Tuning: bfs.Tuning{Coupling: "fused"}}, pull: pull})
	}
	for _, f := range [][2]float64{{1e9, 1e9}, {1e9, everyOther}, {1e-300, 1}} { // pulls at all levels, at every other one, at none
		vs = append(vs, variant{name: fmt.Sprintf("fused dobfs, alpha %g, beta %g", f[0], f[1]), o: bfs.Options{Tuning: bfs.Tuning{Coupling: "fused"}}, pull: true, alpha: f[0], beta: f[1]})
	}
	vs = append(vs, variant{name: "dobfs from the host", o: bfs.Options{Tuning: bfs.Tuning{Coupling: "expand-contract"}}, pull: true})
	for _, b := range s.Balances[1:] {
		vs = append(vs, variant{name: "balance " + b.String(), o: bfs.Options{Tuning: bfs.Tuning{Balance: b}}})
	}
	for _, c := range []string{"contract-expand", "two-phase", "hybrid", "quadratic-pull"} {
		vs = append(vs, variant{name: "coupling " + c, o: bfs.Options{Tuning: bfs.Tuning{Coupling: c}}})
	}
	for _, b := range []advance.Strategy{advance.ThreadMapped, advance.TWC, Strategy("edges")} {
		vs = append(vs, variant{name: "quadratic " + b.String(), o: bfs.Options{Tuning: bfs.Tuning{Coupling: "quadratic", Balance: b}}})
	}
	for _, culls := range []filter.Culls{
		filter.ByLabel, filter.ByLabel | filter.ByBitmask, filter.ByLabel | filter.ByWarp, filter.ByLabel | filter.ByHistory,
		filter.ByBitmask | filter.ByLabel | filter.ByWarp | filter.ByHistory, filter.Exactly | filter.ByWarp | filter.ByHistory,
	} {
		vs = append(vs, variant{name: "culls " + culls.String(), o: bfs.Options{Tuning: bfs.Tuning{Culls: culls}}},
			variant{name: "counted " + culls.String(), o: bfs.Options{Tuning: bfs.Tuning{Culls: culls, CountCulls: true}}})
		if culls&filter.Exactly == 0 {
			vs = append(vs, variant{name: "two-phase " + culls.String(), o: bfs.Options{Tuning: bfs.Tuning{Culls: culls, Coupling: "two-phase"}}})
		}
	}
	return vs
}

// countable leaves statistics out where frontiers count a vertex as often as it
// is there.
func (v variant) countable(o bfs.Options) bfs.Options {
	o.Stats = o.Stats && (v.o.Tuning.Culls == 0 || v.o.Tuning.Culls&filter.Exactly != 0)
	return o
}

// fits reports whether a variant can do with the options and the graph.
func (v variant) fits(g *graph.Graph, o bfs.Options) bool {
	if (v.pull || v.o.Tuning.Coupling == "quadratic-pull") && g.In() == nil {
		return false
	}
	if !o.Outputs.Has(bfs.Depths) && (strings.HasPrefix(v.o.Tuning.Coupling, "quadratic") || v.o.Tuning.Culls&filter.ByLabel != 0 && !o.Outputs.Has(bfs.Parents)) {
		return false
	}
	return true
}
