// This file holds slot, a batch of edges on its way from a reader to whoever
// takes it.

package arrow

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// slot holds the columns of a batch, as choice.picks has them.
type slot struct {
	cols    []columnar.Vector
	strings [2]graph.Strings
	keep    []bool
	batch   graph.Batch
	rows    int // rows that it was made of
	dropped int // of them, those that the filter left out
	skipped int // of them, those that NullSkip left out
	home    chan *slot
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
func (s *slot) pack(c *choice, rows int, keep []bool, policy NullPolicy) (col, row int, err error) {
	s.rows, s.dropped, s.skipped = rows, 0, 0
	if keep != nil {
		s.resetKeep(rows)
		for i, k := range keep[:rows] {
			if s.keep[i] = k; !k {
				s.dropped++
			}
		}
	}
	data := c.data()
	for k := range s.cols[:data] {
		if s.cols[k].Nulls == 0 {
			continue
		}
		for i, ok := range s.cols[k].Valid[:rows] {
			if ok || keep != nil && !keep[i] {
				continue
			}
			if policy == NullError {
				what := [...]string{"source", "target", "weight"}[min(k, 2)]
				return k, i, fmt.Errorf("%w: an edge without %s; set Options.Nulls to NullSkip to leave such edges out", ErrNull, what)
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
	left := rows - s.dropped - s.skipped
	if left < rows {
		for k := range s.cols[:data] {
			s.cols[k].Compact(s.keep)
		}
	}
	s.batch = graph.Batch{Type: c.id}
	if c.id.Integer() {
		s.batch.Src, s.batch.Dst = s.cols[0].Ints[:left], s.cols[1].Ints[:left]
	} else {
		for k := range s.strings {
			s.strings[k] = graph.Strings{Offsets: s.cols[k].Offsets[:left+1], Data: s.cols[k].Data, Binary: c.id == graph.Binary}
		}
		s.batch.SrcStrings, s.batch.DstStrings = &s.strings[0], &s.strings[1]
	}
	if c.weight >= 0 {
		s.batch.Weights = s.cols[c.weight].Floats[:left]
	}
	return 0, 0, nil
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
