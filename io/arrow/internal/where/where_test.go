// This file compares conditions with a naive evaluation of them.

package where

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// world is columns of every class, with random values.
type world struct {
	cols []columnar.Column
	vecs []*columnar.Vector
	rows int
}

var classes = []columnar.Column{
	{Path: "i", Class: columnar.Signed}, {Path: "u", Class: columnar.Unsigned}, {Path: "f", Class: columnar.Float},
	{Path: "g", Class: columnar.Float, Single: true}, {Path: "d", Class: columnar.Decimal, Scale: 2},
	{Path: "b", Class: columnar.Bool}, {Path: "s", Class: columnar.Text}, {Path: "day", Class: columnar.Date},
	{Path: "ts", Class: columnar.Timestamp, Unit: 1e3},
}

func newWorld(r *rand.Rand, rows int) *world {
	w := &world{cols: classes, rows: rows}
	for _, c := range w.cols {
		v := &columnar.Vector{Kind: c.Class.Kind()}
		span := 1 + r.IntN(12)
		for range rows {
			x := r.IntN(span) - span/2
			switch v.Kind {
			case columnar.Ints:
				switch {
				case c.Class == columnar.Bool:
					x &= 1
				case c.Class == columnar.Unsigned && r.IntN(8) == 0:
					x = math.MinInt64 + x&3
				case c.Class == columnar.Unsigned:
					x &= 15
				case c.Class == columnar.Signed && r.IntN(16) == 0:
					x = []int{math.MinInt64, math.MaxInt64}[x&1]
				case c.Class == columnar.Timestamp:
					x *= 500
				}
				v.Ints = append(v.Ints, int64(x))
			case columnar.Numbers:
				f := float64(x) / 2
				if c.Single {
					f = float64(float32(float64(x) / 10))
				}
				if r.IntN(20) == 0 {
					f = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
				}
				v.Doubles = append(v.Doubles, f)
			default:
				if len(v.Offsets) == 0 {
					v.Offsets = []int64{0}
				}
				v.Data = append(v.Data, strings.Repeat("a", x&3)+"b"[:x&1]...)
				v.Offsets = append(v.Offsets, int64(len(v.Data)))
			}
		}
		if r.IntN(2) == 0 {
			all := r.IntN(8) == 0
			for range rows {
				ok := r.IntN(4) > 0 && !all
				v.Valid = append(v.Valid, ok)
				if !ok {
					v.Nulls++
				}
			}
		}
		w.vecs = append(w.vecs, v)
	}
	return w
}

// cond is a random condition with what it means.
type cond struct {
	text string
	eval func(row int) int
}

func (w *world) null(col, row int) bool { return w.vecs[col].Nulls > 0 && !w.vecs[col].Valid[row] }

// random returns a condition whose meaning is worked out a row at a time.
func (w *world) random(r *rand.Rand, depth int) cond {
	if depth > 0 && r.IntN(3) > 0 {
		a, b := w.random(r, depth-1), w.random(r, depth-1)
		switch r.IntN(3) {
		case 0:
			return cond{"(" + a.text + ") AND " + b.text + "", func(row int) int { return min(a.eval(row), b.eval(row)) }}
		case 1:
			return cond{"(" + a.text + " or (" + b.text + "))", func(row int) int { return max(a.eval(row), b.eval(row)) }}
		}
		return cond{"not (" + a.text + ")", func(row int) int { return 2 - a.eval(row) }}
	}
	col := r.IntN(len(w.cols))
	c := w.cols[col]
	if r.IntN(8) == 0 {
		return cond{c.Path + " is not null", func(row int) int {
			if w.null(col, row) {
				return no
			}
			return yes
		}}
	}
	if c.Class == columnar.Bool && r.IntN(2) == 0 {
		return w.test(col, "b", func(row int) bool { return w.vecs[col].Ints[row] == 1 })
	}
	lit, cmp := w.literal(r, col)
	switch r.IntN(8) {
	case 0:
		lit2, cmp2 := w.literal(r, col)
		return w.test(col, fmt.Sprintf("%s in (%s, %s)", c.Path, lit, lit2), func(row int) bool { return cmp(row) == 0 || cmp2(row) == 0 })
	case 1:
		lit2, cmp2 := w.literal(r, col)
		return w.test(col, fmt.Sprintf("%s between %s and %s", c.Path, lit, lit2), func(row int) bool {
			a, b := cmp(row), cmp2(row)
			return a != nan && b != nan && a >= 0 && b <= 0
		})
	}
	ops := map[string]func(int) bool{
		"<": func(c int) bool { return c == -1 }, "<=": func(c int) bool { return c == -1 || c == 0 }, "=": func(c int) bool { return c == 0 },
		">": func(c int) bool { return c == 1 }, ">=": func(c int) bool { return c == 1 || c == 0 }, "<>": func(c int) bool { return c != 0 }}
	names := []string{"<", "<=", "=", ">", ">=", "<>"}
	op := names[r.IntN(6)]
	return w.test(col, c.Path+op+lit, func(row int) bool { return ops[op](cmp(row)) })
}

