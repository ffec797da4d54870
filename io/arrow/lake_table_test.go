// This file writes random Delta Lake tables, with a model of what each version has.

package arrow

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
)

// deltaType is a type of columns: how values are made and written.
type deltaType struct {
	name     string
	parquet  int
	length   int
	logical  func() *craft.Struct
	scale    int
	widensTo string
}

func isLogical(id int) func() *craft.Struct {
	return func() *craft.Struct { return new(craft.Struct).Sub(id, new(craft.Struct)) }
}

func isTimestamp(utc bool) func() *craft.Struct {
	return func() *craft.Struct {
		unit := new(craft.Struct).Sub(2, new(craft.Struct))
		return new(craft.Struct).Sub(8, new(craft.Struct).Bool(1, utc).Sub(2, unit))
	}
}

func isDecimal(digits, scale int64) func() *craft.Struct {
	return func() *craft.Struct {
		return new(craft.Struct).Sub(5, new(craft.Struct).Int(1, scale).Int(2, digits))
	}
}

var deltaTypes = []deltaType{
	{name: "long", parquet: 2},
	{name: "integer", parquet: 1, widensTo: "long"},
	{name: "string", parquet: 6, logical: isLogical(1)},
	{name: "double", parquet: 5},
	{name: "float", parquet: 4, widensTo: "double"},
	{name: "date", parquet: 1, logical: isLogical(6)},
	{name: "timestamp", parquet: 2, logical: isTimestamp(true)},
	{name: "timestamp_ntz", parquet: 2, logical: isTimestamp(false)},
	{name: "decimal(9,2)", parquet: 1, logical: isDecimal(9, 2), scale: 2, widensTo: "decimal(12,2)"},
	{name: "decimal(12,2)", parquet: 2, logical: isDecimal(12, 2), scale: 2},
	{name: "decimal(30,4)", parquet: 7, length: 16, logical: isDecimal(30, 4), scale: 4},
	{name: "binary", parquet: 6},
}

func deltaTypeOf(name string) *deltaType {
	return &deltaTypes[slices.IndexFunc(deltaTypes, func(t deltaType) bool { return t.name == name })]
}

// deltaValue is a value: as allRows has it, in a file, as a partition's text, and in
// statistics.
type deltaValue struct {
	text      string
	plain     []byte
	partition string
	stat      any // nil where there are none
	order     float64
}

