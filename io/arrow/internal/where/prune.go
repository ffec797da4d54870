// This file decides for runs of rows, by their known statistics, whether a
// row of them may meet a condition.

package where

import (
	"math"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Known is what is known of a column in a run of rows. The zero value says
// nothing but that there are no nulls.
type Known struct {
	columnar.Bounds
	Nulls   bool // some values may be null
	AllNull bool // all are
	// Has reports whether a value may be there; nil knows nothing.
	Has func(columnar.Scalar) bool
}

// Anything is what is known of a column of which nothing is known.
var Anything = Known{Nulls: true}

// What a test's result may be, as a set.
const (
	mayNo = 1 << iota
	mayUnknown
	mayYes
)

// MayMatch reports whether a row may meet the condition; known returns what is
// known of a column, by its index in Columns.
func (f *Filter) MayMatch(known func(column int) Known) bool {
	return f.root.may(known)&mayYes != 0
}

// Points returns the columns that are compared with single values, of which
// Known.Has is asked.
func (f *Filter) Points() []int {
	var columns []int
	f.root.points(&columns)
	slices.Sort(columns)
	return slices.Compact(columns)
}

func (t *test) points(columns *[]int) {
	for _, c := range t.children {
		c.points(columns)
	}
	if len(t.children) > 0 || t.maybe || t.op == opNull || t.class == columnar.Bool {
		return
	}
	if t.listed || t.class.Kind() == columnar.Ints && t.lo == t.hi ||
		t.class.Kind() == columnar.Numbers && t.low == t.high || t.least != nil && t.least == t.most {
		*columns = append(*columns, t.column)
	}
}

func (t *test) may(known func(column int) Known) (out int) {
	switch t.op {
	case opNot:
		return reverse(t.children[0].may(known))
	case opAnd, opOr:
		out = t.children[0].may(known)
		for _, c := range t.children[1:] {
			other := c.may(known)
			if t.op == opOr { // by De Morgan
				out = reverse(both(reverse(out), reverse(other)))
			} else {
				out = both(out, other)
			}
		}
		return out
	}
	if t.maybe {
		return mayNo | mayUnknown | mayYes
	}
	k := known(t.column)
	if t.op == opNull {
		if k.Nulls || k.AllNull {
			out |= mayYes
		}
		if !k.AllNull {
			out |= mayNo
		}
		return out
	}
	if k.AllNull {
		return mayUnknown
	}
	pass, fail := t.ends(&k)
	if t.but {
		// What compares with nothing differs from everything.
		pass, fail = fail, pass
	}
	if pass {
		out |= mayYes
	}
	if fail {
		out |= mayNo
	}
	if k.Nulls {
		out |= mayUnknown
	}
	return out
}

// both returns what the least of two results may be.
func both(a, b int) (out int) {
	out = (a | b) & mayNo
	if a&mayYes != 0 && b&mayYes != 0 {
		out |= mayYes
	}
	if a&mayUnknown != 0 && b&(mayUnknown|mayYes) != 0 || b&mayUnknown != 0 && a&mayYes != 0 {
		out |= mayUnknown
	}
	return out
}

func reverse(a int) int { return a&mayUnknown | a&mayNo<<2 | a&mayYes>>2 }

// ends reports whether a value may pass, but aside, and whether one may not.
func (t *test) ends(k *Known) (pass, fail bool) {
	switch t.class.Kind() {
	case columnar.Ints:
		return t.rangeInts(k)
	case columnar.Numbers:
		return t.rangeDoubles(k)
	}
	return t.rangeBytes(k)
}

func (t *test) rangeInts(k *Known) (pass, fail bool) {
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if k.HasMin {
		lo = k.Min.Int ^ t.flip
	}
	if k.HasMax {
		hi = k.Max.Int ^ t.flip
	}
	if lo > hi { // some writers compared unsigned numbers as signed ones
		lo, hi = math.MinInt64, math.MaxInt64
	}
	has := func(x int64) bool { return k.Has == nil || k.Has(columnar.Scalar{Int: x ^ t.flip}) }
	if t.listed {
		first, _ := slices.BinarySearch(t.ints, lo)
		for _, x := range t.ints[first:] {
			if x > hi {
				break
			}
			if has(x) {
				return true, lo != hi
			}
		}
		return false, true
	}
	pass = t.lo <= t.hi && t.lo <= hi && t.hi >= lo
	if pass && t.lo == t.hi {
		pass = has(t.lo)
	}
	return pass, lo < t.lo || hi > t.hi
}

func (t *test) rangeDoubles(k *Known) (pass, fail bool) {
	// Statistics leave NaN out, which fails every test.
	lo, hi := math.Inf(-1), math.Inf(1)
	if k.HasMin {
		lo = k.Min.Double
	}
	if k.HasMax {
		hi = k.Max.Double
	}
	if lo > hi {
		lo, hi = math.Inf(-1), math.Inf(1)
	}
	has := func(x float64) bool { return k.Has == nil || k.Has(columnar.Scalar{Double: x}) }
	if t.listed {
		first, _ := slices.BinarySearch(t.doubles, lo)
		for _, x := range t.doubles[first:] {
			if x > hi {
				break
			}
			if has(x) {
				return true, true
			}
		}
		return false, true
	}
	pass = t.low <= hi && t.high >= lo && !(t.open[0] && t.low == hi) && !(t.open[1] && t.high == lo)
	if pass && t.low == t.high {
		pass = has(t.low)
	}
	return pass, true
}

func (t *test) rangeBytes(k *Known) (pass, fail bool) {
	if k.HasMin && k.HasMax && t.order(k.Min.Bytes, k.Max.Bytes) > 0 { // or bytes
		k.HasMin, k.HasMax = false, false
	}
	has := func(b []byte) bool { return k.Has == nil || k.Has(columnar.Scalar{Bytes: b}) }
	inside := func(b []byte) bool {
		return !(k.HasMin && t.order(b, k.Min.Bytes) < 0) && !(k.HasMax && t.order(b, k.Max.Bytes) > 0) && has(b)
	}
	if t.listed {
		first := 0
		if k.HasMin {
			first, _ = slices.BinarySearchFunc(t.sorted, k.Min.Bytes, func(s string, b []byte) int { return t.order([]byte(s), b) })
		}
		for _, s := range t.sorted[first:] {
			if k.HasMax && t.order([]byte(s), k.Max.Bytes) > 0 {
				break
			}
			if has([]byte(s)) {
				return true, true
			}
		}
		return false, true
	}
	if t.least != nil && t.least == t.most {
		fail = !k.HasMin || !k.HasMax || t.order(k.Min.Bytes, *t.least) != 0 || t.order(k.Max.Bytes, *t.least) != 0
		return inside(*t.least), fail
	}
	pass, fail = true, true
	if t.least != nil && k.HasMax {
		if c := t.order(k.Max.Bytes, *t.least); c < 0 || c == 0 && t.openS[0] {
			pass = false
		}
	}
	if t.most != nil && k.HasMin {
		if c := t.order(k.Min.Bytes, *t.most); c > 0 || c == 0 && t.openS[1] {
			pass = false
		}
	}
	return pass, fail
}
