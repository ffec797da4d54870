// This file holds Metadata, the provenance of a result.

package bfs

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/foray-graph/foray/internal/text"
	"strconv"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/text/buildinfo"
)

// graph.ErrInvalid: a result that isn't a breadth-first search of its graph.
var errInvalid = text.Named("bfs: not a valid result", graph.ErrInvalid)

// Metadata returns the provenance of the result, as keys and values
// for the metadata of the file that it is written to:
//
//   - foray.version, foray.algorithm, foray.device: what searched;
//   - foray.source: the external id of the source, as text, where there is one;
//   - foray.sources: all of them, as a JSON array of strings, up to 1,000;
//   - foray.sources.count: their number;
//   - foray.options: a JSON object of the options that were not the default:
//     parents, noDepths, depthLimit, targets (external ids, up to 1,000) or
//     targetCount, and what Result.Tuning has;
//   - foray.reached, foray.levels: Result.Reached and Levels;
//   - foray.graph.vertices, edges, directed: the graph's;
//   - foray.graph.checksum: graph.Graph.Checksum in hexadecimal.
//
// The checksum costs a pass over the graph the first time that it is asked for.
// The error is device.ErrClosed once the result was closed, graph.ErrInvalid for nil and
// the zero Result, which are no search's, or the context's.
// The map is the caller's.
func (r *Result) Metadata(ctx context.Context) (map[string]string, error) {
	if err := callctx.Check(ctx, "bfs"); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("%w: it is nil", errInvalid)
	}
	r.mu.Lock()
	err := r.open()
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if r.p == nil {
		return nil, fmt.Errorf("%w: it is no search's", errInvalid)
	}
	g := r.p.Graph()
	release, err := g.Hold()
	if err != nil {
		return nil, fmt.Errorf("bfs: metadata: %w", err)
	}
	defer release()
	sum, err := g.Checksum(ctx)
	if err != nil {
		return nil, fmt.Errorf("bfs: the graph's checksum: %w", err)
	}
	options := map[string]any{}
	for k, v := range r.Tuning {
		options[k] = v
	}
	depths, parents := r.has()
	if parents {
		options["parents"] = true
	}
	if !depths {
		options["noDepths"] = true
	}
	if r.depthLimit > 0 {
		options["depthLimit"] = r.depthLimit
	}
	switch n := len(r.targets); {
	case n > maxListed:
		options["targetCount"] = n
	case n > 0:
		options["targets"] = formatIDs(g, r.targets)
	}
	o, err := json.Marshal(options) // which sorts the keys
	if err != nil {
		return nil, fmt.Errorf("bfs: %w: Result.Tuning: %w", graph.ErrOptions, err)
	}
	m := map[string]string{
		"foray.version":        buildinfo.Version(),
		"foray.algorithm":      r.Algorithm,
		"foray.device":         r.Device,
		"foray.sources.count":  strconv.Itoa(len(r.Sources)),
		"foray.options":        string(o),
		"foray.reached":        strconv.Itoa(r.Reached),
		"foray.levels":         strconv.Itoa(r.Levels),
		"foray.graph.vertices": strconv.Itoa(g.NumVertices()),
		"foray.graph.edges":    strconv.FormatUint(g.NumEdges(), 10),
		"foray.graph.directed": strconv.FormatBool(g.Directed()),
		"foray.graph.checksum": fmt.Sprintf("%x", sum),
	}
	if len(r.Sources) == 1 {
		m["foray.source"] = formatIDs(g, r.Sources)[0]
	}
	if len(r.Sources) <= maxListed {
		s, err := json.Marshal(formatIDs(g, r.Sources))
		if err != nil {
			return nil, fmt.Errorf("bfs: %w", err)
		}
		m["foray.sources"] = string(s)
	}
	return m, nil
}

// formatIDs returns the external ids of vertices as text that is valid UTF-8:
// metadata of Parquet and Arrow can't have other bytes.
func formatIDs(g *graph.Graph, vs []uint32) []string {
	ids := make([]string, len(vs))
	for i, v := range vs {
		ids[i] = string([]rune(g.IDs().Format(v)))
	}
	return ids
}
