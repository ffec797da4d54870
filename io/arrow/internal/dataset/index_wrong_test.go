// This file reads files whose page indexes contradict themselves, the pages or the statistics
// of the column chunk.

package dataset

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// wrongIndexes spoil an index of a column, of pages of so many rows, and return whether they did.
var wrongIndexes = map[string]func(r *rand.Rand, c *testColumn, x *craft.Index, rows []int) bool{
	"a page with values is said to be null": func(r *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		i := r.IntN(len(x.Null))
		was := x.Null[i]
		x.Null[i] = true
		return !was
	},
	"all pages are said to be null, without counts": func(_ *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		some := slices.Contains(x.Null, false)
		for i := range x.Null {
			x.Null[i] = true
		}
		x.Nulls = nil
		return some
	},
	"a null page isn't said to be null": func(_ *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		i := slices.Index(x.Null, true)
		if i >= 0 {
			x.Null[i] = false
		}
		return i >= 0
	},
	"a page with values has nulls alone, by its count": func(r *rand.Rand, _ *testColumn, x *craft.Index, rows []int) bool {
		i := r.IntN(len(x.Null))
		was := x.Nulls[i]
		x.Nulls[i] = int64(rows[i])
		return was != x.Nulls[i]
	},
	"more nulls than rows": func(r *rand.Rand, _ *testColumn, x *craft.Index, rows []int) bool {
		i := r.IntN(len(x.Null))
		x.Nulls[i] = int64(rows[i]) + 1
		return true
	},
	"fewer nulls than none": func(r *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		x.Nulls[r.IntN(len(x.Nulls))] = -3
		return true
	},
	"other nulls than the column chunk": func(r *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		i := r.IntN(len(x.Nulls))
		if x.Null[i] || x.Nulls[i] == 0 {
			return false
		}
		x.Nulls[i] = 0
		return true
	},
	"the least is more than the greatest": func(r *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		i := r.IntN(len(x.Min))
		x.Min[i], x.Max[i] = x.Max[i], x.Min[i]
		return x.Min[i] != x.Max[i]
	},
	"bounds past those of the column chunk": func(r *rand.Rand, c *testColumn, x *craft.Index, _ []int) bool {
		i := r.IntN(len(x.Min))
		if x.Null[i] {
			return false
		}
		far := plainValue(c.Values, len(c.Valid)-1) // which no page has
		x.Min[i], x.Max[i] = string(far), string(far)
		return true
	},
	"fewer bounds than pages": func(_ *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		x.Min = x.Min[1:]
		return true
	},
	"more flags than pages": func(_ *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		x.Null = append(x.Null, true)
		return true
	},
	"fewer counts than pages": func(_ *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		x.Nulls = x.Nulls[1:]
		return true
	},
	"an order that isn't": func(_ *rand.Rand, c *testColumn, x *craft.Index, _ []int) bool {
		x.Order = 2
		var last string
		for i, m := range x.Min {
			if !x.Null[i] && last != "" && last != m {
				return true // which ascend
			} else if !x.Null[i] {
				last = m
			}
		}
		return false
	},
	"an order that there is none of": func(_ *rand.Rand, _ *testColumn, x *craft.Index, _ []int) bool {
		x.Order = 3
		return true
	},
	"pages that begin elsewhere": func(r *rand.Rand, _ *testColumn, x *craft.Index, rows []int) bool {
		if len(rows) < 3 {
			return false
		}
		x.Wrong = func(pages [][2]int64) [][2]int64 {
			pages = slices.Clone(pages)
			i := 1 + r.IntN(len(pages)-1)
			if pages[i][1]++; i+1 < len(pages) && pages[i][1] == pages[i+1][1] || i+1 == len(pages) && rows[i] == 1 {
				pages[i][1] -= 2 // the one before has no more rows, or lacks one
			}
			return pages
		}
		return true
	},
	"pages at other places": func(_ *rand.Rand, _ *testColumn, x *craft.Index, rows []int) bool {
		x.Wrong = func(pages [][2]int64) [][2]int64 {
			pages = slices.Clone(pages)
			for i := 1; i < len(pages); i++ {
				pages[i][0]++
			}
			return pages
		}
		return len(rows) > 1
	},
	"pages without order": func(_ *rand.Rand, _ *testColumn, x *craft.Index, rows []int) bool {
		x.Wrong = func(pages [][2]int64) [][2]int64 {
			pages = slices.Clone(pages)
			slices.Reverse(pages)
			return pages
		}
		return len(rows) > 1
	},
}

// ascendingColumn makes a nullable column whose values ascend, of integers or strings, with one
// value more than rows, which is far above.
func ascendingColumn(t *testing.T, r *rand.Rand, rows int) testColumn {
	c := testColumn{name: "x"}
	value := func(i int) int64 { return int64(i/3 + 10) }
	for i := range rows + 1 {
		c.Valid = append(c.Valid, r.IntN(4) > 0)
		if i >= rows/3 && i < rows/2 {
			c.Valid[i] = false
		}
	}
	c.Valid[rows] = true
	c.compare = func(i, j int) (int, bool) { return int(value(i) - value(j)), true }
	if r.IntN(2) == 0 {
		var values []int64
		for i := range rows {
			values = append(values, value(i))
		}
		c.Node, c.Values = samples.Node(t, "x", true, nil, parquet.Types.Int64, 0), append(values, 1<<40)
		c.literal = func(i int) string { return fmt.Sprint(value(i)) }
		return c
	}
	var values []float64
	for i := range rows {
		values = append(values, float64(value(i)))
	}
	c.Node, c.Values = samples.Node(t, "x", true, nil, parquet.Types.Double, 0), append(values, 1e30)
	c.literal = func(i int) string { return fmt.Sprint(value(i)) }
	return c
}

