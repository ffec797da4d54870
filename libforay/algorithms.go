// This file lists the algorithms, each with its options and its columns.

package main

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

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
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// calculation is one run of an algorithm.
type calculation struct {
	common  common
	options fields
	// needs sets what the graph must have.
	needs func(o *graph.Options)
	run   func(ctx context.Context, p *graph.Placed) (*answer, error)
	rows  rowsOf

	names  func() []string // of columns that are personalizations; nil: none
	column string          // the personalization of PageRank, or several, separated by commas
	jumps  [][]float64     // their values
	start  string          // the column of earlier ranks
	starts []float64       // its values
	reads  string          // a column of edges
	begins *string         // a column of vertices with the communities to begin with; nil: none
}

// rowsOf is what a result has a row for.
type rowsOf uint8

const (
	ofVertices  rowsOf = iota
	ofEdges            // all of them
	ofSomeEdges        // those with a value in the first column
	ofTable            // what its columns have
)

// answer is the result of an algorithm.
type answer struct {
	columns func() []arrow.Column
	close   func() error
}

func (a *answer) Close() error { return a.close() }

// algorithms are all of them. Each adds its options to a calculation, and sets needs and run.
var algorithms = map[string]func(*calculation){
	"bfs":         func(c *calculation) { search(c, bfs.RunMultiSource, func(*graph.Options) {}) },
	"dobfs":       func(c *calculation) { search(c, pulls, func(o *graph.Options) { o.Reverse = true }) },
	"cc":          components,
	"sssp":        shortestPaths,
	"pagerank":    pageRank,
	"lpa":         labels,
	"kcore":       cores,
	"triangles":   countTriangles,
	"closeness":   closenessOf,
	"bc":          betweenness,
	"degree":      degrees,
	"eigenvector": eigenvectorOf,
	"hits":        hubs,
	"katz":        katzOf,
	"mis":         independent,
	"color":       colors,
	"louvain":     func(c *calculation) { communities(c, runLouvain) },
	"leiden":      func(c *calculation) { communities(c, leiden.Run) },
	"topo":        levels,
	"msf":         minimumForest,
	"spanning":    spanningForest,
	"bridges":     blocks,
	"ktruss":      trusses,
	"kclique":     cliques,
	"similar":     similarity,
	"walks":       randomWalks,
	"paths":       simplePaths,
}

// newCalculation returns a run of the algorithm with that name.
func newCalculation(name string) (*calculation, error) {
	algorithm, ok := algorithms[name]
	if !ok {
		return nil, invalidf("there is no algorithm %.64q; the algorithms are %s", name, strings.Join(slices.Sorted(maps.Keys(algorithms)), ", "))
	}
	c := &calculation{needs: func(*graph.Options) {}}
	c.options = c.common.fields()
	algorithm(c)
	return c, nil
}

// sources looks the option up that a search needs.
func sources(g *graph.Graph, list ids) ([]uint32, error) {
	if len(list) == 0 {
		return nil, invalidf(`option "source" is missing; give the id of a vertex, or an array of ids`)
	}
	return list.vertices(g, "source")
}

// notZero sets an option that was given, for which 0 stands for the default in Go.
func notZero[T int | float64](name string, given, to *T) error {
	switch {
	case given == nil:
		return nil
	case *given == 0:
		return invalidf("option %q is 0; want more, or leave it out", name)
	}
	*to = *given
	return nil
}

func pulls(ctx context.Context, p *graph.Placed, sources []uint32, o bfs.Options) (*bfs.Result, error) {
	return dobfs.RunMultiSource(ctx, p, sources, dobfs.Options(o))
}

func search(c *calculation, find func(context.Context, *graph.Placed, []uint32, bfs.Options) (*bfs.Result, error), needs func(*graph.Options)) {
	var from, to ids
	var parents bool
	o := bfs.Options{Outputs: bfs.Depths}
	maps.Copy(c.options, fields{"source": &from, "target": &to, "depth_limit": &o.DepthLimit, "parents": &parents})
	c.needs = needs
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		vs, err := sources(p.Graph(), from)
		if err != nil {
			return nil, err
		}
		if o.Targets, err = to.vertices(p.Graph(), "target"); err != nil {
			return nil, err
		}
		if parents {
			o.Outputs |= bfs.Parents
		}
		r, err := find(ctx, p, vs, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return arrow.ResultColumns(r) }, r.Close}, nil
	}
}

func components(c *calculation) {
	var strong bool
	c.options["strong"] = &strong
	c.needs = func(o *graph.Options) { o.Reverse = strong }
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		find := cc.Run
		if strong {
			find = cc.Strong
		}
		r, err := find(ctx, p, cc.Options{})
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			return []arrow.Column{arrow.ValuesColumn("component", r.Component).Vertices()}
		}, r.Close}, nil
	}
}

