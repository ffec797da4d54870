// This file holds how a column's values get into batches, for each type that they may have.

package write

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// value is what values may be.
type value interface {
	int32 | int64 | uint32 | uint64 | float32 | float64 | bool
}

// vertexColumn is a ResultColumn on its way out.
type vertexColumn struct {
	name   string
	fields []outField
	values int // how many there are
	// missing reports that a vertex has no value; nil where all have one.
	missing func(v uint32) bool
	// fill makes the columns of a batch those of the vertices.
	fill func(cols []outColumn, vs []uint32) error
	// vertices are the values where they are vertices.
	vertices []uint32
}

// check reports values that can't be of a graph of n vertices.
func (c *vertexColumn) check(n int, few []uint32) error {
	if c.values != n {
		return fmt.Errorf("%w: column %.100q has %d values for %d vertices; write it with the graph that was searched",
			ErrResult, c.name, c.values, n)
	}
	fits := func(x uint32) bool { return x == graph.NoVertex || uint64(x) < uint64(n) }
	misfit := func(v int) error {
		return fmt.Errorf("%w: the %.100s of vertex %d is %d, of %d vertices; write it with the graph that was searched",
			ErrResult, c.name, v, c.vertices[v], n)
	}
	if c.vertices != nil && few != nil {
		for _, v := range few {
			if !fits(c.vertices[v]) {
				return misfit(int(v))
			}
		}
		return nil
	}
	for v, x := range c.vertices {
		if !fits(x) {
			return misfit(v)
		}
	}
	return nil
}

// newVertexColumn makes a column that writes a slice; it is column i of those given.
func newVertexColumn(ids *graph.IDs, c *ResultColumn, i int) (vertexColumn, error) {
	v := vertexColumn{name: c.Name}
	if c.Name == "" {
		return v, fmt.Errorf("%w: column %d, counted from 0, has no name; give one", ErrOutputColumn, i)
	}
	if c.Lists != nil {
		return v, fmt.Errorf("%w: %.100q has lists, which are for tables alone; write it by WriteTable", ErrOutputColumn, c.Name)
	}
	if c.Vertices {
		return v, v.ofVertices(ids, c)
	}
	var err error
	switch values := c.Values.(type) {
	case []int32:
		err = ofValues(&v, c, values, outType{kind: kindInt, bits: 32}, takeInts[int32])
	case []int64:
		typ := outType{kind: kindInt, bits: 64}
		if t := numberType(values, c.Logical); c.Logical != "date64" && t.kind != kindFixed { // which are no int64 as they are
			typ = t
		}
		err = ofValues(&v, c, values, typ, takeInts[int64])
	case []uint32:
		err = ofValues(&v, c, values, outType{kind: kindUint, bits: 32}, takeInts[uint32])
	case []uint64:
		err = ofValues(&v, c, values, outType{kind: kindUint, bits: 64}, takeInts[uint64])
	case []float32:
		err = ofValues(&v, c, values, outType{kind: kindFloat, bits: 32}, takeFloats)
	case []float64:
		err = ofValues(&v, c, values, outType{kind: kindFloat, bits: 64}, takeDoubles)
	case []bool:
		err = ofValues(&v, c, values, outType{kind: kindBool}, takeBools)
	default:
		err = fmt.Errorf("%w: the values of %.100q are %T; give a slice of int32, int64, uint32, uint64, float32, float64 or bool",
			ErrOutputColumn, c.Name, c.Values)
	}
	return v, err
}

// ofVertices makes the column one of external ids.
func (c *vertexColumn) ofVertices(ids *graph.IDs, from *ResultColumn) error {
	vertices, ok := from.Values.([]uint32)
	if !ok {
		return fmt.Errorf("%w: the values of %.100q are %T, but vertices are uint32; give vertices",
			ErrOutputColumn, c.name, from.Values)
	}
	if from.Null != nil {
		return fmt.Errorf("%w: %.100q has vertices, of which graph.NoVertex is missing", ErrOutputColumn, c.name)
	}
	c.fields = idFields(ids, c.name, true)
	for i := range c.fields {
		c.fields[i].repeats = true
	}
	c.values, c.vertices = len(vertices), vertices
	c.missing = func(v uint32) bool { return vertices[v] == graph.NoVertex }
	var gathered []uint32
	c.fill = func(cols []outColumn, vs []uint32) error {
		gathered = gathered[:0]
		for _, v := range vs {
			gathered = append(gathered, vertices[v])
		}
		return fillIDs(cols, ids, gathered, true)
	}
	return nil
}

