// This file holds what the bfs command does, from loading to the files that it
// writes.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow"
)

func (a *app) bfs(ctx context.Context, paths []string, f *bfsFlags) error {
	dev, err := openDevice(f.deviceName(), int(f.workers))
	if err != nil {
		return err
	}
	defer func() { dev.Close() }()
	if err := f.checkOn(dev); err != nil {
		return err
	}
	o := f.inputFlags.options()
	o.Reverse = f.algo.value == "dobfs"
	o.Device = dev
	g, err := a.load(ctx, paths, &f.inputFlags, o)
	if err != nil {
		return err
	}
	defer g.Close()
	sources, why, err := f.chooseSources(g.Graph)
	if err != nil {
		return err
	}
	targets, err := f.vertexIDs(g.Graph, "target", f.targets)
	if err == nil {
		targets, err = a.moreTargets(ctx, g.Graph, &f.inputFlags, &f.seedFlags, targets)
	}
	if err != nil {
		return err
	}
	wo := f.outputFlags.options(a.data)
	if p := g.properties(); p != nil {
		wo.Properties = p
	}
	if f.output != "" && !f.paths { // a search may take long
		if err := arrow.Check(ctx, f.output, g.Graph, bfsColumns(f.parents), wo); err != nil {
			return err
		}
	}
	p, prepared, res, err := a.searchOn(ctx, dev, g, f, sources, targets)
	if err != nil && f.device.value == "auto" && tooSmall(dev, err) {
		if err := a.note("%s; searching on the host", oneLine(explain(err))); err != nil {
			return err
		}
		_ = dev.Close() // the other error has been reported
		dev = host.New(int(f.workers))
		p, prepared, res, err = a.searchOn(ctx, dev, g, f, sources, targets)
	}
	if err != nil {
		return err
	}
	defer done(p)
	defer res.Close()

	s := summary{g: g, res: res, prepared: prepared, info: p.Device().Info(), sources: why, targets: targets, all: f.allLevels}
	w := a.summary(f.output)
	if err := s.write(w); err != nil {
		return err
	}
	if f.validate {
		if err := bfs.Validate(g.Graph, res); err != nil {
			return err
		}
		s.valid = checkedRules(f.parents)
		if err := line(w, "valid", s.valid); err != nil {
			return err
		}
		depths, err := res.Depths()
		if err != nil {
			return err
		}
		if s.checksum = depthChecksum(g.Graph, depths); s.checksum != "" {
			if err := line(w, "checksum", s.checksum+ofDepths); err != nil {
				return err
			}
		}
	}
	if f.output != "" {
		err = f.writeTable(ctx, w, g, &s, wo)
	}
	if err == nil {
		err = a.sayOfSearch(f, &s)
	}
	if f.plot == "" {
		return err
	}
	// Each is drawn or written also where the other can't be: the search may have
	// taken long.
	perr := plotLevels(ctx, f.plot, s)
	if perr == nil {
		perr = line(w, "plot", f.plot)
	}
	return cmp.Or(err, perr)
}

// sayOfSearch sets the result and the last line of a search.
func (a *app) sayOfSearch(f *bfsFlags, s *summary) (err error) {
	if a.json {
		if a.result, err = s.result(f); err != nil {
			return err
		}
	}
	if err := a.chosenDevice(f.device.value, s.res.Device); err != nil {
		return err
	}
	what := "the depths of all vertices"
	if f.paths {
		what = "the paths"
	}
	a.doneWith(f.output, what)
	return nil
}

// searchOn places the graph on the device, prepares what the search needs, and
// searches.
func (a *app) searchOn(ctx context.Context, dev device.Device, g *loaded, f *bfsFlags, sources, targets []uint32) (*graph.Placed, time.Duration, *bfs.Result, error) {
	p, err := a.place(g, dev)
	if err != nil {
		return nil, 0, nil, err
	}
	if err := a.checkRoom(dev, "the search", a.roomOfSearch(g.Graph)); err != nil {
		return nil, 0, nil, errors.Join(err, p.Close())
	}
	prepared := f.prepare(p)
	logPrepared(ctx, dev, prepared)
	progress := a.progress()
	res, err := f.search(ctx, p, sources, targets, progress)
	progress.end()
	if err != nil {
		return nil, 0, nil, errors.Join(err, p.Close())
	}
	return p, prepared, res, nil
}

// tooSmall reports whether the error is that a GPU has too little memory.
func tooSmall(dev device.Device, err error) bool {
	return dev.Info().Kind != device.Host && errors.Is(err, device.ErrMemory)
}

