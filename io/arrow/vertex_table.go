// This file holds what a table of vertices is.

package arrow

import (
	"time"

	"github.com/foray-graph/foray/graph"
)

// VertexTable is a source of vertices.
type VertexTable struct {
	// Paths are files, directories and patterns, as for Open.
	Paths []string
	// ID names the column of their ids, or several columns, or a kind, as Options.Source does.
	// Their types must fit the edges' ids. If it is empty, the column id or vertex is used,
	// ignoring case, or the only column.
	ID string
	// Snapshot and AsOf are as in Options, of a table of vertices.
	Snapshot string
	AsOf     time.Time
	// Properties names columns that Dataset.Properties keeps. An id that is there
	// twice is then an error; without properties it is the same vertex again.
	Properties []string
	// Side says on which side they are, with graph.Options.Bipartite.
	Side graph.Side
	// SkipUnknown has LoadVertexProperties leave out the rows of vertices that the
	// graph doesn't have, rather than fail, and count them in Stats.UnknownRows. A
	// graph that is built with the table has them all: there it is
	// graph.ErrOptions.
	SkipUnknown bool

	properties []string // those that this pass reads
	since      string   // Options.Since
	orFirst    bool     // the first column has the ids if none is named so
}

// ofVertices returns how a table of vertices is read beside edges.
func (o *Options) ofVertices(t *VertexTable) Options {
	return Options{Part: o.Part, Parts: o.Parts, Nulls: o.Nulls, UnionByName: o.UnionByName, Workers: o.Workers, S3: o.S3, table: t, MaxFooter: o.MaxFooter, MaxExpansion: o.MaxExpansion, MaxMetadata: o.MaxMetadata, budget: o.budget, FollowLinks: o.FollowLinks, AllowOutside: o.AllowOutside}
}
