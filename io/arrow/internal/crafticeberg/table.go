// This file holds Table: the state of a table that is written, and its metadata files.

package crafticeberg

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options say what a table is like.
type Options struct {
	Version  int                 // of the format
	Location string              // what the metadata says; "" for where it is
	Hash     func([]byte) uint32 // Murmur3; nil for tables without the bucket transform
	Plain    bool                // with nothing that some readers don't read
	Nullable bool                // all fields of manifests, and elements of their lists, may be null
	// Miscounted: manifest lists may say that manifests have more files than they do.
	Miscounted bool
}

// Table is a table that is written.
type Table struct {
	Options
	Dir       string
	Schemas   [][]Column
	Specs     [][]Field
	Snapshots []Snapshot

	rng       *rand.Rand
	types     map[int]string // by field id, the widest
	spec      int
	nextID    int
	nextPart  int
	counter   int
	seq       int64
	old       bool // old names of fields
	inline    bool // version 1 without manifest lists
	keep      bool // manifests aren't merged
	ids       bool // new files have field ids
	names     map[int][]string
	data      []*file
	deletes   []*file
	manifests []listed
	log       []map[string]any
	metas     int
	gz, hint  bool
	numbered  bool // 00001-x.metadata.json, not v1.metadata.json
}

// listed is a manifest of the current snapshot.
type listed struct {
	entry   map[string]any
	files   []*file
	spec    int
	content int
}

// Snapshot is a snapshot that was written.
type Snapshot struct {
	ID     int64
	Millis int64
	Schema int // index in Schemas
	Rows   []Row
	Files  int
	Op     string // the operation
	Added  []Row  // by an append
	list   string
	paths  []string
	tag    string
}

// New begins a table in a directory that is there and empty.
func New(dir string, columns []Column, rng *rand.Rand, o Options) *Table {
	t := &Table{Options: o, Dir: dir, Schemas: [][]Column{columns}, Specs: [][]Field{{}}, rng: rng, types: map[int]string{},
		nextPart: 1000, ids: true, names: map[int][]string{}}
	if t.Location == "" {
		t.Location = filepath.ToSlash(dir)
	}
	for _, c := range columns {
		t.types[c.ID] = c.Type
		t.nextID = max(t.nextID, c.ID+1)
		t.names[c.ID] = []string{c.Name}
	}
	t.old, t.gz, t.hint, t.numbered = rng.IntN(2) == 0, rng.IntN(3) == 0 && !o.Plain, rng.IntN(2) == 0, rng.IntN(2) == 0
	t.inline = o.Version == 1 && rng.IntN(2) == 0 && !o.Plain
	if !o.Plain {
		t.ids = rng.IntN(4) != 0
	}
	for _, d := range []string{"data", "metadata"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			panic(err)
		}
	}
	return t
}

// Columns returns the current columns.
func (t *Table) Columns() []Column { return t.Schemas[len(t.Schemas)-1] }

func (t *Table) next() int {
	t.counter++
	return t.counter
}

// write writes a file and returns what the metadata calls it.
func (t *Table) write(name string, b []byte) string {
	p := filepath.Join(t.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		panic(err)
	}
	if err := os.WriteFile(p, b, 0o666); err != nil {
		panic(err)
	}
	return t.Location + "/" + name
}

func (t *Table) schemaJSON(i int) json.RawMessage {
	fields := []map[string]any{}
	for _, c := range t.Schemas[i] {
		f := map[string]any{"id": c.ID, "name": c.Name, "required": c.Required, "type": c.Type}
		if c.Default != nil {
			f["initial-default"], f["write-default"] = c.Default, c.Default
		}
		fields = append(fields, f)
	}
	b, _ := json.Marshal(map[string]any{"type": "struct", "schema-id": i, "fields": fields})
	return b
}

// commit writes a snapshot of the current files: manifests for the files that were added,
// those that are there already, and the metadata.
func (t *Table) commit(operation string, added []*file, id int64) {
	for _, f := range added {
		f.snap = id
	}
	for _, content := range []int{0, 1} {
		for spec := range t.Specs {
			var files []*file
			var entries []map[string]any
			for _, f := range added {
				if min(f.content, 1) == content && f.spec == spec {
					files = append(files, f)
					entries = append(entries, t.record(f, 1, id, t.rng.IntN(2) == 0))
				}
			}
			if files != nil {
				m := t.writeManifest(entries, files, spec, content, id)
				t.manifests = append(t.manifests, listed{m, files, spec, content})
			}
		}
	}
	if t.rng.IntN(3) == 0 && !t.keep {
		t.merge(id)
	}
	s := Snapshot{ID: id, Millis: 1_700_000_000_000 + int64(len(t.Snapshots))*1000 + t.rng.Int64N(900), Schema: len(t.Schemas) - 1, Rows: t.rows(), Files: len(t.data), Op: operation}
	if operation == "append" {
		for _, f := range added {
			s.Added = append(s.Added, f.values...)
		}
	}
	var list []map[string]any
	for _, m := range t.manifests {
		list = append(list, m.entry)
		s.paths = append(s.paths, m.entry["manifest_path"].(string))
	}
	if !t.inline {
		meta := map[string]string{"format-version": fmt.Sprint(t.Version), "snapshot-id": fmt.Sprint(id), "sequence-number": fmt.Sprint(t.seq), "parent-snapshot-id": "null"}
		s.list = t.write(fmt.Sprintf("metadata/snap-%d.avro", t.next()), container(t.rng, t.orNull(listSchema(t.Version, t.old)), meta, list))
	}
	if t.rng.IntN(3) == 0 {
		s.tag = fmt.Sprintf("tag%d", t.next())
	}
	t.Snapshots = append(t.Snapshots, s)
	t.log = append(t.log, map[string]any{"snapshot-id": id, "timestamp-ms": s.Millis})
	t.WriteMetadata()
}

