// This file writes manifests and their lists.

package crafticeberg

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// Field is a field of a partition spec.
type Field struct {
	Source    int    `json:"source-id"`
	ID        int    `json:"field-id"`
	Name      string `json:"name"`
	Transform string `json:"transform"`
}

// file is a data file or a file of deletes.
type file struct {
	content    int
	path       string
	format     string
	spec       int
	part       []any
	rows       int
	size       int
	columns    []Column // whose counts and bounds are stated
	values     []Row
	equality   []int
	referenced string
	offset     int // of a deletion vector
	length     int

	snap    int64 // that added it
	seq     int64
	deleted map[int]bool
}

// codecs returns one of the ways to compress.
func codec(rng *rand.Rand) ocf.WriterOpt {
	switch rng.IntN(4) {
	case 0:
		return ocf.WithCodec(ocf.SnappyCodec())
	case 1:
		return ocf.WithCodec(ocf.MustZstdCodec(nil, nil))
	case 2:
		return ocf.WithBlockCount(1)
	}
	return ocf.WithCodec(ocf.DeflateCodec(6))
}

func container(rng *rand.Rand, schema string, meta map[string]string, records []map[string]any) []byte {
	var out bytes.Buffer
	s, err := avro.Parse(schema)
	if err != nil {
		panic(fmt.Sprint(err, schema))
	}
	raw := map[string][]byte{}
	for k, v := range meta {
		raw[k] = []byte(v)
	}
	w, err := ocf.NewWriter(&out, s, codec(rng), ocf.WithMetadata(raw), ocf.WithSchema(schema))
	if err != nil {
		panic(err)
	}
	for _, r := range records {
		if err := w.Encode(r); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// avroTypes are Avro's types of a transform's values.
func avroType(transform, source string) string {
	switch {
	case transform == "identity" && source == "date" || transform == "day":
		return `{"type":"int","logicalType":"date"}`
	case transform == "identity" && source == "timestamp":
		return `{"type":"long","logicalType":"timestamp-micros","adjust-to-utc":false}`
	case transform == "identity" || strings.HasPrefix(transform, "truncate") || transform == "void":
		return `"` + source + `"`
	}
	return `"int"`
}

const mapsOf = `["null",{"type":"array","logicalType":"map","items":{"type":"record","name":"k%[1]d_v%[2]d","fields":[
	{"name":"key","type":"int","field-id":%[1]d},{"name":"value","type":"%[3]s","field-id":%[2]d}]}}]`

// entrySchema returns the schema of entries.
func entrySchema(version int, spec []Field, types map[int]string) string {
	var part []string
	for _, f := range spec {
		part = append(part, fmt.Sprintf(`{"name":%q,"type":["null",%s],"default":null,"field-id":%d}`, f.Name, avroType(f.Transform, types[f.Source]), f.ID))
	}
	fields := []string{
		`{"name":"file_path","type":"string","field-id":100}`, `{"name":"file_format","type":"string","field-id":101}`,
		`{"name":"partition","type":{"type":"record","name":"r102","fields":[` + strings.Join(part, ",") + `]},"field-id":102}`,
		`{"name":"record_count","type":"long","field-id":103}`, `{"name":"file_size_in_bytes","type":"long","field-id":104}`,
		`{"name":"value_counts","field-id":109,"default":null,"type":` + fmt.Sprintf(mapsOf, 119, 120, "long") + `}`,
		`{"name":"null_value_counts","field-id":110,"default":null,"type":` + fmt.Sprintf(mapsOf, 121, 122, "long") + `}`,
		`{"name":"lower_bounds","field-id":125,"default":null,"type":` + fmt.Sprintf(mapsOf, 126, 127, "bytes") + `}`,
		`{"name":"upper_bounds","field-id":128,"default":null,"type":` + fmt.Sprintf(mapsOf, 129, 130, "bytes") + `}`,
		`{"name":"split_offsets","type":["null",{"type":"array","items":"long","element-id":133}],"default":null,"field-id":132}`,
	}
	seq := ""
	if version == 1 {
		fields = append(fields, `{"name":"block_size_in_bytes","type":"long","field-id":105}`)
	} else {
		fields = append([]string{`{"name":"content","type":"int","field-id":134}`}, fields...)
		fields = append(fields, `{"name":"equality_ids","type":["null",{"type":"array","items":"int","element-id":136}],"default":null,"field-id":135}`)
		seq = `{"name":"sequence_number","type":["null","long"],"default":null,"field-id":3},{"name":"file_sequence_number","type":["null","long"],"default":null,"field-id":4},`
	}
	if version >= 3 {
		fields = append(fields, `{"name":"first_row_id","type":["null","long"],"default":null,"field-id":142}`,
			`{"name":"referenced_data_file","type":["null","string"],"default":null,"field-id":143}`,
			`{"name":"content_offset","type":["null","long"],"default":null,"field-id":144}`,
			`{"name":"content_size_in_bytes","type":["null","long"],"default":null,"field-id":145}`)
	}
	return `{"type":"record","name":"manifest_entry","fields":[{"name":"status","type":"int","field-id":0},` +
		`{"name":"snapshot_id","type":["null","long"],"default":null,"field-id":1},` + seq +
		`{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[` + strings.Join(fields, ",") + `]}}]}`
}

// listSchema returns the schema of a manifest list; old writers had other names for some
// fields.
func listSchema(version int, old bool) string {
	data := ""
	if old {
		data = "data_"
	}
	common := `{"name":"manifest_path","type":"string","field-id":500},{"name":"manifest_length","type":"long","field-id":501},` +
		`{"name":"partition_spec_id","type":"int","field-id":502},`
	if version >= 2 {
		common += `{"name":"content","type":"int","field-id":517},{"name":"sequence_number","type":"long","field-id":515},{"name":"min_sequence_number","type":"long","field-id":516},`
	}
	counts := ""
	for i, name := range []string{"added", "existing", "deleted"} {
		counts += fmt.Sprintf(`{"name":"%s_%sfiles_count","type":"int","field-id":%d},{"name":"%s_rows_count","type":"long","field-id":%d},`, name, data, 504+i, name, 512+i)
	}
	return `{"type":"record","name":"manifest_file","fields":[` + common + `{"name":"added_snapshot_id","type":"long","field-id":503},` + counts +
		`{"name":"partitions","default":null,"field-id":507,"type":["null",{"type":"array","element-id":508,"items":{"type":"record","name":"r508","fields":[` +
		`{"name":"contains_null","type":"boolean","field-id":509},{"name":"contains_nan","type":["null","boolean"],"default":null,"field-id":518},` +
		`{"name":"lower_bound","type":["null","bytes"],"default":null,"field-id":510},{"name":"upper_bound","type":["null","bytes"],"default":null,"field-id":511}]}}]}]}`
}

// single returns a value in the binary form of single values.
func single(typ string, v any) []byte {
	if typ == "string" {
		return []byte(v.(string))
	}
	if strings.HasPrefix(typ, "decimal") {
		return bigEndian(v.(int64), 0)
	}
	return plain(typ, v)
}

// resultType returns the type of a transform's values.
func resultType(transform, source string) string {
	switch {
	case transform == "identity" || strings.HasPrefix(transform, "truncate"):
		return source
	}
	return "int"
}

// avroValue returns a partition's value as the encoder takes it.
func avroValue(typ, transform string, v any) any {
	if v == nil {
		return nil
	}
	if t := resultType(transform, typ); t == "int" || t == "date" {
		return int32(v.(int64))
	}
	return v
}

// record returns the entry of a file.
func (t *Table) record(f *file, status int, snapshot int64, inherit bool) map[string]any {
	spec := t.Specs[f.spec]
	part := map[string]any{}
	for i, p := range spec {
		part[p.Name] = avroValue(t.types[p.Source], p.Transform, f.part[i])
	}
	d := map[string]any{"content": int32(f.content), "file_path": f.path, "file_format": f.format, "partition": part,
		"record_count": int64(f.rows), "file_size_in_bytes": int64(f.size), "block_size_in_bytes": int64(64 << 20), "split_offsets": nil,
		"value_counts": nil, "null_value_counts": nil, "lower_bounds": nil, "upper_bounds": nil, "equality_ids": nil,
		"first_row_id": nil, "referenced_data_file": nil, "content_offset": nil, "content_size_in_bytes": nil}
	if f.columns != nil {
		t.metrics(d, f)
	}
	if f.equality != nil {
		var ids []any
		for _, id := range f.equality {
			ids = append(ids, int32(id))
		}
		d["equality_ids"] = ids
	}
	if f.referenced != "" {
		d["referenced_data_file"] = f.referenced
	}
	if f.length > 0 {
		d["content_offset"], d["content_size_in_bytes"] = int64(f.offset), int64(f.length)
	}
	e := map[string]any{"status": int32(status), "snapshot_id": snapshot, "sequence_number": f.seq, "file_sequence_number": f.seq, "data_file": d}
	if inherit {
		e["sequence_number"], e["file_sequence_number"], e["snapshot_id"] = nil, nil, nil
		if t.Version == 1 {
			e["snapshot_id"] = snapshot
		}
	}
	return e
}

// metrics adds counts and bounds.
func (t *Table) metrics(d map[string]any, f *file) {
	var counts, nulls, lower, upper []any
	for _, c := range f.columns {
		n := int64(0)
		var lo, hi any
		for _, r := range f.values {
			v := r[c.ID]
			switch {
			case v == nil:
				n++
			case lo == nil:
				lo, hi = v, v
			case less(v, lo):
				lo = v
			case less(hi, v):
				hi = v
			}
		}
		entry := func(v any) any { return map[string]any{"key": int32(c.ID), "value": v} }
		counts, nulls = append(counts, entry(int64(len(f.values)))), append(nulls, entry(n))
		if lo != nil {
			lower, upper = append(lower, entry(single(c.Type, lo))), append(upper, entry(single(c.Type, hi)))
		}
	}
	d["value_counts"], d["null_value_counts"], d["lower_bounds"], d["upper_bounds"] = counts, nulls, lower, upper
}

func less(a, b any) bool {
	switch a := a.(type) {
	case int64:
		return a < b.(int64)
	case float64:
		return a < b.(float64)
	}
	return a.(string) < b.(string)
}

// writeManifest writes a manifest with entries of one spec and one content, and returns
// its entry of the list.
func (t *Table) writeManifest(entries []map[string]any, files []*file, spec int, content int, snapshot int64) map[string]any {
	fields, _ := json.Marshal(t.Specs[spec])
	if t.Specs[spec] == nil {
		fields = []byte("[]")
	}
	meta := map[string]string{"schema": "{}", "partition-spec": string(fields), "partition-spec-id": fmt.Sprint(spec),
		"format-version": fmt.Sprint(t.Version), "content": []string{"data", "deletes"}[content]}
	meta["schema"] = string(t.schemaJSON(len(t.Schemas) - 1))
	b := container(t.rng, t.orNull(entrySchema(t.Version, t.Specs[spec], t.types)), meta, entries)
	name := t.write(fmt.Sprintf("metadata/%d-m.avro", t.next()), b)
	data := ""
	if t.old {
		data = "data_"
	}
	seq := t.seq
	if t.Version == 1 {
		seq = 0
	}
	m := map[string]any{"manifest_path": name, "manifest_length": int64(len(b)), "partition_spec_id": int32(spec), "content": int32(content),
		"sequence_number": seq, "min_sequence_number": int64(0), "added_snapshot_id": snapshot}
	for i, word := range []string{"existing", "added", "deleted"} {
		n, rows := int32(0), int64(0)
		for k, e := range entries {
			if e["status"] == int32(i) {
				n++
				rows += int64(files[k].rows)
			}
		}
		if t.Miscounted && n > 0 {
			n += int32(t.rng.IntN(3))
		}
		m[word+"_"+data+"files_count"], m[word+"_rows_count"] = n, rows
	}
	var parts []any
	for i, p := range t.Specs[spec] {
		typ := resultType(p.Transform, t.types[p.Source])
		s := map[string]any{"contains_null": false, "contains_nan": nil, "lower_bound": nil, "upper_bound": nil}
		var lo, hi any
		for _, f := range files {
			switch v := f.part[i]; {
			case v == nil:
				s["contains_null"] = true
			case lo == nil:
				lo, hi = v, v
			case less(v, lo):
				lo = v
			case less(hi, v):
				hi = v
			}
		}
		if lo != nil {
			s["lower_bound"], s["upper_bound"] = single(typ, lo), single(typ, hi)
		}
		parts = append(parts, s)
	}
	m["partitions"] = parts
	if parts == nil {
		m["partitions"] = []any{}
	}
	return m
}

// Vector returns a deletion vector of rows, which ascend, as Puffin files have it.
func Vector(rows []int) []byte {
	var body []byte
	body = append(body, 0xd1, 0xd3, 0x39, 0x64)
	body = binary.LittleEndian.AppendUint64(body, 1)
	body = binary.LittleEndian.AppendUint32(body, 0)
	body = binary.LittleEndian.AppendUint32(body, 12346)
	body = binary.LittleEndian.AppendUint32(body, 1)
	body = binary.LittleEndian.AppendUint16(body, 0)
	body = binary.LittleEndian.AppendUint16(body, uint16(len(rows)-1))
	body = binary.LittleEndian.AppendUint32(body, 16)
	for _, r := range rows {
		if r > math.MaxUint16 {
			panic("one container is all that there is")
		}
		body = binary.LittleEndian.AppendUint16(body, uint16(r))
	}
	return frame(body)
}
