// This file holds inputs: what paths on the command line stand for.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/io/arrow"
)

// part is a part of the input: exactly one of the five.
type part struct {
	gen      gen.Generator
	text     string         // path
	prepared string         // path; it is the only part
	graphar  string         // likewise
	arrow    *arrow.Dataset // of one or more paths
	name     string         // the first of these
}

// input is what a command reads.
type input struct {
	name  string // for people
	flags *inputFlags
	o     graph.Options
	parts []part
	stats arrow.Stats   // of the Parquet and Arrow files, once they were read
	other atomic.Uint64 // edges of other parts, where there are several

	stored []arrow.TableSnapshot // that a prepared graph has the edges of

	properties   *arrow.Properties // of a prepared graph's vertices, or GraphAr's, once they were read
	textComments []*uint64         // lines that are comments, of each text that was read, or is
	textLeft     []string          // columns of texts that nothing was taken from, once they were read
	textCols     []textColumns     // that edges were taken from; those that differ
	textTypes    map[string]string // of columns of the edges of texts, as edgelist.Options.ColumnTypes
	textNulls    atomic.Int64      // rows of texts that were left out, as they lack a value

	finder   tableformat.Finder
	inTables []*tableformat.Error // tables that contain files named by the user

	noEdges       []graph.Column // of a table without edges, which shows their types
	filteredFrom  uint64         // edges, before --edge-where
	unknownString error          // a string in --edge-where that no edge has; nil: none

	vertexStats arrow.Stats // of the tables of vertices of a prepared graph, once they were read

	saysDirected bool      // GraphAr's file does, once it was read
	rows         rowSample // of the tables of vertices, once they were read

	lists vertexLists // of vertices that are read apart from the edges
}

// open finds out what the paths stand for, and reads the metadata of Parquet
// and Arrow files.
func (f *inputFlags) open(ctx context.Context, paths []string, o graph.Options, progress *progress) (*input, error) {
	if len(paths) == 0 {
		return f.openVertices(ctx, o)
	}
	if err := f.tableFlags.check(f.isGraphAr(paths[0])); err != nil {
		return nil, err
	}
	if err := f.checkParallel(); err != nil {
		return nil, err
	}
	if f.snapshot != "" && f.asOf.set() {
		return nil, usagef("--snapshot and --as-of both name a snapshot; give one of them")
	}
	if f.since != "" && len(paths)+len(f.edges) > 1 {
		return nil, usagef("--since names a snapshot of one table: append the tables one by one, each with its own")
	}
	in := &input{flags: f, o: o, name: paths[0]}
	if more := len(paths) + len(f.edges) - 1; more > 0 {
		in.name = fmt.Sprintf("%s and %d more", paths[0], more)
	}
	var arrows []string
	texts := false
	for _, p := range paths {
		if p == "-" {
			var err error
			if p, err = f.stdin(ctx); err != nil {
				return nil, err
			}
		}
		g, files, err := named(p, f.links)
		if err != nil {
			return nil, err
		}
		if g != nil {
			in.parts = append(in.parts, part{gen: g})
			continue
		}
		if inStore(p) {
			if files, err = f.textObjects(ctx, p); err != nil {
				return nil, err
			}
		}
		before := len(arrows)
		for _, file := range files {
			if f.isGraphAr(file) {
				in.parts = append(in.parts, part{graphar: file})
			} else if isText, err := f.isText(file); err != nil {
				return nil, err
			} else if isText {
				if info, err := os.Stat(file); f.twoPass && err == nil && !info.Mode().IsRegular() {
					return nil, usagef("--two-pass reads twice, which %s can't be: not a regular file", file)
				}
				texts = true
				in.parts = append(in.parts, part{text: file})
			} else if is, err := f.isPrepared(file); err != nil {
				return nil, err
			} else if is {
				in.parts = append(in.parts, part{prepared: file})
			} else {
				arrows = append(arrows, file)
			}
		}
		if len(arrows)-before == len(files) { // a pattern determines which directories are columns
			arrows = append(arrows[:before], p)
		} else if files[0] != p && !inStore(p) {
			if err := refuseTables(p, files); err != nil {
				return nil, err
			}
		}
		if files[0] == p {
			in.noteTable(p)
		}
	}
	if len(arrows) == 0 { // else it is refused by the same words below
		if err := in.checkWhole(); err != nil {
			return nil, err
		}
	}
	if f.asksIDs() && f.ids.value != "dense" && !texts {
		return nil, usagef("--ids %s is for text; other files say themselves what their ids are", f.ids.value)
	}
	if len(arrows) > 0 {
		ao := arrow.Options{
			Source: f.src, Target: f.dst, Where: f.where, Graph: o, Workers: int(f.workers), UnionByName: f.union,
			Progress: progress.counting("reading"), Logger: logOf(ctx),
		}
		ao.SkipNulls = f.nulls.value == "skip"
		f.limits.arrow(&ao)
		ao.FollowLinks, ao.AllowOutside, ao.Part, ao.Parts = f.links, f.outside, f.part, f.parts
		if f.weights {
			ao.Weight = f.weightCol
		}
		ao.EdgeID = f.edgeIDCol
		ao.Snapshot, ao.AsOf, ao.Since, ao.TableID = f.snapshot, f.asOf.t, f.since, f.tableID
		tables, err := f.tables(ctx, arrows, &ao)
		if err != nil {
			return nil, err
		}
		ao.Source, ao.Target, ao.Weight, ao.EdgeID, ao.Where = "", "", "", "", "" // each table has its own
		ao.Snapshot, ao.AsOf, ao.Since, ao.TableID = "", time.Time{}, "", ""
		d, err := arrow.OpenTables(ctx, tables, ao)
		if err != nil {
			return nil, f.sinceError(err)
		}
		in.parts = append(in.parts, part{arrow: d, name: tables[0].Paths[0]})
		if err := in.checkWhole(); err != nil {
			return nil, err
		}
	} else if !texts && (f.src != "" || f.dst != "") {
		return nil, usagef("--src and --dst are for files that have columns with names: Parquet, Arrow, and text with a header")
	} else if !texts && !in.isGraphAr() && f.weightCol != "" {
		return nil, usagef("--weight is for files that have columns with names: Parquet, Arrow, GraphAr, and text with a header; %s", in.parts[0].noColumns())
	} else if !in.isGraphAr() && f.nulls.value != "error" && !in.onlyProperties() && !(texts && len(o.EdgeColumns) > 0) {
		return nil, usagef("--nulls %s is for Parquet, Arrow, GraphAr and columns of the edges; in text every line needs its ids", f.nulls.value)
	}
	switch {
	case len(arrows) == 0 && len(f.edges) == 0 && len(f.vertices) > 0 && in.parts[0].prepared != "":
		if f.properties == "" && !f.vertexColumns {
			return nil, usagef("--vertices: %s is a prepared graph, which has the vertices that it has, so that --vertices is for --properties here; convert its edges with --vertices to prepare another one", in.parts[0].prepared)
		}
	case len(arrows) == 0 && len(f.edges) > 0 && in.parts[0].prepared != "":
		return nil, usagef("--edges: %s is a prepared graph, to which nothing is added; convert its edges with --edges to prepare another one", in.parts[0].prepared)
	case len(arrows) == 0 && f.tableFlags.given() && (len(f.edges) > 0 || !texts):
		return nil, f.tableFlags.needTable(in.parts, paths[0])
	case f.separate && len(in.parts) > 0 && in.parts[0].prepared != "":
		return nil, usagef("--separate-ids is for edges: %s is a prepared graph, which has the vertices that it has", in.parts[0].prepared)
	case len(arrows) == 0 && !in.isGraphAr() && f.where != "":
		return nil, usagef("--where is for Parquet, Arrow and GraphAr")
	case texts && f.where != "":
		return nil, usagef("--where is for Parquet and Arrow files, and %s is text", firstText(in.parts))
	case !texts && f.header.value != "auto":
		return nil, usagef("--header is for text")
	case !texts && f.separator.set:
		return nil, usagef("--separator is for text")
	case !texts && f.comment.value != 0 && !f.seeds:
		return nil, usagef("--comment is for text")
	case f.header.value == "false" && len(arrows) == 0 && (f.src != "" || f.dst != "" || f.weightCol != ""):
		return nil, usagef("--src, --dst and --weight name columns by the header; leave out --header false")
	}
	if err := f.checkSnapshots(len(arrows) > 0); err != nil {
		return nil, err
	}
	if f.union && len(arrows) == 0 && !in.onlyProperties() {
		return nil, usagef("--union-by-name is for Parquet and Arrow files")
	}
	if f.ragged && !texts {
		return nil, usagef("--ragged is for text")
	}
	if f.skipLines > 0 && !texts {
		return nil, usagef("--skip-lines is for text")
	}
	if f.unknown.value == "skip" && !in.onlyProperties() && !f.seeds {
		return nil, usagef("--unknown-vertices skip is for --vertices of a prepared graph: one that is built has all of them")
	}
	if len(arrows) > 0 || texts {
		if err := in.findLists(ctx, len(arrows) > 0); err != nil {
			return nil, err
		}
	}
	if err := in.checkColumnInputs(); err != nil {
		return nil, err
	}
	return in, in.checkEdgeIDs()
}

