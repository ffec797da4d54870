// This file holds the results of commands as JSON. docs/json.md lists the fields, and a test compares both.

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/buildinfo"
)

// printResult prints the result of a command that has one.
func (a *app) printResult() error {
	if !a.json || a.result == nil {
		return nil
	}
	e := json.NewEncoder(a.data)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(a.result)
}

// resultHead begins every result.
type resultHead struct {
	Command string `json:"command"`
	Version string `json:"version"` // of Foray
}

func head(command string) resultHead { return resultHead{command, buildinfo.Version()} }

// graphResult is a graph that was loaded.
type graphResult struct {
	Name       string  `json:"name"`
	Vertices   int     `json:"vertices"`
	Edges      uint64  `json:"edges"`
	Directed   bool    `json:"directed"`
	IDs        string  `json:"ids"`               // their type
	Order      string  `json:"order"`             // of vertices: degree or given
	Weights    string  `json:"weights,omitempty"` // their type
	SelfLoops  uint64  `json:"self_loops_dropped"`
	Duplicates uint64  `json:"repeated_edges_dropped"`
	Isolated   uint64  `json:"isolated_vertices"`
	EdgeWhere  string  `json:"edge_where,omitempty"` // the edges are those that meet it
	LoadMS     float64 `json:"load_ms"`
}

func (g *loaded) result() *graphResult {
	st := g.Stats()
	r := &graphResult{Name: g.in.name, Vertices: g.NumVertices(), Edges: g.NumEdges(), Directed: g.Directed(), IDs: g.idNames(), Order: g.Order().String(),
		SelfLoops: st.SelfLoops, Duplicates: st.Duplicates, Isolated: g.DegreeHistogram().Isolated, LoadMS: millis(g.took)}
	if !g.Directed() {
		r.Duplicates = (r.Duplicates + 1) / 2 // counted in both directions
	}
	if f := g.in.flags; f != nil {
		r.EdgeWhere = f.edgeWhere
	}
	if w := g.WeightType(); w != graph.WeightsAuto {
		r.Weights = w.String()
	}
	return r
}

// graphColumn is a column of edges or vertices.
type graphColumn struct {
	Name string `json:"name"`
	Type string `json:"type"` // as foray info prints it: int64, timestamp[us], string
}

func graphColumns(columns []graph.Column) (all []graphColumn) {
	for _, c := range columns {
		typ := strings.TrimPrefix(fmt.Sprintf("%T", c.Values), "[]")
		switch {
		case c.Dictionary != nil && c.Dictionary.Binary:
			typ = "binary"
		case c.Dictionary != nil:
			typ = "string"
		case c.Logical != "":
			typ = c.Logical
		}
		all = append(all, graphColumn{c.Name, typ})
	}
	return all
}

// outputResult is a file, a directory or an object that was written.
type outputResult struct {
	Path string `json:"path"`
	Rows *int   `json:"rows,omitempty"`
}

// runResult is a run of an algorithm.
type runResult struct {
	Algorithm string         `json:"algorithm"`
	Device    string         `json:"device"`
	Options   map[string]any `json:"options"`
	Counts    map[string]any `json:"counts"`
	PrepareMS float64        `json:"prepare_ms"`
	RunMS     float64        `json:"run_ms"`
	Valid     string         `json:"valid,omitempty"` // with --validate: what was checked
	Outputs   []outputResult `json:"outputs"`
}

// algorithmResult is the result of an algorithm's command, and of bfs.
type algorithmResult struct {
	resultHead
	Graph *graphResult `json:"graph"`
	runResult
	Checksum string        `json:"checksum,omitempty"` // of bfs --validate
	Levels   []levelResult `json:"levels,omitempty"`   // of bfs
}

// levelResult is a level of a search, or several that are summed up.
type levelResult struct {
	Depth     int     `json:"depth"`
	Levels    int     `json:"levels"`
	Vertices  int     `json:"vertices"`
	Edges     *uint64 `json:"edges"`               // null if they weren't counted
	Direction string  `json:"direction,omitempty"` // push or pull; missing if the level wasn't expanded
	MS        float64 `json:"ms"`
}

// runsResult is the result of foray run.
type runsResult struct {
	resultHead
	Graph *graphResult `json:"graph"`
	Runs  []*runResult `json:"runs"`
}

