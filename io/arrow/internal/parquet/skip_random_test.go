// This file compares reading with rows left out with reading all of them.

package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// randomChunk writes a file of one column chunk.
func randomChunk(t *testing.T, r *rand.Rand, rows int) ([]byte, columnar.Kind) {
	t.Helper()
	text, rep := r.IntN(3) > 0, parquet.Repetitions.Required
	var defs []int16
	if r.IntN(2) == 0 {
		rep = parquet.Repetitions.Optional
		for range rows {
			defs = append(defs, int16(min(1, r.IntN(4))))
		}
	}
	typ, kind := parquet.Types.Int64, columnar.Ints
	if text {
		typ, kind = parquet.Types.ByteArray, columnar.Strings
	}
	n, err := schema.NewPrimitiveNode("x", rep, typ, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{n}, -1)
	if err != nil {
		t.Fatal(err)
	}
	opts := []parquet.WriterProperty{parquet.WithDataPageSize(20 + r.Int64N(2000)), parquet.WithBatchSize(20 + r.Int64N(100)),
		parquet.WithDictionaryDefault(r.IntN(2) == 0), parquet.WithDictionaryPageSizeLimit(1 + r.Int64N(5000)),
		parquet.WithDataPageVersion([]parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}[r.IntN(2)])}
	if text && rep == parquet.Repetitions.Required { // pages of nulls alone are too much for this writer's deltas
		opts = append(opts, parquet.WithEncoding([]parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray}[r.IntN(3)]))
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(opts...)))
	cw, err := w.AppendRowGroup().NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	there := rows
	for _, d := range defs {
		there -= 1 - int(d)
	}
	long := r.IntN(4) == 0
	switch cw := cw.(type) {
	case *file.Int64ColumnChunkWriter:
		var values []int64
		for i := range there {
			values = append(values, int64(i/(1+r.IntN(9))))
		}
		_, err = cw.WriteBatch(values, defs, nil)
	case *file.ByteArrayColumnChunkWriter:
		var values []parquet.ByteArray
		for i := range there {
			s := fmt.Appendf(nil, "some/%d/%05d", r.IntN(2), i/(1+r.IntN(9)))
			if long {
				s = append(s, bytes.Repeat([]byte("z"), r.IntN(6000))...)
			}
			values = append(values, s)
		}
		_, err = cw.WriteBatch(values, defs, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), kind
}

// spans finds the pages as an index has them.
func spans(t *testing.T, r *Reader) (pages []PageSpan) {
	t.Helper()
	c := r.cols[0]
	for row := int64(0); c.pos < c.end; {
		at := c.pos
		h, err := c.nextHeader()
		if err != nil {
			t.Fatal(err)
		}
		if c.pos += int64(h.packed); h.kind != pageDictionary {
			pages = append(pages, PageSpan{First: row, at: at})
			row += int64(h.values)
		}
	}
	return pages
}

// texts writes the values of a vector, and nulls, as text.
func texts(v *columnar.Vector) (all []string) {
	for i := range v.Len() {
		switch {
		case v.Nulls > 0 && !v.Valid[i]:
			all = append(all, "null")
		case v.Kind == columnar.Ints:
			all = append(all, fmt.Sprint(v.Ints[i]))
		default:
			all = append(all, "'"+string(v.Data[v.Offsets[i]:v.Offsets[i+1]]))
		}
	}
	return all
}

// TestSkipRandom: what is read after any rows were left out is what it is
// where none are, whether or not it is known where the pages are.
func TestSkipRandom(t *testing.T) {
	testlong.Only(t)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		rows := 1 + r.IntN(3000)
		data, kind := randomChunk(t, r, rows)
		src := bytes.NewReader(data)
		f, err := Open(src, int64(len(data)))
		if err == nil {
			err = f.Select([]int{0}, []columnar.Kind{kind})
		}
		if err != nil {
			t.Fatal(err)
		}
		reader := NewReader(columnar.Unlimited())
		ctx := context.Background()
		var v columnar.Vector
		var want []string
		for reader.Open(ctx, f, src, 0); len(want) < rows; want = append(want, texts(&v)...) {
			if err := reader.Read(0, &v, rows-len(want)); err != nil {
				t.Fatal(err)
			}
		}
		reader.Open(ctx, f, src, 0)
		pages := spans(t, reader)
		for range 10 {
			reader.Open(ctx, f, src, 0)
			if r.IntN(3) > 0 {
				reader.Jump(0, pages)
			}
			for at := 0; at < rows; {
				skip := min(r.IntN(1+rows/(1+r.IntN(40))), rows-at)
				reader.Skip(0, int64(skip))
				if at += skip; at == rows {
					break
				}
				if err := reader.Read(0, &v, 1+r.IntN(rows-at)); err != nil {
					t.Fatalf("seed %d: row %d of %d: %v", seed, at, rows, err)
				}
				for i, s := range texts(&v) {
					if s != want[at+i] {
						t.Fatalf("seed %d: row %d of %d is %.60s, want %.60s", seed, at+i, rows, s, want[at+i])
					}
				}
				at += v.Len()
			}
		}
	}
}
