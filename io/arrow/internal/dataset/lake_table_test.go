// This file writes random Delta Lake tables, with a model of each version's rows.

package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// deltaField is a column.
type deltaField struct {
	name, physical string
	id             int
	typ            *deltaType
	partition      bool
}

// deltaRow is a row of a data file; what a column isn't in is null.
type deltaRow map[*deltaField]*deltaValue

// deltaFile is a data file.
type deltaFile struct {
	path       string // as the log has it
	partitions deltaRow
	rows       []deltaRow
	deleted    map[int]bool
	action     map[string]any
}

// deltaTable writes a table.
type deltaTable struct {
	t       testing.TB
	r       *rand.Rand
	dir     string
	mode    string // of column mapping
	vectors bool
	fields  []*deltaField
	ids     int
	live    map[string]*deltaFile
	gone    []*deltaFile
	version int
	changed bool       // the schema, since the last commit
	rows    [][]string // by version, nil where it can't be read any more
	times   []time.Time
	stamps  bool // commits have their own times
	first   int  // the oldest version that can be read
}

// newDeltaTable makes a table with columns src and dst, and others.
func newDeltaTable(t testing.TB, r *rand.Rand, dir string) *deltaTable {
	d := &deltaTable{t: t, r: r, dir: dir, mode: []string{"none", "name", "id"}[r.IntN(3)], vectors: r.IntN(2) == 0, stamps: r.IntN(2) == 0,
		live: map[string]*deltaFile{}, changed: true}
	if err := os.MkdirAll(filepath.Join(dir, "_delta_log", "_sidecars"), 0o777); err != nil {
		t.Fatal(err)
	}
	for range r.IntN(3) {
		d.addField(&deltaTypes[r.IntN(len(deltaTypes))], true)
	}
	d.fields = append(d.fields, d.newField("src", deltaTypeOf("long")), d.newField("dst", deltaTypeOf("integer")))
	for range r.IntN(5) {
		d.addField(&deltaTypes[r.IntN(len(deltaTypes))], false)
	}
	return d
}

func (d *deltaTable) newField(name string, typ *deltaType) *deltaField {
	d.ids++
	f := &deltaField{name: name, physical: name, id: d.ids, typ: typ}
	if d.mode != "none" {
		f.physical = fmt.Sprintf("col-%d", d.ids)
	}
	return f
}

func (d *deltaTable) addField(typ *deltaType, partition bool) {
	f := d.newField(fmt.Sprintf("c%d", d.ids), typ)
	f.partition = partition
	d.fields = append(d.fields, f)
	d.changed = true
}

// change changes the schema.
func (d *deltaTable) change() {
	f := d.fields[d.r.IntN(len(d.fields))]
	switch k := d.r.IntN(4); {
	case k == 0:
		d.addField(&deltaTypes[d.r.IntN(len(deltaTypes))], false)
	case k == 1 && f.typ.widensTo != "" && !f.partition:
		f.typ, d.changed = deltaTypeOf(f.typ.widensTo), true
	case d.mode == "none" || f.name == "src" || f.name == "dst":
	case k == 2:
		d.ids++
		f.name, d.changed = fmt.Sprintf("new name %d", d.ids), true
	case !f.partition:
		d.fields, d.changed = slices.DeleteFunc(d.fields, func(g *deltaField) bool { return f == g }), true
	}
}

// metadata is the action that has the schema.
func (d *deltaTable) metadata() map[string]any {
	fields, partitions := []any{}, []string{}
	for _, f := range d.fields {
		meta := map[string]any{}
		if d.mode != "none" {
			meta["delta.columnMapping.id"], meta["delta.columnMapping.physicalName"] = f.id, f.physical
		}
		fields = append(fields, map[string]any{"name": f.name, "type": f.typ.name, "nullable": true, "metadata": meta})
		if f.partition {
			partitions = append(partitions, f.name)
		}
	}
	schema, _ := json.Marshal(map[string]any{"type": "struct", "fields": fields})
	return map[string]any{"id": "x", "format": map[string]any{"provider": "parquet"}, "schemaString": string(schema), "partitionColumns": partitions,
		"configuration": map[string]string{"delta.columnMapping.mode": d.mode}}
}

func (d *deltaTable) protocol() map[string]any {
	return map[string]any{"minReaderVersion": 3, "minWriterVersion": 7, "writerFeatures": []string{"columnMapping"},
		"readerFeatures": []string{"columnMapping", "deletionVectors", "v2Checkpoint", "timestampNtz", "typeWidening"}}
}

