// This file holds breadth-first search as the run command has it.

package main

import (
	"context"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

var bfsAlgorithm = algorithm{name: "bfs", make: func() calculation { return &bfsCalculation{} }}

type bfsCalculation struct {
	ids     []string
	parents bool
	limit   positive
	sources []uint32
	why     string
}

func (c *bfsCalculation) addFlags(g flagGroup) {
	g.flags.StringArrayVarP(&c.ids, "source", "s", nil, "`ID` of a vertex to start from; may be repeated (default the one of largest degree)")
	g.flags.BoolVar(&c.parents, "parents", false, "find the parent of every vertex too")
	g.flags.Var(&c.limit, "depth-limit", "end after so many levels below the sources; 0: no limit")
}

func (c *bfsCalculation) check(func(string) bool) error     { return nil }
func (c *bfsCalculation) needs(*graph.Options, *inputFlags) {}

func (c *bfsCalculation) columns() []arrow.Column {
	return bfsColumns(c.parents)
}

// depths are the depths of a search, as a result without parents.
type depths []int32

func (d depths) Depths() ([]int32, error)   { return d, nil }
func (d depths) Parents() ([]uint32, error) { return nil, nil }

// bfsColumns are the columns of a search without values.
func bfsColumns(parents bool) []arrow.Column {
	list := arrow.ResultColumns(depths{})
	if parents {
		list = append(list, arrow.NewColumn("parent", []uint32{}).Vertices())
	}
	return list
}

func (c *bfsCalculation) prepare(p *graph.Placed, in *inputFlags) (err error) {
	f := &bfsFlags{inputFlags: *in, sources: c.ids}
	c.sources, c.why, err = f.chooseSources(p.Graph())
	if err == nil && bench.Auto(p.Graph()).Kind == bench.DOBFS {
		p.State().Prepare()
		p.PrepareRemote() // what fails here fails in the search again
	}
	return err
}

func (c *bfsCalculation) run(ctx context.Context, p *graph.Placed, report func(traverse.Level)) (answer, error) {
	progress := func(l bfs.Level) { report(traverse.Level{Level: l.Level}) }
	if report == nil || p.Remote() != nil { // a GPU searches in one kernel
		progress = nil
	}
	var r *bfs.Result
	var err error
	if bench.Auto(p.Graph()).Kind == bench.DOBFS {
		r, err = dobfs.RunMultiSource(ctx, p, c.sources, dobfs.Options{Outputs: outputs(true, c.parents), DepthLimit: int(c.limit), EachLevel: progress, Logger: logOf(ctx)})
	} else {
		r, err = bfs.RunMultiSource(ctx, p, c.sources, bfs.Options{Outputs: outputs(true, c.parents), DepthLimit: int(c.limit), EachLevel: progress, Logger: logOf(ctx)})
	}
	if err != nil {
		return nil, err
	}
	a := &bfsAnswer{Result: r, c: c}
	if a.depths, err = r.Depths(); err == nil && c.parents {
		a.parents, err = r.Parents()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return a, nil
}

type bfsAnswer struct {
	*bfs.Result
	c       *bfsCalculation
	depths  []int32
	parents []uint32
}

func (a *bfsAnswer) columns() []arrow.Column {
	return arrow.ResultColumns(a.Result)
}
func (a *bfsAnswer) missing() int { return len(a.depths) - a.Reached }
func (a *bfsAnswer) stats() traverse.Stats {
	return traverse.Stats{Device: a.Device, Elapsed: a.Elapsed}
}

func (a *bfsAnswer) lines(g *graph.Graph) ([][2]string, error) {
	s := summary{g: &loaded{Graph: g}, res: a.Result}
	return [][2]string{
		{"source", s.sourceIDs() + a.c.why},
		{"reached", text.Count(a.Reached) + " of " + text.Plural(g.NumVertices(), "vertex") + " in " + text.Plural(a.Levels, "level")},
	}, nil
}

func (a *bfsAnswer) validate(g *graph.Graph) (string, error) {
	return "depths and parents obey Graph500's five rules", bfs.Validate(g, a.Result)
}

func (a *bfsAnswer) metadata(g *graph.Graph) (options, counts map[string]any) {
	options = map[string]any{}
	if a.c.parents {
		options["parents"] = true
	}
	if a.c.limit > 0 {
		options["depthLimit"] = int(a.c.limit)
	}
	counts = map[string]any{"reached": a.Reached, "levels": a.Levels, "sources.count": len(a.Sources)}
	if len(a.Sources) == 1 {
		counts["source"] = g.IDs().Format(a.Sources[0])
	}
	return options, counts
}

func (a *bfsAnswer) Close() error {
	a.Result.Close()
	return nil
}
