// This file holds the result of a search over processes as JSON. docs/json.md lists its fields.

package main

import (
	"time"

	"github.com/foray-graph/foray/device/host"
)

// partsResult is the result of bfs over processes, which rank 0 prints.
type partsResult struct {
	resultHead
	Graph partsGraphResult `json:"graph"`
	runResult
	Checksum  string             `json:"checksum,omitempty"` // with --validate: of all depths
	Levels    []partsLevelResult `json:"levels"`
	Processes processesResult    `json:"processes"`
}

// partsGraphResult is a graph that processes hold in parts.
type partsGraphResult struct {
	Name      string  `json:"name"`
	Vertices  uint64  `json:"vertices"`
	Edges     uint64  `json:"edges"`
	Directed  bool    `json:"directed"`
	IDs       string  `json:"ids"` // their type
	SelfLoops uint64  `json:"self_loops_dropped"`
	Repeated  uint64  `json:"repeated_edges_dropped"`
	LoadMS    float64 `json:"load_ms"`
}

// partsLevelResult is a level of a search over processes.
type partsLevelResult struct {
	Depth     int      `json:"depth"`
	Levels    int      `json:"levels"` // always 1
	Vertices  uint64   `json:"vertices"`
	Edges     *uint64  `json:"edges"`  // null if the level wasn't expanded
	Pulled    []string `json:"pulled"` // subgraphs that some rank pulled
	SentBytes uint64   `json:"sent_bytes"`
	MS        float64  `json:"ms"`
	WaitingMS float64  `json:"waiting_ms"` // to communicate, and for other ranks
}

// processesResult is how the graph was divided among processes, and what they sent to each other.
type processesResult struct {
	Ranks     int            `json:"ranks"`
	Machines  int            `json:"machines"`
	Workers   int            `json:"workers"` // of rank 0
	Threshold uint64         `json:"threshold"`
	Delegates uint64         `json:"delegates"`
	Edges     subgraphResult `json:"directed_edges"`
	Bytes     uint64         `json:"graph_bytes"`  // of all parts
	Largest   float64        `json:"largest_part"` // its edges by the mean of all parts
	LoadSent  uint64         `json:"load_sent_bytes"`
	Sent      uint64         `json:"sent_bytes"`
	Across    *uint64        `json:"sent_between_machines_bytes,omitempty"` // on hosts of several machines
	Messages  *uint64        `json:"messages_between_machines,omitempty"`
	United    uint64         `json:"delegate_bitmap_bytes"`
	WaitingMS float64        `json:"waiting_ms"`
	Searched  float64        `json:"searched_ms,omitempty"` // on GPUs: until depths are in their memory
}

// subgraphResult is the number of directed edges in each subgraph.
type subgraphResult struct {
	NN uint64 `json:"nn"`
	ND uint64 `json:"nd"`
	DN uint64 `json:"dn"`
	DD uint64 `json:"dd"`
}

// seconds is a duration from a number of seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// result returns the JSON of a search over processes. Rank 0 calls it.
func (s *partsSummary) result() *partsResult {
	f, r, g := s.flags, s.res, &s.part.Stats
	x := &partsResult{resultHead: head(bfsName), Checksum: s.checksum, Levels: []partsLevelResult{}}
	x.Graph = partsGraphResult{s.in.name, g.Vertices, s.part.Edges(), f.directed, s.kind.String(), g.SelfLoops, g.Repeated, millis(g.Took)}
	x.runResult = runResult{Algorithm: "dobfs", Device: host.Name, PrepareMS: millis(s.prepared), RunMS: millis(r.Elapsed), Valid: s.valid, Outputs: []outputResult{}}
	if f.algo.value == "bfs" || f.directed {
		x.Algorithm = "bfs" // it only pushes
	}
	if s.placed != nil {
		x.Device = cudaKind
	}
	x.Options = map[string]any{"parents": f.parents, "depth_limit": int(f.depthLimit), "unique": f.unique, "local_all_to_all": f.local.on, "sources": s.ids(r.Sources)}
	x.Counts = map[string]any{"reached": r.Reached, "levels": r.Levels, "traversed_edges": r.TraversedEdges, "limited": r.Limited}
	if len(s.targets) > 0 {
		list := map[string]any{}
		for i, id := range s.targets {
			if list[s.id(id)] = nil; s.depths[i] >= 0 {
				list[s.id(id)] = s.depths[i]
			}
		}
		x.Counts["target_depths"] = list
	}
	if f.output != "" {
		x.Outputs = append(x.Outputs, outputResult{f.output, &s.rows})
	}
	p := &x.Processes
	*p = processesResult{Ranks: g.Ranks, Machines: g.Machines, Workers: s.part.Workers(), Threshold: g.Threshold, Delegates: g.Delegates, Edges: subgraphResult{g.NN, g.ND, g.DN, g.DD},
		Bytes: g.Bytes, Largest: float64(g.MostEntries) * float64(g.Ranks) / float64(max(g.Entries, 1)), LoadSent: g.Sent, United: r.UnitedBytes,
		WaitingMS: millis(seconds(r.Talking)), Searched: millis(r.Searched)}
	left, across, messages := r.Reached, uint64(0), uint64(0)
	for i := range r.Stats {
		l := &r.Stats[i]
		left -= l.Frontier
		p.Sent, across, messages = p.Sent+l.Sent, across+l.Across, messages+l.Messages
		x.Levels = append(x.Levels, partsLevelResult{int(l.Depth), 1, l.Frontier, &l.Edges, s.pulled(l), l.Sent, millis(seconds(l.Seconds)), millis(seconds(l.Talking))})
	}
	if r.Limited {
		x.Levels = append(x.Levels, partsLevelResult{Depth: r.Levels - 1, Levels: 1, Vertices: left, Pulled: []string{}})
	}
	if g.Machines > 1 && s.placed == nil {
		p.Across, p.Messages = &across, &messages
	}
	return x
}
