// This file compares conditions on random Parquet files with statistics, page
// indexes and bloom filters of all types, as various writers make them, with a
// naive filter of the rows.

package dataset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// rowsWhere returns the rows that a condition leaves of a file, sorted, by the
// column src, which has their numbers.
func rowsWhere(t *testing.T, d *Dataset) []int {
	t.Helper()
	var got []int
	var mu sync.Mutex
	err := d.Batches(context.Background(), func(b graph.Batch) error {
		mu.Lock()
		defer mu.Unlock()
		for i, x := range b.Src {
			if b.Dst[i] != x {
				return fmt.Errorf("row %d leads to %d", x, b.Dst[i])
			}
			got = append(got, int(x))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	return got
}

// TestBloomOfZeros: a filter has the zeros that are there, and 0 means both.
func TestBloomOfZeros(t *testing.T) {
	for _, zero := range []float64{0, math.Copysign(0, -1)} {
		c := testColumn{name: "f"}
		c.Node, c.Values, c.Valid = samples.Node(t, "f", true, nil, parquet.Types.Double, 0), []float64{zero}, []bool{true}
		col := craftColumn(&c)
		levels, body := pageBody(&c, 0, 1, nil)
		col.Rows, col.Pages = 1, []craft.Page{{Values: 1, Kind: 3, Levels: len(levels), Body: append(levels, body...)}}
		src, _ := numbers(rand.New(rand.NewPCG(1, 1)), "src", 0, 1)
		dst, _ := numbers(rand.New(rand.NewPCG(1, 1)), "dst", 0, 1)
		bloom := &craft.Index{Alone: true, Bloom: bloomOfBytes([][]byte{plainValue(c.Values, 0)}, 64)}
		path := tempFile(t, "x.parquet", craft.Indexed(1, []*craft.Column{src, &col, dst}, []*craft.Index{nil, bloom, nil}))
		for text, want := range map[string]int{"f = 0": 1, "f = -0.0": 1, "f in (1, 0)": 1, "f = 1": 0} {
			if got, _ := pairsOf(t, path, Options{Where: text}); len(got) != want {
				t.Errorf("%g: %s: %d rows, want %d", zero, text, len(got), want)
			}
		}
	}
}

// TestWhereIndexRandom: whatever is said of row groups and pages, the rows are
// those of a naive filter; and a good part of them is left out unread.
func TestWhereIndexRandom(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	passed, groupsPassed := int64(0), 0
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 78))
		rows := 1 + r.IntN(1500)
		all := testColumns(t, r, rows)
		if r.IntN(3) == 0 { // a run without any value, so that row groups lack all
			for k := range all {
				lo := r.IntN(rows)
				for i := lo; i < rows && i < lo+rows/2; i++ {
					all[k].Valid[i] = false
				}
			}
		}
		var groups []craft.Group
		for from := 0; from < rows; {
			to := min(rows, from+1+r.IntN(rows))
			g := craft.Group{Rows: int64(to - from)}
			add := func(c *craft.Column, x *craft.Index) { g.Cols, g.Indexes = append(g.Cols, c), append(g.Indexes, x) }
			add(numbers(r, "src", from, to))
			for k := range all {
				add(indexed(r, &all[k], from, to))
			}
			add(numbers(r, "dst", from, to))
			groups = append(groups, g)
			from = to
		}
		path := tempFile(t, "x.parquet", craft.IndexedGroups(groups...))
		for range 20 {
			text, holds := conditionInRange(r, all, rows)
			var want []int
			for i := range rows {
				if holds(i) == isTrue {
					want = append(want, i)
				}
			}
			d, err := Open(context.Background(), []string{path}, Options{Where: text, Source: "src", Target: "dst", Workers: 1 + r.IntN(3)})
			if err != nil {
				t.Fatalf("seed %d: %.300s: %v", seed, text, err)
			}
			if got := rowsWhere(t, d); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %.600s: %d rows, want %d", seed, text, len(got), len(want))
			}
			s := d.Stats()
			if passed += s.RowsPassed; s.Rows-s.RowsPassed != int64(len(want)) {
				t.Errorf("seed %d: %.300s: %+v, want %d rows", seed, text, s, len(want))
			}
			groupsPassed += s.RowGroupsPassed
		}
	}
	if groupsPassed == 0 || passed == 0 {
		t.Errorf("%d row groups and %d rows were left out", groupsPassed, passed)
	}
}