// ofValues makes the column one of values of a type, which take puts into a batch.
func ofValues[T value](c *vertexColumn, from *ResultColumn, values []T, typ outType, take func(to *outColumn, values []T, vs []uint32)) error {
	f := outField{name: c.name, typ: typ, optional: from.Null != nil, csvNull: from.CSVNull, repeats: true}
	c.fields, c.values = []outField{f}, len(values)
	if from.Null == nil {
		c.fill = func(cols []outColumn, vs []uint32) error {
			cols[0].valid = cols[0].valid[:0]
			take(&cols[0], values, vs)
			return nil
		}
		return nil
	}
	null, ok := nullAs[T](from.Null)
	if !ok {
		return fmt.Errorf("%w: Null of %.100q is %v (%T), which no %T is; give one of the values that stands for a missing one",
			ErrOutputColumn, c.name, from.Null, from.Null, null)
	}
	c.missing = func(v uint32) bool { return isNull(values[v], null) }
	c.fill = func(cols []outColumn, vs []uint32) error {
		to := &cols[0]
		to.valid = slices.Grow(to.valid[:0], len(vs))
		for _, v := range vs {
			to.valid = append(to.valid, !isNull(values[v], null))
		}
		take(to, values, vs)
		return nil
	}
	return nil
}

// isNull reports the value that stands for a missing one. Every NaN is alike.
func isNull[T value](x, null T) bool { return x == null || x != x && null != null }

// nullAs returns the value that stands for a missing one as one of T, if it is one.
func nullAs[T value](null any) (x T, ok bool) {
	from, to := reflect.ValueOf(null), reflect.ValueOf(&x).Elem()
	switch {
	case from.Kind() == reflect.Bool && to.Kind() == reflect.Bool:
		to.SetBool(from.Bool())
		return x, true
	case from.CanInt() && to.CanInt():
		to.SetInt(from.Int())
		return x, to.Int() == from.Int()
	case from.CanInt() && to.CanUint():
		to.SetUint(uint64(from.Int()))
		return x, from.Int() >= 0 && to.Uint() == uint64(from.Int())
	case from.CanUint() && to.CanInt():
		to.SetInt(int64(from.Uint()))
		return x, to.Int() >= 0 && uint64(to.Int()) == from.Uint()
	case from.CanUint() && to.CanUint():
		to.SetUint(from.Uint())
		return x, to.Uint() == from.Uint()
	case from.CanInt() && to.CanFloat():
		to.SetFloat(float64(from.Int()))
		const exact = 1 << 53
		return x, from.Int() >= -exact && from.Int() <= exact && to.Float() == float64(from.Int())
	case from.CanUint() && to.CanFloat():
		to.SetFloat(float64(from.Uint()))
		return x, from.Uint() <= 1<<53 && to.Float() == float64(from.Uint())
	case from.CanFloat() && to.CanInt():
		f := from.Float()
		if f != math.Trunc(f) || f < math.MinInt64 || f >= 1<<63 { // NaN is no integer either
			return x, false
		}
		to.SetInt(int64(f))
		return x, to.Int() == int64(f)
	case from.CanFloat() && to.CanUint():
		f := from.Float()
		if f != math.Trunc(f) || f < 0 || f >= 1<<64 {
			return x, false
		}
		to.SetUint(uint64(f))
		return x, to.Uint() == uint64(f)
	case from.CanFloat() && to.CanFloat():
		to.SetFloat(from.Float())
		return x, to.Float() == from.Float() || from.Float() != from.Float()
	}
	return x, false
}

// The functions that follow put the values of vertices into a batch's column.

func takeInts[T int32 | int64 | uint32 | uint64](to *outColumn, values []T, vs []uint32) {
	to.ints = slices.Grow(to.ints[:0], len(vs))
	for _, v := range vs {
		to.ints = append(to.ints, int64(values[v]))
	}
}

func takeFloats(to *outColumn, values []float32, vs []uint32) {
	to.floats = slices.Grow(to.floats[:0], len(vs))
	for _, v := range vs {
		to.floats = append(to.floats, values[v])
	}
}

func takeDoubles(to *outColumn, values []float64, vs []uint32) {
	to.doubles = slices.Grow(to.doubles[:0], len(vs))
	for _, v := range vs {
		to.doubles = append(to.doubles, values[v])
	}
}

func takeBools(to *outColumn, values []bool, vs []uint32) {
	to.ints = slices.Grow(to.ints[:0], len(vs))
	for _, v := range vs {
		x := int64(0)
		if values[v] {
			x = 1
		}
		to.ints = append(to.ints, x)
	}
}
