// This file tests conditions that are long, nested or oddly named.

package where

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// longLists are columns, and literals in ascending order.
var longLists = map[string]struct {
	col columnar.Column
	lit func(i int) string
}{
	"integers":   {columnar.Column{Class: columnar.Signed}, func(i int) string { return fmt.Sprint(1_000_000_007*int64(i) - 5) }},
	"unsigned":   {columnar.Column{Class: columnar.Unsigned}, func(i int) string { return fmt.Sprint(uint64(i) * 184467440737095) }},
	"floats":     {columnar.Column{Class: columnar.Float}, func(i int) string { return fmt.Sprintf("%g", float64(i)/4) }},
	"strings":    {columnar.Column{Class: columnar.Text}, func(i int) string { return fmt.Sprintf("'user/%08d/it''s'", i) }},
	"UUIDs":      {columnar.Column{Class: columnar.UUID}, func(i int) string { return fmt.Sprintf("'00000000-0000-0000-0000-%012d'", i) }},
	"timestamps": {columnar.Column{Class: columnar.Timestamp, Unit: 1e6}, func(i int) string { return "'" + time.Unix(int64(i)*1000, 0).UTC().Format(time.DateTime) + "'" }},
}

func longList(n int, lit func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(", " + lit((i*7919)%n))
	}
	return "x in (" + b.String()[2:] + ")"
}

// TestLongLists: lists of a hundred thousand values are read, and of them only
// those between bounds are looked for in bloom filters.
func TestLongLists(t *testing.T) {
	testlong.Project(t)
	const n = 100_000
	for name, c := range longLists {
		e, err := Parse(longList(n, c.lit))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		bind := func() *Filter {
			f, err := e.Bind(func(int) (columnar.Column, bool) { return c.col, true })
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return f
		}
		f := bind()
		if f.root != bind().root {
			t.Errorf("%s: the list is there twice, for two files with the same columns", name)
		}
		asked := 0
		ask := func(lo, hi string) bool {
			var b columnar.Bounds
			for i, s := range []string{lo, hi} {
				e, _ := Parse("x = " + s)
				one, err := e.Bind(func(int) (columnar.Column, bool) { return c.col, true })
				if err != nil {
					t.Fatal(err)
				}
				v := columnar.Scalar{Int: one.root.lo ^ one.root.flip, Double: one.root.low}
				if one.root.least != nil {
					v.Bytes = *one.root.least
				}
				if i == 0 {
					b.HasMin, b.Min = true, v
				} else {
					b.HasMax, b.Max = true, v
				}
			}
			return f.MayMatch(func(int) Known {
				return Known{Bounds: b, Has: func(columnar.Scalar) bool { asked++; return asked == 100 }}
			})
		}
		if ask(c.lit(500), c.lit(510)) || asked != 11 {
			t.Errorf("%s: %d values were asked for, want 11", name, asked)
		}
		asked = 89
		if !ask(c.lit(500), c.lit(510)) || asked != 100 {
			t.Errorf("%s: the last of them is missing, %d", name, asked)
		}
	}
}

func BenchmarkLongLists(b *testing.B) {
	for name, c := range longLists {
		s := longList(100_000, c.lit)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				e, err := Parse(s)
				if err == nil {
					_, err = e.Bind(func(int) (columnar.Column, bool) { return c.col, true })
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNames: what names and strings may be, and what is said of those that need
// quotes.
func TestNames(t *testing.T) {
	testlong.Project(t)
	for s, want := range map[string]string{
		"größe > 1":                   "größe",
		"gro\u0308ße > 1":             "gro\u0308ße", // with a combining mark
		"वज़न_2 >= 5":                 "वज़न_2",
		"重み = 1":                      "重み",
		`"two words" = 1`:             "two words",
		"`two words` = 1":             "two words",
		`"say ""so""" = 1`:            `say "so"`,
		"`a``b` = 1":                  "a`b",
		`"😀" = 1`:                     "😀",
		`"AND" = 1`:                   "AND",
		`"null" is not null`:          "null",
		`"in" in (1)`:                 "in",
		`"between" between 1 and 2`:   "between",
		`not "not"`:                   "not",
		`"true" = true`:               "true",
		"date = '2025-01-01'":         "date",
		"date < date '2025-01-01'":    "date",
		"timestamp '2025-01-01' < ts": "ts",
		"date in (date '2025-01-01')": "date",
		"date is null":                "date",
		"a.b.c = 1":                   "a.b.c",
		`"2024" = 1`:                  "2024",
		"_x$@1 = 1":                   "_x$@1",
		"IN_ = 1":                     "IN_",
		"nothing = 1":                 "nothing",
	} {
		e, err := Parse(s)
		if err != nil || !slices.Equal(e.Columns(), []string{want}) {
			t.Errorf("%s: %v, want %q", s, err, want)
		}
	}
	for s, want := range map[string]string{
		"😀 = 1":                                "names with other characters than letters, digits, _ and dots stand in double quotes",
		"two words = 1":                        `"words" after column "two", where a comparison belongs: =, <>, <, <=, >, >=, in, between or is null`,
		"name like 'a%'":                       `"like" after column "name", where a comparison belongs`,
		`name = "bob"`:                         `"bob" is a name, where a value belongs; strings stand in single quotes`,
		`name = 'it's'`:                        "isn't closed; one in what is quoted is written twice",
		`name = 'it\'s'`:                       "isn't closed; one in what is quoted is written twice",
		"a = 1 && b = 2":                       "conditions are written as in SQL",
		"!a":                                   "conditions are written as in SQL",
		"in = 1":                               `"in", where a column belongs; names of other letters stand in double quotes`,
		"null = 1":                             `"null", where a column belongs`,
		"2024_x = 1":                           "quote a name that begins so",
		"x = 1 or":                             "the end, where a column belongs",
		"x in (1,)":                            `")", where a value belongs`,
		"x in (" + strings.Repeat("(", 5000):   `"(", where a value belongs`,
		strings.Repeat("(", 1<<20):             "nested more than 100 deep",
		strings.Repeat("not (", 1<<18):         "nested more than 100 deep",
		strings.Repeat("a = 1 or (", 1<<17):    "nested more than 100 deep",
		strings.Repeat("x", maxLength) + "= 1": "it is longer than 4194304 bytes",
	} {
		_, err := Parse(s)
		if !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %.300v, want %q", s, err, want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("%.60s: an error of %d bytes", s, len(err.Error()))
		}
	}
}

// TestStrings: a string is what stands between its quotes, except for quotes that
// are written twice.
func TestStrings(t *testing.T) {
	for lit, want := range map[string]string{
		"''": "", "'it''s'": "it's", "''''": "'", `'a\n'`: `a\n`, `'\'`: `\`, `'"'`: `"`, "'a\nb'": "a\nb", "'größe 😀'": "größe 😀",
		"x'00ff'": "\x00\xff", "X'00FF'": "\x00\xff", "x''": "", "date '2025-01-01'": "2025-01-01", "'--'": "--", "'a;b'": "a;b", "'\x00'": "\x00",
	} {
		e, err := Parse("s = " + lit)
		if err != nil {
			t.Errorf("%s: %v", lit, err)
			continue
		}
		f, err := e.Bind(func(int) (columnar.Column, bool) { return columnar.Column{Class: columnar.Text}, true })
		if err != nil || !bytes.Equal(*f.root.least, []byte(want)) {
			t.Errorf("%s is %q, %v, want %q", lit, *f.root.least, err, want)
		}
	}
}
