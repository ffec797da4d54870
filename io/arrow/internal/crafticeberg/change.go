// This file changes tables at random, and knows which rows they have then.

package crafticeberg

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// frame puts the length in front of a deletion vector and the checksum behind.
func frame(body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
}

// rows returns the rows that are there, as their files have them.
func (t *Table) rows() (all []Row) {
	for _, f := range t.data {
		for i, r := range f.values {
			if !f.deleted[i] {
				all = append(all, r)
			}
		}
	}
	return all
}

// Value returns what a row has for a column.
func Value(r Row, c *Column) any {
	if v, ok := r[c.ID]; ok {
		return v
	}
	return c.Default
}

// ofRow returns the partition of a row.
func (t *Table) ofRow(spec []Field, r Row) []any {
	part := make([]any, len(spec))
	for i, f := range spec {
		part[i] = t.transform(f.Transform, t.types[f.Source], r[f.Source])
	}
	return part
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// transform applies a partition transform.
func (t *Table) transform(name, typ string, v any) any {
	if v == nil || name == "void" {
		return nil
	}
	head, rest, _ := strings.Cut(name, "[")
	n, _ := strconv.ParseInt(strings.TrimSuffix(rest, "]"), 10, 64)
	switch head {
	case "identity":
		return v
	case "bucket":
		var b []byte
		if s, ok := v.(string); ok {
			b = []byte(s)
		} else {
			b = binary.LittleEndian.AppendUint64(nil, uint64(v.(int64)))
		}
		return int64(t.Hash(b)&0x7fffffff) % n
	case "truncate":
		if s, ok := v.(string); ok {
			r := []rune(s)
			return string(r[:min(len(r), int(n))])
		}
		return floorDiv(v.(int64), n) * n
	}
	seconds := v.(int64) * 86400
	if typ == "timestamp" {
		seconds = floorDiv(v.(int64), 1e6)
	}
	at := time.Unix(seconds, 0).UTC()
	switch head {
	case "year":
		return int64(at.Year() - 1970)
	case "month":
		return int64(at.Year()-1970)*12 + int64(at.Month()) - 1
	case "day":
		return floorDiv(seconds, 86400)
	case "hour":
		return floorDiv(seconds, 3600)
	}
	panic(name)
}

// Append adds rows, in a file for each partition.
func (t *Table) Append(rows ...[]Row) {
	t.seq++
	id := t.newID()
	var added []*file
	for _, rows := range rows {
		type group struct {
			part []any
			rows []Row
		}
		var groups []*group
		for _, r := range rows {
			part := t.ofRow(t.Specs[t.spec], r)
			i := slices.IndexFunc(groups, func(g *group) bool { return reflect.DeepEqual(g.part, part) })
			if i < 0 {
				i = len(groups)
				groups = append(groups, &group{part: part})
			}
			groups[i].rows = append(groups[i].rows, r)
		}
		for _, g := range groups {
			b := DataFile(t.Columns(), g.rows, t.ids)
			f := &file{path: t.write(fmt.Sprintf("data/%d.parquet", t.next()), b), format: "PARQUET", spec: t.spec, part: g.part,
				rows: len(g.rows), size: len(b), columns: t.Columns(), values: g.rows, seq: t.seq, deleted: map[int]bool{}}
			added = append(added, f)
			t.data = append(t.data, f)
		}
	}
	if t.Version == 1 {
		for _, f := range added {
			f.seq = 0
		}
	}
	t.commit("append", added, id)
}

func (t *Table) newID() int64 { return t.rng.Int64N(1 << 62) }

// SetSpec makes a partition spec the one of new files. Fields need no ids.
func (t *Table) SetSpec(fields []Field) {
	fields = append([]Field{}, fields...) // an empty list is written, not null
	for i := range fields {
		fields[i].ID, t.nextPart = t.nextPart, t.nextPart+1
	}
	t.Specs = append(t.Specs, fields)
	t.spec = len(t.Specs) - 1
}

// SetColumns makes columns the current ones.
func (t *Table) SetColumns(columns []Column) {
	for _, c := range columns {
		t.types[c.ID] = c.Type
		t.nextID = max(t.nextID, c.ID+1)
		if !slices.Contains(t.names[c.ID], c.Name) {
			t.names[c.ID] = append(t.names[c.ID], c.Name)
		}
	}
	t.Schemas = append(t.Schemas, columns)
}

// NextID returns a field id that was never used.
func (t *Table) NextID() int { return t.nextID }

// Files returns how many data files there are, and Rows how many rows the i-th has.
func (t *Table) Files() int     { return len(t.data) }
func (t *Table) Rows(i int) int { return t.data[i].rows }

// DropFile removes a data file, and its deletion vector.
func (t *Table) DropFile(i int) {
	t.seq++
	id := t.newID()
	t.removeData(t.data[i], id)
	t.commit("delete", nil, id)
}

// removeData removes a data file, and its deletion vector.
func (t *Table) removeData(gone *file, id int64) {
	for _, d := range slices.Clone(t.deletes) {
		if d.length > 0 && d.referenced == gone.path {
			t.remove(d, id)
		}
	}
	t.remove(gone, id)
}

// DeletePositions deletes rows of data files, by their positions: by a file of position
// deletes for those of each partition, or by a deletion vector each.
func (t *Table) DeletePositions(rows map[int][]int) {
	t.seq++
	id := t.newID()
	var added []*file
	byPart := map[string]*file{}
	for _, i := range slices.Sorted(mapKeys(rows)) {
		f := t.data[i]
		list := slices.Sorted(slices.Values(rows[i]))
		for _, r := range list {
			f.deleted[r] = true
		}
		if t.Version >= 3 {
			added = append(added, t.vector(f, id))
			continue
		}
		key := fmt.Sprintf("%d %#v", f.spec, f.part)
		if t.rng.IntN(3) == 0 {
			key += f.path
		}
		d := byPart[key]
		if d == nil {
			d = &file{content: 1, format: "PARQUET", spec: f.spec, part: f.part, seq: t.seq, columns: deleteColumns}
			byPart[key] = d
		}
		for _, r := range list {
			d.values = append(d.values, Row{deleteColumns[0].ID: f.path, deleteColumns[1].ID: int64(r)})
		}
	}
	for _, key := range slices.Sorted(mapKeys(byPart)) {
		d := byPart[key]
		b := DataFile(d.columns, d.values, true)
		d.path, d.rows, d.size = t.write(fmt.Sprintf("data/%d-deletes.parquet", t.next()), b), len(d.values), len(b)
		added = append(added, d)
	}
	t.deletes = append(t.deletes, added...)
	t.commit("delete", added, id)
}

func mapKeys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// deleteColumns are the columns of files of position deletes.
var deleteColumns = []Column{{ID: 2147483546, Name: "file_path", Type: "string", Required: true}, {ID: 2147483545, Name: "pos", Type: "long", Required: true}}

// Upgrade makes further writes use the format's next version.
func (t *Table) Upgrade() {
	t.Version++
	t.inline = false
}

// vector writes a deletion vector of a data file, which replaces the one before. It has all
// rows that are deleted: files of position deletes from before don't count beside it.
func (t *Table) vector(f *file, id int64) *file {
	for _, d := range slices.Clone(t.deletes) {
		if d.length > 0 && d.referenced == f.path {
			t.remove(d, id)
		}
	}
	list := slices.Sorted(mapKeys(f.deleted))
	v := Vector(list)
	b := append([]byte("PFA1"), v...)
	d := &file{content: 1, format: "PUFFIN", spec: f.spec, part: f.part, rows: len(list), seq: t.seq, referenced: f.path, offset: 4, length: len(v)}
	// The footer has no say in where a vector is.
	payload := fmt.Sprintf(`{"blobs":[{"type":"deletion-vector-v1","fields":[2147483645],"snapshot-id":-1,"sequence-number":-1,"offset":4,"length":%d,"properties":{"referenced-data-file":%q,"cardinality":"%d"}}]}`, len(v), f.path, len(list))
	b = append(append(b, "PFA1"...), payload...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = append(append(b, 0, 0, 0, 0), "PFA1"...)
	d.size = len(b)
	d.path = t.write(fmt.Sprintf("data/%d.puffin", t.next()), b)
	return d
}

// DeleteEqual deletes the rows that equal one of these in columns, of a partition, which
// must be one of the current spec; of all partitions where the spec has none, or void
// fields alone.
func (t *Table) DeleteEqual(columns []Column, values []Row, part []any) {
	t.seq++
	id := t.newID()
	b := DataFile(columns, values, true)
	d := &file{content: 2, format: "PARQUET", spec: t.spec, part: part, rows: len(values), size: len(b), seq: t.seq,
		path: t.write(fmt.Sprintf("data/%d-equal.parquet", t.next()), b)}
	for _, c := range columns {
		d.equality = append(d.equality, c.ID)
	}
	for _, f := range t.data {
		partitioned := slices.ContainsFunc(t.Specs[t.spec], func(p Field) bool { return p.Transform != "void" })
		if partitioned && (f.spec != t.spec || !reflect.DeepEqual(f.part, part)) {
			continue
		}
		for i, r := range f.values {
			for _, v := range values {
				if !slices.ContainsFunc(columns, func(c Column) bool { return Value(r, &c) != v[c.ID] }) {
					f.deleted[i] = true
				}
			}
		}
	}
	t.deletes = append(t.deletes, d)
	t.commit("delete", []*file{d}, id)
}

// Partition returns the partition of a data file, if it is one of the current spec.
func (t *Table) Partition(i int) ([]any, bool) { return t.data[i].part, t.data[i].spec == t.spec }

// AddAgain adds a data file that is there already once more.
func (t *Table) AddAgain(i int) {
	t.seq++
	again := *t.data[i]
	again.seq, again.deleted = t.seq, map[int]bool{}
	t.data = append(t.data, &again)
	t.commit("append", []*file{&again}, t.newID())
}

// AppendOnly is Append into manifests that stay as they are.
func (t *Table) AppendOnly(rows ...[]Row) {
	t.keep = true
	t.Append(rows...)
	t.keep = false
}

// Compact writes the rows of a data file, without those that are deleted, as another one,
// and returns the old file's path in Dir.
func (t *Table) Compact(i int) string {
	t.seq++
	id := t.newID()
	old := t.data[i]
	t.removeData(old, id)
	f := *old
	f.values, f.deleted, f.seq = nil, map[int]bool{}, t.seq
	if t.Version == 1 {
		f.seq = 0
	}
	for k, r := range old.values {
		if !old.deleted[k] {
			f.values = append(f.values, r)
		}
	}
	b := DataFile(f.columns, f.values, t.ids)
	f.path, f.rows, f.size = t.write(fmt.Sprintf("data/%d.parquet", t.next()), b), len(f.values), len(b)
	t.data = append(t.data, &f)
	t.commit("replace", []*file{&f}, id)
	return old.path[len(t.Location)+1:]
}

// Overwrite adds rows as a snapshot of operation overwrite does that replaces nothing.
func (t *Table) Overwrite(rows ...[]Row) {
	t.Append(rows...)
	t.Snapshots[len(t.Snapshots)-1].Op = "overwrite"
	t.WriteMetadata()
}

// RandomGrowing is Random for a table that mostly grows, and is compacted now and then.
func RandomGrowing(rng *rand.Rand, dir string, o Options) *Table {
	t := New(dir, randomColumns(), rng, o)
	names := 0
	for range 3 + rng.IntN(8) {
		changeTable(rng, t, &names, 4, 5, 12)
		switch n := rng.IntN(12); {
		case t.Files() == 0 || n < 6:
			t.Append(randomRows(rng, t.Columns())...)
		case n == 6:
			t.Overwrite(randomRows(rng, t.Columns())...)
		case n == 7:
			t.DropFile(rng.IntN(t.Files()))
		case n == 8 && t.Version > 1:
			if i := rng.IntN(t.Files()); t.Rows(i) > 0 {
				t.DeletePositions(map[int][]int{i: {rng.IntN(t.Rows(i))}})
			}
		case n == 9 && rng.IntN(2) == 0 && t.Version > 1:
			deleteEqual(rng, t)
		default:
			t.Compact(rng.IntN(t.Files()))
		}
	}
	return t
}