func (w *world) test(col int, text string, pass func(row int) bool) cond {
	return cond{text, func(row int) int {
		switch {
		case w.null(col, row):
			return unknown
		case pass(row):
			return yes
		}
		return no
	}}
}

const nan = 7

// literal returns a random literal for a column, and how rows compare with it.
func (w *world) literal(r *rand.Rand, col int) (string, func(row int) int) {
	v := w.vecs[col]
	order := func(a, b float64) int {
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		case a == b:
			return 0
		}
		return nan
	}
	x := r.IntN(14) - 7
	switch c := w.cols[col]; c.Class {
	case columnar.Bool:
		if x&1 == 0 {
			return "false", func(row int) int { return order(float64(v.Ints[row]), 0) }
		}
		return "true", func(row int) int { return order(float64(v.Ints[row]), 1) }
	case columnar.Text:
		s := strings.Repeat("a", x&3) + "b"[:x&1]
		return "'" + s + "'", func(row int) int { return bytes.Compare(v.Data[v.Offsets[row]:v.Offsets[row+1]], []byte(s)) }
	case columnar.Date:
		return fmt.Sprintf([]string{"date '1970-01-%02d'", "1970-01-%02d", "'1970-01-%02d'"}[(x+7)%3], 1+x&7), func(row int) int { return order(float64(v.Ints[row]), float64(x&7)) }
	case columnar.Timestamp:
		return fmt.Sprintf([]string{"'1970-01-01 00:00:%02d.5004'", "1970-01-01T00:00:%02d.5004"}[x&1], x&7), func(row int) int { return order(float64(v.Ints[row]), float64(x&7)*1000+500.4) }
	case columnar.Decimal:
		return fmt.Sprintf("%d.0%d", x&3, x&7), func(row int) int { return order(float64(v.Ints[row]), float64(x&3*100+x&7)) }
	case columnar.Float:
		if c.Single {
			return fmt.Sprintf("%g", float64(x)/10), func(row int) int { return order(v.Doubles[row], float64(float32(float64(x)/10))) }
		}
		return fmt.Sprintf("%g", float64(x)/2), func(row int) int { return order(v.Doubles[row], float64(x)/2) }
	case columnar.Unsigned:
		if r.IntN(4) == 0 {
			return "9223372036854775809", func(row int) int {
				switch u := uint64(v.Ints[row]); {
				case u < 1<<63+1:
					return -1
				case u > 1<<63+1:
					return 1
				}
				return 0
			}
		}
		return fmt.Sprintf("%g", float64(x)/2), func(row int) int { return order(float64(uint64(v.Ints[row])), float64(x)/2) }
	}
	if r.IntN(6) == 0 {
		s := []string{"9223372036854775807", "-9223372036854775808", "1e30", "-1e30"}[x&3]
		limit := []float64{math.MaxInt64, math.MinInt64, 1e30, -1e30}[x&3]
		return s, func(row int) int {
			if x&3 == 0 && v.Ints[row] == math.MaxInt64 || x&3 == 1 && v.Ints[row] == math.MinInt64 {
				return 0
			} else if x&3 < 2 && (v.Ints[row] > math.MinInt64 && v.Ints[row] < math.MaxInt64) {
				return 1 - 2*(1-x&1)
			}
			return order(float64(v.Ints[row]), limit)
		}
	}
	return fmt.Sprintf("%g", float64(x)/2), func(row int) int {
		return order(float64(v.Ints[row]), float64(x)/2)
	}
}