// random makes a value.
func (d *deltaType) random(r *rand.Rand) *deltaValue {
	v := &deltaValue{}
	n := r.Int64N(40) - 10
	v.order = float64(n)
	four, eight := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	switch d.name {
	case "long", "integer":
		v.text, v.partition, v.stat = fmt.Sprint(n), fmt.Sprint(n), n
		if v.plain = eight(nil, uint64(n)); d.parquet == 1 {
			v.plain = four(nil, uint32(n))
		}
	case "string":
		s := []string{"", "a", "ä/ö", "x=1&y", "100%", "O'Hara", "\u2603", "A B", "z" + strings.Repeat("long", 5)}[r.IntN(9)] + []string{"", "1", "22"}[r.IntN(3)]
		v.text, v.partition, v.stat, v.plain = fmt.Sprintf("%q", s), s, s, craft.Plain(s)
	case "double", "float":
		x := float64(n) / 4
		v.text, v.partition, v.stat = fmt.Sprintf("%g", x), fmt.Sprint(x), x
		if v.plain = eight(nil, math64(x)); d.parquet == 4 {
			v.plain = four(nil, math32(float32(x)))
		}
	case "date":
		day := time.Unix(0, 0).UTC().AddDate(0, 0, int(n)*100).Format(time.DateOnly)
		v.text, v.partition, v.stat, v.plain = fmt.Sprint(n*100, "d"), day, day, four(nil, uint32(n*100))
	case "timestamp", "timestamp_ntz":
		us := n*86_400_000_000 + r.Int64N(1e9)
		t := time.UnixMicro(us).UTC()
		v.text, v.plain = fmt.Sprint(us, "us"), eight(nil, uint64(us))
		v.partition = t.Format("2006-01-02 15:04:05.000000")
		v.stat = t.Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000") // as writers cut them
		if d.name == "timestamp" {
			v.stat = v.stat.(string) + "Z"
			if r.IntN(2) == 0 {
				v.partition = t.Format("2006-01-02T15:04:05.000000Z")
			}
		}
		v.order = float64(us)
	case "binary":
		s := fmt.Sprint("b", n)
		v.text, v.partition, v.plain = hex.EncodeToString([]byte(s)), s, craft.Plain(s)
	case "decimal(30,4)":
		x := new(big.Int).Mul(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil))
		whole := new(big.Int).Set(x)
		if x.Sign() < 0 {
			whole.Add(x, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		v.plain = whole.FillBytes(make([]byte, 16))
		v.text = hex.EncodeToString(columnar.Trimmed(v.plain)) + "e-4"
		v.partition = new(big.Rat).SetFrac(x, big.NewInt(10000)).FloatString(4)
	default: // of two digits behind the point
		v.text, v.partition = fmt.Sprint(n*7, "e-2"), fmt.Sprintf("%.2f", float64(n*7)/100)
		v.stat = json.Number(v.partition)
		if v.plain = eight(nil, uint64(n*7)); d.parquet == 1 {
			v.plain = four(nil, uint32(n*7))
		}
	}
	return v
}

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
	stamps  bool // commits have times of their own
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
	writeTo(d.t, file, data)
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
	writeTo(d.t, name, []byte(strings.Join(lines, "\n")))
	written := now
	if d.stamps {
		written = time.Unix(0, 0) // nobody looks
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
			f := d.newFile(d.r.IntN(60))
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

// vector writes a deletion vector and returns its description.
func (d *deltaTable) vector(deleted map[int]bool) map[string]any {
	rows := slices.Sorted(maps.Keys(deleted))
	data := serialised(d.r, rows)
	a := map[string]any{"sizeInBytes": len(data), "cardinality": len(rows)}
	if d.r.IntN(3) == 0 {
		a["storageType"], a["pathOrInlineDv"] = "i", base85(append(data, make([]byte, (4-len(data)%4)%4)...))
		return a
	}
	var id [16]byte
	for i := range id {
		id[i] = byte(d.r.Uint32())
	}
	x := hex.EncodeToString(id[:])
	name := "deletion_vector_" + x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:] + ".bin"
	prefix := []string{"", "ab"}[d.r.IntN(2)]
	file := []byte{1}
	for range d.r.IntN(3) { // other vectors in the file
		file = append(file, 0, 0, 0, 1, 9, 0, 0, 0, 0)
	}
	a["offset"] = len(file)
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	file = append(file, data...)
	file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(data))
	if err := os.MkdirAll(filepath.Join(d.dir, prefix), 0o777); err != nil {
		d.t.Fatal(err)
	}
	writeTo(d.t, filepath.Join(d.dir, prefix, name), file)
	a["storageType"], a["pathOrInlineDv"] = "u", prefix+base85(id[:])
	return a
}

// base85 is ZeroMQ's encoding.
func base85(b []byte) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	var s []byte
	for ; len(b) > 0; b = b[4:] {
		x := binary.BigEndian.Uint32(b)
		for _, power := range []uint32{85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1} {
			s = append(s, digits[x/power%85])
		}
	}
	return string(s)
}

// serialised is a bitmap of rows below 65,536, with a container that is an array or runs.
func serialised(r *rand.Rand, rows []int) []byte {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint32(nil, 1681511377), 1)
	b = le.AppendUint32(b, 0) // the key
	if r.IntN(2) == 0 {
		b = le.AppendUint32(le.AppendUint32(b, 12346), 1)
		b = le.AppendUint16(le.AppendUint16(b, 0), uint16(len(rows)-1))
		b = le.AppendUint32(b, 16)
		for _, row := range rows {
			b = le.AppendUint16(b, uint16(row))
		}
		return b
	}
	var runs []uint16
	for i := 0; i < len(rows); {
		n := 1
		for i+n < len(rows) && rows[i+n] == rows[i]+n {
			n++
		}
		runs = append(runs, uint16(rows[i]), uint16(n-1))
		i += n
	}
	b = append(le.AppendUint32(b, 12347), 1)
	b = le.AppendUint16(le.AppendUint16(b, 0), uint16(len(rows)-1))
	b = le.AppendUint16(b, uint16(len(runs)/2))
	for _, x := range runs {
		b = le.AppendUint16(b, x)
	}
	return b
}
