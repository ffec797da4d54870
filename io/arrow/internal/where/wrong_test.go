// This file tests conditions that are wrong, of the wrong type, or past what a type holds.

package where

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

func values(cols []*columnar.Vector, row int) (out []any) {
	for _, v := range cols {
		switch {
		case v.Nulls > 0 && !v.Valid[row]:
			out = append(out, nil)
		case v.Kind == columnar.Ints:
			out = append(out, v.Ints[row])
		case v.Kind == columnar.Numbers:
			out = append(out, v.Doubles[row])
		default:
			out = append(out, string(v.Data[v.Offsets[row]:v.Offsets[row+1]]))
		}
	}
	return out
}

// TestWrong: an invalid condition is an error that names the place.
func TestWrong(t *testing.T) {
	for s, want := range map[string]string{
		"":                                "the end, where a column belongs",
		"a":                               "",
		"a = ":                            "the end, where a value belongs",
		"a == b":                          "columns aren't compared with columns",
		"a = null":                        "is null",
		"a = 1 b":                         `"b", where and, or or the end belong`,
		"a = 'x":                          "isn't closed",
		"(a = 1":                          `the end, where ")" belongs`,
		"a in ()":                         "where a value belongs",
		"a in (1":                         `where ")" belongs`,
		"a between 1":                     `where "and" belongs`,
		"a ~ 1":                           "'~' has no meaning",
		"12ab = 1":                        "a number goes on",
		"a is true":                       "write the column alone",
		"a = \xff":                        "isn't UTF-8",
		"and = 1":                         `"and", where a column belongs`,
		`"and" = 1`:                       "",
		"1 < a":                           "",
		"1 in (a)":                        "where a comparison belongs",
		"a not 1":                         "where in or between belongs",
		"a = -x":                          "where a number belongs",
		"a b":                             "where a comparison belongs",
		`"" = 1`:                          "a name is empty",
		strings.Repeat("(", 500):          "nested more than",
		strings.Repeat("not ", 500) + "a": "nested more than",
		"x.y.z >= 1.5e3 and a.b in ('it''s', x'00ff')": "",
	} {
		_, err := Parse(s)
		if want == "" && err != nil || want != "" && (!errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %v, want %q", s, err, want)
		}
	}
}

// TestTypes: literals that aren't values of a column are an error.
func TestTypes(t *testing.T) {
	for s, want := range map[string]string{
		"i = 'x'": "is no number", "i = '12'": "", "i": "it is no boolean", "s = 1": "compare it with a string, '1'",
		"b = 1": "true or false", "ts = 'noon'": "is not a timestamp, such as", "ts > '2025-01-01T00:00:00Z'": "time zone",
		"day = 5": "in quotes", "i < 1e999999999": "is too long", "i = x'00'": "compare it with a number",
		"f = true": "compare it with a number", "ts = 1000": "in quotes", "z = 1": "can't be compared",
		"id = 'nope'": "UUID", "id = '00000000-0000-0000-0000-000000000001'": "", "id = x'0g'": "hexadecimal",
	} {
		e, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Bind(func(i int) (columnar.Column, bool) {
			for _, c := range append(classes, columnar.Column{Path: "id", Class: columnar.UUID}) {
				if c.Path == e.Columns()[i] {
					return c, true
				}
			}
			return columnar.Column{Path: "z"}, true
		})
		if want == "" && err != nil || want != "" && (!errors.Is(err, ErrType) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", s, err, want)
		}
	}
}

// FuzzParse: no text makes it panic.
func FuzzParse(f *testing.F) {
	f.Add("a >= 1 and b in ('x', 'y') or not c is null")
	f.Add("d between date '2025-01-01' and '2025-02-01'")
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if err != nil {
			return
		}
		for _, c := range classes {
			f, err := e.Bind(func(int) (columnar.Column, bool) { return c, true })
			if err == nil {
				f.MayMatch(func(int) Known { return Anything })
				f.Points()
			}
		}
	})
}

// TestPastSingle: a number past all 32-bit floats is no infinity.
func TestPastSingle(t *testing.T) {
	v := &columnar.Vector{Kind: columnar.Numbers, Doubles: []float64{math.Inf(-1), -1, 3e38, math.Inf(1)}}
	for text, want := range map[string]int{"g > 1e39": 1, "g = 1e39": 0, "g in (1e39, -1)": 1, "g < 1e39": 3, "g <= 1e39": 3, "g >= -1e39": 3, "g <> 1e39": 4} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Bind(func(int) (columnar.Column, bool) {
			return columnar.Column{Path: "g", Class: columnar.Float, Single: true}, true
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, kept := f.Rows([]*columnar.Vector{v}, 4); kept != want {
			t.Errorf("%s: %d rows, want %d", text, kept, want)
		}
	}
}

// TestBoundsCrossed: bounds of which the least is more than the greatest say
// nothing.
func TestBoundsCrossed(t *testing.T) {
	crossed := func(lo, hi columnar.Scalar) Known {
		return Known{Bounds: columnar.Bounds{HasMin: true, HasMax: true, Min: lo, Max: hi}}
	}
	known := []Known{
		crossed(columnar.Scalar{Int: -1}, columnar.Scalar{Int: 1}), // an unsigned column compared as signed
		crossed(columnar.Scalar{Double: 2}, columnar.Scalar{Double: -2}),
		crossed(columnar.Scalar{Bytes: []byte("\xff")}, columnar.Scalar{Bytes: []byte("a")}),
	}
	cols := []columnar.Column{{Path: "u", Class: columnar.Unsigned}, {Path: "f", Class: columnar.Float}, {Path: "s", Class: columnar.Text}}
	for i, text := range []string{"u = 5", "f < 1", "s = 'b'"} {
		for _, text := range []string{text, "not " + text} {
			e, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			f, err := e.Bind(func(int) (columnar.Column, bool) { return cols[i], true })
			if err != nil {
				t.Fatal(err)
			}
			if !f.MayMatch(func(int) Known { return known[i] }) {
				t.Errorf("%s is ruled out", text)
			}
		}
	}
}

// TestPastInfinity: numbers that are too large for a float are less than
// infinity, and equal nothing.
func TestPastInfinity(t *testing.T) {
	inf := math.Inf(1)
	for _, col := range []columnar.Column{{Path: "f", Class: columnar.Float}, {Path: "f", Class: columnar.Float, Single: true}} {
		v := &columnar.Vector{Kind: columnar.Numbers, Doubles: []float64{-inf, 0, inf, math.NaN()}}
		for text, want := range map[string]string{
			"f = 1e400": "0000", "f = -1e400": "0000", "f <> 1e400": "1111", "f in (1e400, -1e400)": "0000", "f in (0, 1e400)": "0100",
			"f < 1e400": "1100", "f <= 1e400": "1100", "f > 1e400": "0010", "f >= 1e400": "0010",
			"f < -1e400": "1000", "f <= -1e400": "1000", "f > -1e400": "0110", "f >= -1e400": "0110",
		} {
			e, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			f, err := e.Bind(func(int) (columnar.Column, bool) { return col, true })
			if err != nil {
				t.Fatal(err)
			}
			keep, _ := f.Rows([]*columnar.Vector{v}, 4)
			got := ""
			for i, k := range keep {
				got += fmt.Sprint(truth(k) / yes)
				x := columnar.Scalar{Double: v.Doubles[i]}
				if k && x.Double == x.Double && !f.MayMatch(func(int) Known { return Known{Bounds: columnar.Exactly(x)} }) {
					t.Errorf("%s: %g is ruled out", text, x.Double)
				}
			}
			if got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
	}
}
