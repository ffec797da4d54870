// This file holds the flags of further tables: of edges and of vertices.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// tableFlags say which tables belong to the graph besides the PATHs.
type tableFlags struct {
	edges         []string
	vertices      []string
	vertexID      string
	vertexAt      string
	vertexAsOf    timeFlag
	vertexSide    *enum
	properties    string // set by commands that can use them
	vertexColumns bool   // an algorithm reads columns of vertices
	unknown       *enum  // likewise: what becomes of rows whose vertex a prepared graph lacks
	seeds         bool   // --sources-from or --targets-from has rows too
	separate      bool
}

func (f *tableFlags) add(g flagGroup) {
	g.flags.BoolVar(&f.separate, "separate-ids", false, "sources and targets are of two kinds, such as users and items: the same id on both sides is two vertices, source:ID and target:ID; for more kinds see --src")
	g.flags.StringArrayVar(&f.edges, "edges", nil, "Parquet and Arrow: another `TABLE` of edges, with its own columns: a PATH, then any of ;src=COLUMN, ;dst=COLUMN (both as in --src, also COLUMN:KIND), ;weight=COLUMN, ;edge-id=COLUMN, ;snapshot=SNAPSHOT, ;as-of=TIME and, at the end, ;where=CONDITION; may be repeated")
	g.flags.StringArrayVar(&f.vertices, "vertices", nil, "`PATH` of a table of vertices, with or without edges: Parquet, Arrow, .csv, .tsv, .jsonl or a text with an id a line; may be repeated; for edges in Parquet, Arrow and text. For a prepared graph it only supplies --properties, and must have no other vertices: filter the table to vertices of the graph (bfs has --unknown-vertices skip), or prepare the graph with the whole table")
	g.flags.StringVar(&f.vertexID, "vertex-id", "", "`COLUMN` of the vertices' ids (default id or vertex; in text without a header the first), COLUMN:KIND if vertices have kinds, or a GraphAr property (default the primary key)")
	g.flags.StringVar(&f.vertexAt, "vertex-snapshot", "", "--snapshot of --vertices: a `SNAPSHOT`")
	g.flags.Var(&f.vertexAsOf, "vertex-as-of", "--as-of of --vertices: a `TIME`")
	f.unknown = newEnum("error|skip", "error", "skip")
	f.vertexSide = newEnum("source|target", "source", "target")
	g.flags.Var(f.vertexSide, "vertex-side", "with --separate-ids: the side of the vertices in --vertices")
}

// check refuses flags that can't be combined. graphar means that the input is
// GraphAr's, which has its own vertices.
func (f *tableFlags) check(graphar bool) error {
	switch {
	case graphar && !f.given():
	case len(f.vertices) == 0 && f.vertexID != "":
		return usagef("--vertex-id needs --vertices, the table whose column it names, or GraphAr's vertices")
	case len(f.vertices) == 0 && f.properties != "":
		return usagef("--properties needs --vertices, the table whose columns they are, or GraphAr's vertices")
	case len(f.vertices) == 0 && (f.vertexAt != "" || f.vertexAsOf.set()):
		return usagef("--vertex-snapshot and --vertex-as-of need --vertices, the table whose snapshot they name")
	case f.vertexAt != "" && f.vertexAsOf.set():
		return usagef("--vertex-snapshot and --vertex-as-of both name a snapshot; give one of them")
	case f.vertexSide.value != "source" && (len(f.vertices) == 0 || !f.separate):
		return usagef("--vertex-side is for --vertices with --separate-ids")
	}
	return nil
}

// given reports whether there are any further tables.
func (f *tableFlags) given() bool { return len(f.edges) > 0 || len(f.vertices) > 0 }

// needTable returns the error that there is no table that others could be added to.
func (f *tableFlags) needTable(parts []part, path string) error {
	if len(parts) > 0 && parts[0].graphar != "" {
		return usagef("--edges and --vertices are for Parquet and Arrow: %s is GraphAr's, which has its own tables; convert it first, foray convert %s edges.parquet", path, path)
	}
	what := "no Parquet or Arrow file"
	if len(parts) > 0 && parts[0].text != "" {
		what = "text"
	} else if len(parts) > 0 && parts[0].gen != nil {
		what = "a generated graph"
	}
	if len(f.edges) > 0 {
		return usagef("--edges adds to a PATH that is Parquet or Arrow, but %s is %s: pass the other table as a PATH, with --src and --dst if needed", path, what)
	}
	return usagef("--vertices adds to a PATH that is Parquet, Arrow or text, but %s is %s: convert that first, foray convert %s edges.parquet", path, what, path)
}

