// This file holds the flags that name snapshots of tables, and reports the snapshots that were read.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// timeFlag is a flag that is a time.
type timeFlag struct {
	text string
	t    time.Time
}

func (f *timeFlag) String() string { return f.text }
func (f *timeFlag) Type() string   { return "TIME" }
func (f *timeFlag) set() bool      { return !f.t.IsZero() }

func (f *timeFlag) Set(s string) (err error) {
	f.text = s
	f.t, err = parseTime(s)
	return err
}

// parseTime reads a time.
func parseTime(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q isn't a time, such as 2025-03-01, 2025-03-01T15:04:05 (in UTC) or 2025-03-01T15:04:05+01:00", s)
}

// checkSnapshots refuses flags that name snapshots where there is no table. tables says
// that there are Parquet or Arrow files, or tables.
func (f *inputFlags) checkSnapshots(tables bool) error {
	if (f.snapshot != "" || f.asOf.set()) && !tables {
		return usagef("--snapshot and --as-of are for tables of data lakes, which have snapshots")
	}
	if f.since != "" && !tables {
		return usagef("--since is for a table of a data lake, which has snapshots")
	}
	return nil
}

// sinceError turns an error about options into a usage error if --since is set, such as for a path that isn't a table.
func (f *inputFlags) sinceError(err error) error {
	if f.since != "" && errors.Is(err, graph.ErrOptions) {
		return &usageError{err: err}
	}
	return err
}

// snapshotName is what messages call a snapshot that was read.
func snapshotName(t *arrow.TableSnapshot) string { return snapshotWord(t) + " " + t.ID }

// snapshotWord is what the format of a table calls snapshots.
func snapshotWord(t *arrow.TableSnapshot) string {
	if t.Format == deltaLake {
		return "version"
	}
	return "snapshot"
}

// describeSnapshots reports the snapshots of tables that were read.
func describeSnapshots(w *strings.Builder, d *arrow.Dataset, deleted int64) {
	for _, t := range d.Info().Snapshots {
		when := ""
		if !t.Time.IsZero() {
			when = ", of " + t.Time.UTC().Format(time.RFC3339Nano)
		}
		out := ""
		if t.FilesOut > 0 {
			out = fmt.Sprintf(", %s left out by the condition", text.Count(t.FilesOut))
		}
		item(w, "table", "%s, of %s: %s%s; %s read%s", t.Name, t.Format, snapshotName(&t), when, text.Plural(t.Files, "data file"), out)
	}
	if deleted > 0 {
		item(w, "deleted", "%s of the files, as the table says", text.Plural(deleted, "row"))
	}
}

// tables returns the snapshots of tables whose edges the input has, with absolute paths.
func (in *input) tables() []arrow.TableSnapshot {
	all := slices.Clone(in.stored)
	for _, p := range in.parts {
		if p.arrow != nil {
			all = append(all, p.arrow.Info().Snapshots...)
		}
	}
	for i := range all {
		all[i].Path = tablePath(all[i].Path)
	}
	return all
}

// tablePath is the path of a table as prepared graphs keep it, which says the same in any directory.
func tablePath(path string) string {
	if inStore(path) || inCatalog(path) {
		return strings.TrimRight(path, "/")
	}
	return absolute(path)
}

// sameRows reports whether two snapshots are of the same rows of a table, each at its time.
func sameRows(a, b *arrow.TableSnapshot) bool { return a.Path == b.Path && a.Where == b.Where }

// later reports whether one snapshot of a table was made after another one, as far as that is known.
func later(a, b *arrow.TableSnapshot) bool {
	x, err := strconv.ParseInt(a.ID, 10, 64)
	y, err2 := strconv.ParseInt(b.ID, 10, 64)
	if a.Format == deltaLake && err == nil && err2 == nil {
		return x > y // versions
	}
	return a.Time.After(b.Time)
}

// deltaLake is what arrow.TableSnapshot.Format calls it.
const deltaLake = "Delta Lake"

// withTable returns the snapshots of tables that a graph contains after one more was added, and a text to print.
// It only moves to a later snapshot, and only if the added rows continue the graph's rows: a whole snapshot, or
// the rows after one that is no later than the graph's.
func withTable(all []arrow.TableSnapshot, t arrow.TableSnapshot) ([]arrow.TableSnapshot, string) {
	same := func(old arrow.TableSnapshot) bool { return sameRows(&old, &t) }
	i := slices.IndexFunc(all, same)
	if i < 0 && t.Since != "" {
		return all, fmt.Sprintf("the graph has no record of %s and gets none, since only rows after %s %s were added", t.Path, snapshotWord(&t), t.Since)
	}
	for _, old := range all {
		anew := old.TableID != t.TableID && old.TableID != "" && t.TableID != ""
		if !same(old) || anew && t.Since == "" {
			continue
		}
		since := arrow.TableSnapshot{Format: t.Format, ID: t.Since}
		switch {
		case later(&old, &t):
			return all, fmt.Sprintf("the graph has %s already, and is still recorded as made of that", snapshotName(&old))
		case t.Since != "" && t.Since != old.ID && (t.Format != deltaLake || later(&since, &old)):
			return all, fmt.Sprintf("the graph is still recorded as made of %s: rows may be lacking between that and %s", snapshotName(&old), snapshotName(&since))
		}
	}
	return append(slices.DeleteFunc(slices.Clone(all), same), t), ""
}

// withoutTable returns which snapshots of tables a graph is made of after edges of one were taken away, and what is to
// be said of that: it is no snapshot of that table any more.
func withoutTable(all []arrow.TableSnapshot, t arrow.TableSnapshot) ([]arrow.TableSnapshot, string) {
	left := slices.DeleteFunc(slices.Clone(all), func(old arrow.TableSnapshot) bool { return old.Path == t.Path })
	if len(left) == len(all) {
		return all, ""
	}
	return left, fmt.Sprintf("the graph is no longer recorded as made of %s", t.Path)
}

// lastSnapshot is what --since last stands for: the snapshot that the graph has of a table's rows.
func lastSnapshot(graph, path, where string, tables []arrow.TableSnapshot) (string, error) {
	id, other := "", ""
	want := arrow.TableSnapshot{Path: tablePath(path), Where: where}
	for _, t := range tables {
		switch {
		case sameRows(&t, &want) && id != "" && id != t.ID:
			return "", usagef("--since last: %s has several snapshots of %s, which foray info lists; name one of them", graph, path)
		case sameRows(&t, &want):
			id = t.ID
		case t.Path == want.Path:
			other = "with --where " + strconv.Quote(t.Where)
			if t.Where == "" {
				other = "without --where"
			}
		}
	}
	switch {
	case id == "" && other != "":
		return "", usagef("--since last: %s has another part of %s, the one %s; name a snapshot", graph, path, other)
	case id == "":
		return "", usagef("--since last: %s doesn't say which snapshot of %s it has; name it", graph, path)
	}
	return id, nil
}

// knownTable is the id of the table whose rows a graph has from a path; empty if it doesn't say.
func knownTable(path, where string, tables []arrow.TableSnapshot) (id string) {
	want := arrow.TableSnapshot{Path: tablePath(path), Where: where}
	for _, t := range tables {
		if sameRows(&t, &want) {
			id = t.TableID
		}
	}
	return id
}
