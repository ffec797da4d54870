// This file holds a run of an algorithm on a placed graph, how its answer is printed and written, and the metadata of results.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/buildinfo"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// tell prints a summary of a run, checks the result if requested, and writes it.
func (r *ran) tell(ctx context.Context, w io.Writer, g *loaded, check bool, out *outputFlags, name string, wo arrow.WriteOptions) error {
	if err := r.print(w, g); err != nil {
		return err
	}
	if check {
		what, err := r.validate(g.Graph)
		if err != nil {
			return err
		}
		r.valid = what
		if err := line(w, "valid", what); err != nil {
			return err
		}
	}
	if more, ok := r.answer.(interface {
		also(ctx context.Context, w io.Writer) error // writes other files
	}); ok {
		if err := more.also(ctx, w); err != nil {
			return err
		}
	}
	if out.output == "" {
		return nil
	}
	if len(r.columns()) == 0 {
		return line(w, "result", "no file: there is nothing for each vertex")
	}
	return r.write(ctx, w, g, out, name, wo)
}

// tellAlso reports what isn't in the additional file.
func (a *app) tellAlso(c calculation, g *loaded) error {
	if also, ok := c.(alsoWrites); ok {
		return also.tellLeftOut(a, g)
	}
	return nil
}

// sayIdle prints a note about a flag of a calculation that changes nothing in this graph.
func (a *app) sayIdle(c calculation, g *loaded) error {
	if x, ok := c.(interface{ idle(g *graph.Graph) string }); ok {
		if why := x.idle(g.Graph); why != "" {
			return a.note("%s", why)
		}
	}
	return nil
}

// ran is an answer, and what it took.
type ran struct {
	answer
	p              *graph.Placed
	prepared, took time.Duration
	valid          string // what --validate checked
	written        string // the output, "" for none
	rows           int    // in it
}

func (r *ran) free() {
	r.answer.Close()
	done(r.p)
}

// done frees a placed graph and closes its graph first, so that rows that are only on the device aren't
// fetched.
func done(p *graph.Placed) error { return errors.Join(p.Graph().Close(), p.Close()) }

// runOn places the graph on the device and runs the algorithm.
func (a *app) runOn(ctx context.Context, dev device.Device, g *loaded, c calculation) (*ran, error) {
	p, err := a.placeToRun(g, dev)
	if err != nil {
		return nil, err
	}
	r, err := a.runPlaced(ctx, p, g, c)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return r, nil
}

// runPlaced runs an algorithm on a placed graph.
func (a *app) runPlaced(ctx context.Context, p *graph.Placed, g *loaded, c calculation) (_ *ran, err error) {
	r := &ran{p: p}
	need := uint64(0)
	if c, ok := c.(interface{ bytes(p *graph.Placed) uint64 }); ok {
		need = c.bytes(p)
	} else {
		need = a.roomOfSearch(g.Graph)
	}
	if err := a.checkRoom(p.Device(), "the calculation", need); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := c.prepare(p, g.in.flags); err != nil {
		return nil, err
	}
	r.prepared = time.Since(start)
	logPrepared(ctx, p.Device(), r.prepared)
	progress := a.progress()
	defer progress.end()
	start = time.Now()
	report := func(l traverse.Level) { progress.update("round", uint64(l.Level), 0) }
	if x, ok := c.(observed); ok {
		e, show := a.newEstimate(x.called(), x.sooner(g.Graph), progress), progress.counting("searching")
		x.observe(func(at graph.Progress) {
			show(at)
			e.at(at)
		})
		defer x.observe(nil)
		report = nil
	}
	if r.answer, err = c.run(ctx, p, report); err != nil {
		return nil, err
	}
	r.took = time.Since(start)
	return r, nil
}