// newFile writes a data file.
func (d *deltaTable) newFile(rows int) *deltaFile {
	f := &deltaFile{partitions: deltaRow{}, deleted: map[int]bool{}}
	d.ids++
	name := fmt.Sprintf("part-%d.parquet", d.ids)
	values := map[string]any{}
	for _, c := range d.fields {
		if !c.partition {
			continue
		}
		text := "__HIVE_DEFAULT_PARTITION__"
		values[c.physical] = nil
		if d.r.IntN(4) > 0 {
			v := c.typ.random(d.r)
			f.partitions[c] = v
			text, values[c.physical] = v.partition, v.partition
			if v.partition == "" {
				delete(f.partitions, c) // which is null
			}
		}
		if d.r.IntN(2) == 0 { // directories say nothing: the log does
			name = url.PathEscape(c.physical+"="+text) + "/" + name
		}
	}
	f.path = url.PathEscape(name)
	f.path = strings.ReplaceAll(f.path, "%2F", "/")
	var nodes []*craft.Node
	min, max, nulls := map[string]any{}, map[string]any{}, map[string]any{}
	for range rows {
		f.rows = append(f.rows, deltaRow{})
	}
	for _, c := range d.fields {
		if c.partition {
			continue
		}
		node := &craft.Node{Name: c.physical, Repetition: 1, Type: c.typ.parquet, Length: c.typ.length, PageEntries: d.r.IntN(30), Dictionary: d.r.IntN(3) == 0}
		if c.typ.logical != nil {
			node.Logical = c.typ.logical()
		}
		if d.mode == "id" {
			node.HasID, node.ID = true, c.id
			node.Name = fmt.Sprintf("anything%d", c.id)
		}
		node.Def = []int{}
		var lo, hi *deltaValue
		missing := 0
		for i := range f.rows {
			if c.name != "src" && c.name != "dst" && d.r.IntN(5) == 0 {
				node.Def = append(node.Def, 0)
				missing++
				continue
			}
			v := c.typ.random(d.r)
			f.rows[i][c] = v
			node.Def, node.Values = append(node.Def, 1), append(node.Values, v.plain)
			if s, ok := v.stat.(string); ok && c.typ.name == "string" {
				if lo == nil || s < lo.stat.(string) {
					lo = v
				}
				if hi == nil || s > hi.stat.(string) {
					hi = v
				}
				continue
			}
			if lo == nil || v.order < lo.order {
				lo = v
			}
			if hi == nil || v.order > hi.order {
				hi = v
			}
		}
		nodes = append(nodes, node)
		if d.r.IntN(4) > 0 {
			nulls[c.physical] = missing
			if lo != nil && lo.stat != nil {
				min[c.physical], max[c.physical] = lo.stat, hi.stat
			}
		}
	}
	data := craft.Tree(int64(rows), nodes...)
	plain, err := url.PathUnescape(f.path)
	if err != nil {
		d.t.Fatal(err)
	}
	file := filepath.Join(d.dir, filepath.FromSlash(plain))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		d.t.Fatal(err)
	}
	samples.WriteTo(d.t, file, data)
	f.action = map[string]any{"path": f.path, "partitionValues": values, "size": len(data), "modificationTime": 1, "dataChange": true}
	if d.r.IntN(4) > 0 {
		stats, _ := json.Marshal(map[string]any{"numRecords": rows, "minValues": min, "maxValues": max, "nullCount": nulls})
		f.action["stats"] = string(stats)
	}
	return f
}