// result returns the JSON of a run.
func (r *ran) result(g *loaded, name string) *runResult {
	options, counts := r.metadata(g.Graph)
	x := &runResult{Algorithm: name, Device: r.stats().Device, Options: orEmpty(options), Counts: orEmpty(counts),
		PrepareMS: millis(r.prepared), RunMS: millis(r.took), Valid: r.valid, Outputs: []outputResult{}}
	if r.written != "" {
		x.Outputs = append(x.Outputs, outputResult{r.written, &r.rows})
	}
	return x
}

// alsoWritten adds the file that a calculation wrote in addition to its table.
func (x *runResult) alsoWritten(c calculation) *runResult {
	if also, ok := c.(alsoWrites); ok && also.file() != "" {
		x.Outputs = append(x.Outputs, outputResult{Path: also.file()})
	}
	return x
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// result returns the JSON of a search.
func (s *summary) result(f *bfsFlags) (*algorithmResult, error) {
	r := s.res
	x := &algorithmResult{resultHead: head(bfsName), Graph: s.g.result()}
	x.runResult = runResult{Algorithm: string(r.Algorithm), Device: r.Device, PrepareMS: millis(s.prepared), RunMS: millis(r.Elapsed), Valid: s.valid,
		Outputs: []outputResult{}, Options: map[string]any{"parents": f.parents, "depth_limit": int(f.depthLimit)}}
	ids := []string{}
	for _, v := range r.Sources {
		ids = append(ids, s.g.IDs().Format(v))
	}
	x.Options["sources"] = ids
	x.Checksum = s.checksum
	x.Counts = map[string]any{"reached": r.Reached, "levels": r.Levels, "traversed_edges": r.TraversedEdges(), "limited": r.Limited}
	if len(s.targets) > 0 {
		depths, err := r.Depths()
		if err != nil {
			return nil, err
		}
		list := map[string]any{}
		for _, v := range s.targets {
			if list[s.g.IDs().Format(v)] = nil; depths[v] >= 0 {
				list[s.g.IDs().Format(v)] = depths[v]
			}
		}
		x.Counts["target_depths"] = list
	}
	for _, l := range levels(r) {
		level := levelResult{Depth: l.depth(), Levels: l.Levels, Vertices: l.Frontier, MS: millis(l.Took)}
		if l.expanded {
			level.Direction = l.Direction
			if edges := l.Edges; l.counted {
				level.Edges = &edges
			}
		}
		x.Levels = append(x.Levels, level)
	}
	if s.written != "" {
		x.Outputs = append(x.Outputs, outputResult{s.written, &s.writtenRows})
	}
	if f.plot != "" {
		x.Outputs = append(x.Outputs, outputResult{Path: f.plot})
	}
	return x, nil
}

// eachResult is the result of --sources-from.
type eachResult struct {
	resultHead
	Graph *graphResult `json:"graph"`
	runResult
}

// writtenResult is the result of convert and gen.
type writtenResult struct {
	resultHead
	Edges   uint64         `json:"edges"`
	Bytes   uint64         `json:"bytes,omitempty"` // of a file or an object
	LeftOut []string       `json:"left_out"`        // that the format has no place for
	TookMS  float64        `json:"took_ms"`
	Outputs []outputResult `json:"outputs"`
}

// appendResult is the result of append.
type appendResult struct {
	resultHead
	Changed        bool           `json:"changed"`
	Notes          []string       `json:"notes"`
	Vertices       int            `json:"vertices"`
	Edges          uint64         `json:"edges"`
	VerticesBefore int            `json:"vertices_before"`
	EdgesBefore    uint64         `json:"edges_before"`
	TookMS         float64        `json:"took_ms"`
	Outputs        []outputResult `json:"outputs"`
}

// infoResult is the result of info.
type infoResult struct {
	resultHead
	Graph   *graphResult   `json:"graph"`
	Degrees *degreesResult `json:"degrees"` // null of a graph without vertices
	Memory  memoryResult   `json:"memory"`
	// The columns of edges and vertices, if there are any.
	EdgeColumns   []graphColumn `json:"edge_columns,omitempty"`
	VertexColumns []graphColumn `json:"vertex_columns,omitempty"`
}

// columnResult is the result of info --column: the lines that it prints, by their names.
type columnResult struct {
	resultHead
	Column string     `json:"column"`
	Lines  [][]string `json:"lines"` // name and value
}

type degreesResult struct {
	Mean      float64     `json:"mean"`
	Max       uint64      `json:"max"`
	MaxVertex string      `json:"max_vertex"` // its id
	Bins      []binResult `json:"bins"`
}

// binResult is the number of vertices whose degrees are from Lo to Hi.
type binResult struct {
	Lo       uint64 `json:"lo"`
	Hi       uint64 `json:"hi"`
	Vertices uint64 `json:"vertices"`
}

// memoryResult is memory in bytes.
type memoryResult struct {
	GraphHost  uint64 `json:"graph_host"`
	GraphGPU   uint64 `json:"graph_gpu"`
	IDs        uint64 `json:"ids_host"`
	SearchHost uint64 `json:"search_host"`
	SearchGPU  uint64 `json:"search_gpu"`
}

// devicesResult is the result of devices.
type devicesResult struct {
	resultHead
	Devices []deviceResult      `json:"devices"`
	Missing []unavailableResult `json:"unavailable"`
	Cache   *cacheResult        `json:"kernel_cache,omitempty"` // on Linux
}

// cacheResult is the cache of kernels.
type cacheResult struct {
	Folder  string `json:"folder"` // empty if it is off
	Kernels int    `json:"kernels"`
	Bytes   int64  `json:"bytes"`
	Reason  string `json:"reason,omitempty"` // why it isn't used
}

type deviceResult struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Model       string `json:"model"`
	Units       int    `json:"units"`
	MemoryTotal uint64 `json:"memory_total"` // bytes, 0 if unknown
	MemoryFree  uint64 `json:"memory_free"`
	Driver      string `json:"driver"` // empty on the host
}

