// This file says what the metadata of a data file, or of a manifest, tells of the values
// of columns.

package iceberg

import (
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
)

// facts are what is known of columns, by their paths.
type facts map[string]lake.Known

// add notes what is known of a column besides.
func (f facts) add(l *leaf, k lake.Known) {
	was, ok := f[l.path]
	if !ok {
		f[l.path] = k
		return
	}
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
	f[l.path] = was
}

// get returns what is known of a column. Contradictions know nothing.
func (f facts) get(c *columns, path string) (lake.Known, bool) {
	k, ok := f[path]
	if !ok {
		return k, false
	}
	if k.AllNull && !k.Nulls {
		return lake.Known{}, false
	}
	if l := c.paths[path]; k.HasMin && k.HasMax && l.typ.compare(&k.Min, &k.Max) > 0 {
		return lake.Known{}, false
	}
	return k, true
}

// metrics adds what the counts and bounds of a data file say.
func (f facts) metrics(c *columns, d *dataFile) {
	values := map[int32]int64{}
	for _, v := range d.Values {
		values[v.ID] = v.Value
	}
	known := map[int32]lake.Known{}
	for _, n := range d.Nulls {
		total, ok := values[n.ID]
		// A column without a default that the file lacks has no counts, and all its values are null.
		known[n.ID] = lake.Known{Nulls: n.Value != 0, AllNull: ok && n.Value != 0 && n.Value == total && total >= d.Rows}
	}
	note := func(id int32, b []byte, upper bool) {
		l := c.leaves[int(id)]
		if l == nil {
			return
		}
		k, ok := known[id]
		if !ok {
			k.Nulls = true
		}
		s, ok := l.typ.single(b)
		switch {
		case !ok:
		case upper:
			k.HasMax, k.Max = true, s
		default:
			k.HasMin, k.Min = true, s
		}
		known[id] = k
	}
	for _, b := range d.Lower {
		note(b.ID, b.Value, false)
	}
	for _, b := range d.Upper {
		note(b.ID, b.Value, true)
	}
	for id, k := range known {
		if l := c.leaves[int(id)]; l != nil {
			f.add(l, k)
		}
	}
}

// partition adds what the partition of a data file says, and returns the columns that
// have one value by it.
func (f facts) partition(c *columns, spec *partitionSpec, values map[string]any) (fixed map[string]lake.Value, err error) {
	for i := range spec.Fields {
		p := &spec.Fields[i]
		l := c.leaves[p.Source]
		if l == nil || len(p.Sources) > 1 { // the column was dropped, or isn't one
			continue
		}
		x := parseTransform(p.Transform)
		typ := x.result(&l.typ)
		if typ.kind == unknownKind {
			continue
		}
		v, there := values[partitionKey(p.ID)]
		if !there {
			v, there = values[p.Name] // of a writer that leaves the ids out
		}
		if !there {
			return nil, columnar.Corrupt("its partition lacks %.60q (field id %d)", p.Name, p.ID)
		}
		if v == nil {
			f.add(l, lake.Known{Nulls: true, AllNull: true})
			if x.name == "identity" {
				fixed = withFixed(fixed, l.path, lake.Value{Null: true})
			}
			continue
		}
		s, ok := typ.value(v)
		if !ok {
			return nil, columnar.Corrupt("the value of its partition %.60q (field id %d) is not one of %s of type %s", p.Name, p.ID, p.Transform, l.typ.name)
		}
		f.add(l, x.between(&l.typ, &s, &s))
		if x.name == "identity" {
			fixed = withFixed(fixed, l.path, lake.Value{Scalar: s})
		}
	}
	return fixed, nil
}

func withFixed(fixed map[string]lake.Value, path string, v lake.Value) map[string]lake.Value {
	if fixed == nil {
		fixed = map[string]lake.Value{}
	}
	fixed[path] = v
	return fixed
}

// summaries adds what a manifest list says of the partitions in a manifest.
func (f facts) summaries(c *columns, spec *partitionSpec, parts []fieldSummary) {
	if len(parts) != len(spec.Fields) {
		return
	}
	for i := range parts {
		p := &spec.Fields[i]
		l := c.leaves[p.Source]
		if l == nil || len(p.Sources) > 1 {
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
		k.Nulls = parts[i].Null
		f.add(l, k)
	}
}
