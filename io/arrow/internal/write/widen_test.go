// This file tests ids of several integer types in one dataset.

package write

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// extremes has the least and the largest value of each integer type, as text.
var extremes = map[graph.IDType][]string{
	graph.Int8: {"-128", "127"}, graph.Int16: {"-32768", "32767"}, graph.Int32: {"-2147483648", "2147483647"},
	graph.Int64: {"-9223372036854775808", "9223372036854775807"},
	graph.Uint8: {"0", "255"}, graph.Uint16: {"0", "65535"}, graph.Uint32: {"0", "4294967295"}, graph.Uint64: {"0", "18446744073709551615"},
}

// narrowest finds the common type by the extremes alone.
func narrowest(a, b graph.IDType) (graph.IDType, bool) {
	for _, t := range []graph.IDType{graph.Uint8, graph.Int8, graph.Uint16, graph.Int16, graph.Uint32, graph.Int32, graph.Uint64, graph.Int64} {
		holds := (t.Signed() || !a.Signed() && !b.Signed()) && (!t.Signed() || a.Signed() || b.Signed())
		for _, x := range append(slices.Clone(extremes[a]), extremes[b]...) {
			for i, end := range extremes[t] {
				var v, e float64 // exact enough: ends are powers of two, or one less
				fmt.Sscan(x, &v)
				fmt.Sscan(end, &e)
				if x != end && (i == 0 && v < e || i == 1 && v >= e) {
					holds = false
				}
			}
		}
		if holds {
			return t, true
		}
	}
	return 0, false
}

// mixedRecord has sources of one type and targets of another.
func mixedRecord(t *testing.T, src, dst graph.IDType) (*goarrow.Schema, goarrow.Record) {
	t.Helper()
	s := goarrow.NewSchema([]goarrow.Field{{Name: "src", Type: idType(src).arrow()}, {Name: "dst", Type: idType(dst).arrow()}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	for i, typ := range []graph.IDType{src, dst} {
		for _, x := range extremes[typ] {
			if err := b.Field(i).AppendValueFromString(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s, b.NewRecord()
}

// parquetExtremes is a column of a type's extremes.
func parquetExtremes(t *testing.T, name string, typ graph.IDType) samples.ParquetColumn {
	t.Helper()
	bits := int8(intBits(typ))
	logical := schema.NewIntLogicalType(bits, typ.Signed())
	if bits == 64 {
		var values []int64
		for _, s := range extremes[typ] {
			x, err := strconv.ParseInt(s, 10, 64)
			if !typ.Signed() {
				var u uint64
				u, err = strconv.ParseUint(s, 10, 64)
				x = int64(u)
			}
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, x)
		}
		return samples.ParquetColumn{Node: samples.Node(t, name, false, logical, parquet.Types.Int64, 0), Values: values}
	}
	var values []int32
	for _, s := range extremes[typ] {
		x, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, int32(x))
	}
	return samples.ParquetColumn{Node: samples.Node(t, name, false, logical, parquet.Types.Int32, 0), Values: values}
}

func TestWiden(t *testing.T) {
	dir := t.TempDir()
	for src := graph.Int64; src <= graph.Uint8; src++ {
		for dst := graph.Int64; dst <= graph.Uint8; dst++ {
			s, rec := mixedRecord(t, src, dst)
			data := samples.WriteParquet(t, 2, 2, []samples.ParquetColumn{parquetExtremes(t, "src", src), parquetExtremes(t, "dst", dst)})
			_, one := mixedRecord(t, src, src)
			_, two := mixedRecord(t, dst, dst)
			name := fmt.Sprintf("%v-%v", src, dst)
			at := func(end string) string { return filepath.Join(dir, name+end) }
			samples.WriteTo(t, at(".parquet"), data)
			samples.WriteTo(t, at(".arrow"), samples.WriteIPC(t, false, s, []goarrow.Record{rec}))
			samples.WriteTo(t, at("-1.arrow"), samples.WriteIPC(t, false, one.Schema(), []goarrow.Record{one}))
			samples.WriteTo(t, at("-2.arrow"), samples.WriteIPC(t, true, two.Schema(), []goarrow.Record{two}))
			want, ok := narrowest(src, dst)
			for _, paths := range [][]string{{at(".parquet")}, {at(".arrow")}, {at("-1.arrow"), at("-2.arrow")}, {at("-2.arrow"), at("-1.arrow")}} {
				g, err := dataset.LoadAll(context.Background(), paths, dataset.Options{})
				if !ok {
					if !errors.Is(err, input.ErrColumnType) || !strings.Contains(err.Error(), "uint64 with unsigned ones only") {
						t.Errorf("%s, %d files: %v", name, len(paths), err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s, %d files: %v", name, len(paths), err)
					continue
				}
				var got []string
				for v := range uint32(g.NumVertices()) {
					got = append(got, g.IDs().Format(v))
				}
				ids := append(slices.Clone(extremes[src]), extremes[dst]...)
				slices.Sort(got)
				slices.Sort(ids)
				if ids = slices.Compact(ids); g.IDs().Type != want || !slices.Equal(got, ids) {
					t.Errorf("%s, %d files: ids %q of type %v, want %q of %v", name, len(paths), got, g.IDs().Type, ids, want)
				}
			}
		}
	}
}
