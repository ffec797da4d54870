// This file holds several tables that make one graph.

package dataset

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// Table is arrow.Table.
type Table struct {
	Paths          []string
	Source, Target string
	Weight         string
	EdgeID         string
	Where          string
	Snapshot       string
	AsOf           time.Time
	Since          string
	TableID        string
	Beside         [][]string
	CSV            map[string][]Column
}

// OpenTables is arrow.OpenTables.
func OpenTables(ctx context.Context, tables []Table, o Options) (_ *Dataset, failed error) {
	defer o.notOpened(ctx, tablesName(tables), time.Now(), &failed)
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("arrow: %w: there is no table", graph.ErrOptions)
	}
	if !o.AsOf.IsZero() {
		return nil, fmt.Errorf("arrow: %w: Options.AsOf is set, but tables have snapshots of their own; set Table.AsOf", graph.ErrOptions)
	}
	for name, v := range map[string]string{"Source": o.Source, "Target": o.Target, "Weight": o.Weight, "EdgeID": o.EdgeID, "Where": o.Where, "Snapshot": o.Snapshot, "Since": o.Since, "TableID": o.TableID} {
		if v != "" {
			return nil, fmt.Errorf("arrow: %w: Options.%s is %.100q, but tables have columns and conditions of their own; set Table.%s", graph.ErrOptions, name, v, name)
		}
	}
	return openAll(ctx, tables, o)
}

// openAll is OpenTables without its look at the options.
func openAll(ctx context.Context, list []Table, o Options) (*Dataset, error) {
	if err := o.withVertexColumns(); err != nil {
		return nil, err
	}
	var d *Dataset
	o.budget = tables.NewBudget(o.MaxMetadata)
	rows := int64(0)
	for i, t := range list {
		po := o
		po.Source, po.Target, po.Weight, po.EdgeID, po.Where = t.Source, t.Target, t.Weight, t.EdgeID, t.Where
		po.Snapshot, po.AsOf, po.Since, po.TableID, po.beside, po.csv = t.Snapshot, t.AsOf, t.Since, t.TableID, t.Beside, t.CSV
		if d != nil {
			// So that weights are looked for where the first table has them.
			po.Graph.Weights = d.o.Graph.Weights
		}
		p, err := openPart(ctx, t.Paths, po)
		if err != nil {
			return nil, input.StoppedAt(ctx, pathsName(t.Paths), err)
		}
		rows = p.number(rows)
		if d == nil {
			d = p
			continue
		}
		if err := d.join(p, i); err != nil {
			return nil, err
		}
	}
	if o.Vertices != nil {
		if err := d.openVertices(ctx); err != nil {
			return nil, err
		}
	}
	if d.form.Kind == logical.Kinds && o.Graph.Bipartite {
		return nil, fmt.Errorf("arrow: %w: Options.Bipartite with kinds, which keep vertices apart already; leave it out", graph.ErrOptions)
	}
	var edges []*table
	for _, p := range d.parts() {
		if p.o.table == nil {
			edges = append(edges, p.tables...)
		}
	}
	if err := settleColumns(edges); err != nil {
		return nil, err
	}
	for _, p := range d.parts() {
		p.settle(d.form)
		p.stats.Rows = 0 // until they are read
	}
	if o.Vertices != nil && len(o.Vertices.Properties) > 0 {
		if err := d.openProperties(ctx); err != nil {
			return nil, fmt.Errorf("properties of vertices: %w", err)
		}
	}
	return d, nil
}

// parts returns all tables: those of edges, then that of vertices.
func (d *Dataset) parts() []*Dataset { return append([]*Dataset{d}, d.more...) }

// join adds the i-th table.
func (d *Dataset) join(p *Dataset, i int) error {
	for what, has := range map[string][2]bool{
		"weights":  {d.o.Graph.Weights, p.o.Graph.Weights},
		"edge ids": {d.o.EdgeID != "", p.o.EdgeID != ""},
	} {
		if has[0] != has[1] {
			return fmt.Errorf("arrow: %w: of the tables, %s has %s and %s has not, or the other way round; name a column for all of them or for none",
				input.ErrColumn, d.tables[0].Path, what, p.tables[0].Path)
		}
	}
	return d.mixAll(p)
}

// mixAll adds a table of edges or vertices whose ids go with the others'.
func (d *Dataset) mixAll(p *Dataset) error {
	for _, t := range p.tables {
		if err := d.mix(t, d.tables[0]); err != nil {
			return err
		}
	}
	d.more = append(d.more, p)
	return nil
}

// openVertices opens the table of vertices.
func (d *Dataset) openVertices(ctx context.Context) error {
	table := *d.o.Vertices
	if table.SkipUnknown {
		return fmt.Errorf("arrow: %w: Options.Vertices.SkipUnknown is set, but the graph has all vertices of the table; it is for LoadVertexProperties", graph.ErrOptions)
	}
	o := d.o.ofVertices(&table)
	o.Progress = d.o.Progress
	p, err := openPart(ctx, table.Paths, o)
	if err != nil {
		return fmt.Errorf("vertices: %w", err)
	}
	if err := d.mixAll(p); err != nil {
		return fmt.Errorf("vertices: %w", err)
	}
	return nil
}

// add adds up what was read of two tables.
func (s *Stats) add(t *Stats) {
	s.Files += t.Files
	s.FilesIgnored += t.FilesIgnored
	s.Ignored = cmp.Or(s.Ignored, t.Ignored)
	s.RowGroups += t.RowGroups
	s.Rows += t.Rows
	s.NullRows += t.NullRows
	s.DeletedRows += t.DeletedRows
	s.UnknownRows += t.UnknownRows
	s.Bytes += t.Bytes
	s.BytesRead += t.BytesRead
	s.FilesPassed += t.FilesPassed
	s.RowGroupsPassed += t.RowGroupsPassed
	s.RowsPassed += t.RowsPassed
	s.IndexesIgnored += t.IndexesIgnored
	s.IgnoredIndex = cmp.Or(s.IgnoredIndex, t.IgnoredIndex)
	s.Metadata = input.Spread(s.Metadata) + t.Metadata
}

// tablesName is what logs call tables that could not be opened.
func tablesName(tables []Table) string {
	if len(tables) == 0 {
		return pathsName(nil)
	}
	return pathsName(tables[0].Paths)
}
