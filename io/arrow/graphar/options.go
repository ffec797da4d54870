// This file holds what to read.

package graphar

import (
	"log/slog"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/metrics"
)

// Options say what to read and what graph to build of it. The zero value reads
// the only kind of edges there is.
type Options struct {
	// Edge names the kind of edges: all three types as in "person_knows_person",
	// or the middle one where that is clear. It may be empty where there is one.
	Edge string
	// IndexIDs gives the vertices their numbers in GraphAr for ids, from 0. Where edges lead from
	// one type of vertices to another, those of the second come after those of
	// the first. By default ids are the property that VertexID names, else the primary key
	// where the vertices have one, else these numbers.
	IndexIDs bool
	// VertexID names the property of the vertices, of both types if there are two,
	// that is their id: integers, strings or binary, each once. Where it is empty
	// that is the primary key.
	VertexID string
	// Weight names the property of the edges that is their weight, as
	// arrow.Options.Weight does a column. If it is empty and Graph.Weights is
	// set, it is the one named weight.
	Weight string
	// EdgeID names the property of the edges that is their id, an integer. Where
	// it is empty and Graph.EdgeIDs is set, edges are numbered from 0, in the order
	// of the adjacency list that is read.
	EdgeID string
	// Where is a condition on properties of the edges, and on _graphArSrcIndex and
	// _graphArDstIndex, the numbers of the vertices, as arrow.Options.Where has it.
	// All vertices stay.
	Where string
	// SkipNulls leaves out edges without a weight or id, as arrow.Options has it.
	SkipNulls bool
	// Properties names properties of the vertices, of either type, for Loaded.Properties.
	Properties []string
	// VertexColumns names properties of the vertices that the graph keeps (graph.Graph.VertexColumns), as
	// arrow.Options.VertexColumns does. Vertices of a type without the property lack a value.
	VertexColumns []string
	// MaxFooter and MaxExpansion are limits of the chunks of edges, as
	// arrow.Options has them.
	MaxFooter    uint64
	MaxExpansion int
	// MaxMetadata is how many bytes the YAML files have at most, all together; 0
	// means 64 MiB.
	MaxMetadata uint64
	// FollowLinks and AllowOutside have files read out of the directory of the YAML file, by
	// symbolic links and wherever they are, as arrow.Options has them.
	FollowLinks, AllowOutside bool
	// Graph configures the graph to build. The file's value for directed
	// doesn't matter to it: that is Graph.Directed. Vertices and DenseIDs are set by
	// what is read.
	Graph graph.Options
	// TwoPass, Workers, Progress, Logger and Metrics have the same meaning as in arrow.Options;
	// they are about edges.
	TwoPass  bool
	Workers  int
	Progress func(graph.Progress)
	Logger   *slog.Logger
	Metrics  metrics.Recorder
}