type unavailableResult struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

func describeDevice(d device.Info) deviceResult {
	return deviceResult{d.Name, string(d.Kind), d.Model, d.Units, d.MemoryTotal, d.MemoryFree, d.Driver}
}

// versionResult is the result of version.
type versionResult struct {
	resultHead
	Commit  string         `json:"commit,omitempty"`
	Date    string         `json:"date,omitempty"` // of the commit
	Go      string         `json:"go"`
	OS      string         `json:"os"`
	Arch    string         `json:"arch"`
	Devices []string       `json:"devices"` // kinds that are linked
	Modules []moduleResult `json:"modules"`
}

// moduleResult is a Go module that is linked.
type moduleResult struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// filesResult is the result of generate and of bench paper.
type filesResult struct {
	resultHead
	Outputs []outputResult `json:"outputs"`
}

// generated returns the result of generate in these directories.
func generated(dirs []string, writes, kernels bool) filesResult {
	x := filesResult{head("generate"), []outputResult{}}
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	for _, dir := range dirs {
		if writes {
			x.Outputs = append(x.Outputs, outputResult{Path: filepath.Join(dir, "foray_functors.go")})
		}
		if kernels {
			x.Outputs = append(x.Outputs, outputResult{Path: filepath.Join(dir, "foray_kernels.go")}, outputResult{Path: filepath.Join(dir, "foray_kernels.bin")})
		}
	}
	return x
}

// compareResult is the result of bench compare.
type compareResult struct {
	resultHead
	Comparisons []comparisonResult `json:"comparisons"`
	Work        []string           `json:"different_work"`       // which ratios don't compare
	Conditions  []string           `json:"different_conditions"` // machine, versions and the like
	Missing     []string           `json:"only_in_one"`
}

type comparisonResult struct {
	Graph     string   `json:"graph"`
	Algorithm string   `json:"algorithm"`
	OldMS     float64  `json:"old_ms"`
	NewMS     float64  `json:"new_ms"`
	Ratio     float64  `json:"ratio"` // new by old
	Low       *float64 `json:"low"`   // bounds with 95% confidence, null if there are too few pairs
	High      *float64 `json:"high"`
	Pairs     int      `json:"pairs"`
}

// compared returns the result of bench compare.
func compared(all []bench.Comparison, work, conditions, missing []string) *compareResult {
	list := func(s []string) []string { return append([]string{}, s...) }
	x := &compareResult{head("bench compare"), []comparisonResult{}, list(work), list(conditions), list(missing)}
	for _, c := range all {
		r := comparisonResult{Graph: c.Graph, Algorithm: c.Algorithm, OldMS: c.OldMS, NewMS: c.NewMS, Ratio: c.Ratio, Pairs: c.Pairs}
		if c.Enough() {
			r.Low, r.High = &c.Low, &c.High
		}
		x.Comparisons = append(x.Comparisons, r)
	}
	return x
}

func millis(d time.Duration) float64 { return float64(d.Nanoseconds()/1000) / 1000 }

// splitItems makes pairs of lines of names and values.
func splitItems(s string) [][]string {
	lines := [][]string{}
	for line := range strings.Lines(s) {
		name, value := line, ""
		if len(line) > keyWidth {
			name, value = line[:keyWidth], line[keyWidth:]
		}
		lines = append(lines, []string{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return lines
}
