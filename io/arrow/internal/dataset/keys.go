// This file makes ids of the values of columns, where the two differ: ids of
// several columns, and decimals of more than 18 digits.

package dataset

import (
	"encoding/binary"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// keyed reports whether ids of an end aren't simply the values of its column.
func (c *choice) keyed() bool {
	return c.hasKinds() || c.form.Kind == logical.Tuple || c.form.Kind == logical.Decimal && !c.form.Integer()
}

// makeKeys makes the ids of an end, of the first n rows, in to.
func (s *slot) makeKeys(c *choice, end, n int, to *graph.Strings) (col int, err error) {
	to.Binary = true
	to.Offsets, to.Data = append(to.Offsets[:0], 0), to.Data[:0]
	if c.hasKinds() {
		return s.makeKindKeys(c, end, n, to)
	}
	tuple := c.form.Kind == logical.Tuple
	for row := range n {
		for i, k := range c.ends[end] {
			v := &s.cols[k]
			part := &c.form
			if tuple {
				part = &c.form.Parts[i]
			}
			if part.Integer() {
				to.Data = c.form.AppendInt(to.Data, i, v.Ints[row])
				continue
			}
			b := []byte(nil)
			switch {
			case v.Kind == columnar.Ints: // a narrower decimal
				s.number = binary.BigEndian.AppendUint64(s.number[:0], uint64(v.Ints[row]))
				b = s.number
			default:
				b = v.Data[v.Offsets[row]:v.Offsets[row+1]]
			}
			if part.Kind == logical.Decimal {
				key, ok := logical.DecimalKey(to.Data, b)
				if !ok {
					return k, columnar.Corrupt("a decimal of more than 38 digits")
				}
				to.Data = key
				continue
			}
			to.Data = c.form.AppendBytes(to.Data, i, b)
		}
		to.Offsets = append(to.Offsets, int64(len(to.Data)))
	}
	return 0, nil
}

// maxDecimal18 is one more than the largest integer of 18 digits.
const maxDecimal18 = 1_000_000_000_000_000_000

// checkDecimals reports the first row of ids that aren't decimals of 18 digits,
// though their column is declared so: the decoders return the same value for all of
// them.
func checkDecimals(v *columnar.Vector, rows int, keep []bool) (row int, err error) {
	for i, x := range v.Ints[:rows] {
		if x > -maxDecimal18 && x < maxDecimal18 || v.Nulls > 0 && !v.Valid[i] || keep != nil && !keep[i] {
			continue
		}
		return i, columnar.Corrupt("a decimal of more than %d digits", columnar.MaxDigits)
	}
	return 0, nil
}
