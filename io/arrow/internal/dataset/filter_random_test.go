// This file compares conditions on random Parquet files, with nullable columns
// of all types, with a naive filter of the rows.

package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// truth is a result of a condition: the least of two is their and.
type truth int

const (
	isFalse truth = iota
	isUnknown
	isTrue
)

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

// conditionInRange makes one that is now and then joined to a small range of the
// rows, whose numbers are in column src.
func conditionInRange(r *rand.Rand, cols []testColumn, rows int) (string, func(i int) truth) {
	text, holds := condition(r, cols, rows, r.IntN(4))
	if r.IntN(3) != 0 {
		return text, holds
	}
	lo := r.IntN(rows)
	hi := min(lo+r.IntN(8), rows)
	return fmt.Sprintf("src >= %d and src < %d and (%s)", lo, hi, text),
		func(i int) truth { return min(truthOf(i >= lo && i < hi), holds(i)) }
}

// condition makes a random condition and its result for a row.
func condition(r *rand.Rand, cols []testColumn, rows, depth int) (string, func(i int) truth) {
	if depth > 0 && r.IntN(3) > 0 {
		a, left := condition(r, cols, rows, depth-1)
		if r.IntN(4) == 0 {
			return "not (" + a + ")", func(i int) truth { return isTrue - left(i) }
		}
		b, right := condition(r, cols, rows, depth-1)
		if r.IntN(2) == 0 {
			return "(" + a + ") and (" + b + ")", func(i int) truth { return min(left(i), right(i)) }
		}
		return "(" + a + ") or (" + b + ")", func(i int) truth { return max(left(i), right(i)) }
	}
	c := &cols[r.IntN(len(cols))]
	known := func(i int, x truth) truth {
		if !c.Valid[i] {
			return isUnknown
		}
		return x
	}
	switch r.IntN(12) {
	case 0:
		return c.name + " is null", func(i int) truth { return truthOf(!c.Valid[i]) }
	case 1:
		return c.name + " is not null", func(i int) truth { return truthOf(c.Valid[i]) }
	}
	pick := func() int {
		for range 1000 {
			if i := r.IntN(rows); c.literal(i) != "" {
				return i
			}
		}
		return -1
	}
	x, y := pick(), pick()
	if x < 0 || y < 0 { // none of its values can be written
		return c.name + " is null", func(i int) truth { return truthOf(!c.Valid[i]) }
	}
	equal := func(i, j int) bool {
		d, ok := c.compare(i, j)
		return ok && d == 0
	}
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("%s in (%s, %s)", c.name, c.literal(x), c.literal(y)),
			func(i int) truth { return known(i, truthOf(equal(i, x) || equal(i, y))) }
	case 1:
		return fmt.Sprintf("%s not between %s and %s", c.name, c.literal(x), c.literal(y)), func(i int) truth {
			lo, ok := c.compare(i, x)
			hi, _ := c.compare(i, y)
			return known(i, truthOf(!(ok && lo >= 0 && hi <= 0)))
		}
	}
	op := []string{"=", "<>", "<", "<=", ">", ">="}[r.IntN(6)]
	if c.probe != nil && r.IntN(2) == 0 {
		text, compare := c.probe(r)
		return fmt.Sprintf("%s %s %s", c.name, op, text), func(i int) truth {
			d := compare(i)
			return known(i, truthOf(map[string]bool{"=": d == 0, "<>": d != 0, "<": d < 0, "<=": d <= 0, ">": d > 0, ">=": d >= 0}[op]))
		}
	}
	return fmt.Sprintf("%s %s %s", c.name, op, c.literal(x)), func(i int) truth {
		d, ok := c.compare(i, x)
		return known(i, truthOf(map[string]bool{"=": ok && d == 0, "<>": !ok || d != 0, "<": ok && d < 0, "<=": ok && d <= 0,
			">": ok && d > 0, ">=": ok && d >= 0}[op]))
	}
}

