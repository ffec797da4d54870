// This file holds the columns of tables of data lakes, and where they are in data files.

package input

import (
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// LakeField is a column of a table: a leaf of the tree of its fields.
type LakeField struct {
	*tables.Field
	Path     string   // names joined by dots
	physical string   // physical names likewise
	names    []string // the paths that it may have in files without field ids
	Nullable bool
	Inside   bool // of a struct that may be null
}

// flatten returns the leaves of a tree of fields, in its order.
func flatten(fields []tables.Field) []LakeField {
	var all []LakeField
	var walk func(fields []tables.Field, up LakeField)
	walk = func(fields []tables.Field, up LakeField) {
		for i := range fields {
			f := &fields[i]
			leaf := LakeField{Field: f, Path: dotted(up.Path, f.Name), physical: dotted(up.physical, f.Physical),
				Nullable: up.Nullable || !f.Required, Inside: up.Nullable}
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
	walk(fields, LakeField{})
	return all
}

func dotted(before, name string) string {
	if before == "" {
		return name
	}
	return before + "." + name
}

// LakeColumn is where a column of the table is: a column of the file, or a constant.
type LakeColumn struct {
	Column int // of the file's
	Value  *Constant
	Refuse error // where it is asked for
}

// Fixed returns the one value of a column in the file, if the metadata has it.
func (f *lakeFile) Fixed(path string) (tables.Value, bool) {
	if f.File == nil {
		return tables.Value{}, false
	}
	v, ok := f.File.Fixed[path]
	return v, ok
}

// Finder returns what finds a field's column among those of the file.
func (f *lakeFile) Finder(own []columnar.Column) (func(*LakeField) (int, bool), error) {
	if f.File == nil {
		return func(*LakeField) (int, bool) { return 0, false }, nil
	}
	byName, byID := make(map[string]int, len(own)), map[int32]int{}
	for i := range own {
		byName[own[i].Path] = i
		if own[i].HasFieldID {
			byID[own[i].FieldID] = i
		}
	}
	switch {
	case f.File.ByID && len(byID) > 0:
		return func(l *LakeField) (int, bool) {
			if l.ID < math.MinInt32 || l.ID > math.MaxInt32 {
				return 0, false
			}
			i, ok := byID[int32(l.ID)]
			return i, ok
		}, nil
	case f.File.ByID && !slices.ContainsFunc(f.Table.Fields, func(l LakeField) bool { return len(l.names) > 0 }):
		return nil, columnar.Corrupt("it has no field ids, by which the table finds columns")
	case f.File.ByID:
		return func(l *LakeField) (int, bool) {
			for _, name := range l.names {
				if i, ok := byName[name]; ok {
					return i, true
				}
			}
			return 0, false
		}, nil
	}
	return func(l *LakeField) (int, bool) {
		i, ok := byName[l.physical]
		return i, ok
	}, nil
}

// Column describes the column as the table has it.
func (f *LakeField) Column() columnar.Column {
	c := f.Type
	c.Path, c.Nullable = f.Path, f.Nullable
	if f.Opaque {
		c.Class, c.IsID, c.Numeric, c.Digits, c.Width = columnar.Opaque, false, false, 0, 0
	}
	return c
}

// Describe describes the column as a file has it: of the type that its values have
// there, which may be narrower than the table's.
func (f *LakeField) Describe(own *columnar.Column) columnar.Column {
	c, want := *own, f.Column()
	c.Path, c.Nullable = f.Path, f.Nullable || own.Nullable
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

// Constant makes a value one of all rows of a file.
func (f *LakeField) Constant(v tables.Value) *Constant {
	c := f.Column()
	if !v.Null {
		c.Nullable = false
	}
	return &Constant{Name: f.Path, Null: v.Null, Class: c.Class, Typed: &c, scalar: v.Scalar}
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
