// This file holds slot, a batch of edges on its way from a reader to whoever
// takes it.

package arrow

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// slot holds the columns of a batch: source, target and, if there are
// weights, weight.
type slot struct {
	cols    [3]columnar.Vector
	n       int // columns
	strings [2]graph.Strings
	keep    []bool
	batch   graph.Batch
	rows    int // rows that it was made of
	skipped int // of them, those that NullSkip left out
	home    chan *slot
}

// pack makes the batch of the first rows of the columns. Where one is null it
// fails, or leaves it out; the error names the column (by its index) and the
// row.
func (s *slot) pack(id graph.IDType, rows int, policy NullPolicy) (col, row int, err error) {
	s.rows, s.skipped = rows, 0
	for k := range s.cols[:s.n] {
		if s.cols[k].Nulls == 0 {
			continue
		}
		for i, ok := range s.cols[k].Valid[:rows] {
			if ok {
				continue
			}
			if policy == NullError {
				return k, i, fmt.Errorf("%w: an edge without %s; set Options.Nulls to NullSkip to leave such edges out",
					ErrNull, [...]string{"source", "target", "weight"}[k])
			}
			if s.skipped == 0 {
				s.resetKeep(rows)
			}
			if s.keep[i] {
				s.keep[i] = false
				s.skipped++
			}
		}
	}
	if s.skipped > 0 {
		for k := range s.cols[:s.n] {
			s.cols[k].Compact(s.keep)
		}
	}
	s.batch = graph.Batch{Type: id}
	left := rows - s.skipped
	if id.Integer() {
		s.batch.Src, s.batch.Dst = s.cols[0].Ints[:left], s.cols[1].Ints[:left]
	} else {
		for k := range s.strings {
			s.strings[k] = graph.Strings{Offsets: s.cols[k].Offsets[:left+1], Data: s.cols[k].Data, Binary: id == graph.Binary}
		}
		s.batch.SrcStrings, s.batch.DstStrings = &s.strings[0], &s.strings[1]
	}
	if s.n > 2 {
		s.batch.Weights = s.cols[2].Floats[:left]
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
