// This file holds what a table of vertices is.

package dataset

import (
	"time"

	"github.com/foray-graph/foray/graph"
)

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