// writeTable writes the table of -o, and reports it.
func (f *bfsFlags) writeTable(ctx context.Context, w io.Writer, g *loaded, s *summary, wo arrow.WriteOptions) (err error) {
	if f.outputFlags.hasMetadata() { // its checksum reads the whole graph
		if wo.Metadata, err = s.res.Metadata(ctx); err != nil {
			return err
		}
	}
	if f.paths {
		err = arrow.WritePaths(ctx, f.output, g.Graph, s.res, s.targets, wo)
	} else {
		err = arrow.Write(ctx, f.output, g.Graph, arrow.ResultColumns(s.res), wo)
	}
	if err != nil || f.output == "-" {
		return err
	}
	n, err := s.rows(f)
	if err != nil {
		return err
	}
	s.written, s.writtenRows = f.output, n
	rows := text.Plural(n, "row")
	if f.partitionBy != "" {
		rows += ", by " + f.partitionBy
	}
	return line(w, "result", fmt.Sprintf("%s, %s", f.output, rows))
}

// rows is how many rows the table has.
func (s *summary) rows(f *bfsFlags) (int, error) {
	switch {
	case f.paths && f.reachedOnly:
		depths, err := s.res.Depths()
		if err != nil {
			return 0, err
		}
		n := 0
		for _, t := range s.targets {
			if depths[t] >= 0 {
				n++
			}
		}
		return n, nil
	case f.paths:
		return len(s.targets), nil
	case f.reachedOnly:
		return s.res.Reached, nil
	}
	return s.g.NumVertices(), nil
}

// chooseSources returns the sources and their origin.
func (f *bfsFlags) chooseSources(g *graph.Graph) ([]uint32, string, error) {
	if len(f.sources) == 0 && g.NumVertices() == 0 {
		return nil, "", errors.New("the graph has no vertices, so that there is nothing to search from")
	}
	if len(f.sources) == 0 {
		h := g.DegreeHistogram()
		return []uint32{h.MaxVertex}, largestDegree(h.Max), nil
	}
	vs, err := f.vertexIDs(g, "source", f.sources)
	if len(vs) == 1 && g.Degree(vs[0]) == 0 {
		return vs, " (no edge leads out of it)", err
	}
	return vs, "", err
}

// largestDegree is the reason why a source was chosen.
func largestDegree(degree uint64) string {
	return fmt.Sprintf(" (the largest degree, %s; --source takes another)", text.Count(degree))
}

// line prints a line of the summary.
func line(w io.Writer, key, value string) error {
	_, err := fmt.Fprintf(w, "%-10s %s\n", key, text.Escape(location.Redact(value)))
	return err
}

// summary is what is printed about a search.
type summary struct {
	g        *loaded
	res      *bfs.Result
	prepared time.Duration
	info     device.Info
	sources  string // what is said behind their ids
	targets  []uint32
	all      bool

	valid       string // what --validate checked
	checksum    string // of depths, "" without --validate
	written     string // the output, "" for none
	writtenRows int    // in it
}

// maxIDs is how many ids are listed in a line.
const maxIDs = 5

// sourceIDs lists the sources.
func (s *summary) sourceIDs() string {
	var ids []string
	for _, v := range s.res.Sources {
		if len(ids) == maxIDs {
			ids = append(ids, fmt.Sprintf("and %s more", text.Count(len(s.res.Sources)-maxIDs)))
			break
		}
		ids = append(ids, formatID(s.g.IDs(), v))
	}
	return strings.Join(ids, ", ")
}