// known returns exact bounds of a column's values, or less.
func (w *world) known(r *rand.Rand, col int) Known {
	v := w.vecs[col]
	k := Known{Nulls: v.Nulls > 0, AllNull: v.Nulls == w.rows}
	for row := range w.rows {
		if w.null(col, row) {
			continue
		}
		var s columnar.Scalar
		less, more := !k.HasMin, !k.HasMax
		switch v.Kind {
		case columnar.Ints:
			s.Int = v.Ints[row]
			a, lo, hi := s.Int, k.Min.Int, k.Max.Int
			if w.cols[col].Class == columnar.Unsigned {
				a, lo, hi = a^math.MinInt64, lo^math.MinInt64, hi^math.MinInt64
			}
			less, more = less || a < lo, more || a > hi
		case columnar.Numbers:
			s.Double = v.Doubles[row]
			if s.Double != s.Double {
				continue
			}
			less, more = less || s.Double < k.Min.Double, more || s.Double > k.Max.Double
		default:
			s.Bytes = v.Data[v.Offsets[row]:v.Offsets[row+1]]
			less, more = less || bytes.Compare(s.Bytes, k.Min.Bytes) < 0, more || bytes.Compare(s.Bytes, k.Max.Bytes) > 0
		}
		if less {
			k.Min, k.HasMin = s, true
		}
		if more {
			k.Max, k.HasMax = s, true
		}
	}
	switch r.IntN(6) {
	case 0:
		k.HasMin = false
	case 1:
		k.HasMax = false
	case 2:
		k.Nulls = true
	}
	if r.IntN(2) == 0 {
		k.Has = func(s columnar.Scalar) bool {
			for row := range w.rows {
				if !w.null(col, row) && (v.Kind == columnar.Ints && v.Ints[row] == s.Int ||
					v.Kind == columnar.Numbers && v.Doubles[row] == s.Double ||
					v.Kind == columnar.Strings && bytes.Equal(v.Data[v.Offsets[row]:v.Offsets[row+1]], s.Bytes)) {
					return true
				}
			}
			return false
		}
	}
	return k
}

// TestRandom compares random conditions with their meaning, and what bounds
// say with what rows do.
func TestRandom(t *testing.T) {
	pruned := 0
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(1, seed))
		w := newWorld(r, 1+r.IntN(20))
		c := w.random(r, r.IntN(4))
		e, err := Parse(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		index := func(name string) int {
			for i, col := range w.cols {
				if col.Path == name {
					return i
				}
			}
			t.Fatalf("no column %s", name)
			return 0
		}
		at := make([]int, len(e.Columns()))
		cols := make([]*columnar.Vector, len(at))
		for i, name := range e.Columns() {
			at[i] = index(name)
			cols[i] = w.vecs[at[i]]
		}
		f, err := e.Bind(func(i int) (columnar.Column, bool) { return w.cols[at[i]], true })
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		keep, kept := f.Rows(cols, w.rows)
		want := 0
		for row := range w.rows {
			if c.eval(row) == yes {
				want++
			}
			if keep[row] != (c.eval(row) == yes) {
				t.Fatalf("%s: row %d is %v, its values are %v", c.text, row, keep[row], values(cols, row))
			}
		}
		if kept != want {
			t.Fatalf("%s: %d rows, want %d", c.text, kept, want)
		}
		known := func(i int) Known { return w.known(r, at[i]) }
		if may := f.MayMatch(known); !may && want > 0 {
			t.Fatalf("%s: no row may match, but %d do", c.text, want)
		} else if !may {
			pruned++
		}
		if !f.MayMatch(func(int) Known { return Anything }) && want > 0 {
			t.Fatalf("%s: nothing known, and no row may match", c.text)
		}
		some, err := e.Bind(func(i int) (columnar.Column, bool) { return w.cols[at[i]], i&1 == 0 })
		if err != nil {
			t.Fatal(err)
		}
		if !some.MayMatch(known) && want > 0 {
			t.Fatalf("%s: some columns known, and no row may match", c.text)
		}
	}
	if pruned < 1000 {
		t.Errorf("bounds ruled out %d of 20000", pruned)
	}
}
