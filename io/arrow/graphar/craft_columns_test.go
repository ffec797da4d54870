// This file holds columns of values, of which tests write files.

package graphar

// column is a column of a Parquet file: []int64, []int32, []day, []float64, []bool
// or []string.
type column struct {
	name   string
	values any
	valid  []bool // nil where none is null
}

// day is days since 1970.
type day int32

// dataType is what YAML files call the type of values.
func dataType(values any) string {
	switch values.(type) {
	case []int64:
		return "int64"
	case []int32:
		return "int32"
	case []day:
		return "date"
	case []float64:
		return "double"
	case []bool:
		return "bool"
	}
	return "string"
}

// cut returns the column's rows from one on to another.
func (c column) cut(from, to int) column {
	switch v := c.values.(type) {
	case []int64:
		c.values = v[from:to]
	case []int32:
		c.values = v[from:to]
	case []day:
		c.values = v[from:to]
	case []float64:
		c.values = v[from:to]
	case []bool:
		c.values = v[from:to]
	case []string:
		c.values = v[from:to]
	}
	if c.valid != nil {
		c.valid = c.valid[from:to]
	}
	return c
}

// pick returns the column's rows of those numbers.
func (c column) pick(rows []int) column {
	switch v := c.values.(type) {
	case []int64:
		c.values = picked(v, rows)
	case []int32:
		c.values = picked(v, rows)
	case []day:
		c.values = picked(v, rows)
	case []float64:
		c.values = picked(v, rows)
	case []bool:
		c.values = picked(v, rows)
	case []string:
		c.values = picked(v, rows)
	}
	if c.valid != nil {
		c.valid = picked(c.valid, rows)
	}
	return c
}

func picked[T any](all []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = all[r]
	}
	return out
}

// there returns the values that are not null.
func there[T any](all []T, valid []bool) []T {
	var out []T
	for i, v := range all {
		if valid == nil || valid[i] {
			out = append(out, v)
		}
	}
	return out
}

func (c column) len() int {
	switch v := c.values.(type) {
	case []int64:
		return len(v)
	case []int32:
		return len(v)
	case []day:
		return len(v)
	case []float64:
		return len(v)
	case []bool:
		return len(v)
	}
	return len(c.values.([]string))
}
