// This file holds the notes of convert on standard error: omitted data, and how
// to read the output again.

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// maxLeftOut is how many columns are named that are left out.
const maxLeftOut = 8

// leftOut returns the columns that nothing is taken from.
func (in *input) leftOut() (names []string) {
	weights := false
	for _, p := range in.parts {
		if p.arrow != nil {
			names = append(names, p.arrow.Info().Unused...)
		}
		if p.gen != nil && p.gen.WeightType() != graph.WeightsAuto && !in.o.Weights {
			weights = true // which the specification asked for
		}
	}
	for _, name := range in.textLeft {
		if !slices.Contains(names, name) { // two passes find it twice
			names = append(names, name)
		}
	}
	if weights && !slices.Contains(names, "weight") {
		names = append(names, "weight")
	}
	return names
}

// kinds reports whether vertices have kinds.
func (in *input) kinds() bool {
	for _, p := range in.parts {
		if p.arrow != nil && strings.HasPrefix(p.arrow.Info().Logical, "kinds(") {
			return true
		}
	}
	return false
}

// tuples reports whether ids are of several columns.
func (in *input) tuples() bool {
	for _, p := range in.parts {
		if p.arrow != nil && strings.HasPrefix(p.arrow.Info().Logical, "tuple(") {
			return true
		}
	}
	return false
}

// tellNotes prints to standard error which parts of the input aren't in the output, and how
// to read the output again if that needs flags.
func (a *app) tellNotes(f *convertFlags) error {
	if err := a.tellLeftOut(f, f.keepers()); err != nil {
		return err
	}
	if f.comments > 0 && f.output == "-" { // else it stands in the line about the output
		if err := a.note("left out %s", text.Plural(f.comments, "comment line")); err != nil {
			return err
		}
	}
	format := f.tableFormat()
	_, isText := f.textFormat()
	note := ""
	switch {
	case f.prepares() || isText:
	case f.kinds && !isTable(format):
		note = "kinds are read again from .parquet and .arrow, not from text"
	case f.kinds:
		note = "--src 'src:{src_kind}' --dst 'dst:{dst_kind}' reads it again as it was"
	case f.tuples && !isTable(format):
		note = "ids of several columns are read again from .parquet and .arrow, not from text"
	case f.sides:
		note = "--separate-ids reads it again as it was"
	}
	if note == "" || f.output == "-" {
		return nil
	}
	err := a.note("%s: %s", f.output, note)
	return err
}

// keepers names the flags that keep columns.
func (f *convertFlags) keepers() string {
	switch {
	case !f.prepares():
		return "--weight COLUMN keeps weights, and --edge-id COLUMN ids of edges"
	case len(f.vertices) == 0:
		return "--weight COLUMN keeps weights, --edge-id COLUMN ids of edges, and --edge-columns others"
	}
	return "--weight COLUMN keeps weights, --edge-id COLUMN ids of edges, --edge-columns others, and --vertex-columns those of vertices"
}

// isTable reports whether a format is Parquet or Arrow.
func isTable(format string) bool { return format != "csv" && format != "jsonl" && format != "ndjson" }

// tellLeftOut names omitted data; has names the formats that keep more of it.
func (a *app) tellLeftOut(f *convertFlags, has string) error {
	names := f.leftOut
	if len(names) == 0 {
		return nil
	}
	if !slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "the ") }) { // of a prepared graph
		has = "the format has no place for them"
	}
	more := ""
	if n := len(names) - maxLeftOut; n > 0 {
		names, more = names[:maxLeftOut], fmt.Sprintf(" and %s more", text.Count(n))
	}
	output := f.output
	if output == "-" {
		output = "standard output"
	}
	err := a.note("left out of %s: %s%s; %s", output, strings.Join(names, ", "), more, has)
	return err
}