func shortestPaths(c *calculation) {
	var from, to ids
	var o sssp.Options
	maps.Copy(c.options, fields{"weight": &c.common.weight, "source": &from, "target": &to, "limit": &o.Limit, "delta": &o.Delta, "parents": &o.Parents})
	c.needs = func(o *graph.Options) { o.Weights = true }
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		vs, err := sources(p.Graph(), from)
		if err != nil {
			return nil, err
		}
		if o.Targets, err = to.vertices(p.Graph(), "target"); err != nil {
			return nil, err
		}
		r, err := sssp.RunMultiSource(ctx, p, vs, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			list := []arrow.Column{distanceColumn(r.Distances)}
			if o.Parents {
				list = append(list, arrow.ValuesColumn("parent", r.Parents).Vertices())
			}
			return list
		}, r.Close}, nil
	}
}

// distanceColumn returns the distances in their type.
func distanceColumn(d sssp.Distances) arrow.Column {
	switch {
	case d.Int64 != nil:
		return arrow.ValuesColumn("distance", d.Int64, -1)
	case d.Float32 != nil:
		return arrow.ValuesColumn("distance", d.Float32, float32(math.Inf(1)))
	}
	return arrow.ValuesColumn("distance", d.Float64, math.Inf(1))
}

func pageRank(c *calculation) {
	var o pagerank.Options
	var damping, tolerance, decay *float64
	var iterations *int
	var columns []string
	maps.Copy(c.options, fields{"damping": &damping, "tolerance": &tolerance, "iterations": &iterations,
		"weighted": &o.Weighted, "weight": &c.common.weight, "personalization": &c.column,
		"personalizations": &columns, "start": &c.start, "time": &c.reads, "decay": &decay, "reference": &o.Decay.Reference})
	c.names = func() []string {
		if c.column != "" {
			return append([]string{c.column}, columns...)
		}
		return columns
	}
	c.needs = func(g *graph.Options) {
		g.Reverse, g.KeepSelfLoops = true, true
		if o.Weighted = o.Weighted || c.common.weight != ""; o.Weighted {
			g.Weights, g.NonNegative, g.Combine = true, true, graph.CombineSum
		}
		if c.reads != "" { // every copy of an edge has its own time
			g.Combine, g.KeepDuplicates = graph.CombineMin, true
		}
	}
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		if (c.reads == "") != (decay == nil) {
			return nil, invalidf(`options "time" and "decay" go together: the column of the edges' times, and the half-life in its unit`)
		}
		if decay != nil {
			o.Decay.Column, o.Decay.HalfLife = c.reads, *decay
		}
		err := errors.Join(notZero("damping", damping, &o.Damping), notZero("iterations", iterations, &o.Iterations))
		if err != nil {
			return nil, err
		}
		switch {
		case tolerance == nil:
		case *tolerance == 0:
			o.Tolerance = -1 // none
		case *tolerance < 0:
			return nil, invalidf(`option "tolerance" is %v; want a number, 0 or more`, *tolerance)
		default:
			o.Tolerance = *tolerance
		}
		o.Start = c.starts
		if len(c.jumps) == 0 || len(columns) == 0 {
			if len(c.jumps) > 0 {
				o.Personalization = c.jumps[0]
			}
			r, err := pagerank.Run(ctx, p, o)
			if err != nil {
				return nil, err
			}
			return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("rank", r.Ranks)} }, r.Close}, nil
		}
		all, err := pagerank.RunEach(ctx, p, o, c.jumps)
		if err != nil {
			return nil, err
		}
		return &answer{func() (list []arrow.Column) {
			for i, name := range c.names() {
				list = append(list, arrow.ValuesColumn("rank_"+name, all[i].Ranks))
			}
			return list
		}, func() (err error) {
			for _, r := range all {
				err = errors.Join(err, r.Close())
			}
			return err
		}}, nil
	}
}

func labels(c *calculation) {
	var o lpa.Options
	var iterations *int
	c.options["iterations"] = &iterations
	c.needs = func(o *graph.Options) { o.Reverse, o.KeepSelfLoops = true, true }
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		if err := notZero("iterations", iterations, &o.Iterations); err != nil {
			return nil, err
		}
		r, err := lpa.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("label", r.Labels).Vertices()} }, r.Close}, nil
	}
}

func independent(c *calculation) {
	var o mis.Options
	c.options["seed"] = &o.Seed
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := mis.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("member", r.Member)} }, r.Close}, nil
	}
}

