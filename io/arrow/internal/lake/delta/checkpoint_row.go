// This file puts actions together from the columns of a checkpoint.

package delta

import (
	"strings"

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

func (f *parquetField) bytes(i int) []byte {
	v := &f.levels.Values
	return v.Data[v.Offsets[i]:v.Offsets[i+1]]
}

// texts returns the values of a list in the row.
func (r *actionReader) texts(name string) (list []string) {
	f := r.byName[name]
	if f == nil {
		return nil
	}
	for first := true; ; first = false {
		i, there, more := f.next(first)
		if !more {
			return list
		}
		if there {
			list = append(list, string(f.bytes(i)))
		}
	}
}

// pairs returns the values of a map in the row.
func (r *actionReader) pairs(name string) (map[string]*string, error) {
	key, value := r.byName[name+".key"], r.byName[name+".value"]
	if key == nil || value == nil {
		return nil, nil
	}
	var m map[string]*string
	for first := true; ; first = false {
		k, isKey, more := key.next(first)
		v, isValue, also := value.next(first)
		switch {
		case more != also || isValue && !isKey:
			return nil, columnar.Corrupt("%s has other keys than values", name)
		case !more:
			return m, nil
		case !isKey:
			continue
		}
		if m == nil {
			m = map[string]*string{}
		}
		var text *string
		if isValue {
			s := string(value.bytes(v))
			text = &s
		}
		m[string(key.bytes(k))] = text
	}
}

// text returns the value of a column of strings in the row.
func (r *actionReader) text(name string) (s string, ok bool) {
	f := r.byName[name]
	if f == nil {
		return "", false
	}
	i, there, _ := f.next(true)
	if !there {
		return "", false
	}
	return string(f.bytes(i)), true
}

// number is text for columns of integers.
func (r *actionReader) number(name string) (int64, bool) {
	f := r.byName[name]
	if f == nil {
		return 0, false
	}
	i, there, _ := f.next(true)
	if !there {
		return 0, false
	}
	return f.levels.Values.Ints[i], true
}

// row returns the action in the next row; nil where it is none that matters. Each
// column is asked once.
func (r *actionReader) row() (*action, error) {
	add, isAdd := addFile{}, false
	add.Path, isAdd = r.text("add.path")
	add.Size, _ = r.number("add.size")
	add.Stats, _ = r.text("add.stats")
	var err error
	if add.PartitionValues, err = r.pairs("add.partitionValues"); err != nil {
		return nil, err
	}
	const vector = "add.deletionVector."
	var d vectorDescriptor
	hasVector := false
	d.StorageType, hasVector = r.text(vector + "storageType")
	d.PathOrInlineDV, _ = r.text(vector + "pathOrInlineDv")
	if offset, ok := r.number(vector + "offset"); ok {
		d.Offset = &offset
	}
	d.SizeInBytes, _ = r.number(vector + "sizeInBytes")
	d.Cardinality, _ = r.number(vector + "cardinality")
	if hasVector {
		add.DeletionVector = &d
	}
	add.parsed = r.parsedStats()

	meta, isMeta := metadata{}, false
	meta.ID, _ = r.text("metaData.id")
	meta.Name, _ = r.text("metaData.name")
	meta.SchemaString, isMeta = r.text("metaData.schemaString")
	meta.Format.Provider, _ = r.text("metaData.format.provider")
	meta.PartitionColumns = r.texts("metaData.partitionColumns")
	configuration, err := r.pairs("metaData.configuration")
	if err != nil {
		return nil, err
	}

	version, isProtocol := r.number("protocol.minReaderVersion")
	features := r.texts("protocol.readerFeatures")
	side, isSidecar := r.text("sidecar.path")
	switch {
	case isAdd:
		return &action{Add: &add}, nil
	case isMeta:
		meta.Configuration = make(map[string]string, len(configuration))
		for k, v := range configuration {
			if v != nil {
				meta.Configuration[k] = *v
			}
		}
		return &action{MetaData: &meta}, nil
	case isProtocol:
		return &action{Protocol: &protocol{int(version), features}}, nil
	case isSidecar:
		return &action{Sidecar: &sidecar{Path: side}}, nil
	}
	return nil, nil
}

// statsField is a column of statistics.
type statsField struct {
	what string // numRecords, minValues, maxValues or nullCount
	path string // physical names joined by dots
	*parquetField
	typ columnar.Column
}

// addStats adds a column of statistics, unless nothing is learnt of it.
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
	f := r.add("add.stats_parsed."+rest, i, c.Class.Kind())
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
		s.Bytes = append([]byte{}, f.bytes(i)...)
	}
	return s
}
