// This file holds Report, what was measured on one graph, and its figures.

package bench

import (
	"runtime"
	"slices"

	"github.com/foray-graph/foray/algos/bfs"
)

// Report has the measurements of one graph. Times are in milliseconds.
type Report struct {
	Graph      Graph  `json:"graph"`
	Device     string `json:"device"`
	Model      string `json:"model,omitempty"` // what the maker calls it
	Units      int    `json:"units"`           // workers of the host, multiprocessors of a GPU
	GoVersion  string `json:"go_version"`
	Platform   string `json:"platform"`
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

// Result is one algorithm's figures. Min, median and max are over the sources'
// medians.
type Result struct {
	Algorithm string   `json:"algorithm"`
	Checked   bool     `json:"checked"`
	MinMS     float64  `json:"min_ms"`
	MedianMS  float64  `json:"median_ms"`
	MaxMS     float64  `json:"max_ms"`
	GTEPS     float64  `json:"gteps"` // median over the sources
	Sources   []Source `json:"sources"`
	Batch     *Batch   `json:"batch,omitempty"` // with Options.Batch
}

// Source is what was found and measured from one source.
type Source struct {
	ID       string    `json:"id"` // external
	Reached  int       `json:"reached"`
	Levels   int       `json:"levels"`
	Edges    uint64    `json:"edges"` // in the part reached, undirected ones once
	MS       []float64 `json:"ms"`    // of each trial
	MedianMS float64   `json:"median_ms"`
	GTEPS    float64   `json:"gteps"`
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
		Device: info.Name, Model: info.Model, Units: info.Units,
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Seed: s.o.Seed, Trials: s.o.Trials,
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
	r := Result{Algorithm: a.String(), Checked: checked}
	var medians, rates []float64
	for i, s := range found {
		s.MS = ms[i]
		s.MedianMS = median(ms[i])
		s.GTEPS = gteps(s.Edges, s.MedianMS)
		medians, rates = append(medians, s.MedianMS), append(rates, s.GTEPS)
		r.Sources = append(r.Sources, s)
	}
	r.MinMS, r.MedianMS, r.MaxMS = slices.Min(medians), median(medians), slices.Max(medians)
	r.GTEPS = median(rates)
	return r
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
