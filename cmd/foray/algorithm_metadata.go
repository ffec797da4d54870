// This file holds the metadata of results.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/buildinfo"
)

// describe returns a file's metadata about a run: foray.version, algorithm, device,
// options (a JSON object of those that aren't the default), the algorithm's counts by name, and
// the graph's vertices, edges, directed and checksum.
func (r *ran) describe(ctx context.Context, g *graph.Graph, name string) (map[string]string, error) {
	options, counts := r.metadata(g)
	return describeRun(ctx, g, name, r.stats().Device, options, counts)
}

// describeRun is describe for runs without an answer.
func describeRun(ctx context.Context, g *graph.Graph, name, device string, options, counts map[string]any) (map[string]string, error) {
	sum, err := g.Checksum(ctx)
	if err != nil {
		return nil, fmt.Errorf("the graph's checksum: %w", err)
	}
	if options == nil {
		options = map[string]any{}
	}
	o, err := json.Marshal(options) // which sorts the keys
	if err != nil {
		return nil, err
	}
	m := map[string]string{
		"foray.version":        buildinfo.Version(),
		"foray.algorithm":      name,
		"foray.device":         device,
		"foray.options":        string(o),
		"foray.graph.vertices": strconv.Itoa(g.NumVertices()),
		"foray.graph.edges":    strconv.FormatUint(g.NumEdges(), 10),
		"foray.graph.directed": strconv.FormatBool(g.Directed()),
		"foray.graph.checksum": fmt.Sprintf("%x", sum),
	}
	for k, v := range counts {
		m["foray."+k] = fmt.Sprint(v)
	}
	return m, nil
}
