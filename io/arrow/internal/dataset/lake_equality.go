// This file holds equality deletes: files of rows, whose equals in a data file are
// deleted.

package dataset

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// equality is an equality delete that applies to a table's file.
type equality struct {
	tables.EqualityDelete
	picks   []int             // the columns, in choice.picks
	columns []columnar.Column // likewise, as the file has them
}

// addEquality makes the columns that equality deletes compare ones that are read. A
// column that the table has no more may still be in the file: it comes behind those of
// the table in cols and from, which are returned.
func (t *table) addEquality(cols []columnar.Column, from []input.LakeColumn) ([]columnar.Column, []input.LakeColumn, error) {
	if t.Lake.File == nil {
		return cols, from, nil
	}
	fields := t.Lake.Table.Fields
	for _, e := range t.Lake.File.Equality {
		eq := equality{EqualityDelete: e}
		if len(e.IDs) == 0 {
			return nil, nil, columnar.Corrupt("equality deletes without columns, in %s", e.Name)
		}
		for _, id := range e.IDs {
			i := slices.IndexFunc(fields, func(f input.LakeField) bool { return f.ID == id })
			if i < 0 {
				i = len(cols)
				c := columnar.Column{Path: "field " + strconv.Itoa(id) + " of equality deletes", Nullable: true}
				var at input.LakeColumn
				own := t.parquet.Columns()
				if k := slices.IndexFunc(own, func(c columnar.Column) bool { return c.HasFieldID && int(c.FieldID) == id }); k >= 0 {
					path := c.Path
					c, at.Column = own[k], k
					c.Path = path
				} else {
					at.Value = &input.Constant{Name: c.Path, Null: true, Typed: &c}
				}
				cols, from = append(cols, c), append(from, at)
			}
			if from[i].Value == nil && (cols[i].Class == columnar.Opaque || cols[i].Repeated) {
				return nil, nil, atColumn(cols[i].Path, columnar.Unsupported("equality deletes of columns of type %s", cols[i].Type))
			}
			eq.picks = append(eq.picks, t.choice.add(cols, i, cols[i].Class.Kind()))
			eq.columns = append(eq.columns, cols[i])
		}
		t.equality = append(t.equality, eq)
		for _, k := range eq.picks {
			if !slices.Contains(t.choice.first, k) {
				t.choice.first = append(t.choice.first, k)
			}
		}
	}
	return cols, from, nil
}

// load returns the keys of the deletes, which are read once for all data files.
func (e *equality) load(ctx context.Context, t *input.LakeTable) (map[string]struct{}, error) {
	key := fmt.Sprint(e.IDs, e.Name)
	t.Mu.Lock()
	if t.Sets == nil {
		t.Sets = map[string]*input.EqualitySet{}
	}
	set := t.Sets[key]
	if set == nil {
		set = &input.EqualitySet{}
		t.Sets[key] = set
	}
	t.Mu.Unlock()
	set.Once.Do(func() { set.Rows, set.Err = readEquality(ctx, t.FS, e) })
	if stop := ctx.Err(); stop != nil && set.Err != nil {
		t.Mu.Lock()
		delete(t.Sets, key) // it is the context's error
		t.Mu.Unlock()
		return nil, stop
	}
	if set.Err != nil {
		return nil, fmt.Errorf("its equality deletes %s: %w", e.Name, set.Err)
	}
	return set.Rows, nil
}