// commit writes the next version, of these actions besides those that the changes of the
// schema take.
func (d *deltaTable) commit(actions ...map[string]any) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(d.version) * time.Hour)
	info := map[string]any{"timestamp": 1, "operation": "WRITE"}
	if d.stamps {
		info["inCommitTimestamp"] = now.UnixMilli()
	}
	all := []map[string]any{{"commitInfo": info}}
	if d.version == 0 {
		all = append(all, map[string]any{"protocol": d.protocol()})
	}
	if d.changed {
		all = append(all, map[string]any{"metaData": d.metadata()})
		d.changed = false
	}
	var lines []string
	for _, a := range append(all, actions...) {
		line, err := json.Marshal(a)
		if err != nil {
			d.t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	name := filepath.Join(d.dir, "_delta_log", fmt.Sprintf("%020d.json", d.version))
	samples.WriteTo(d.t, name, []byte(strings.Join(lines, "\n")))
	written := now
	if d.stamps {
		written = time.Unix(0, 0) // the reader does not look
	}
	if err := os.Chtimes(name, written, written); err != nil {
		d.t.Fatal(err)
	}
	d.rows, d.times = append(d.rows, d.model()), append(d.times, now)
	d.version++
}

// model returns the rows that the table has now.
func (d *deltaTable) model() []string {
	rows := []string{}
	for _, f := range d.live {
		for i, row := range f.rows {
			if f.deleted[i] {
				continue
			}
			var values []string
			for _, c := range d.fields {
				from := row
				if c.partition {
					from = f.partitions
				}
				text := "null"
				if v := from[c]; v != nil {
					text = v.text
				}
				values = append(values, c.name+"="+text)
			}
			slices.Sort(values)
			rows = append(rows, strings.Join(values, " "))
		}
	}
	slices.Sort(rows)
	return rows
}

// pick returns one of the files that the table has, or nil.
func (d *deltaTable) pick() *deltaFile {
	if len(d.live) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(d.live))
	return d.live[names[d.r.IntN(len(names))]]
}

// step makes a random commit.
func (d *deltaTable) step() {
	var actions []map[string]any
	if d.r.IntN(4) == 0 {
		d.change()
	}
	for range 1 + d.r.IntN(3) {
		switch k := d.r.IntN(10); {
		case k < 5:
			f := d.newFile(d.r.IntN(1 + d.r.IntN(60)))
			d.live[f.path] = f
			actions = append(actions, map[string]any{"add": f.action})
		case k == 5 && len(d.gone) > 0: // a file comes back
			f := d.gone[d.r.IntN(len(d.gone))]
			if d.live[f.path] != nil || slices.ContainsFunc(actions, func(a map[string]any) bool { return concerns(a, f.path) }) {
				continue
			}
			d.live[f.path] = f
			actions = append(actions, map[string]any{"add": f.action})
		case k < 8 && d.vectors:
			f := d.pick()
			if f == nil || len(f.rows) == 0 || slices.ContainsFunc(actions, func(a map[string]any) bool { return concerns(a, f.path) }) {
				continue
			}
			actions = append(actions, map[string]any{"remove": d.removal(f)})
			g := *f
			g.deleted, g.action = maps.Clone(f.deleted), maps.Clone(f.action)
			for range 1 + d.r.IntN(len(f.rows)) {
				g.deleted[d.r.IntN(len(f.rows))] = true
			}
			g.action["deletionVector"] = d.vector(g.deleted)
			d.live[g.path] = &g
			actions = append(actions, map[string]any{"add": g.action})
		default:
			f := d.pick()
			if f == nil || slices.ContainsFunc(actions, func(a map[string]any) bool { return concerns(a, f.path) }) {
				continue
			}
			delete(d.live, f.path)
			d.gone = append(d.gone, f)
			actions = append(actions, map[string]any{"remove": d.removal(f)})
		}
	}
	d.commit(actions...)
}

func concerns(action map[string]any, path string) bool {
	for _, a := range action {
		if a.(map[string]any)["path"] == path {
			return true
		}
	}
	return false
}

func (d *deltaTable) removal(f *deltaFile) map[string]any {
	a := map[string]any{"path": f.path, "deletionTimestamp": 1, "dataChange": true}
	if v := f.action["deletionVector"]; v != nil {
		a["deletionVector"] = v
	}
	return a
}

// TestTablesWithoutRows: errors say whether a table has a snapshot.
func TestTablesWithoutRows(t *testing.T) {
	dir := t.TempDir()
	table := crafticeberg.New(dir, []crafticeberg.Column{{ID: 1, Name: "src", Type: "long"}, {ID: 2, Name: "dst", Type: "long"}}, rand.New(rand.NewPCG(3, 2)), crafticeberg.Options{Version: 2, Plain: true})
	table.WriteMetadata()
	_, err := Load(context.Background(), dir, Options{})
	check(t, err, graph.ErrEmpty, `the table has no snapshot yet, so that it has no rows$`)
	table.Append(nil)
	table.WriteMetadata()
	_, err = Load(context.Background(), dir, Options{})
	check(t, err, graph.ErrEmpty, `snapshot \d+ of the table has no rows$`)
}