func colors(c *calculation) {
	var o color.Options
	maps.Copy(c.options, fields{"largest_first": &o.LargestFirst, "seed": &o.Seed})
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := color.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("color", r.Color)} }, r.Close}, nil
	}
}

func runLouvain(ctx context.Context, p *graph.Placed, o leiden.Options) (*leiden.Result, error) {
	r, err := louvain.Run(ctx, p, louvain.Options(o))
	return (*leiden.Result)(r), err
}

// communities is for louvain and leiden: their options and results are the same.
func communities(c *calculation, run func(context.Context, *graph.Placed, leiden.Options) (*leiden.Result, error)) {
	var o leiden.Options
	var resolution *float64
	maps.Copy(c.options, fields{"weighted": &o.Weighted, "weight": &c.common.weight, "resolution": &resolution, "seed": &o.Seed, "levels": &o.Levels, "initial": &o.Initial})
	c.begins = &o.Initial
	c.needs = func(g *graph.Options) {
		g.Reverse, g.KeepSelfLoops = true, true
		if o.Weighted = o.Weighted || c.common.weight != ""; o.Weighted {
			g.Weights, g.NonNegative, g.Combine = true, true, graph.CombineSum
		}
	}
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		if err := notZero("resolution", resolution, &o.Resolution); err != nil {
			return nil, err
		}
		r, err := run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			list := []arrow.Column{arrow.ValuesColumn("community", r.Community)}
			for i, l := range r.Levels {
				list = append(list, arrow.ValuesColumn("level"+strconv.Itoa(i+1), l))
			}
			return list
		}, r.Close}, nil
	}
}

func levels(c *calculation) {
	var o topo.Options
	maps.Copy(c.options, fields{"weighted": &o.Weighted, "weight": &c.common.weight})
	c.needs = func(g *graph.Options) {
		g.Directed, g.KeepSelfLoops = true, true
		if o.Weighted = o.Weighted || c.common.weight != ""; o.Weighted {
			g.Weights, g.NonNegative, g.Combine = true, true, graph.CombineMax
		}
	}
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := topo.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			list := []arrow.Column{arrow.ValuesColumn("level", r.Level)}
			if o.Weighted {
				list = append(list, arrow.ValuesColumn("length", r.Length))
			}
			return list
		}, r.Close}, nil
	}
}

func blocks(c *calculation) {
	c.rows = ofEdges
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := bridges.Run(ctx, p, bridges.Options{})
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			return []arrow.Column{arrow.ValuesColumn("component", r.Component).Vertices(), arrow.ValuesColumn("bridge", r.Bridge)}
		}, r.Close}, nil
	}
}

func trusses(c *calculation) {
	c.rows = ofEdges
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := ktruss.Run(ctx, p, ktruss.Options{})
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("trussness", r.Trussness)} }, r.Close}, nil
	}
}

func cliques(c *calculation) {
	o := kclique.Options{K: 3}
	maps.Copy(c.options, fields{"k": &o.K})
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		if o.K < 1 {
			return nil, invalidf(`option "k" is %d; want a number of vertices, 1 or more`, o.K)
		}
		r, err := kclique.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("cliques", r.Cliques)} }, r.Close}, nil
	}
}

func minimumForest(c *calculation) {
	var o msf.Options
	maps.Copy(c.options, fields{"maximum": &o.Maximum, "weight": &c.common.weight})
	c.needs = func(g *graph.Options) {
		if g.Weights, g.Combine = true, graph.CombineMin; o.Maximum {
			g.Combine = graph.CombineMax
		}
	}
	forestOf(c, &o)
}

func spanningForest(c *calculation) { forestOf(c, &msf.Options{Unweighted: true}) }

func forestOf(c *calculation, o *msf.Options) {
	c.rows = ofSomeEdges
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := msf.Run(ctx, p, *o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("tree", r.Tree).Vertices()} }, r.Close}, nil
	}
}

func cores(c *calculation) {
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := kcore.Run(ctx, p, kcore.Options{})
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("core", r.Core)} }, r.Close}, nil
	}
}

func countTriangles(c *calculation) {
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := triangles.Run(ctx, p, triangles.Options{})
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			return []arrow.Column{arrow.ValuesColumn("triangles", r.Triangles), arrow.ValuesColumn("coefficient", r.Coefficient)}
		}, r.Close}, nil
	}
}

