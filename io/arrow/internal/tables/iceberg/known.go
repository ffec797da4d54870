// This file extracts what the metadata of a data file, or of a manifest, has about the values
// of columns.

package iceberg

import (
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// with adds what else is known of a column.
func (l *leaf) with(was, k tables.Known) tables.Known {
	if k.HasMin && (!was.HasMin || l.typ.compare(&k.Min, &was.Min) > 0) {
		was.HasMin, was.Min = true, k.Min
	}
	if k.HasMax && (!was.HasMax || l.typ.compare(&k.Max, &was.Max) < 0) {
		was.HasMax, was.Max = true, k.Max
	}
	was.Nulls = was.Nulls && k.Nulls
	was.AllNull = was.AllNull || k.AllNull
	switch a, b := was.Has, k.Has; {
	case a == nil:
		was.Has = b
	case b != nil:
		was.Has = func(s columnar.Scalar) bool { return a(s) && b(s) }
	}
	return was
}

// checked returns what is known, or nothing where it contradicts itself.
func (l *leaf) checked(k tables.Known) (tables.Known, bool) {
	if k.AllNull && (!k.Nulls || k.HasMin || k.HasMax) || k.HasMin && k.HasMax && l.typ.compare(&k.Min, &k.Max) > 0 {
		return tables.Known{}, false
	}
	return k, true
}

// knownOf returns the manifest's statistics of a column of a data file.
func (c *columns) knownOf(path string, d *dataFile, spec *partitionSpec) (tables.Known, bool) {
	l := c.paths[path]
	if l == nil {
		return tables.Known{}, false
	}
	k := l.metrics(d)
	for i := range spec.Fields {
		p := &spec.Fields[i]
		if p.Source != l.id || len(p.Sources) > 1 {
			continue
		}
		x := parseTransform(p.Transform)
		typ := x.result(&l.typ)
		if typ.kind == unknownKind {
			continue
		}
		if v, _ := d.partitionValue(p); v == nil {
			k = l.with(k, tables.Known{Nulls: true, AllNull: true})
		} else if s, ok := typ.value(v); ok {
			k = l.with(k, x.between(&l.typ, &s, &s))
		}
	}
	return l.checked(k)
}

// metrics returns what the counts and bounds of a data file say.
func (l *leaf) metrics(d *dataFile) tables.Known {
	k := tables.Known{Nulls: true}
	for _, n := range d.Nulls {
		if int(n.ID) != l.id || n.Value == nil {
			continue
		}
		k.Nulls = *n.Value != 0
		for _, v := range d.Values {
			if v.ID == n.ID && v.Value != nil {
				k.AllNull = *n.Value != 0 && *n.Value == *v.Value && *v.Value >= *d.Rows
			}
		}
	}
	for _, b := range d.Lower {
		if int(b.ID) == l.id && b.Value != nil {
			k.Min, k.HasMin = l.typ.single(*b.Value)
		}
	}
	for _, b := range d.Upper {
		if int(b.ID) == l.id && b.Value != nil {
			k.Max, k.HasMax = l.typ.single(*b.Value)
		}
	}
	return k
}

// partitionValue returns the value of a partition field, nil for null; ok is false where
// there is none.
func (d *dataFile) partitionValue(p *partitionField) (v any, ok bool) {
	if v, ok = d.Partition[partitionKey(p.ID)]; !ok {
		v, ok = d.Partition[p.Name] // of a writer that leaves the ids out
	}
	return v, ok
}

// fixed returns the columns that have one value by a data file's partition.
func (c *columns) fixed(d *dataFile, spec *partitionSpec) (map[string]tables.Value, error) {
	var fixed map[string]tables.Value
	for i := range spec.Fields {
		p := &spec.Fields[i]
		l := c.leaves[p.Source]
		if l == nil || len(p.Sources) > 1 { // the column was dropped, or never existed
			continue
		}
		typ := parseTransform(p.Transform).result(&l.typ)
		if typ.kind == unknownKind {
			continue
		}
		v, ok := d.partitionValue(p)
		if !ok {
			return nil, columnar.Corrupt("its partition lacks %.60q (field id %d)", p.Name, p.ID)
		}
		var value tables.Value
		if v == nil {
			value.Null = true
		} else if value.Scalar, ok = typ.value(v); !ok {
			return nil, columnar.Corrupt("the value of its partition %.60q (field id %d) is not one of %.40s of type %.40s", p.Name, p.ID, p.Transform, l.typ.name)
		}
		if p.Transform == "identity" {
			if fixed == nil {
				fixed = map[string]tables.Value{}
			}
			fixed[l.path] = value
		}
	}
	return fixed, nil
}

// knownIn returns a manifest list's statistics of a column of all files in a manifest.
func (c *columns) knownIn(path string, spec *partitionSpec, parts []fieldSummary) (tables.Known, bool) {
	l := c.paths[path]
	if l == nil || len(parts) != len(spec.Fields) {
		return tables.Known{}, false
	}
	known := tables.Known{Nulls: true}
	for i := range parts {
		p := &spec.Fields[i]
		if p.Source != l.id || len(p.Sources) > 1 {
			continue
		}
		x := parseTransform(p.Transform)
		typ := x.result(&l.typ)
		if typ.kind == unknownKind {
			continue
		}
		bound := func(b *[]byte) *columnar.Scalar {
			if b == nil {
				return nil
			}
			s, ok := typ.single(*b)
			if !ok {
				return nil
			}
			return &s
		}
		lo, hi := bound(parts[i].Lower), bound(parts[i].Upper)
		if lo != nil && hi != nil && typ.compare(lo, hi) > 0 {
			continue // ordered in another way
		}
		k := x.between(&l.typ, lo, hi)
		k.Nulls = parts[i].Null == nil || *parts[i].Null
		known = l.with(known, k)
	}
	return l.checked(known)
}