// notText refuses a table that is text by its name.
func notText(flag, path string) error {
	if _, err := edgelist.FormatOf(path); err != nil {
		return nil
	}
	remedy := "convert it first, foray convert " + path + " table.parquet"
	if flag == "--edges" {
		remedy = "name it as a PATH itself, or " + remedy
	}
	return usagef("%s: %s is text, and further tables are Parquet or Arrow: %s", flag, path, remedy)
}

// vertexTableSide is the side of the vertices in --vertices.
func (f *tableFlags) vertexTableSide() graph.Side {
	if f.vertexSide.value == "target" {
		return graph.Target
	}
	return graph.Source
}

// tablesOnly returns the paths of --vertices, none of which may be text.
func (f *tableFlags) tablesOnly() ([]string, error) {
	for _, path := range f.vertices {
		if err := notText("--vertices", path); err != nil {
			return nil, err
		}
	}
	return f.vertices, nil
}

// vertexTable returns the table of vertices in those paths, or nil.
func (f *tableFlags) vertexTable(paths []string) (*arrow.VertexTable, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	t := &arrow.VertexTable{Paths: paths, ID: f.vertexID, Snapshot: f.vertexAt, AsOf: f.vertexAsOf.t}
	t.Side = f.vertexTableSide()
	if f.properties != "" {
		names, err := logical.Fields(f.properties)
		if err != nil {
			return nil, usagef("--properties: %v", err)
		}
		t.Properties = names
	}
	return t, nil
}

// parseTable reads a value of --edges. weights says that weights are read at all,
// edgeIDs that columns of edge ids are.
func parseTable(s string, weights, edgeIDs bool) (arrow.Table, error) {
	var t arrow.Table
	parts := strings.Split(s, ";")
	if parts[0] == "" {
		return t, usagef("--edges %q: it begins with a PATH", s)
	}
	if err := notText("--edges", parts[0]); err != nil {
		return t, err
	}
	t.Paths = parts[:1]
	for i := 1; i < len(parts); i++ {
		key, value, ok := strings.Cut(parts[i], "=")
		if !ok {
			return t, usagef("--edges %q: %q isn't src=, dst=, weight=, edge-id=, snapshot=, as-of= or where=", s, parts[i])
		}
		switch key {
		case "src":
			t.Source = value
		case "dst":
			t.Target = value
		case "weight":
			if !weights {
				return t, usagef("--edges %q: weights are not used here; leave out %s", s, parts[i])
			}
			t.Weight = value
		case "edge-id":
			if !edgeIDs {
				return t, usagef("--edges %q: edge ids are read from a column in all tables or in none; name that of the first with --edge-id, or leave out %s", s, parts[i])
			}
			t.EdgeID = value
		case "snapshot":
			t.Snapshot = value
		case "as-of":
			at, err := parseTime(value)
			if err != nil {
				return t, usagef("--edges %q: %v", s, err)
			}
			t.AsOf = at
		case "where": // a condition may contain semicolons
			t.Where = strings.Join(parts[i:], ";")[len("where="):]
			return t, nil
		default:
			return t, usagef("--edges %q: there are src, dst, weight, edge-id, snapshot, as-of and where, the last one at the end, but not %s", s, key)
		}
	}
	return t, nil
}

// tables returns the tables of edges, and sets that of vertices.
func (f *inputFlags) tables(ctx context.Context, paths []string, o *arrow.Options) ([]arrow.Table, error) {
	all := []arrow.Table{{Paths: paths, Source: o.Source, Target: o.Target, Weight: o.Weight, EdgeID: o.EdgeID, Where: o.Where,
		Snapshot: o.Snapshot, AsOf: o.AsOf, Since: o.Since, TableID: o.TableID}}
	for _, s := range f.tableFlags.edges {
		t, err := parseTable(s, f.weights, f.edgeIDCol != "")
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	vertices, _, err := f.tableFlags.split(ctx, f)
	if err == nil {
		o.Vertices, err = f.vertexTable(vertices)
	}
	return all, err
}

// describe lists the further tables.
func (f *tableFlags) describe() string {
	var s []string
	if n := len(f.edges); n > 0 {
		s = append(s, fmt.Sprintf("%d more of edges", n))
	}
	if len(f.vertices) > 0 {
		s = append(s, "vertices of "+strings.Join(f.vertices, ", "))
	}
	return strings.Join(s, "; ")
}
