// This file reads pairs of vertices from tables, and chooses random vertices.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/random"
)

// splitPairs splits PATH;columns=A,B.
func splitPairs(spec string) (path string, columns [2]string, err error) {
	path, rest, more := strings.Cut(spec, ";")
	columns = [2]string{"src", "dst"}
	if path == "" || path == "-" {
		return "", columns, usagef("--pairs %q: it begins with the PATH of a table", spec)
	}
	if more {
		names, ok := strings.CutPrefix(rest, "columns=")
		a, b, two := strings.Cut(names, ",")
		if !ok || !two || a == "" || b == "" {
			return "", columns, usagef("--pairs %q: %q isn't columns=A,B", spec, rest)
		}
		columns = [2]string{a, b}
	}
	if path, err = location.Path(path); err != nil {
		return "", columns, usagef("--pairs: %w", err)
	}
	return path, columns, nil
}

// readPairs reads a table of pairs, column by column.
func readPairs(ctx context.Context, g *graph.Graph, in *inputFlags, spec string) ([][2]uint32, error) {
	path, columns, err := splitPairs(spec)
	if err != nil {
		return nil, err
	}
	isText, err := seedsAreText(path)
	if err != nil {
		return nil, missing(path, err)
	}
	var lists [2][]uint32
	for i, column := range columns {
		l := &seedList{g: g, path: path, flag: "--pairs " + path, all: true, comment: in.comment.value}
		if !strings.Contains(spec, ";") {
			l.place = i + 1
		}
		if isText {
			err = l.readText(ctx, path, column)
		} else {
			err = l.readTable(ctx, in, path, column)
		}
		var known *vertexNotFound // which names the flag
		switch {
		case errors.As(err, &known):
			return nil, known
		case err != nil:
			return nil, fmt.Errorf("--pairs: %w", err)
		case l.missing > 0:
			return nil, &vertexNotFound{fmt.Sprintf("%s: the graph lacks %s of %s in column %s: %s; %s", l.flag, text.Count(l.missing), text.Plural(l.rows, "id"), column,
				strings.Join(l.some, ", "), idsOf(g)), graph.ErrNoVertex}
		}
		lists[i] = l.list
	}
	if len(lists[0]) != len(lists[1]) {
		return nil, fmt.Errorf("--pairs %s: column %s has %s, and %s has %d", path, columns[0], text.Plural(len(lists[0]), "id"), columns[1], len(lists[1]))
	}
	pairs := make([][2]uint32, len(lists[0]))
	for i := range pairs {
		pairs[i] = [2]uint32{lists[0][i], lists[1][i]}
	}
	return pairs, nil
}

// sampled returns n different random vertices, or all if there are no more. They depend on their ids and the seed alone.
func sampled(g *graph.Graph, n int, seed uint64) []uint32 {
	all := g.NumVertices()
	seen, list := map[uint32]bool{}, make([]uint32, 0, min(n, all))
	for i := uint64(0); len(list) < min(n, all) && n < all; i++ {
		if v := g.IDs().AtRank(uint32(random.Below(uint64(all), seed, i, 0))); !seen[v] {
			seen[v], list = true, append(list, v)
		}
	}
	for v := uint32(0); n >= all && int(v) < all; v++ {
		list = append(list, v)
	}
	return list
}

// sampledPairs returns n random pairs. They depend on ids and the seed alone.
func sampledPairs(g *graph.Graph, n int, seed uint64) (pairs [][2]uint32) {
	all := uint64(g.NumVertices())
	for i := uint64(0); i < uint64(n) && all > 0; i++ {
		pairs = append(pairs, [2]uint32{g.IDs().AtRank(uint32(random.Below(all, seed, i, 0))), g.IDs().AtRank(uint32(random.Below(all, seed, i, 1)))})
	}
	return pairs
}
