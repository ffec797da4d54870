// This file finds the rows that meet a condition.

package where

import (
	"bytes"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// The results of a test: and is the least of them, or the greatest, and not
// the difference from yes.
const (
	no      = 0
	unknown = 1
	yes     = 2
)

// Rows reports which of the first n rows of vectors, one for each of Columns,
// meet the condition, and how many do. The slice is valid until the next call.
// A Filter whose Rows is called belongs to one goroutine.
func (f *Filter) Rows(cols []*columnar.Vector, n int) (keep []bool, kept int) {
	result := f.eval(f.root, cols, n, 0)
	if cap(f.keep) < n {
		f.keep = make([]bool, n)
	}
	keep = f.keep[:n]
	for i, r := range result {
		keep[i] = r == yes
		kept += int(r >> 1)
	}
	return keep, kept
}

// Clone returns a Filter that another goroutine may use.
func (f *Filter) Clone() *Filter { return &Filter{root: f.root, tables: f.tables} }

// scratch returns a slice for the results of a test so deep.
func (f *Filter) scratch(depth, n int) []uint8 {
	for len(f.tests) <= depth {
		f.tests = append(f.tests, nil)
	}
	if cap(f.tests[depth]) < n {
		f.tests[depth] = make([]uint8, n)
	}
	return f.tests[depth][:n]
}

func (f *Filter) eval(t *test, cols []*columnar.Vector, n, depth int) []uint8 {
	switch t.op {
	case opNot:
		out := f.eval(t.children[0], cols, n, depth)
		for i := range out {
			out[i] = yes - out[i]
		}
		return out
	case opAnd, opOr:
		out := f.eval(t.children[0], cols, n, depth)
		for _, child := range t.children[1:] {
			other := f.eval(child, cols, n, depth+1)
			if t.op == opAnd {
				for i, r := range other {
					out[i] = min(out[i], r)
				}
			} else {
				for i, r := range other {
					out[i] = max(out[i], r)
				}
			}
		}
		return out
	}
	out := f.scratch(depth, n)
	v := cols[t.column]
	if t.op == opNull {
		clear(out)
		if v.Nulls > 0 {
			for i, ok := range v.Valid[:n] {
				if !ok {
					out[i] = yes
				}
			}
		}
		return out
	}
	if v.Codes != nil {
		f.compareCodes(t, v.Codes, out)
	} else {
		t.compare(v, out)
	}
	if t.but {
		for i := range out {
			out[i] = yes - out[i]
		}
	}
	if v.Nulls > 0 {
		for i, ok := range v.Valid[:n] {
			if !ok {
				out[i] = unknown
			}
		}
	}
	return out
}

func truth(b bool) uint8 {
	if b {
		return yes
	}
	return no
}

// compare marks the values that pass, nulls and but aside.
func (t *test) compare(v *columnar.Vector, out []uint8) {
	switch t.class.Kind() {
	case columnar.Ints:
		for i, x := range v.Ints[:len(out)] {
			out[i] = truth(t.passInt(x ^ t.flip))
		}
	case columnar.Numbers:
		for i, x := range v.Doubles[:len(out)] {
			out[i] = truth(t.passDouble(x))
		}
	default:
		if wide(t.class) {
			for i := range out {
				out[i] = truth(t.passWide(v.Data[v.Offsets[i]:v.Offsets[i+1]]))
			}
			return
		}
		for i := range out {
			out[i] = truth(t.passBytes(v.Data[v.Offsets[i]:v.Offsets[i+1]]))
		}
	}
}

func (t *test) passInt(x int64) bool {
	if t.listed {
		_, ok := slices.BinarySearch(t.ints, x)
		return ok
	}
	return x >= t.lo && x <= t.hi
}

// passDouble is false for NaN, which compares with nothing.
func (t *test) passDouble(x float64) bool {
	if t.listed {
		_, ok := slices.BinarySearch(t.doubles, x)
		return ok && x == x
	}
	return x >= t.low && x <= t.high && !(t.open[0] && x == t.low) && !(t.open[1] && x == t.high)
}

func (t *test) passBytes(b []byte) bool {
	if t.listed {
		_, ok := t.strings[string(b)]
		return ok
	}
	if t.least != nil {
		if c := bytes.Compare(b, *t.least); c < 0 || c == 0 && t.openS[0] {
			return false
		}
	}
	if t.most != nil {
		if c := bytes.Compare(b, *t.most); c > 0 || c == 0 && t.openS[1] {
			return false
		}
	}
	return true
}