// onlyProperties reports whether a table of vertices is read for its properties
// alone.
func (in *input) onlyProperties() bool {
	return len(in.parts) == 1 && in.parts[0].prepared != "" && (in.flags.properties != "" || in.flags.vertexColumns)
}

// named returns the graph that a PATH has generated, or the files that it names.
func named(path string, links bool) (gen.Generator, []string, error) {
	if spec, ok := strings.CutPrefix(path, "gen:"); ok {
		g, err := gen.Parse(spec)
		if err != nil {
			if name, options, ok := strings.Cut(spec, ","); ok && !strings.Contains(name, ":") {
				err = hint(err, "options stand behind a colon: %s:%s", name, options)
			}
			return nil, nil, &usageError{err, "foray gen"}
		}
		return g, nil, nil
	}
	switch path {
	case "":
		return nil, nil, usagef("a PATH is empty")
	case "-":
		return nil, []string{path}, nil
	}
	files, err := expand(path, links)
	return nil, files, missing(path, err)
}

// expand returns the files that a path stands for: itself, or what matches a
// pattern, whose links lead out of it only where links is set. A directory stays, for
// package arrow to look into.
func expand(path string, links bool) ([]string, error) {
	if inStore(path) || inCatalog(path) {
		return []string{path}, nil
	}
	if _, err := os.Stat(path); err == nil {
		return []string{path}, nil
	} else if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, "*?[") {
		return nil, err
	}
	matches, err := pathglob.Match(path, links)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", path, err)
	}
	var files []string
	for _, m := range matches {
		// Writers give such names to files without data.
		if b := filepath.Base(m); b[0] != '.' && b[0] != '_' {
			files = append(files, m)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file matches %q", path)
	}
	return files, nil
}

// inCatalog reports whether a path names a table in an Iceberg catalog.
func inCatalog(path string) bool { return strings.HasPrefix(path, "iceberg://") }

// inStore reports whether a path names an object in a store.
func inStore(path string) bool { return strings.HasPrefix(path, "s3://") }