// merge writes the manifests of one spec and content as one.
func (t *Table) merge(id int64) {
	if len(t.manifests) == 0 {
		return
	}
	pick := t.manifests[t.rng.IntN(len(t.manifests))]
	var files []*file
	var entries []map[string]any
	kept := []listed{}
	for _, m := range t.manifests {
		if m.spec != pick.spec || m.content != pick.content {
			kept = append(kept, m)
			continue
		}
		for _, f := range m.files {
			status := 0
			if f.snap == id {
				status = 1
			}
			files, entries = append(files, f), append(entries, t.record(f, status, f.snap, false))
		}
	}
	t.manifests = kept
	if files != nil {
		t.manifests = append(kept, listed{t.writeManifest(entries, files, pick.spec, pick.content, id), files, pick.spec, pick.content})
	}
}

// remove rewrites the manifest of a file, where it is deleted.
func (t *Table) remove(gone *file, id int64) {
	for i, m := range t.manifests {
		if !slices.Contains(m.files, gone) {
			continue
		}
		var entries []map[string]any
		var left []*file
		for _, f := range m.files {
			if f == gone {
				entries = append(entries, t.record(f, 2, id, false))
				continue
			}
			left = append(left, f)
			entries = append(entries, t.record(f, 0, f.snap, false))
		}
		t.manifests[i] = listed{t.writeManifest(entries, m.files, m.spec, m.content, id), left, m.spec, m.content}
	}
	same := func(f *file) bool { return f == gone }
	t.data, t.deletes = slices.DeleteFunc(t.data, same), slices.DeleteFunc(t.deletes, same)
}

// WriteMetadata writes a metadata file of the table as it is.
func (t *Table) WriteMetadata() {
	t.metas++
	var schemas, specs, snapshots []any
	for i := range t.Schemas {
		schemas = append(schemas, t.schemaJSON(i))
	}
	for i, s := range t.Specs {
		specs = append(specs, map[string]any{"spec-id": i, "fields": s})
	}
	refs := map[string]any{}
	for i, s := range t.Snapshots {
		m := map[string]any{"snapshot-id": s.ID, "timestamp-ms": s.Millis, "schema-id": s.Schema, "summary": map[string]any{"operation": s.Op}}
		if t.Version > 1 {
			m["sequence-number"] = i + 1
		}
		if i > 0 {
			m["parent-snapshot-id"] = t.Snapshots[i-1].ID
		}
		if s.list == "" {
			m["manifests"] = s.paths
		} else {
			m["manifest-list"] = s.list
		}
		snapshots = append(snapshots, m)
		if s.tag != "" {
			refs[s.tag] = map[string]any{"snapshot-id": s.ID, "type": "tag"}
		}
	}
	props := map[string]any{}
	if !t.ids {
		var mapping []any
		for id, names := range t.names {
			mapping = append(mapping, map[string]any{"field-id": id, "names": names})
		}
		b, _ := json.Marshal(mapping)
		props["schema.name-mapping.default"] = string(b)
	}
	m := map[string]any{"format-version": t.Version, "table-uuid": "00000000-0000-0000-0000-000000000001", "location": t.Location,
		"last-updated-ms": 1_700_000_000_000, "last-column-id": t.nextID, "schemas": schemas, "current-schema-id": len(t.Schemas) - 1,
		"partition-specs": specs, "default-spec-id": t.spec, "last-partition-id": t.nextPart, "properties": props,
		"snapshots": snapshots, "snapshot-log": t.log, "sort-orders": []any{map[string]any{"order-id": 0, "fields": []any{}}}, "default-sort-order-id": 0,
		"current-snapshot-id": -1, "refs": refs}
	if t.Version > 1 {
		m["last-sequence-number"] = t.seq
	}
	if t.Version >= 3 {
		m["next-row-id"] = 1 << 40
	}
	if t.Version == 1 {
		m["schema"], m["partition-spec"] = t.schemaJSON(len(t.Schemas)-1), t.Specs[t.spec]
	}
	if n := len(t.Snapshots); n > 0 {
		m["current-snapshot-id"] = t.Snapshots[n-1].ID
		refs["main"] = map[string]any{"snapshot-id": t.Snapshots[n-1].ID, "type": "branch"}
	}
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		panic(err)
	}
	name := fmt.Sprintf("v%d", t.metas)
	if t.numbered {
		name = fmt.Sprintf("%05d-0-%d", t.metas, t.rng.Uint32())
	}
	end := ".metadata.json"
	if t.gz {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		b, end = out.Bytes(), ".gz.metadata.json"
	}
	t.write("metadata/"+name+end, b)
	if t.hint {
		hint := strings.TrimPrefix(name, "v")
		if t.numbered {
			hint = name + end
		}
		t.write("metadata/version-hint.text", []byte(hint))
	}
}
