// This file holds Report, what was measured on one graph, and its figures.

package bench

import (
	"slices"

	"github.com/foray-graph/foray/algos/bfs"
)

// Report has the measurements of one graph. Times are in milliseconds.
type Report struct {
	Graph Graph `json:"graph"`
	Machine
	Seed       uint64 `json:"seed"`
	Trials     int    `json:"trials"`
	Depths     bool   `json:"depths"`
	Parents    bool   `json:"parents"`
	GivenOrder bool   `json:"given_order"` // gathering into the order of ids is in the times
	// Pull and Rows are the preparations before timing: Arrays.Prepare of package placed, nil if
	// no algorithm pulls, and Arrays.Ell4, nil if degrees are too high for it.
	Pull    *Preparation `json:"prepare_pull,omitempty"`
	Upload  uint64       `json:"upload_bytes,omitempty"` // to a GPU, within Graph.PlaceMS
	Rows    *Preparation `json:"prepare_rows,omitempty"`
	Results []Result     `json:"results"`
	Rivals  []Beside     `json:"rivals,omitempty"` // with LayBeside
}

// Graph describes the searched graph.
type Graph struct {
	Name          string  `json:"name"`
	Vertices      int     `json:"vertices"`
	Edges         uint64  `json:"edges"` // undirected ones once
	DirectedEdges uint64  `json:"directed_edges"`
	Directed      bool    `json:"directed"`
	Order         string  `json:"order"`
	LoadMS        float64 `json:"load_ms"`               // reading or generating, and building
	PlaceMS       float64 `json:"place_ms"`              // onto the device
	RowsDevice    string  `json:"rows_device,omitempty"` // as graph.BuildStats has them
	WhyHost       string  `json:"why_host,omitempty"`
}

// Preparation is the cost of data that is prepared once per graph.
type Preparation struct {
	MS    float64 `json:"ms"`
	Bytes uint64  `json:"bytes"`
}

// Result is one algorithm's figures. Min, quartiles, median and max are over the sources'
// medians, or over the trials of an algorithm that has no source.
type Result struct {
	Algorithm  string   `json:"algorithm"`
	Checked    bool     `json:"checked"`
	CheckedBy  string   `json:"checked_by,omitempty"`  // what was checked, of algorithms other than searches
	PreparedMS float64  `json:"prepared_ms,omitempty"` // of these, too: once per graph, not in the times
	MinMS      float64  `json:"min_ms"`
	Q1MS       float64  `json:"q1_ms"`
	MedianMS   float64  `json:"median_ms"`
	Q3MS       float64  `json:"q3_ms"`
	MaxMS      float64  `json:"max_ms"`
	GTEPS      float64  `json:"gteps,omitempty"` // of searches, the median over the sources
	Sources    []Source `json:"sources"`
	Batch      *Batch   `json:"batch,omitempty"` // with Options.Batch
}

// Source is what was found and measured from one source, or by an algorithm that has none. What searches find is 0 of
// other algorithms.
type Source struct {
	ID       string    `json:"id"` // external; empty without a source
	Reached  int       `json:"reached,omitempty"`
	Levels   int       `json:"levels,omitempty"`
	Edges    uint64    `json:"edges,omitempty"` // in the part reached, undirected ones once
	MS       []float64 `json:"ms"`              // of each trial
	MedianMS float64   `json:"median_ms"`
	GTEPS    float64   `json:"gteps,omitempty"`
}

// report fills in the fields that are known before anything is timed. So it makes the
// graph prepare what the algorithms need.
func (s *suite) report() *Report {
	g, info := s.p.Graph(), s.p.Device().Info()
	r := &Report{
		Graph: Graph{
			Vertices: g.NumVertices(), Edges: g.NumEdges(), DirectedEdges: g.NumDirectedEdges(),
			Directed: g.Directed(), Order: g.Order().String(),
		},
		Machine: MachineOf(info),
		Seed:    s.o.Seed, Trials: s.o.Trials,
		Depths: s.o.Outputs.Has(bfs.Depths), Parents: s.o.Outputs.Has(bfs.Parents), GivenOrder: s.o.GivenOrder,
	}
	pulls := func(a Algorithm) bool { return a.Kind == DOBFS }
	if slices.ContainsFunc(s.o.Algorithms, pulls) {
		prep := s.p.State().Prepare()
		r.Pull = &Preparation{MS: milliseconds(prep.Elapsed), Bytes: prep.Bytes}
		if remote, err := s.p.PrepareRemote(); err == nil && remote != nil { // a search reports the error
			r.Pull.MS += milliseconds(remote.Elapsed)
			r.Pull.Bytes = remote.Bytes
		}
	}
	parallel := func(a Algorithm) bool { return a.Kind != Sequential }
	if s.p.Remote() != nil {
		r.Upload = s.p.Remote().Bytes
	} else if slices.ContainsFunc(s.o.Algorithms, parallel) {
		if f := s.p.State().Ell4(); f != nil {
			r.Rows = &Preparation{MS: milliseconds(f.Elapsed), Bytes: f.Bytes}
		}
	}
	return r
}

// sum makes a result of the times by source and trial.
func sum(a Algorithm, found []Source, ms [][]float64, checked bool) Result {
	sources := slices.Clone(found)
	for i := range sources {
		sources[i].MS = ms[i]
	}
	r := Timed(a.String(), sources)
	r.Checked = checked
	var rates []float64
	for i := range r.Sources {
		s := &r.Sources[i]
		s.GTEPS = gteps(s.Edges, s.MedianMS)
		rates = append(rates, s.GTEPS)
	}
	r.GTEPS = median(rates)
	return r
}

// Timed makes a result of sources that have the times of their trials. One source without an id stands for none.
func Timed(algorithm string, sources []Source) Result {
	r := Result{Algorithm: algorithm, Sources: sources}
	var medians []float64
	for i := range sources {
		sources[i].MedianMS = median(sources[i].MS)
		medians = append(medians, sources[i].MedianMS)
	}
	if len(sources) == 1 && sources[0].ID == "" {
		medians = sources[0].MS
	}
	r.MinMS, r.MedianMS, r.MaxMS = slices.Min(medians), median(medians), slices.Max(medians)
	r.Q1MS, r.Q3MS = Quartiles(medians)
	return r
}

// Quartiles returns the first and the third quartile: the values a quarter and three quarters of the way through the
// sorted ones, in proportion where that is between two. Without values both are 0.
func Quartiles(values []float64) (first, third float64) {
	v := slices.Sorted(slices.Values(values))
	if len(v) == 0 {
		return 0, 0
	}
	at := func(part float64) float64 {
		whole := part * float64(len(v)-1)
		i := int(whole)
		next := v[min(i+1, len(v)-1)]
		return v[i] + (whole-float64(i))*(next-v[i])
	}
	return at(.25), at(.75)
}

// gteps is 10^9 edges a second.
func gteps(edges uint64, ms float64) float64 {
	if ms <= 0 {
		return 0
	}
	return float64(edges) / ms / 1e6
}

// median of an even number of values is the mean of the two in the middle.
func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	if len(v) == 0 {
		return 0
	}
	if k := len(v) / 2; len(v)%2 == 1 {
		return v[k]
	} else {
		return (v[k-1] + v[k]) / 2
	}
}

// levels is the smallest and the largest number of levels from the sources.
func (r Result) levels() (lo, hi int) {
	for i, s := range r.Sources {
		if i == 0 || s.Levels < lo {
			lo = s.Levels
		}
		hi = max(hi, s.Levels)
	}
	return lo, hi
}