// readEquality reads a file of equality deletes.
func readEquality(ctx context.Context, fs tables.FS, e *equality) (map[string]struct{}, error) {
	f, err := fs.Open(ctx, e.Name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows := map[string]struct{}{}
	err = columnar.Guard(func() error {
		file, err := parquet.Open(f, f.Size())
		if err != nil {
			return err
		}
		own := file.Columns()
		var at []int
		var kinds []columnar.Kind
		var cols []columnar.Column
		for _, id := range e.IDs {
			k := slices.IndexFunc(own, func(c columnar.Column) bool { return c.HasFieldID && int(c.FieldID) == id })
			switch {
			case k < 0:
				return columnar.Corrupt("it lacks the column of field id %d", id)
			case own[k].Class == columnar.Opaque:
				return columnar.Unsupported("equality deletes of columns of type %s", own[k].Type)
			}
			at, kinds, cols = append(at, k), append(kinds, own[k].Class.Kind()), append(cols, own[k])
		}
		if err := file.Select(at, kinds); err != nil {
			return err
		}
		mem := columnar.NewMemory(columnar.NewPool(f.Size()))
		r := parquet.NewReader(mem)
		defer r.Close()
		vectors := make([]columnar.Vector, len(at))
		var key []byte
		for g, group := range file.Groups {
			mem.Begin(ctx, f.Size())
			r.Open(ctx, file, f, g)
			for done := int64(0); done < group.Rows; {
				n := int(min(equalityRows, group.Rows-done))
				for k := range vectors {
					if err := r.Read(k, &vectors[k], n); err != nil {
						return columnar.PlaceAt(g, cols[k].Path, err)
					}
					if vectors[k].Len() != n {
						return columnar.PlaceAt(g, cols[k].Path, columnar.Unsupported("values of equality deletes that are so long"))
					}
				}
				for i := range n {
					key = key[:0]
					for k := range vectors {
						key = appendKey(key, &cols[k], &vectors[k], i)
					}
					rows[string(key)] = struct{}{}
				}
				done += int64(n)
			}
			if mem.End() {
				clear(vectors)
				r.Drop()
				mem.Reset()
			}
		}
		return nil
	})
	return rows, err
}

// drop marks the rows that are deleted.
func (e *equality) drop(rows map[string]struct{}, cols []columnar.Vector, there []bool, key []byte) []byte {
	if len(rows) == 0 {
		return key
	}
	for i, ok := range there {
		if !ok {
			continue
		}
		key = key[:0]
		for k, p := range e.picks {
			key = appendKey(key, &e.columns[k], &cols[p], i)
		}
		if _, ok := rows[string(key)]; ok {
			there[i] = false
		}
	}
	return key
}

// appendKey appends a value such that equal ones are the same bytes, whatever the widths
// of their types, and no value begins another.
func appendKey(key []byte, c *columnar.Column, v *columnar.Vector, i int) []byte {
	if v.Nulls > 0 && !v.Valid[i] {
		return append(key, 0)
	}
	key = append(key, 1)
	if v.Kind == columnar.Numbers {
		x := v.Doubles[i]
		if x != x {
			x = math.NaN() // of which there are many
		}
		return binary.BigEndian.AppendUint64(key, math.Float64bits(x))
	}
	var b []byte
	switch {
	case c.Class == columnar.Int96 || c.Class == columnar.Timestamp || c.Class == columnar.Date:
		return appendInstant(key, c, v, i)
	case v.Kind == columnar.Strings:
		if b = v.Data[v.Offsets[i]:v.Offsets[i+1]]; c.Class == columnar.BigDecimal {
			b = columnar.Trimmed(b)
		}
	case c.Class == columnar.Decimal:
		b = columnar.Trimmed(binary.BigEndian.AppendUint64(nil, uint64(v.Ints[i])))
	default:
		return binary.BigEndian.AppendUint64(key, uint64(v.Ints[i]))
	}
	key = binary.BigEndian.AppendUint32(key, uint32(len(b)))
	return append(key, b...)
}

// appendInstant appends a date or a timestamp as seconds and nanoseconds, whatever its unit.
func appendInstant(key []byte, c *columnar.Column, v *columnar.Vector, i int) []byte {
	const secondsOfDay = 24 * 60 * 60
	var seconds, nanos int64
	if c.Class == columnar.Int96 {
		b := v.Data[v.Offsets[i]:v.Offsets[i+1]]
		if len(b) != 12 { // which can't be
			return append(binary.BigEndian.AppendUint32(key, uint32(len(b))), b...)
		}
		day, of := columnar.Int96Of(b)
		seconds, nanos = day*secondsOfDay+of/1e9, of%1e9
	} else if x := v.Ints[i]; c.Unit == 0 {
		seconds = x * secondsOfDay
	} else {
		rest := x % c.Unit
		if seconds = x / c.Unit; rest < 0 {
			seconds, rest = seconds-1, rest+c.Unit
		}
		nanos = rest * (1e9 / c.Unit)
	}
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(key, uint64(seconds)), uint32(nanos))
}
