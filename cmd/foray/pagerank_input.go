// This file holds what pagerank reads besides the graph: where walkers jump to, earlier ranks, and the decay of edges.

package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow"
)

// mostRankings is how many personalizations package pagerank takes.
const mostRankings = 64

// checkRankings names the rankings that flags ask for, and reads the half-life as far as the graph isn't needed.
func (c *pagerankCalculation) checkRankings() error {
	c.names = nil
	if c.column != "" {
		names, err := logical.Fields(c.column)
		if err != nil {
			return usagef("--personalization: %v", err)
		}
		c.names = names
	}
	for i, ids := range c.jumpTo {
		if ids == "" {
			return usagef("--jump-to is empty; give an id, or several separated by commas")
		}
		c.names = append(c.names, strconv.Itoa(i+1))
	}
	if len(c.names) > mostRankings {
		return usagef("there are %d rankings; want %d at most", len(c.names), mostRankings)
	}
	for i, name := range c.names {
		for _, other := range c.names[:i] {
			if name == other {
				return usagef("--personalization names %q twice", name)
			}
		}
	}
	if c.decay != "" {
		if _, _, err := halfLife(c.decay); err != nil {
			return usagef("--decay %s: want a half-life above 0, such as 30d, 12h, 90m, 45s, or a number in the unit of --time", c.decay)
		}
	}
	return nil
}

// prepareJumps finds the vertices of --jump-to.
func (c *pagerankCalculation) prepareJumps(g *graph.Graph) error {
	if len(c.jumpTo) == 0 || c.several != nil {
		return nil
	}
	var all [][]float64
	for _, list := range c.jumpTo {
		ids, err := logical.Fields(list)
		if err != nil {
			return usagef("--jump-to: %v", err)
		}
		to, err := c.in.vertexIDs(g, "jump-to", ids)
		if err != nil {
			return err
		}
		jumps := make([]float64, g.NumVertices())
		for _, v := range to {
			jumps[v] = 1
		}
		all = append(all, jumps)
	}
	c.several = all
	return nil
}

// properties reads columns of a table of vertices as properties of the graph's vertices.
func (c *pagerankCalculation) properties(ctx context.Context, g *graph.Graph, t arrow.VertexTable) (*arrow.Properties, error) {
	o := arrow.Options{Workers: int(c.in.workers), FollowLinks: c.in.links, AllowOutside: c.in.outside}
	c.in.limits.arrow(&o)
	o.SkipNulls = c.in.nulls.value == "skip"
	return arrow.LoadProperties(ctx, g, t, o)
}

// personalize reads the columns.
func (c *pagerankCalculation) personalize(ctx context.Context, g *graph.Graph) error {
	paths, err := c.in.tablesOnly()
	if err != nil {
		return err
	}
	t, err := c.in.vertexTable(paths)
	if err != nil {
		return err
	}
	t.Properties, t.SkipUnknown = c.names, c.in.unknown.value == "skip"
	x, err := c.properties(ctx, g, *t)
	if err != nil {
		return err
	}
	var all [][]float64
	for _, name := range c.names {
		jumps, err := x.Numbers(name, 0)
		if err != nil {
			return err
		}
		for v, n := range jumps {
			if !(n >= 0 && n <= math.MaxFloat64) {
				return fmt.Errorf("--personalization %s: vertex %s has %v; want finite numbers, 0 or more: change them before loading", name, formatID(g.IDs(), uint32(v)), n)
			}
		}
		all = append(all, jumps)
	}
	c.several = all
	return nil
}

// startColumn is the column of earlier ranks.
const startColumn = "rank"

// readStart reads earlier ranks. Vertices that they lack were added later, and earlier ones may be gone.
func (c *pagerankCalculation) readStart(ctx context.Context, g *graph.Graph) error {
	if err := notText("--start", c.start); err != nil {
		return err
	}
	x, err := c.properties(ctx, g, arrow.VertexTable{Paths: []string{c.start}, Properties: []string{startColumn}, SkipUnknown: true})
	if err != nil {
		return fmt.Errorf("--start: %w", err)
	}
	ranks, err := x.Numbers(startColumn, math.NaN())
	if err != nil {
		return fmt.Errorf("--start: %w", err)
	}
	sum := 0.0
	for v, n := range ranks {
		if !math.IsNaN(n) && !(n >= 0 && n <= math.MaxFloat64) {
			return fmt.Errorf("--start %s: vertex %s has %v; want ranks, as -o writes them", c.start, formatID(g.IDs(), uint32(v)), n)
		} else if !math.IsNaN(n) {
			sum += n
		}
	}
	if sum == 0 && len(ranks) > 0 {
		return fmt.Errorf("--start %s: it has no rank above 0 of a vertex of the graph; name a table of its ranks", c.start)
	}
	c.o.Start = ranks
	return nil
}

// halfLife reads a half-life: a duration, or a number in the unit of a column.
func halfLife(s string) (d time.Duration, number float64, err error) {
	if number, err = strconv.ParseFloat(s, 64); err == nil {
		if !(number > 0 && number <= math.MaxFloat64) {
			return 0, 0, strconv.ErrRange
		}
		return 0, number, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if number, err = strconv.ParseFloat(days, 64); err == nil {
			s = strconv.FormatFloat(number*24, 'f', -1, 64) + "h"
		}
	}
	if d, err = time.ParseDuration(s); err == nil && d <= 0 {
		err = strconv.ErrRange
	}
	return d, 0, err
}

// prepareDecay reads the half-life and the reference in the unit of the column.
func (c *pagerankCalculation) prepareDecay(g *graph.Graph) error {
	if c.time == "" {
		return nil
	}
	col, err := g.EdgeColumn(c.time)
	if err != nil {
		return fmt.Errorf("--time: %w", err)
	}
	if col.Dictionary != nil {
		return usagef("--time %s: the column has strings, not dates, timestamps or numbers", c.time)
	}
	form, err := logical.Parse(col.Logical)
	if err != nil || !form.Integer() {
		form = logical.Type{}
	}
	d, number, err := halfLife(c.decay)
	if err != nil {
		return usagef("--decay %s: %v", c.decay, err)
	}
	c.o.Decay.Column, c.o.Decay.HalfLife = col.Name, number
	if d > 0 {
		units, ok := form.Units(d)
		if !ok {
			return usagef("--decay %s: the column %s has numbers without a unit; give a number", c.decay, c.time)
		}
		c.o.Decay.HalfLife = units
	}
	if c.until == "" {
		return nil
	}
	if form.Kind != logical.Plain {
		at, err := form.ParseInt(c.until)
		if err != nil {
			return usagef("--reference %s: the column %s has values of type %s: %v", c.until, c.time, col.Logical, err)
		}
		c.o.Decay.Reference = float64(at)
	} else if c.o.Decay.Reference, err = strconv.ParseFloat(c.until, 64); err != nil {
		return usagef("--reference %s: the column %s has numbers; give one of the same unit", c.until, c.time)
	}
	return nil
}
