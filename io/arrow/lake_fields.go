// This file holds the columns of tables of data lakes, and where they are in data files.

package arrow

import (
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// lakeField is a column of a table: a leaf of the tree of its fields.
type lakeField struct {
	*tables.Field
	path     string   // names joined by dots
	physical string   // physical names likewise
	names    []string // the paths that it may have in files without field ids
	nullable bool
	inside   bool // of a struct that may be null
}

// flatten returns the leaves of a tree of fields, in its order.
func flatten(fields []tables.Field) []lakeField {
	var all []lakeField
	var walk func(fields []tables.Field, up lakeField)
	walk = func(fields []tables.Field, up lakeField) {
		for i := range fields {
			f := &fields[i]
			leaf := lakeField{Field: f, path: dotted(up.path, f.Name), physical: dotted(up.physical, f.Physical),
				nullable: up.nullable || !f.Required, inside: up.nullable}
			for _, name := range f.Names {
				if up.Field == nil {
					leaf.names = append(leaf.names, name)
				}
				for _, before := range up.names {
					leaf.names = append(leaf.names, dotted(before, name))
				}
			}
			if len(f.Children) > 0 && !f.Opaque {
				walk(f.Children, leaf)
				continue
			}
			all = append(all, leaf)
		}
	}
	walk(fields, lakeField{})
	return all
}

func dotted(before, name string) string {
	if before == "" {
		return name
	}
	return before + "." + name
}

// lakeColumn is where a column of the table is: a column of the file, or a constant.
type lakeColumn struct {
	column int // of the file's
	value  *constant
	refuse error // where it is asked for
}

// fixed returns the one value of a column in the file, if the metadata has it.
func (f *lakeFile) fixed(path string) (tables.Value, bool) {
	if f.file == nil {
		return tables.Value{}, false
	}
	v, ok := f.file.Fixed[path]
	return v, ok
}

// finder returns what finds a field's column among those of the file.
func (f *lakeFile) finder(own []columnar.Column) (func(*lakeField) (int, bool), error) {
	if f.file == nil {
		return func(*lakeField) (int, bool) { return 0, false }, nil
	}
	byName, byID := make(map[string]int, len(own)), map[int32]int{}
	for i := range own {
		byName[own[i].Path] = i
		if own[i].HasFieldID {
			byID[own[i].FieldID] = i
		}
	}
	switch {
	case f.file.ByID && len(byID) > 0:
		return func(l *lakeField) (int, bool) {
			if l.ID < math.MinInt32 || l.ID > math.MaxInt32 {
				return 0, false
			}
			i, ok := byID[int32(l.ID)]
			return i, ok
		}, nil
	case f.file.ByID && !slices.ContainsFunc(f.table.fields, func(l lakeField) bool { return len(l.names) > 0 }):
		return nil, columnar.Corrupt("it has no field ids, by which the table finds columns")
	case f.file.ByID:
		return func(l *lakeField) (int, bool) {
			for _, name := range l.names {
				if i, ok := byName[name]; ok {
					return i, true
				}
			}
			return 0, false
		}, nil
	}
	return func(l *lakeField) (int, bool) {
		i, ok := byName[l.physical]
		return i, ok
	}, nil
}

// column describes the column as the table has it.
func (f *lakeField) column() columnar.Column {
	c := f.Type
	c.Path, c.Nullable = f.path, f.nullable
	if f.Opaque {
		c.Class, c.IsID, c.Numeric, c.Digits, c.Width = columnar.Opaque, false, false, 0, 0
	}
	return c
}

// describe describes the column as a file has it: of the type that its values have
// there, which may be narrower than the table's.
func (f *lakeField) describe(own *columnar.Column) columnar.Column {
	c, want := *own, f.column()
	c.Path, c.Nullable = f.path, f.nullable || own.Nullable
	if !own.Repeated && !widens(own.Class, want.Class) {
		c.Type = fmt.Sprintf("%s in this file, where the table has %s", own.Type, want.Type)
		c.Class, c.IsID, c.Numeric, c.Digits, c.Width = columnar.Opaque, false, false, 0, 0
		return c
	}
	c.Type = want.Type
	switch {
	case own.Class != want.Class && (want.Class == columnar.Text || want.Class == columnar.UUID):
		c.Class, c.IsID, c.ID, c.Width, c.IsUUID = want.Class, want.IsID, want.ID, want.Width, want.IsUUID
	case own.Class == want.Class && own.IsID && want.IsID && want.ID.Integer():
		c.ID = want.ID
	case own.Class == columnar.Float && want.Class == columnar.Float:
		c.Single = want.Single
	case want.Class == columnar.Timestamp && (own.Class == columnar.Timestamp || own.Class == columnar.Int96):
		c.UTC, c.Zone = want.UTC, want.Zone
	case own.Class != want.Class:
		c.Type = own.Type
	}
	return c
}

// widens reports whether values of a file's class can be those of a table's.
func widens(own, want columnar.Class) bool {
	return own == want || slices.Contains(widenings[want], own)
}

// constant makes a value one of all rows of a file.
func (f *lakeField) constant(v tables.Value) *constant {
	c := f.column()
	if !v.Null {
		c.Nullable = false
	}
	return &constant{name: f.path, null: v.Null, class: c.Class, typed: &c, scalar: v.Scalar}
}

// widenings are the classes that a table's column of a class may have had before.
var widenings = map[columnar.Class][]columnar.Class{
	columnar.Float:      {columnar.Signed},
	columnar.Decimal:    {columnar.Signed, columnar.BigDecimal},
	columnar.BigDecimal: {columnar.Signed, columnar.Decimal},
	columnar.Timestamp:  {columnar.Int96, columnar.Date},
	columnar.Text:       {columnar.Bytes},
	columnar.UUID:       {columnar.Bytes},
	columnar.Bytes:      {columnar.Text, columnar.UUID},
}
