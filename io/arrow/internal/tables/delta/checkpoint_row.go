// This file puts actions together from the columns of a checkpoint.

package delta

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// next moves to the next entry of the row, the first of which begins it, and says
// whether there is a value, and its number.
func (f *parquetField) next(first bool) (value int, there, more bool) {
	l := &f.levels
	if f.entry >= len(l.Rep) || !first && l.Rep[f.entry] == 0 {
		return 0, false, false
	}
	there = l.Def[f.entry] == f.def
	f.entry++
	if there {
		value = f.value
		f.value++
	}
	return value, there, true
}

// view returns a value of a column of strings, which is there until more rows are read.
func (f *parquetField) view(i int) string {
	v := &f.levels.Values
	b := v.Data[v.Offsets[i]:v.Offsets[i+1]]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// texts returns the values of a list in the row.
func (f *parquetField) texts() (list []string) {
	if f == nil {
		return nil
	}
	for first := true; ; first = false {
		i, there, more := f.next(first)
		if !more {
			return list
		}
		if there {
			list = append(list, strings.Clone(f.view(i)))
		}
	}
}

// pairs calls f with the entries of a map in the row; a value may be null. name is the map's.
func pairs(key, value *parquetField, name string, f func(key, value string, null bool)) error {
	if key == nil || value == nil {
		return nil
	}
	for first := true; ; first = false {
		k, isKey, more := key.next(first)
		v, isValue, also := value.next(first)
		switch {
		case more != also || isValue && !isKey:
			return columnar.Corrupt("%s has other keys than values", name)
		case !more:
			return nil
		case isValue:
			f(key.view(k), value.view(v), false)
		case isKey:
			f(key.view(k), "", true)
		}
	}
}

// text returns the value of a column of strings in the row, as view does.
func (f *parquetField) text() (s string, ok bool) {
	if f == nil {
		return "", false
	}
	i, there, _ := f.next(true)
	if !there {
		return "", false
	}
	return f.view(i), true
}

// number is text for columns of integers.
func (f *parquetField) number() (int64, bool) {
	if f == nil {
		return 0, false
	}
	i, there, _ := f.next(true)
	if !there {
		return 0, false
	}
	return f.levels.Values.Ints[i], true
}

// row returns the action in the next row; nil if the action doesn't matter. Each
// column is asked once.
func (r *actionReader) row() (*action, error) {
	r.add = addFile{}
	add, isAdd := &r.add, false
	add.Path, isAdd = r.path.text()
	add.Size, _ = r.size.number()
	add.Stats, _ = r.text.text()
	var err error
	if add.partition, err = r.partition(); err != nil {
		return nil, err
	}
	storage, hasVector := r.storage.text()
	at, _ := r.vector.text()
	offset, hasOffset := r.offset.number()
	size, _ := r.bytes.number()
	cardinality, _ := r.cardinality.number()
	if hasVector {
		add.DeletionVector = &vectorDescriptor{StorageType: strings.Clone(storage), PathOrInlineDV: strings.Clone(at), SizeInBytes: size, Cardinality: cardinality}
		if hasOffset {
			add.DeletionVector.Offset = &offset
		}
	}
	add.parsed = r.parsedStats()

	id, _ := r.id.text()
	name, _ := r.name.text()
	schema, isMeta := r.schema.text()
	provider, _ := r.provider.text()
	partitionColumns := r.partitionColumns.texts()
	var configuration map[string]string
	err = pairs(r.keys, r.values, "metaData.configuration", func(key, value string, null bool) {
		if configuration == nil {
			configuration = map[string]string{}
		}
		if delete(configuration, key); !null {
			configuration[strings.Clone(key)] = strings.Clone(value)
		}
	})
	if err != nil {
		return nil, err
	}

	version, isProtocol := r.version.number()
	features := r.features.texts()
	side, isSidecar := r.sidecar.text()
	switch {
	case isAdd:
		r.m.packed(add)
		r.act = action{Add: add}
		return &r.act, nil
	case isMeta:
		meta := &metadata{ID: strings.Clone(id), Name: strings.Clone(name), SchemaString: strings.Clone(schema),
			PartitionColumns: partitionColumns, Configuration: configuration}
		meta.Format.Provider = strings.Clone(provider)
		return &action{MetaData: meta}, nil
	case isProtocol:
		return &action{Protocol: &protocol{int(version), features}}, nil
	case isSidecar:
		return &action{Sidecar: &sidecar{Path: strings.Clone(side)}}, nil
	}
	return nil, nil
}

// packed packs the statistics of a file, which are as they stand in a checkpoint.
func (m *matcher) packed(a *addFile) {
	if a.Stats == "" {
		return
	}
	var packed addFile
	m.values = m.values[:0]
	if m.match(a.Stats, &packed) {
		a.shape, a.values, a.Stats = packed.shape, packed.values, ""
		return
	}
	text := a.Stats
	if m.p.packStats(a); a.shape != nil && m.learns() {
		if t, ok := templateOfStats(text, a, m); ok {
			m.learn(t)
		}
	}
}

// partition returns the values of partition columns in the row.
func (r *actionReader) partition() (*partitionValues, error) {
	m := r.m
	key := m.key[:0]
	err := pairs(r.partitionKeys, r.partitions, "add.partitionValues", func(name, value string, null bool) {
		key = append(binary.AppendUvarint(key, uint64(len(name))), name...)
		if null {
			key = append(key, 0)
			return
		}
		key = append(binary.AppendUvarint(key, uint64(len(value))+1), value...)
	})
	m.key = key
	if err != nil || len(key) == 0 {
		return nil, err
	}
	if m.partition != nil && m.partition.text == string(key) {
		return m.partition, nil
	}
	values := m.pairs[string(key)]
	if values == nil {
		values = &partitionValues{text: string(key), texts: map[string]*string{}}
		for rest := values.text; rest != ""; {
			var name, value string
			name, rest = cutText(rest, 0)
			isNull := rest[0] == 0
			if value, rest = cutText(rest, 1); isNull {
				values.texts[name] = nil
			} else {
				values.texts[name] = &value
			}
		}
		if m.pairs == nil {
			m.pairs = map[string]*partitionValues{}
		}
		if len(m.pairs) < maxShapes {
			m.pairs[values.text] = values
		}
	}
	m.partition = values
	return values, nil
}

// cutText cuts a text from the front of texts that stand behind their lengths, which are more by so many.
func cutText(s string, more uint64) (text, rest string) {
	n, size := uint64(0), 0
	for shift := 0; ; shift += 7 {
		c := s[size]
		n |= uint64(c&0x7f) << shift
		if size++; c < 0x80 {
			break
		}
	}
	n = max(n, more) - more
	return s[size : size+int(n)], s[size+int(n):]
}

// statsField is a column of statistics.
type statsField struct {
	what string // numRecords, minValues, maxValues or nullCount
	path string // physical names joined by dots
	*parquetField
	typ columnar.Column
}

// addStats adds a column of statistics, unless nothing is learned of it.
func (r *actionReader) addStats(rest string, i int, c *columnar.Column) {
	what, path, _ := strings.Cut(rest, ".")
	switch what {
	case "numRecords", "nullCount":
		if c.Class != columnar.Signed {
			return
		}
	case "minValues", "maxValues":
		if c.Class == columnar.Opaque || c.Class == columnar.Int96 {
			return
		}
	default:
		return
	}
	f := r.column("add.stats_parsed."+rest, i, c.Class.Kind())
	r.stats = append(r.stats, &statsField{what, path, f, *c})
}

// parsedStats returns the statistics in the row.
func (r *actionReader) parsedStats() *parsedStats {
	if len(r.stats) == 0 {
		return nil
	}
	p := &parsedStats{rows: -1, min: map[string]parsedValue{}, max: map[string]parsedValue{}, nulls: map[string]int64{}}
	for _, f := range r.stats {
		i, there, _ := f.next(true)
		if !there {
			continue
		}
		switch f.what {
		case "numRecords":
			p.rows = f.levels.Values.Ints[i]
		case "nullCount":
			p.nulls[f.path] = f.levels.Values.Ints[i]
		case "minValues":
			p.min[f.path] = parsedValue{f.scalar(i), &f.typ}
		default:
			p.max[f.path] = parsedValue{f.scalar(i), &f.typ}
		}
	}
	return p
}

// scalar returns a value of the column.
func (f *statsField) scalar(i int) (s columnar.Scalar) {
	v := &f.levels.Values
	switch v.Kind {
	case columnar.Ints:
		s.Int = v.Ints[i]
	case columnar.Numbers:
		s.Double = v.Doubles[i]
	default:
		s.Bytes = []byte(f.view(i))
	}
	return s
}
