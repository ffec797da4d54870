// This file holds searches from many sources, each on its own (--sources-from), whose results are
// one table.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// seedFlags name files of sources and targets.
type seedFlags struct {
	sourcesFrom, targetsFrom string
}

func (f *seedFlags) add(g flagGroup, limit string) {
	g.flags.StringVar(&f.sourcesFrom, "sources-from", "", "run a separate search from each id in a table or text, many at a time, and write a row for each source and vertex that it reaches; `PATH` is Parquet, Arrow, a table of Iceberg or Delta Lake, .csv, .tsv or a text with an id a line, PATH;column=NAME names the column (default id, vertex, or the first), with kinds COLUMN:KIND or next to a column kind; "+limit+" bounds each search")
	g.flags.StringVar(&f.targetsFrom, "targets-from", "", "more --target ids, from a table or text at `PATH`, in the form of --sources-from; with --sources-from only rows of targets are written")
}

// check refuses flags that can't be combined. given reports whether a flag is set, and refused lists the flags that
// --sources-from can't have.
func (f *seedFlags) check(given func(string) bool, o *outputFlags, refused ...string) error {
	for flag, spec := range map[string]string{"sources-from": f.sourcesFrom, "targets-from": f.targetsFrom} {
		if !given(flag) {
			continue
		}
		if _, _, err := splitSeeds(flag, spec); err != nil {
			return err
		}
	}
	if f.sourcesFrom == "" {
		return nil
	}
	if o.output == "" {
		return usagef("--sources-from needs -o: the table that it writes")
	}
	for _, flag := range append(refused, "source", "validate", "partition-by", "properties", "reached-only", "paths") {
		if given(flag) {
			return usagef("--%s doesn't go with --sources-from, whose table has a row for each source and each vertex that it reaches", flag)
		}
	}
	return nil
}

