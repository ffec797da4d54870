// This file holds what to read, and what was read.

package dataset

import (
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/metrics"
)

// Options is arrow.Options.
type Options struct {
	Source, Target string
	Weight         string
	EdgeID         string
	Vertices       *VertexTable
	VertexColumns  []string
	Where          string
	Snapshot       string
	AsOf           time.Time
	Since          string
	TableID        string
	UnionByName    bool
	SkipNulls      bool
	S3             input.S3Options
	FS             fs.FS
	MaxFooter      uint64
	MaxExpansion   int
	MaxMetadata    uint64
	FollowLinks    bool
	AllowOutside   bool
	Graph          graph.Options
	TwoPass        bool
	Workers        int
	properties     []string // Vertices.Properties without VertexColumns; see withVertexColumns
	Part, Parts    int
	Progress       func(graph.Progress)
	Stats          *Stats
	Logger         *slog.Logger
	Metrics        metrics.Recorder

	table  *VertexTable        // of a dataset that is the vertices
	beside [][]string          // Table.Beside
	csv    map[string][]Column // Table.CSV
	budget *tables.Budget      // of MaxMetadata, which all tables share
}

func (o *Options) check() error {
	if o.Workers < 0 {
		return fmt.Errorf("arrow: %w: Options.Workers is %d; want a number of goroutines, or 0 for GOMAXPROCS", graph.ErrOptions, o.Workers)
	}
	if o.Parts < 0 || o.Part < 0 || o.Part >= max(o.Parts, 1) {
		return fmt.Errorf("arrow: %w: Options.Part is %d of %d; want 0 to Parts-1", graph.ErrOptions, o.Part, o.Parts)
	}
	if o.MaxExpansion < 0 || o.S3.MaxObjects < 0 {
		return fmt.Errorf("arrow: %w: Options.MaxExpansion and S3.MaxObjects are limits; want a number above 0, or 0 for the default", graph.ErrOptions)
	}
	if _, err := o.csvFiles(); err != nil {
		return err
	}
	if o.Vertices != nil && len(o.Vertices.Paths) == 0 {
		return fmt.Errorf("arrow: %w: Options.Vertices has no Paths", graph.ErrOptions)
	}
	return nil
}

// limits returns those of files.
func (o *Options) limits() columnar.Limits {
	return columnar.Limits{Footer: o.MaxFooter, Expansion: int64(o.MaxExpansion)}
}

// Stats is arrow.Stats.
type Stats struct {
	Files       int
	RowGroups   int
	Rows        int64
	NullRows    int64
	DeletedRows int64
	UnknownRows int64
	Bytes       int64
	BytesRead   int64

	FilesIgnored int
	Ignored      string

	FilesPassed     int
	RowGroupsPassed int
	RowsPassed      int64

	IndexesIgnored int
	IgnoredIndex   string

	Metadata uint64
}

// ReadRows is the phase of Options.Progress.
const ReadRows = "read rows"

// VertexTable is arrow.VertexTable.
type VertexTable struct {
	Paths       []string
	ID          string
	Snapshot    string
	AsOf        time.Time
	Properties  []string
	Side        graph.Side
	SkipUnknown bool

	properties []string // those that this pass reads
	since      string   // Options.Since
	orFirst    bool     // the first column has the ids if none is named so
}

// ofVertices returns how a table of vertices is read beside edges.
func (o *Options) ofVertices(t *VertexTable) Options {
	return Options{Part: o.Part, Parts: o.Parts, SkipNulls: o.SkipNulls, UnionByName: o.UnionByName, Workers: o.Workers, S3: o.S3, FS: o.FS, table: t, MaxFooter: o.MaxFooter, MaxExpansion: o.MaxExpansion, MaxMetadata: o.MaxMetadata, budget: o.budget, FollowLinks: o.FollowLinks, AllowOutside: o.AllowOutside}
}