// loading returns the loading time, and for large graphs on a GPU the device that built their rows.
func (g *loaded) loading() string {
	s := "in " + text.Duration(g.took)
	switch st := g.Stats(); {
	case st.Device != "":
		s += ", rows made on " + st.Device
	case st.WhyHost != "":
		s += ", rows made on the host: " + st.WhyHost
	}
	return s
}

// print prints what was loaded.
func (g *loaded) print(w io.Writer) error {
	err := errors.Join(line(w, "graph", g.describe()), line(w, "loaded", g.loading()))
	if s := g.Stats(); (s.SelfLoops+s.Duplicates > 0 || g.in.comments() > 0) && err == nil {
		err = line(w, "dropped", g.dropped())
	}
	if g.in.flags != nil && g.in.flags.edgeWhere != "" && err == nil {
		err = line(w, "filtered", g.filtered())
	}
	return err
}

// print prints what is to be known of a run.
func (r *ran) print(out io.Writer, g *loaded) error {
	w := &strings.Builder{}
	if r.prepared > 10*time.Microsecond {
		line(w, "prepared", "in "+text.Duration(r.prepared)+", once per graph")
	}
	line(w, "device", fmt.Sprintf("%s, %s", r.stats().Device, units(r.p.Device().Info())))
	lines, err := r.lines(g.Graph)
	if err != nil {
		return err
	}
	for _, l := range lines {
		line(w, l[0], l[1])
	}
	line(w, "time", text.Duration(r.took))
	_, err = io.WriteString(out, w.String())
	return err
}

// write writes the table, and reports it.
func (r *ran) write(ctx context.Context, w io.Writer, g *loaded, f *outputFlags, name string, wo arrow.WriteOptions) (err error) {
	if f.hasMetadata() { // its checksum reads the whole graph
		if wo.Metadata, err = r.describe(ctx, g.Graph, name); err != nil {
			return err
		}
	}
	n := g.NumVertices()
	if f.reachedOnly {
		n -= r.missing()
	}
	if t, ok := r.answer.(tabulated); ok && t.tabulates() {
		n, err = t.writeTable(ctx, f.output, g.Graph, wo)
	} else {
		err = arrow.Write(ctx, f.output, g.Graph, r.columns(), wo)
	}
	if err != nil || f.output == "-" {
		return err
	}
	r.written, r.rows = f.output, n
	rows := text.Plural(n, "row")
	if f.partitionBy != "" {
		rows += ", by " + f.partitionBy
	}
	return line(w, "result", fmt.Sprintf("%s, %s", f.output, rows))
}

// describe returns a file's metadata about a run: foray.version, algorithm, device,
// options (a JSON object of those that aren't the default), the algorithm's counts by name, and
// the graph's vertices, edges, directed and checksum.
func (r *ran) describe(ctx context.Context, g *graph.Graph, name string) (map[string]string, error) {
	options, counts := r.metadata(g)
	return describeRun(ctx, g, name, r.stats().Device, options, counts)
}

// describeRun is describe for runs without an answer.
func describeRun(ctx context.Context, g *graph.Graph, name, device string, options, counts map[string]any) (map[string]string, error) {
	sum, err := g.Checksum(ctx)
	if err != nil {
		return nil, fmt.Errorf("the graph's checksum: %w", err)
	}
	if options == nil {
		options = map[string]any{}
	}
	o, err := json.Marshal(options) // which sorts the keys
	if err != nil {
		return nil, err
	}
	m := map[string]string{
		"foray.version":        buildinfo.Version(),
		"foray.algorithm":      name,
		"foray.device":         device,
		"foray.options":        string(o),
		"foray.graph.vertices": strconv.Itoa(g.NumVertices()),
		"foray.graph.edges":    strconv.FormatUint(g.NumEdges(), 10),
		"foray.graph.directed": strconv.FormatBool(g.Directed()),
		"foray.graph.checksum": fmt.Sprintf("%x", sum),
	}
	for k, v := range counts {
		m["foray."+k] = fmt.Sprint(v)
	}
	return m, nil
}
