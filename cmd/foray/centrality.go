// This file holds what commands of centralities have in common: flags of weights and of rounds, and what is printed.

package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// byWeight is a calculation that may multiply by weights. It keeps self-loops, and adds up the weights of repeated edges.
type byWeight struct{ weighted bool }

func (c *byWeight) addWeighted(g flagGroup, what string) {
	g.flags.BoolVar(&c.weighted, "weighted", false, what)
}

func (c *byWeight) addInput(in flagGroup, f *inputFlags) { f.addWeights(in) }

func (c *byWeight) check(given func(string) bool) error {
	if given("weight") && !c.weighted {
		return usagef("--weight names the weights that --weighted takes; pass that too")
	}
	return nil
}

func (c *byWeight) needs(o *graph.Options, in *inputFlags) {
	o.Reverse, o.KeepSelfLoops, in.weights = true, true, in.weights || c.weighted
	if c.weighted {
		o.Weights, o.NonNegative, o.Combine = true, true, graph.CombineSum
	}
}

func (c *byWeight) prepare(*graph.Placed, *inputFlags) error { return nil }

// options adds the flag to the metadata.
func (c *byWeight) options(all map[string]any) map[string]any {
	if c.weighted {
		all["weighted"] = true
	}
	return all
}

// converging is a calculation in rounds, until one changes little.
type converging struct {
	byWeight
	tolerance  float64
	iterations int
	mean       bool // the tolerance is per vertex
}

func (c *converging) addRounds(g flagGroup, tolerance float64, iterations int) {
	what := "end once a round changes the values by less than `X` in sum"
	if c.mean {
		what += ", divided by the number of vertices"
	}
	g.flags.Float64Var(&c.tolerance, "tolerance", tolerance, what)
	g.flags.IntVar(&c.iterations, "iterations", iterations, "run at most `N` rounds")
	c.addWeighted(g, "multiply by the weights of edges")
}

func (c *converging) check(given func(string) bool) error {
	switch {
	case c.iterations < 1 || c.iterations > math.MaxInt32:
		return usagef("--iterations is %d; want 1 to %d", c.iterations, math.MaxInt32)
	case !(c.tolerance > 0 && c.tolerance <= math.MaxFloat64):
		return usagef("--tolerance is %v; want a finite number above 0, such as 1e-06", c.tolerance)
	}
	return c.byWeight.check(given)
}

// rounds is what is printed of them.
func (c *converging) rounds(made int, change float64, converged bool) [2]string {
	line := text.Count(made) + ", the last changed values by " + short(change) + " in sum"
	if !converged {
		line += fmt.Sprintf("; NOT converged to %v, more --iterations or a larger --tolerance may do it", c.tolerance)
	}
	return [2]string{"rounds", line}
}

func (c *converging) metadata(made int, converged bool) (options, counts map[string]any) {
	return c.options(map[string]any{"tolerance": c.tolerance, "iterations": c.iterations}), map[string]any{"rounds": made, "converged": converged}
}

// highest names the vertices of the largest values.
func highest(values []float64, ids *graph.IDs) string {
	best := largest(values, ids, 3)
	if len(best) == 0 {
		return "none"
	}
	names := make([]string, len(best))
	for i, v := range best {
		names[i] = formatID(ids, v) + " (" + short(values[v]) + ")"
	}
	return strings.Join(names, ", ")
}