// TestWhereRandom: whatever the types, the encodings, the lengths of pages,
// row groups and batches, and the nulls, the rows equal the result of a naive filter.
func TestWhereRandom(t *testing.T) {
	testlong.Only(t)
	t.Parallel()
	for seed := range uint64(seeds(36) + 2) {
		r := rand.New(rand.NewPCG(seed, 77))
		rows := 1 + r.IntN(2500)
		all := testColumns(t, r, rows)
		ids, names := make([]int64, rows), make([]parquet.ByteArray, rows)
		for i := range ids {
			// Most of a name is the one's before, and sometimes it is long.
			ids[i], names[i] = int64(i), fmt.Appendf(nil, "vertex/%d/%06d", r.IntN(2), i)
			if seed%4 == 1 {
				names[i] = append(names[i], bytes.Repeat([]byte("y"), r.IntN(4000))...)
			}
		}
		delta := []parquet.Encoding{parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray}[r.IntN(2)]
		for k, c := range all {
			if (c.name == "text" || c.name == "i64") && seed%2 == 0 { // Arrow's writer can't make a page of deltas without any value
				for i := range c.Valid {
					all[k].Valid[i] = true
				}
			}
		}
		cols := []samples.ParquetColumn{
			{Node: samples.Node(t, "src", false, schema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: names},
			{Node: samples.Node(t, "eid", false, nil, parquet.Types.Int64, 0), Values: ids},
		}
		for _, c := range all {
			cols = append(cols, c.ParquetColumn)
		}
		cols = append(cols, samples.ParquetColumn{Node: samples.Node(t, "dst", false, schema.StringLogicalType{}, parquet.Types.ByteArray, 0), Values: names})
		opts := []parquet.WriterProperty{parquet.WithDictionaryFor("flag", false), parquet.WithDataPageSize(50 + r.Int64N(3000)), parquet.WithBatchSize(1 + r.Int64N(200)),
			parquet.WithDictionaryDefault(r.IntN(2) == 0), parquet.WithStats(r.IntN(4) > 0), parquet.WithDictionaryPageSizeLimit(1 + r.Int64N(5000)),
			parquet.WithDataPageVersion([]parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}[r.IntN(2)]),
			parquet.WithCompression([]compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy}[r.IntN(2)])}
		for _, name := range []string{"src", "dst"} {
			encoding := []parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray}[r.IntN(3)]
			opts = append(opts, parquet.WithEncodingFor(name, encoding), parquet.WithDictionaryFor(name, r.IntN(4) == 0))
		}
		if seed%2 == 0 {
			opts = append(opts, parquet.WithEncodingFor("i64", parquet.Encodings.DeltaBinaryPacked), parquet.WithDictionaryFor("i64", false),
				parquet.WithEncodingFor("text", delta), parquet.WithDictionaryFor("text", false))
		}
		data := samples.WriteParquet(t, rows, 1+r.IntN(rows), cols, opts...)
		path, store := samples.WriteTo(t, filepath.Join(t.TempDir(), "x.parquet"), data), input.S3Options{}
		if seed%5 == 2 { // of which what the condition compares is fetched first
			f := tests3.NewFake(t, "lake")
			f.Put("lake", "x.parquet", data)
			path, store = "s3://lake/x.parquet", samples.S3Options(f.Env())
		}
		for range 12 {
			text, holds := condition(r, all, rows, r.IntN(4))
			if r.IntN(2) == 0 { // few rows, so that most pages are left out
				lo := r.IntN(rows)
				hi := min(lo+r.IntN(8), rows)
				inner := holds
				text = fmt.Sprintf("eid >= %d and eid < %d and (%s)", lo, hi, text)
				holds = func(i int) truth { return min(truthOf(i >= lo && i < hi), inner(i)) }
			}
			o := Options{Where: text, Source: "src", Target: "dst", EdgeID: "eid", Workers: 1 + r.IntN(3), S3: store}
			var weights []float32
			if weight := all[r.IntN(2)]; r.IntN(2) == 0 { // null in places
				o.Weight, o.SkipNulls = weight.name, true
				inner := holds
				holds = func(i int) truth { return min(inner(i), truthOf(weight.Valid[i])) }
				for _, x := range weight.Values.([]int32) {
					weights = append(weights, float32(x))
				}
			}
			want := []uint64{}
			for i := range rows {
				if holds(i) == isTrue {
					want = append(want, uint64(i))
				}
			}
			d, err := Open(context.Background(), []string{path}, o)
			if err != nil {
				t.Fatalf("seed %d: %.300s: %v", seed, text, err)
			}
			got := []uint64{}
			var mu sync.Mutex
			err = d.Batches(context.Background(), func(b graph.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				for k, i := range b.EdgeIDs {
					got = append(got, i)
					if s, x := b.SrcStrings.Value(k), b.DstStrings.Value(k); !bytes.Equal(s, names[i]) || !bytes.Equal(x, names[i]) {
						return fmt.Errorf("row %d leads from %.40q to %.40q, want %.40q", i, s, x, names[i])
					}
					if weights != nil && float32(b.FloatWeight(k)) != weights[i] {
						return fmt.Errorf("row %d has weight %v, want %v", i, b.FloatWeight(k), weights[i])
					}
				}
				return nil
			})
			if slices.Sort(got); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %.600s: rows %d, want %d, %v", seed, text, len(got), len(want), err)
			}
			if s := d.Stats(); s.Rows-s.RowsPassed-s.NullRows != int64(len(want)) {
				t.Errorf("seed %d: %.300s: %+v, want %d rows", seed, text, s, len(want))
			}
		}
	}
}

// TestWhereWeight: a column that is compared and a weight too is read twice,
// and that is no sign of damage.
func TestWhereWeight(t *testing.T) {
	n := 5000
	weights := randomInts(rand.New(rand.NewPCG(1, 1)), n, 1<<20)
	path := intsFile(t, filepath.Join(t.TempDir(), "x.parquet"), "src dst w", n, make([]int64, n), make([]int64, n), weights)
	want := 0
	for _, w := range weights {
		if w > 1000 {
			want++
		}
	}
	if got, _ := pairsOf(t, path, Options{Weight: "w", Where: "w > 1000"}); len(got) != want {
		t.Errorf("%d rows, want %d", len(got), want)
	}
}