func (s *summary) write(out io.Writer) error {
	w := &strings.Builder{}
	g, r := s.g, s.res
	g.print(w)
	line(w, "prepared", "in "+text.Duration(s.prepared)+", once per graph")
	key := "source"
	if len(r.Sources) > 1 {
		key = "sources"
	}
	line(w, key, s.sourceIDs()+s.sources)
	line(w, "search", fmt.Sprintf("%s on %s, %s", r.Algorithm, r.Device, units(s.info)))
	fmt.Fprintln(w)
	if _, err := io.WriteString(out, w.String()); err != nil {
		return err
	}
	if err := levelTable(levels(r), s.all).Write(out, "  "); err != nil {
		return err
	}
	w.Reset()
	fmt.Fprintln(w)

	n := uint64(g.NumVertices())
	reached := fmt.Sprintf("%s of %s (%s) in %s", text.Count(r.Reached), text.Plural(n, "vertex"),
		text.Percent(uint64(r.Reached), n), text.Plural(r.Levels, "level"))
	if r.Limited {
		reached += "; ended with vertices still to expand"
	}
	line(w, "reached", reached)
	if len(s.targets) > 0 {
		depths, err := s.targetDepths()
		if err != nil {
			return err
		}
		line(w, "targets", depths)
	}
	inLevels := time.Duration(0)
	for _, l := range r.Stats {
		inLevels += l.Took
	}
	line(w, "setup", text.Duration(max(0, r.Elapsed-inLevels)))
	line(w, "levels", text.Duration(inLevels))
	line(w, "time", text.Duration(r.Elapsed)+" in all")
	if edges := r.TraversedEdges(); !r.Limited && edges > 0 && r.Elapsed > 0 {
		line(w, "rate", fmt.Sprintf("%s (%s)", text.RateUnit(float64(edges)/r.Elapsed.Seconds()/1e9), text.Plural(edges, "edge")))
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// targetDepths lists the targets with their depths.
func (s *summary) targetDepths() (string, error) {
	var list []string
	depths, err := s.res.Depths()
	if err != nil {
		return "", err
	}
	for _, v := range s.targets {
		d := "not reached"
		if depths[v] >= 0 {
			d = fmt.Sprintf("at depth %s", text.Count(depths[v]))
		}
		list = append(list, formatID(s.g.IDs(), v)+" "+d)
	}
	return strings.Join(list, ", "), nil
}

// describe is the graph in a line.
func (g *loaded) describe() string {
	directed := "undirected"
	if g.Directed() {
		directed = "directed"
	}
	return fmt.Sprintf("%s: %s%s, %s, %s, ids %s, order %v", text.Escape(g.in.name), text.Plural(g.NumVertices(), "vertex"), g.isolated(),
		text.Plural(g.NumEdges(), "edge"), directed, g.idNames(), g.Order())
}

// idNames describes ids: their type, or their columns with types. Prepared graphs
// don't have the columns' names.
func (g *loaded) idNames() string {
	ids := g.IDs()
	form, err := logical.Parse(ids.Logical)
	switch {
	case ids.Logical == "" || err != nil:
		return ids.Type.String()
	case form.Kind == logical.Kinds:
		return "of kinds " + kindNames(form)
	case form.Kind != logical.Tuple:
		return ids.Logical
	}
	var types []string
	for _, p := range form.Parts {
		types = append(types, p.String())
	}
	names := fmt.Sprintf("of %d columns", len(types))
	for _, p := range g.in.parts {
		if p.arrow != nil {
			s := p.arrow.Info()
			names = strings.Join(columnNames(s, s.SourceColumns), ", ")
			break
		}
	}
	return fmt.Sprintf("%s (%s)", names, strings.Join(types, ", "))
}

// level is a row of the table of levels: a level, or several that are summed up.
type level struct {
	bfs.Level
	expanded bool // false for the last one where the search ended at a limit
	counted  bool // the edges looked at are known
}

// size is the mean number of vertices of its levels.
func (l *level) size() float64 { return float64(l.Frontier) / float64(l.Levels) }

// depth is the depth of the vertices that the first of its levels expands.
func (l *level) depth() int { return l.Level.Level - 1 }

// depths names them: "7", or "2,048 to 2,051".
func (l *level) depths() string {
	if l.Levels > 1 {
		return text.Count(l.depth()) + " to " + text.Count(l.depth()+l.Levels-1)
	}
	return text.Count(l.depth())
}

// levels returns all levels that have a vertex.
func levels(r *bfs.Result) []level {
	var ls []level
	left := r.Reached
	// A GPU whose search is one kernel doesn't count what its pulls look at; others
	// look at nothing where no vertex is left to find.
	counted := r.Device == host.Name || slices.ContainsFunc(r.Stats, func(l bfs.Level) bool { return l.Direction == "pull" && l.Edges > 0 })
	next := 1
	for _, s := range r.Stats {
		ls = append(ls, level{s, true, counted || s.Direction == "push"})
		left -= s.Frontier
		next = s.Level + s.Levels
	}
	if left > 0 {
		ls = append(ls, level{Level: bfs.Level{Level: next, Levels: 1, Frontier: left}})
	}
	return ls
}

// Of more than maxLevels levels the table has the first, the widest with those
// around it, and the last.
const (
	maxLevels   = 40
	endLevels   = 10 // at either end
	aroundLevel = 3  // on either side of the widest
)

// micros formats seconds as microseconds, with tenths if fine is set.
func micros(seconds float64, fine bool) string {
	us := seconds * 1e6
	switch {
	case fine:
		return fmt.Sprintf("%.1f", us)
	case us > 0 && us < 0.5:
		return "< 1"
	}
	return text.Count(uint64(us + 0.5))
}

func levelTable(ls []level, all bool) *text.Table {
	t := &text.Table{Align: "rrrlr"}
	t.Row("depth", "vertices", "edges", "direction", "µs")
	widest, longest := 0, time.Duration(0)
	for i, l := range ls {
		longest = max(longest, l.Took)
		if l.size() > ls[widest].size() {
			widest = i
		}
	}
	shown := func(i int) bool {
		return all || len(ls) <= maxLevels || i < endLevels || i >= len(ls)-endLevels ||
			i >= widest-aroundLevel && i <= widest+aroundLevel
	}
	for i := 0; i < len(ls); i++ {
		if !shown(i) {
			out := 0
			for ; !shown(i); i++ {
				out += ls[i].Levels
			}
			t.Note(fmt.Sprintf("... %s left out (--all-levels prints them) ...", text.Plural(out, "level")))
		}
		l := ls[i]
		depth, frontier := l.depths(), text.Count(l.Frontier)
		if !l.expanded {
			t.Row(depth, frontier, "", "not expanded", "")
			continue
		}
		edges := text.Count(l.Edges)
		if !l.counted {
			edges = "not counted"
		}
		t.Row(depth, frontier, edges, l.Direction, micros(l.Took.Seconds(), longest < 999_950*time.Nanosecond))
	}
	return t
}