func closenessOf(c *calculation) {
	var of ids
	var o closeness.Options
	maps.Copy(c.options, fields{"source": &of, "lanes": &o.Lanes})
	c.needs = func(o *graph.Options) { o.Reverse = true }
	c.run = func(ctx context.Context, p *graph.Placed) (_ *answer, err error) {
		if o.Of, err = of.vertices(p.Graph(), "source"); err != nil {
			return nil, err
		}
		r, err := closeness.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			return []arrow.Column{
				arrow.ValuesColumn("closeness", r.Closeness, math.NaN()),
				arrow.ValuesColumn("harmonic", r.Harmonic, math.NaN()),
				arrow.ValuesColumn("eccentricity", r.Eccentricity, -1),
			}
		}, r.Close}, nil
	}
}

func betweenness(c *calculation) {
	var from ids
	var o bc.Options
	maps.Copy(c.options, fields{"source": &from, "samples": &o.Samples, "seed": &o.Seed, "unnormalized": &o.Unnormalized,
		"edges": &o.Edges, "weighted": &o.Weighted, "weight": &c.common.weight})
	c.needs = func(g *graph.Options) {
		o.Weighted = o.Weighted || c.common.weight != ""
		if g.Weights, g.Reverse = o.Weighted, !o.Weighted && !o.Edges; o.Edges {
			c.rows = ofEdges
		}
	}
	c.run = func(ctx context.Context, p *graph.Placed) (_ *answer, err error) {
		if o.Sources, err = from.vertices(p.Graph(), "source"); err != nil {
			return nil, err
		}
		if o.Sources != nil && o.Samples != 0 {
			return nil, invalidf(`options "source" and "samples" don't go together; leave one out`)
		}
		r, err := bc.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			if o.Edges {
				return []arrow.Column{arrow.ValuesColumn("betweenness", r.Edges)}
			}
			return []arrow.Column{arrow.ValuesColumn("betweenness", r.Betweenness)}
		}, r.Close}, nil
	}
}

// byWeight adds the options of weights, and sets needs: self-loops are kept, and weights of repeated edges added up.
func byWeight(c *calculation, weighted *bool) {
	maps.Copy(c.options, fields{"weighted": weighted, "weight": &c.common.weight})
	c.needs = func(g *graph.Options) {
		g.Reverse, g.KeepSelfLoops = true, true
		if *weighted = *weighted || c.common.weight != ""; *weighted {
			g.Weights, g.NonNegative, g.Combine = true, true, graph.CombineSum
		}
	}
}

// rounds adds the options of a run to a tolerance, and returns the check of them.
func rounds(c *calculation, tolerance *float64, iterations *int) func() error {
	var t *float64
	var n *int
	maps.Copy(c.options, fields{"tolerance": &t, "iterations": &n})
	return func() error {
		return errors.Join(notZero("tolerance", t, tolerance), notZero("iterations", n, iterations))
	}
}

func degrees(c *calculation) {
	var o degree.Options
	byWeight(c, &o.Weighted)
	maps.Copy(c.options, fields{"in": &o.In, "out": &o.Out})
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		r, err := degree.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			list := []arrow.Column{arrow.ValuesColumn("degree", r.Degree), arrow.ValuesColumn("centrality", r.Centrality)}
			if r.Strength != nil {
				list = append(list, arrow.ValuesColumn("strength", r.Strength))
			}
			return list
		}, r.Close}, nil
	}
}

func eigenvectorOf(c *calculation) {
	var o eigenvector.Options
	byWeight(c, &o.Weighted)
	check := rounds(c, &o.Tolerance, &o.Iterations)
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		if err := check(); err != nil {
			return nil, err
		}
		r, err := eigenvector.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("centrality", r.Centrality)} }, r.Close}, nil
	}
}

func hubs(c *calculation) {
	var o hits.Options
	byWeight(c, &o.Weighted)
	check := rounds(c, &o.Tolerance, &o.Iterations)
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		if err := check(); err != nil {
			return nil, err
		}
		r, err := hits.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column {
			return []arrow.Column{arrow.ValuesColumn("hub", r.Hubs), arrow.ValuesColumn("authority", r.Authorities)}
		}, r.Close}, nil
	}
}

func katzOf(c *calculation) {
	var o katz.Options
	var alpha, beta *float64
	byWeight(c, &o.Weighted)
	check := rounds(c, &o.Tolerance, &o.Iterations)
	maps.Copy(c.options, fields{"alpha": &alpha, "beta": &beta})
	c.run = func(ctx context.Context, p *graph.Placed) (*answer, error) {
		if err := errors.Join(check(), notZero("alpha", alpha, &o.Alpha), notZero("beta", beta, &o.Beta)); err != nil {
			return nil, err
		}
		r, err := katz.Run(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return &answer{func() []arrow.Column { return []arrow.Column{arrow.ValuesColumn("centrality", r.Centrality)} }, r.Close}, nil
	}
}
