// This file holds what append says is wrong with its flags and edges.

package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// forEdges returns a flag that is given and that says something of edges alone.
func (f *appendFlags) forEdges(all *pflag.FlagSet) (name string) {
	all.Visit(func(flag *pflag.Flag) {
		if len(f.vertices) > 0 && slices.Contains(ofVertices, flag.Name) {
			return
		}
		switch flag.Name {
		case "workers", "memory-limit", "trust", "limits", "follow-links", "allow-outside", "union-by-name", "nulls", "input-format", "order": // of the graph, or of ids; openBase refuses order
		default:
			if flag.Name == "remove" || f.flags.Lookup(flag.Name) != nil {
				name = flag.Name
			}
		}
	})
	return name
}

// ofVertices are flags that say how a list of vertices is read.
var ofVertices = []string{"vertices", "vertex-id", "vertex-side", "vertex-snapshot", "vertex-as-of", "separate-ids", "header", "separator", "directed"}

// reworded is an error in other words.
type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }

// appendError rewords an error of reading edges for append, which has no --weights, and names the edges'
// input.
func (f *appendFlags) appendError(ctx context.Context, paths []string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var usage *usageError
	has := "; the graph in " + f.appendTo + " has weights, so that new edges need them"
	text := err.Error()
	for _, without := range []string{"; load such edges without weights", ": give it some, weights=MIN:MAX in its spec, or leave Options.Weights false"} {
		text = strings.ReplaceAll(text, without, has)
	}
	text = strings.ReplaceAll(text, ": weights are wanted, but", ": the graph in "+f.appendTo+" has weights, but")
	if !errors.As(err, &usage) && !slices.ContainsFunc(paths, func(p string) bool { return strings.Contains(text, p) || strings.Contains(p, "gen:") }) {
		text = strings.Join(paths, " and ") + ": " + text
	}
	if text == err.Error() {
		return err
	}
	return &reworded{text, err}
}
