// This file holds the columns of a batch on their way out, and how they are
// filled with external ids.

package write

import (
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// outColumn is a column of a batch: one of the slices of values, and which of
// the rows are there.
type outColumn struct {
	ints    []int64  // integers of any type, widened (a Uint64 bit for bit)
	bytes   [][]byte // strings and binary; they alias what they came from
	floats  []float32
	doubles []float64
	valid   []bool // which rows are there; empty where all are

	// offsets, of a list, are where the values of each row begin, and where the
	// last ones end. Values are never missing, and rows that are have none.
	offsets []int32
}

// missing reports whether row i is missing.
func (c *outColumn) missing(i int) bool { return len(c.valid) > 0 && !c.valid[i] }

// elements returns which values rows lo to hi of a list have.
func (c *outColumn) elements(lo, hi int) (from, to int) {
	return int(c.offsets[lo]), int(c.offsets[hi])
}

// outBatch is a batch of n rows.
type outBatch struct {
	n    int
	cols []outColumn
}

// columnBytes is how many bytes the values of rows lo to hi take before they
// are compressed.
func columnBytes(f *outField, c *outColumn, lo, hi int) int {
	n := 0
	if f.list {
		n = 4 * (hi - lo)
		lo, hi = c.elements(lo, hi)
	}
	if !f.typ.text() {
		return n + f.typ.width()*(hi-lo)
	}
	n += 4 * (hi - lo)
	for _, s := range c.bytes[lo:hi] {
		n += len(s)
	}
	return n
}

// CheckIDs reports an id map whose arrays don't have the length that it says.
func CheckIDs(m *graph.IDs) error {
	switch {
	case m.Type > graph.Binary:
		return fmt.Errorf("%w: unknown type %v", graph.ErrIDType, m.Type)
	case !m.Type.Integer() && len(m.StringOffsets) != m.Len+1:
		return fmt.Errorf("%w: %d ids of type %v have %d offsets", graph.ErrMalformed, m.Len, m.Type, len(m.StringOffsets))
	case m.Type.Integer() && m.StringOffsets != nil:
		return fmt.Errorf("%w: ids of type %v have offsets of strings", graph.ErrMalformed, m.Type)
	case !m.Type.Integer() && (m.Ints != nil || m.Dense32 != nil) || m.Ints != nil && m.Dense32 != nil:
		return fmt.Errorf("%w: ids of type %v in two forms", graph.ErrMalformed, m.Type)
	case m.Ints != nil && len(m.Ints) != m.Len:
		return fmt.Errorf("%w: %d ids of type %v have %d integers", graph.ErrMalformed, m.Len, m.Type, len(m.Ints))
	case m.Dense32 != nil && len(m.Dense32) != m.Len:
		return fmt.Errorf("%w: %d ids of type %v have %d numbers", graph.ErrMalformed, m.Len, m.Type, len(m.Dense32))
	}
	return nil
}

func (c *outColumn) fillIDs(m *graph.IDs, vs []uint32, optional bool) error {
	c.setValid(vs, optional)
	if !m.Type.Integer() {
		return c.fillStrings(m, vs)
	}
	c.ints = slices.Grow(c.ints[:0], len(vs))
	for _, v := range vs {
		id := int64(0) // of the missing values
		if v != graph.NoVertex {
			id = m.Int(v)
		}
		c.ints = append(c.ints, id)
	}
	return c.checkRange(m.Type)
}

func (c *outColumn) fillStrings(m *graph.IDs, vs []uint32) error {
	c.bytes = c.bytes[:0]
	for _, v := range vs {
		if v == graph.NoVertex {
			c.bytes = append(c.bytes, nil)
			continue
		}
		lo, hi := m.StringOffsets[v], m.StringOffsets[v+1]
		if lo > hi || hi > uint64(len(m.Data)) {
			return fmt.Errorf("%w: the id of vertex %d is bytes %d to %d of %d", graph.ErrMalformed, v, lo, hi, len(m.Data))
		}
		if err := checkIDLength(hi - lo); err != nil {
			return err
		}
		c.bytes = append(c.bytes, m.Data[lo:hi:hi])
	}
	return nil
}

func checkIDLength(n uint64) error {
	if n > maxIDBytes {
		return fmt.Errorf("%w: an id of %d bytes; at most %d are written", graph.ErrIDRange, n, maxIDBytes)
	}
	return nil
}

// idRanges has the least and the greatest value of the integer types of less
// than 64 bits.
var idRanges = map[graph.IDType][2]int64{
	graph.Int32:  {math.MinInt32, math.MaxInt32},
	graph.Int16:  {math.MinInt16, math.MaxInt16},
	graph.Int8:   {math.MinInt8, math.MaxInt8},
	graph.Uint32: {0, math.MaxUint32},
	graph.Uint16: {0, math.MaxUint16},
	graph.Uint8:  {0, math.MaxUint8},
}

// checkRange reports the first integer that the type can't hold. Values that
// are missing are skipped.
func (c *outColumn) checkRange(t graph.IDType) error {
	r, narrow := idRanges[t]
	if !narrow {
		return nil
	}
	for i, x := range c.ints {
		if (x < r[0] || x > r[1]) && !c.missing(i) {
			return fmt.Errorf("%w: id %d is no %v", graph.ErrIDRange, x, t)
		}
	}
	return nil
}
