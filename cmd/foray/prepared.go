// This file holds prepared graphs as inputs: files that are searched as they
// are.

package main

import (
	"context"
	"os"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// preparedEnd is how the names of prepared graphs end.
const preparedEnd = ".foray"

func namedPrepared(path string) bool { return strings.HasSuffix(strings.ToLower(path), preparedEnd) }

// isPrepared reports whether the file is a prepared graph, by what is in it,
// or, where that can't be told any more, by its name.
func (f *inputFlags) isPrepared(path string) (bool, error) {
	if inStore(path) {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false, err
	}
	if is, err := arrow.IsGraph(path); is || err != nil {
		return is, err
	}
	return namedPrepared(path) && f.inFormat.value == "auto", nil
}

// onlyPrepared reports whether the one path is a prepared graph.
func (f *inputFlags) onlyPrepared(paths []string) bool {
	if len(paths) != 1 {
		return false
	}
	files, err := expand(paths[0])
	if err != nil || len(files) != 1 || f.inFormat.value != "auto" && !f.columnar() {
		return false
	}
	is, err := f.isPrepared(files[0])
	return is && err == nil // what is wrong comes up again when it is opened
}

// checkPrepared refuses flags that say how a graph is built of edges, and
// prepared graphs that aren't alone.
func (in *input) checkPrepared() error {
	path := ""
	for _, p := range in.parts {
		if p.prepared != "" {
			path = p.prepared
		}
	}
	f := in.flags
	switch {
	case path == "" && f.trust:
		return usagef("--trust is for prepared graphs")
	case path == "":
		return nil
	case len(in.parts) > 1:
		return usagef("%s is a prepared graph, to which nothing is added: name it alone, or convert it to .parquet first", path)
	case f.ids.value != "auto":
		return usagef("--ids is for edges: %s is a prepared graph, whose ids are what they are", path)
	case f.twoPass:
		return usagef("--two-pass is for edges: nothing is built of %s, which is a prepared graph", path)
	}
	return nil
}

// openPrepared opens the graph, and refuses flags that ask for another one.
func (in *input) openPrepared(ctx context.Context, progress *progress) (*graph.Graph, error) {
	path, f := in.parts[0].prepared, in.flags
	g, err := arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{
		Trust: f.trust, Workers: int(f.workers),
		Progress: func(done, total uint64) { progress.bytes("checking", done, total) },
	})
	if err != nil {
		return nil, err
	}
	switch {
	case f.directed && !g.Directed():
		err = usagef("--directed: the graph in %s is undirected; prepare another one of its edges", path)
	case f.order.value != "auto" && f.order.value != g.Order().String():
		err = usagef("--order %s: the graph in %s has the order %s; prepare another one of its edges", f.order.value, path, g.Order())
	case in.o.Weights && g.Out().Weights == nil:
		err = usagef("--weights: the graph in %s has none; prepare another one of its edges with --weights", path)
	}
	if err != nil {
		_ = g.Close() // the error to report is the other one
		return nil, err
	}
	return g, nil
}
