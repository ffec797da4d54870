// This file holds Load, which makes graphs of files.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/metrics"
)

// Load is arrow.Load.
func Load(ctx context.Context, path string, o Options) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	return LoadAll(ctx, []string{path}, o)
}

// LoadAll is Open and Load.
func LoadAll(ctx context.Context, paths []string, o Options) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	d, err := Open(ctx, paths, o)
	if err != nil {
		return nil, err
	}
	return d.Load(ctx)
}

// Load is arrow.Dataset.Load.
func (d *Dataset) Load(ctx context.Context) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if d.o.Stats != nil {
		defer func() { *d.o.Stats = d.Stats() }()
	}
	g, err := d.build(ctx)
	if errors.Is(err, graph.ErrEmpty) {
		err = d.EmptyError()
	}
	err = input.StoppedAt(ctx, d.name, err)
	if err != nil {
		return nil, err
	}
	if err := d.LoadProperties(ctx, g); err != nil {
		return g, err
	}
	return g, d.addVertexColumns(ctx, g)
}

func (d *Dataset) build(ctx context.Context) (*graph.Graph, error) {
	o := d.o.Graph
	o.Held += d.held()
	if d.o.TwoPass {
		return graph.TwoPass(ctx, o, d.Batches)
	}
	b := graph.NewBuilder(o)
	defer b.Close()
	if err := d.Batches(ctx, b.Add); err != nil {
		return nil, err
	}
	start := time.Now()
	g, err := b.Build(ctx)
	if d.o.Metrics != nil {
		e := metrics.Load{Phase: "build", Took: time.Since(start), Err: err}
		if err == nil {
			e.Rows = int64(g.NumDirectedEdges())
		}
		d.o.Metrics.Load(ctx, e)
	}
	return g, err
}

// EmptyError is arrow.Dataset.EmptyError.
func (d *Dataset) EmptyError() (failed error) {
	defer location.Shown(&failed)
	stats := d.Stats()
	if len(d.lakes) == 1 && d.o.Since != "" && stats.Files+stats.FilesPassed == 0 {
		t := d.lakes[0]
		return &noMatch{fmt.Sprintf("%s: no rows were added since %s %.100s (%s is read)", d.name, t.Word(), t.Since, t.What())}
	}
	if d.where != nil && stats.NullRows == 0 {
		// Not "empty input", which sounds as if something were wrong with the files.
		return &noMatch{fmt.Sprintf("%s: no row meets the condition %.200q; of %s it left out %s unopened, then %s by their statistics and %s by their values",
			d.name, d.o.Where, text.Plural(stats.Files+stats.FilesPassed, "file"), text.Count(stats.FilesPassed),
			text.Plural(stats.RowGroupsPassed, "row group"), text.Plural(stats.RowsPassed, "row"))}
	}
	if stats.NullRows > 0 {
		return fmt.Errorf("%s: %w: each of the %d rows lacks an id or a weight, and was skipped; check that these are the columns of the edges",
			d.name, graph.ErrEmpty, stats.NullRows)
	}
	in := ""
	if stats.Files > 1 {
		in = " in the " + text.Plural(stats.Files, "file")
	}
	if len(d.lakes) == 1 && stats.Files == 0 {
		if id := d.lakes[0].Snap.ID; id != "" {
			return fmt.Errorf("%s: %w: snapshot %s of the table has no rows", d.name, graph.ErrEmpty, id)
		}
		return fmt.Errorf("%s: %w: the table has no snapshot yet, so that it has no rows", d.name, graph.ErrEmpty)
	}
	return fmt.Errorf("%s: %w: there are no rows%s; check what wrote it", d.name, graph.ErrEmpty, in)
}

// noMatch is graph.ErrEmpty in other words.
type noMatch struct{ text string }

func (e *noMatch) Error() string { return e.text }
func (e *noMatch) Unwrap() error { return graph.ErrEmpty }

// pathsName is what errors call the paths that a dataset was opened by.
func pathsName(paths []string) string {
	switch n := len(paths); n {
	case 0:
		return "no path"
	case 1:
		return paths[0]
	default:
		return fmt.Sprintf("%s and %d more", paths[0], n-1)
	}
}