// TestWrongIndex: an index that contradicts itself, the pages or the statistics isn't used, and its
// reader is told.
func TestWrongIndex(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	for what, spoil := range wrongIndexes {
		t.Run(what, func(t *testing.T) {
			spoilt := 0
			for seed := range seeds(60) {
				r := rand.New(rand.NewPCG(seed, 97))
				rows := 20 + r.IntN(300)
				c := ascendingColumn(t, r, rows)
				col := craftColumn(&c)
				col.Rows = int64(rows)
				lo, hi, nulls, _ := statedBounds(r, &c, 0, rows)
				col.Stats = new(craft.Struct).Int(3, int64(nulls)).Bytes(5, string(hi)).Bytes(6, string(lo))
				x := &craft.Index{}
				var lengths []int
				for at := 0; at < rows; {
					end := min(rows, at+1+r.IntN(40))
					levels, body := pageBody(&c, at, end, nil)
					col.Pages = append(col.Pages, craft.Page{Kind: 3, Values: end - at, Levels: len(levels), Body: append(levels, body...)})
					lo, hi, nulls, _ := statedBounds(r, &c, at, end)
					x.Min, x.Max = append(x.Min, string(lo)), append(x.Max, string(hi))
					x.Null, x.Nulls = append(x.Null, nulls == end-at), append(x.Nulls, int64(nulls))
					lengths = append(lengths, end-at)
					at = end
				}
				if len(lengths) < 2 || !spoil(r, &c, x, lengths) {
					continue
				}
				spoilt++
				src, srcIndex := numbers(r, "src", 0, rows)
				dst, dstIndex := numbers(r, "dst", 0, rows)
				path := tempFile(t, "x.parquet", craft.Indexed(int64(rows), []*craft.Column{src, &col, dst}, []*craft.Index{srcIndex, x, dstIndex}))
				told := 0
				for range 6 {
					text, holds := conditionInRange(r, []testColumn{c}, rows)
					var want []int
					for i := range rows {
						if holds(i) == isTrue {
							want = append(want, i)
						}
					}
					var log bytes.Buffer
					d, err := Open(context.Background(), []string{path}, Options{Where: text, Source: "src", Target: "dst", Logger: slog.New(slog.NewTextHandler(&log, nil))})
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					if got := rowsWhere(t, d); !slices.Equal(got, want) {
						t.Fatalf("seed %d: %s: rows %v, want %v", seed, text, got, want)
					}
					s := d.Stats()
					if told += s.IndexesIgnored; s.IndexesIgnored > 0 != strings.Contains(log.String(), "level=WARN") || s.IndexesIgnored > 0 != strings.Contains(s.IgnoredIndex, `column "x": `) {
						t.Fatalf("seed %d: %+v; %s", seed, s, log.String())
					}
				}
				d, err := Open(context.Background(), []string{path}, Options{Where: "x is not null and x >= 0", Source: "src", Target: "dst"})
				if err != nil {
					t.Fatal(err)
				}
				rowsWhere(t, d)
				if d.Stats().IndexesIgnored != 1 {
					t.Fatalf("seed %d: %+v", seed, d.Stats())
				}
			}
			if spoilt == 0 {
				t.Error("no index was spoilt")
			}
		})
	}
}

// TestWrongStatistics: statistics of a column chunk that can't be are as good as none.
func TestWrongStatistics(t *testing.T) {
	for _, stats := range []*craft.Struct{
		new(craft.Struct).Int(3, 11),
		new(craft.Struct).Int(3, -5),
		new(craft.Struct).Int(3, 10).Bytes(5, string(plain64(9))).Bytes(6, string(plain64(0))),
		new(craft.Struct).Int(3, 0).Bytes(5, string(plain64(0))).Bytes(6, string(plain64(9))),
		new(craft.Struct).Int(3, 0).Bytes(5, "abc").Bytes(6, ""),
	} {
		var cols []*craft.Column
		for _, name := range []string{"src", "dst", "x"} {
			cols = append(cols, &craft.Column{Name: name, Type: pqInt64, Rows: 10, Pages: []craft.Page{{Values: 10, Body: plain64(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)}}})
		}
		cols[2].Stats, cols[2].Optional = stats, true
		cols[2].Pages[0] = craft.Page{Values: 10, Kind: 3, Levels: 2, Body: append([]byte{20, 1}, plain64(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)...)}
		path := tempFile(t, "x.parquet", craft.File(10, cols...))
		for text, want := range map[string]int{"x >= 5": 5, "x is not null": 10, "x = 3": 1, "x < 2 or x is null": 2} {
			if got, _ := pairsOf(t, path, Options{Where: text}); len(got) != want {
				t.Errorf("%x: %s: %d rows, want %d", stats.End(), text, len(got), want)
			}
		}
	}
}
