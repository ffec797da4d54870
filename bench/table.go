// This file holds what a report looks like for people to read.

package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/text"
)

// WriteTable writes the report as text: a line on the graph, one on what was
// measured, one on what was prepared, and a row per algorithm.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	directed := "undirected"
	if r.Graph.Directed {
		directed = "directed"
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s, order %s; loaded in %s\n", r.Graph.Name, text.Plural(r.Graph.Vertices, "vertex"),
		text.Plural(r.Graph.Edges, "edge"), directed, r.Graph.Order, duration(r.Graph.LoadMS))
	device := r.Device
	if r.Model != "" && r.Device != host.Name {
		device += ", " + r.Model
	}
	fmt.Fprintf(&b, "%s (%s), %s (seed %d), %s each; %s\n", device, text.Plural(r.Units, unit(r.Device)),
		text.Plural(len(r.Results[0].Sources), "source"), r.Seed, text.Plural(r.Trials, "trial"), r.what())
	place := "placing " + duration(r.Graph.PlaceMS)
	rows := "; " + prepared("ELL4 rows", r.Rows)
	if r.Upload > 0 {
		place = fmt.Sprintf("upload %s, %s", duration(r.Graph.PlaceMS), text.Bytes(r.Upload))
		if r.Graph.PlaceMS > 0 {
			place += fmt.Sprintf(" (%.1f GB/s)", float64(r.Upload)/r.Graph.PlaceMS/1e6)
		}
		rows = ""
	}
	fmt.Fprintf(&b, "prepared once: %s; %s%s\n", place, prepared("what pulls need", r.Pull), rows)
	digits := 3
	for _, a := range r.Results {
		if a.MinMS < 0.01 {
			digits = 4 // of the smallest graphs, where 3 leave little or nothing
		}
	}
	ms := func(ms float64) string { return strconv.FormatFloat(ms, 'f', digits, 64) }
	t := text.Table{Align: "lrrrrrrr"}
	head := []string{"algorithm", "min ms", "q1", "median", "q3", "max", "rate", "levels"}
	batches := slices.ContainsFunc(r.Results, func(a Result) bool { return a.Batch != nil })
	if batches {
		t.Align += "rr"
		head = append(head, "ms in a batch", "x single")
	}
	t.Row(head...)
	for _, a := range r.Results {
		lo, hi := a.levels()
		levels := text.Count(lo)
		if hi > lo {
			levels += " to " + text.Count(hi)
		}
		name := a.Algorithm
		if name == string(Sequential) && r.Device != host.Name {
			name += ", on the host" // wherever the others are
		}
		row := []string{name, ms(a.MinMS), ms(a.Q1MS), ms(a.MedianMS), ms(a.Q3MS), ms(a.MaxMS), text.RateUnit(a.GTEPS), levels}
		if b := a.Batch; b != nil {
			row = append(row, ms(b.EachMS), strconv.FormatFloat(b.Ratio, 'f', 2, 64))
		}
		t.Row(row...)
	}
	if err := t.Write(&b, "  "); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// computes describes the computation of searches.
func (r *Report) computes() string {
	s := "counts only"
	switch {
	case r.Depths && r.Parents:
		s = "depths and parents"
	case r.Depths:
		s = "depths"
	case r.Parents:
		s = "parents"
	}
	if r.GivenOrder {
		s += " in the given order"
	}
	return s
}

// what describes the computation, and whether it was checked.
func (r *Report) what() string {
	s := r.computes()
	if r.Results[0].Checked {
		return s + ", every source checked"
	}
	return s + ", NOT CHECKED"
}

func prepared(what string, p *Preparation) string {
	if p == nil {
		return what + ": none"
	}
	return fmt.Sprintf("%s: %s, %s", what, duration(p.MS), text.Bytes(p.Bytes))
}

func unit(device string) string {
	if device == host.Name {
		return "worker"
	}
	return "multiprocessor"
}

func duration(ms float64) string { return text.Duration(time.Duration(ms * 1e6)) }

// WriteJSON writes the reports as an array, indented.
func WriteJSON(w io.Writer, reports []*Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(reports)
}
