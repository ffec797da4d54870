// This file holds info --column.

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow"
)

// describedTypes is how many types of a column are shown: one screen has room for more, but
// files with so many are best told by a few.
const describedTypes = 8

// infoColumn describes a column.
func (a *app) infoColumn(ctx context.Context, paths []string, name string, f *inputFlags) error {
	if name == "" {
		return usagef("--column needs the NAME of a column")
	}
	for _, flag := range []string{"src", "dst", "vertices", "edges", "ids", "directed"} {
		if f.given(flag) {
			return usagef("--%s is for graphs, and --column describes a column of files; leave one of them out", flag)
		}
	}
	for _, p := range paths {
		g, files, err := named(p, f.links)
		if err != nil {
			return err
		}
		other := g != nil || p == "-"
		for _, file := range files {
			if other || f.isGraphAr(file) {
				other = true
				break
			}
			isText, err := f.isText(file)
			if err != nil {
				return err
			}
			prepared, err := f.isPrepared(file)
			if err != nil {
				return err
			}
			other = isText || prepared
		}
		if other {
			return usagef("--column is for Parquet and Arrow files, and tables of Iceberg and Delta Lake, which %s isn't", p)
		}
	}
	o := arrow.Options{Where: f.where, Snapshot: f.snapshot, AsOf: f.asOf.t, FollowLinks: f.links}
	f.limits.arrow(&o)
	c, err := arrow.DescribeColumn(ctx, paths, name, o)
	if err != nil {
		return err
	}
	w := &strings.Builder{}
	describeColumn(w, c)
	a.result = columnResult{head("info"), name, splitItems(w.String())}
	a.done("a column was described", "foray info "+paths[0]+" describes the graph")
	_, err = fmt.Fprint(a.stdout, w.String())
	return err
}

func describeColumn(w *strings.Builder, c *arrow.ColumnInfo) {
	item(w, "column", "%s", c.Name)
	files := text.Count(c.Files)
	if c.FilesWithout > 0 {
		files += fmt.Sprintf(", %s without the column", text.Count(c.FilesWithout))
	}
	item(w, "files", "%s: %s", files, text.Plural(c.Rows, "row"))
	label := "type"
	for i, t := range c.Types {
		if i == describedTypes {
			item(w, "", "and %s", text.Plural(len(c.Types)-i, "other type"))
			break
		}
		what := t.Type
		if t.Physical != "" {
			what += ", stored as " + t.Physical
		}
		if len(c.Types) > 1 {
			what += fmt.Sprintf(": %s, such as %s", text.Plural(t.Files, "file"), t.Example)
		}
		item(w, label, "%s", what)
		label = ""
	}
	switch {
	case c.NullsUnknown == 0:
		item(w, "nulls", "%s, %s", text.Count(uint64(c.Nulls)), text.Percent(uint64(c.Nulls), uint64(max(1, c.Rows))))
	case c.NullsUnknown == c.Rows:
		item(w, "nulls", "not known without reading the values")
	default:
		item(w, "nulls", "%s or more: %s aren't counted in the metadata", text.Count(uint64(c.Nulls)), text.Plural(c.NullsUnknown, "row"))
	}
	switch {
	case c.Bounded && c.Unbound == 0:
		item(w, "values", "%s to %s, by the statistics", c.Min, c.Max)
	case c.Bounded:
		item(w, "values", "%s to %s, by the statistics; %s of %s have none", c.Min, c.Max, text.Count(c.Unbound), text.Plural(c.Chunks, "column chunk"))
	default:
		item(w, "values", "not known: no statistics bound them")
	}
	if c.Chunks > 0 {
		item(w, "stored", "%s: %s, of %s decompressed", text.Plural(c.Chunks, "column chunk"), text.Bytes(uint64(c.Bytes)), text.Bytes(uint64(c.Plain)))
		item(w, "encodings", "%s", counts(c.Encodings))
		item(w, "compression", "%s", counts(c.Codecs))
		item(w, "chunks with", "a dictionary: %s, a page index: %s, a bloom filter: %s", text.Count(c.Dictionaries), text.Count(c.Indexed), text.Count(c.Blooms))
	}
	if c.Contradictory > 0 {
		item(w, "not used", "statistics of %s, whose least value is more than the greatest", text.Plural(c.Contradictory, "column chunk"))
	}
	uses := []string{}
	for _, use := range []struct {
		yes  bool
		what string
	}{{c.IDs, "ids"}, {c.Weights, "weights"}, {c.Where, "conditions"}} {
		if use.yes {
			uses = append(uses, use.what)
		}
	}
	if len(uses) == 0 {
		uses = []string{"nothing: its values can't be read"}
	}
	item(w, "good for", "%s", strings.Join(uses, ", "))
	if c.WhereExample != "" {
		item(w, "", "such as --where %q", c.WhereExample)
	}
}

// counts lists what column chunks have.
func counts(all map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, fmt.Sprintf("%s (%s)", name, text.Count(all[name])))
	}
	if len(list) == 0 {
		return "not known"
	}
	return strings.Join(list, ", ")
}
