// This file holds slot, a batch of edges on its way from a reader to its
// consumer.

package dataset

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// slot holds the columns of a batch, as choice.picks has them.
type slot struct {
	cols       []columnar.Vector
	strings    [2]graph.Strings
	keys       [2]graph.Strings // of ids that aren't simply values of a column
	floats     []float64        // weights that the column has in another form
	edgeIDs    []uint64
	rowNumbers []uint64
	columns    []graph.Column // of edges
	scratch    []columnScratch
	number     []byte
	keep       []bool
	props      []int // of vertices: their columns
	first      int64 // the number of the first row in the dataset
	batch      graph.Batch
	rows       int // rows that it was made of
	deleted    int // of them, those that the table says are deleted
	dropped    int // of the others, those that the filter left out
	skipped    int // of them, those that SkipNulls left out
	home       chan *slot
	table      *table // that it is of, and
	block      int    // its row group or record batch
}

// size makes room for n columns.
func (s *slot) size(n int) {
	for len(s.cols) < n {
		s.cols = append(s.cols, columnar.Vector{})
	}
}

// pack makes the batch of the first rows of the columns, of which keep says
// which are wanted (nil for all). Where one of those is null it fails, or leaves
// it out; the error names the column (by its index in picks) and the row.
func (s *slot) pack(c *choice, rows int, keep []bool, skipNulls bool) (col, row int, err error) {
	s.rows, s.dropped, s.skipped = rows, -s.deleted, 0
	if keep != nil {
		s.resetKeep(rows)
		for i, k := range keep[:rows] {
			if s.keep[i] = k; !k {
				s.dropped++
			}
		}
	}
	data := c.data
	for k := range s.cols[:data] {
		role := c.role(k)
		if s.cols[k].Nulls == 0 || role == "" {
			continue
		}
		for i, ok := range s.cols[k].Valid[:rows] {
			if ok || keep != nil && !keep[i] {
				continue
			}
			if !skipNulls {
				return k, i, fmt.Errorf("%w: %s; set Options.SkipNulls to leave such edges out", input.ErrNull, role)
			}
			if keep == nil && s.skipped == 0 {
				s.resetKeep(rows)
			}
			if s.keep[i] {
				s.keep[i] = false
				s.skipped++
			}
		}
	}
	left := rows - s.deleted - s.dropped - s.skipped
	var kept []bool
	if left < rows {
		kept = s.keep
	}
	if k, row, err := s.check(c, rows, kept); err != nil {
		return k, row, err
	}
	if c.number || len(c.columns) > 0 {
		s.numberRows(rows, kept)
	}
	if left < rows {
		for k := range s.cols[:data] {
			s.cols[k].Compact(s.keep)
		}
		for i := range c.columns {
			if e := &c.columns[i]; e.mayLack() && !c.before(i) {
				compactValid(&s.cols[e.pick], s.keep)
			}
		}
		for _, k := range c.props {
			compactValid(&s.cols[k], s.keep)
		}
	}
	return s.fill(c, left)
}

// check reports values that can't be what they are wanted for.
func (s *slot) check(c *choice, rows int, keep []bool) (col, row int, err error) {
	for e, end := range c.ends {
		for i, k := range end {
			part := &c.own
			if c.hasKinds() {
				part = &c.idForms[e]
			}
			if part.Kind == logical.Tuple {
				part = &part.Parts[i]
			}
			if part.Kind == logical.Decimal && s.cols[k].Kind == columnar.Ints {
				if row, err = checkDecimals(&s.cols[k], rows, keep); err != nil {
					return k, row, err
				}
			}
		}
	}
	if c.weight >= 0 {
		if row, err = c.checkWeights(&s.cols[c.weight], rows, keep); err != nil {
			return c.weight, row, err
		}
	}
	return s.checkColumns(c, rows, keep)
}

// numberRows numbers the rows that are kept.
func (s *slot) numberRows(rows int, keep []bool) {
	s.rowNumbers = s.rowNumbers[:0]
	for i := range rows {
		if keep == nil || keep[i] {
			s.rowNumbers = append(s.rowNumbers, uint64(s.first)+uint64(i))
		}
	}
}

// fill makes the batch of the rows that are left.
func (s *slot) fill(c *choice, left int) (col, row int, err error) {
	s.props = c.props
	s.batch = graph.Batch{Type: c.id, Logical: c.name, Vertices: len(c.ends[1]) == 0, Side: c.side}
	ends := 2
	if s.batch.Vertices {
		ends = 1
	}
	ints, strings := [2]*[]int64{&s.batch.Src, &s.batch.Dst}, [2]**graph.Strings{&s.batch.SrcStrings, &s.batch.DstStrings}
	for end := range ends {
		v := &s.cols[c.ends[end][0]]
		switch {
		case c.keyed():
			if col, err = s.makeKeys(c, end, left, &s.keys[end]); err != nil {
				return col, -1, err
			}
			*strings[end] = &s.keys[end]
		case c.id.Integer():
			*ints[end] = v.Ints[:left]
		default:
			s.strings[end] = graph.Strings{Offsets: v.Offsets[:left+1], Data: v.Data, Binary: c.id == graph.Binary}
			*strings[end] = &s.strings[end]
		}
	}
	if c.weight >= 0 {
		s.setWeights(c, &s.cols[c.weight], left)
	}
	switch {
	case c.number:
		s.batch.EdgeIDs = s.rowNumbers
	case c.edgeID >= 0:
		s.edgeIDs = s.edgeIDs[:0]
		for _, x := range s.cols[c.edgeID].Ints[:left] {
			s.edgeIDs = append(s.edgeIDs, uint64(x))
		}
		s.batch.EdgeIDs = s.edgeIDs
	}
	if len(c.columns) > 0 {
		s.setColumns(c, left)
		s.batch.Rows = s.rowNumbers
	}
	return 0, 0, nil
}

// compactValid is Vector.Compact for the flags of missing values, which only
// properties may lack.
func compactValid(v *columnar.Vector, keep []bool) {
	if v.Nulls == 0 {
		return
	}
	n := 0
	for i, ok := range keep {
		v.Valid[n] = v.Valid[i]
		if ok {
			n++
		}
	}
}

func (s *slot) resetKeep(rows int) {
	if cap(s.keep) < rows {
		s.keep = make([]bool, max(rows, columnar.BatchRows))
	}
	s.keep = s.keep[:rows]
	for i := range s.keep {
		s.keep[i] = true
	}
}