// paths adds the files to those that are read.
func (f *seedFlags) paths(paths []string) []string {
	paths = slices.Clone(paths)
	for _, spec := range []string{f.sourcesFrom, f.targetsFrom} {
		if path, _, err := splitSeeds("", spec); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// moreTargets adds the vertices of --targets-from to others.
func (a *app) moreTargets(ctx context.Context, g *graph.Graph, in *inputFlags, f *seedFlags, targets []uint32) ([]uint32, error) {
	if f.targetsFrom == "" {
		return targets, nil
	}
	more, err := a.seeds(ctx, g, in, "targets-from", f.targetsFrom)
	if err != nil {
		return nil, err
	}
	return joined(targets, more), nil
}

// joined adds the vertices to others that aren't among these.
func joined(vs, more []uint32) []uint32 {
	seen := map[uint32]bool{}
	for _, v := range vs {
		seen[v] = true
	}
	for _, v := range more {
		if !seen[v] {
			vs = append(vs, v)
		}
	}
	return vs
}

// eachSearch is a search from each of many sources.
type eachSearch struct {
	name      string
	in        *inputFlags
	out       *outputFlags
	seeds     *seedFlags
	device    string
	targets   []string
	parents   bool
	distances bool
	reverse   bool
	options   map[string]any // that aren't the default, for the metadata
	run       func(ctx context.Context, p *graph.Placed, sources, targets []uint32, progress func(graph.Progress)) iter.Seq2[arrow.SourceRows, error]
}

// searchEach loads the graph, searches from each source and writes the table.
func (a *app) searchEach(ctx context.Context, paths []string, s *eachSearch) error {
	dev, err := openDevice(s.device, int(s.in.workers))
	if err != nil {
		return err
	}
	defer func() { dev.Close() }()
	o := s.in.options()
	o.Reverse = s.reverse
	o.Device = dev
	g, err := a.load(ctx, paths, s.in, o)
	if err != nil {
		return err
	}
	defer g.Close()
	sources, err := a.seeds(ctx, g.Graph, s.in, "sources-from", s.seeds.sourcesFrom)
	if err != nil {
		return err
	}
	if s.out.byID() {
		slices.SortFunc(sources, func(a, b uint32) int { return cmp.Compare(g.IDs().Rank(a), g.IDs().Rank(b)) })
	}
	var targets []uint32
	if len(s.targets) > 0 || s.seeds.targetsFrom != "" {
		if targets, err = s.in.vertexIDs(g.Graph, "target", s.targets); err != nil {
			return err
		}
		if targets, err = a.moreTargets(ctx, g.Graph, s.in, s.seeds, targets); err != nil {
			return err
		}
	}
	wo := s.out.options(a.data)
	w := a.summary(s.out.output)
	if err := g.print(w); err != nil {
		return err
	}
	rows, reached, least := 0, 0, -1
	var info device.Info // of where the graph is placed
	write := func() error {
		p, err := a.placeToRun(g, dev)
		if err != nil {
			return err
		}
		if err := a.checkRoom(dev, "the search", a.roomOfSearch(g.Graph)); err != nil {
			return errors.Join(err, p.Close())
		}
		if info = p.Device().Info(); s.out.hasMetadata() { // its checksum reads the whole graph
			counts := map[string]any{"sources.count": len(sources)}
			if wo.Metadata, err = describeRun(ctx, g.Graph, s.name, info.Name, s.options, counts); err != nil {
				return errors.Join(err, p.Close())
			}
		}
		progress := a.progress()
		defer progress.end()
		e, show := a.newEstimate(s.name+" from each source", "fewer sources take less", progress), progress.counting("searching")
		report := func(at graph.Progress) {
			show(at)
			e.at(at)
		}
		rows, reached, least = 0, 0, -1
		t := arrow.SourceTable{Distances: s.distanceType(g.Graph), Parents: s.parents, Rows: func(yield func(arrow.SourceRows, error) bool) {
			for r, err := range s.run(ctx, p, sources, targets, report) {
				if n := len(r.Vertices); err == nil {
					rows, reached = rows+n, max(reached, n)
					if least < 0 || n < least {
						least = n
					}
				}
				if !yield(r, err) {
					return
				}
			}
		}}
		err = arrow.WriteSources(ctx, s.out.output, g.Graph, t, wo)
		return errors.Join(err, p.Close())
	}
	start := time.Now()
	err = write()
	// Standard output can't be taken back.
	if err != nil && s.device == "auto" && tooSmall(dev, err) && rows == 0 {
		if err := a.note("%s; searching on the host", oneLine(explain(err))); err != nil {
			return err
		}
		_ = dev.Close() // the other error has been reported
		dev = host.New(int(s.in.workers))
		err = write()
	}
	if err != nil {
		return err
	}
	of := text.Plural(reached, "vertex")
	if least < reached {
		of = text.Count(max(least, 0)) + " to " + of
	}
	what := fmt.Sprintf("%s of %s; a search from each reaches %s", text.Count(len(sources)), s.seeds.sourcesFrom, of)
	if targets != nil {
		what += fmt.Sprintf(" of %s", text.Plural(len(targets), "target"))
	}
	for _, l := range [][2]string{{"device", fmt.Sprintf("%s, %s", info.Name, units(info))}, {"sources", what}, {"time", text.Duration(time.Since(start)) + ", the table included"}} {
		if err := line(w, l[0], l[1]); err != nil {
			return err
		}
	}
	if a.json {
		run := runResult{Algorithm: s.name, Device: info.Name, Options: s.options, Counts: map[string]any{"sources": len(sources), "rows": rows},
			RunMS: millis(time.Since(start)), Outputs: []outputResult{{s.out.output, &rows}}}
		a.result = &eachResult{head(s.name), g.result(), run}
	}
	a.doneWith(s.out.output, "a row for each source and vertex")
	if s.out.output == "-" {
		return nil
	}
	return line(w, "result", fmt.Sprintf("%s, %s", s.out.output, text.Plural(rows, "row")))
}

// eachBFS is the search of foray bfs --sources-from.
func (f *bfsFlags) eachBFS() *eachSearch {
	s := &eachSearch{name: "bfs", in: &f.inputFlags, out: &f.outputFlags, seeds: &f.seedFlags, device: f.device.value, targets: f.targets, parents: f.parents,
		options: map[string]any{}}
	if f.parents {
		s.options["parents"] = true
	}
	if f.depthLimit > 0 {
		s.options["depth-limit"] = int(f.depthLimit)
	}
	s.run = func(ctx context.Context, p *graph.Placed, sources, targets []uint32, progress func(graph.Progress)) iter.Seq2[arrow.SourceRows, error] {
		o := msbfs.EachOptions{DepthLimit: int(f.depthLimit), Parents: f.parents, Targets: targets, Progress: progress}
		return func(yield func(arrow.SourceRows, error) bool) {
			for r, err := range msbfs.Each(ctx, p, sources, o) {
				if !yield(arrow.SourceRows{Source: r.Source, Vertices: r.Vertices, Depths: r.Depths, Parents: r.Parents}, err) {
					return
				}
			}
		}
	}
	return s
}

// eachSSSP is the search of foray sssp --sources-from.
func (c *ssspCalculation) eachSSSP(f *algorithmFlags) *eachSearch {
	s := &eachSearch{name: "sssp", in: &f.inputFlags, out: &f.outputFlags, seeds: &c.seedFlags, device: f.device.value, targets: c.targetIDs, parents: c.parents, distances: true,
		reverse: c.always(), options: map[string]any{}}
	if c.parents {
		s.options["parents"] = true
	}
	if c.limit > 0 {
		s.options["limit"] = float64(c.limit)
	}
	s.run = func(ctx context.Context, p *graph.Placed, sources, targets []uint32, progress func(graph.Progress)) iter.Seq2[arrow.SourceRows, error] {
		return func(yield func(arrow.SourceRows, error) bool) {
			ended := false
			err := c.searchEach(ctx, p, sources, targets, func(rows arrow.SourceRows) bool {
				ended = !yield(rows, nil)
				return !ended
			}, progress)
			if err != nil && !ended {
				yield(arrow.SourceRows{}, err)
			}
		}
	}
	return s
}

// searchEach searches from each of the sources, and calls yield with the rows of each until it returns false.
func (c *ssspCalculation) searchEach(ctx context.Context, p *graph.Placed, sources, targets []uint32, yield func(arrow.SourceRows) bool, progress func(graph.Progress)) (err error) {
	search, err := sssp.NewSearcher(p, sssp.Options{Parents: c.parents, Limit: float64(c.limit), Delta: float64(c.delta), Float32: c.float32, Targets: targets, Prepare: c.preparation()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, search.Close()) }()
	var wanted []bool
	if targets != nil {
		wanted = make([]bool, p.NumVertices())
		for _, v := range targets {
			wanted[v] = true
		}
	}
	var rows arrow.SourceRows
	for i, source := range sources {
		r, err := search.Run(ctx, sssp.Query{Sources: []uint32{source}})
		if err != nil {
			return err
		}
		if err := errors.Join(c.eachRows(r, source, wanted, &rows), r.Close()); err != nil {
			return err
		}
		if !yield(rows) {
			return nil
		}
		progress(graph.Progress{Phase: "search", Done: uint64(i + 1), Total: uint64(len(sources))})
	}
	return nil
}

// eachRows makes the rows of a search.
func (c *ssspCalculation) eachRows(r *sssp.Result, source uint32, wanted []bool, rows *arrow.SourceRows) (err error) {
	var parents []uint32
	if c.parents {
		if parents, err = r.Parents.Slice(); err != nil {
			return err
		}
	}
	rows.Source, rows.Vertices, rows.Parents = source, rows.Vertices[:0], rows.Parents[:0]
	switch d := r.Distances; d.Type() {
	case graph.WeightsInt64:
		err = eachRowsOf(d.Int64, func(x int64) bool { return x >= 0 }, wanted, parents, rows)
	case graph.WeightsFloat32:
		err = eachRowsOf(d.Float32, func(x float32) bool { return finite(float64(x)) }, wanted, parents, rows)
	default:
		err = eachRowsOf(d.Float64, finite, wanted, parents, rows)
	}
	return err
}

// eachRowsOf makes the rows of a search whose distances have one type.
func eachRowsOf[T interface {
	device.Elem
	int64 | float32 | float64
}](values *traverse.Values[T], reached func(T) bool, wanted []bool, parents []uint32, rows *arrow.SourceRows) error {
	all, err := values.Slice()
	if err != nil {
		return err
	}
	distances, _ := rows.Distances.([]T)
	distances = distances[:0]
	for v, d := range all {
		if !reached(d) || wanted != nil && !wanted[v] {
			continue
		}
		rows.Vertices, distances = append(rows.Vertices, uint32(v)), append(distances, d)
		if parents != nil {
			rows.Parents = append(rows.Parents, parents[v])
		}
	}
	rows.Distances = distances
	return nil
}

// distanceType returns the type of distances over a graph.
func (s *eachSearch) distanceType(g *graph.Graph) graph.WeightType {
	switch {
	case !s.distances:
		return graph.WeightsAuto
	case s.in.weightType != nil && s.in.weightType.value == "float32":
		return graph.WeightsFloat32
	case g.WeightType() == graph.WeightsAuto: // no edges
		return graph.WeightsFloat64
	}
	return g.WeightType()
}
