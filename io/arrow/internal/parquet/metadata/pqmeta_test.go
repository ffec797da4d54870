// This file compares what is written with what arrow's reader makes of it.

package metadata

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// columnTypes are the types that there are, and how arrow prints them.
var columnTypes = []struct {
	column Column
	want   string
}{
	{Column{Type: Boolean}, "boolean None NONE"},
	{Column{Type: Float}, "float None NONE"},
	{Column{Type: Double}, "double None NONE"},
	{Column{Type: ByteArray}, "binary None NONE"},
	{Column{Type: ByteArray, Logical: Logical{Kind: String}}, "binary String UTF8"},
	{Column{Type: FixedLenByteArray, Length: 5}, "fixed_len_byte_array(5) None NONE"},
	{Column{Type: FixedLenByteArray, Length: 16, Logical: Logical{Kind: UUID}}, "fixed_len_byte_array(16) UUID NONE"},
	{Column{Type: FixedLenByteArray, Length: 16, Logical: Logical{Kind: Decimal, Precision: 38}}, "fixed_len_byte_array(16) Decimal(precision=38, scale=0) DECIMAL"},
	{Column{Type: Int32, Logical: Logical{Kind: Decimal, Precision: 9}}, "int32 Decimal(precision=9, scale=0) DECIMAL"},
	{Column{Type: Int64, Logical: Logical{Kind: Decimal, Precision: 18}}, "int64 Decimal(precision=18, scale=0) DECIMAL"},
	{Column{Type: Int32, Logical: Logical{Kind: Date}}, "int32 Date DATE"},
	{Column{Type: Int32, Logical: integer(8, true)}, "int32 Int(bitWidth=8, isSigned=true) INT_8"},
	{Column{Type: Int32, Logical: integer(16, true)}, "int32 Int(bitWidth=16, isSigned=true) INT_16"},
	{Column{Type: Int32, Logical: integer(32, true)}, "int32 Int(bitWidth=32, isSigned=true) INT_32"},
	{Column{Type: Int64, Logical: integer(64, true)}, "int64 Int(bitWidth=64, isSigned=true) INT_64"},
	{Column{Type: Int32, Logical: integer(8, false)}, "int32 Int(bitWidth=8, isSigned=false) UINT_8"},
	{Column{Type: Int32, Logical: integer(16, false)}, "int32 Int(bitWidth=16, isSigned=false) UINT_16"},
	{Column{Type: Int32, Logical: integer(32, false)}, "int32 Int(bitWidth=32, isSigned=false) UINT_32"},
	{Column{Type: Int64, Logical: integer(64, false)}, "int64 Int(bitWidth=64, isSigned=false) UINT_64"},
	{timestamp(Millis, true), "int64 " + stamp("true", "milliseconds") + " TIMESTAMP_MILLIS"},
	{timestamp(Micros, true), "int64 " + stamp("true", "microseconds") + " TIMESTAMP_MICROS"},
	{timestamp(Nanos, true), "int64 " + stamp("true", "nanoseconds") + " NONE"},
	{timestamp(Millis, false), "int64 " + stamp("false", "milliseconds") + " NONE"},
	{timestamp(Micros, false), "int64 " + stamp("false", "microseconds") + " NONE"},
	{timestamp(Nanos, false), "int64 " + stamp("false", "nanoseconds") + " NONE"},
}

func integer(bits int, signed bool) Logical {
	return Logical{Kind: Integer, Bits: bits, Signed: signed}
}

func timestamp(unit Unit, utc bool) Column {
	return Column{Type: Int64, Logical: Logical{Kind: Timestamp, Unit: unit, UTC: utc}}
}

func stamp(utc, unit string) string {
	return fmt.Sprintf("Timestamp(isAdjustedToUTC=%s, timeUnit=%s, is_from_converted_type=false, force_set_converted_type=false)", utc, unit)
}

// describe is a column of arrow's in the words of columnTypes.
func describe(c *schema.Column) string {
	physical := map[parquet.Type]string{parquet.Types.Boolean: "boolean", parquet.Types.Int32: "int32", parquet.Types.Int64: "int64",
		parquet.Types.Float: "float", parquet.Types.Double: "double", parquet.Types.ByteArray: "binary",
		parquet.Types.FixedLenByteArray: fmt.Sprintf("fixed_len_byte_array(%d)", c.TypeLength())}[c.PhysicalType()]
	return fmt.Sprintf("%s %v %v", physical, c.LogicalType(), c.ConvertedType())
}

// TestFooterRandom reads random footers.
func TestFooterRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	codecs := map[Codec]compress.Compression{Uncompressed: compress.Codecs.Uncompressed, Snappy: compress.Codecs.Snappy,
		Gzip: compress.Codecs.Gzip, Brotli: compress.Codecs.Brotli, Zstd: compress.Codecs.Zstd}
	name := func() string { return fmt.Sprintf("é%x", rng.Uint64()>>rng.IntN(64)) }
	for round := range 200 {
		var columns []Column
		var wants []string
		for range 1 + rng.IntN(40) {
			typ := columnTypes[rng.IntN(len(columnTypes))]
			c := typ.column
			c.Name, c.Optional, c.List = fmt.Sprintf("%d%s", len(columns), name()), rng.IntN(2) > 0, rng.IntN(3) == 0
			columns = append(columns, c)
			wants = append(wants, typ.want)
		}
		var codec Codec
		for codec = range codecs {
			break
		}
		f := NewFile(columns, codec, "foray version 1.2.3")
		var groups [][]Chunk
		var rows []int
		for range rng.IntN(20) {
			var chunks []Chunk
			for range columns {
				c := Chunk{Values: rng.Int64N(1 << 40), Size: rng.Int64N(1 << 40), Compressed: rng.Int64N(1 << 40), DataPage: 4 + rng.Int64N(1<<50), PlainPages: rng.IntN(3)}
				if rng.IntN(2) > 0 {
					c.Dictionary, c.IndexPages = 4+rng.Int64N(c.DataPage-3), rng.IntN(200)
				}
				c.Stats = Statistics{NullCount: rng.Int64N(1 << 40), HasMin: rng.IntN(2) > 0, HasMax: rng.IntN(2) > 0,
					Min: []byte(name()), Max: []byte(name()), Signed: rng.IntN(2) > 0}
				chunks = append(chunks, c)
			}
			groups, rows = append(groups, chunks), append(rows, rng.IntN(1<<30))
			f.AddGroup(rows[len(rows)-1], chunks)
		}
		var kv []KeyValue
		for range rng.IntN(20) {
			kv = append(kv, KeyValue{name(), name()})
		}
		r, err := file.NewParquetReader(bytes.NewReader(append([]byte(Magic), f.Footer(kv)...)))
		if err != nil {
			t.Fatal(err)
		}
		m := r.MetaData()
		if m.GetCreatedBy() != "foray version 1.2.3" || m.GetVersion() != 2 || len(m.RowGroups) != len(groups) || m.Schema.NumColumns() != len(columns) || m.NumSchemaElements() < len(columns) {
			t.Fatalf("round %d: %v", round, m)
		}
		for i, e := range kv {
			if got := m.KeyValueMetadata(); got.Len() != len(kv) || got.Keys()[i] != e.Key || got.Values()[i] != e.Value {
				t.Fatalf("round %d: metadata %v", round, got)
			}
		}
		for i, c := range columns {
			got := m.Schema.Column(i)
			levels, lists := int16(0), int16(0)
			if c.Optional {
				levels++
			}
			if c.List {
				levels, lists = levels+1, 1
			}
			path := c.Name
			if c.List {
				path += ".list.element"
			}
			if describe(got) != wants[i] || got.Path() != path || got.MaxDefinitionLevel() != levels || got.MaxRepetitionLevel() != lists {
				t.Fatalf("round %d: column %v of levels %d, %d is %s, want %s of %+v", round, got.Path(), got.MaxDefinitionLevel(), got.MaxRepetitionLevel(), describe(got), wants[i], c)
			}
		}
		total := int64(0)
		for g, chunks := range groups {
			group := m.RowGroup(g)
			total += int64(rows[g])
			var size, compressed int64
			for i := range chunks {
				size, compressed = size+chunks[i].Size, compressed+chunks[i].Compressed
				checkChunk(t, m, g, i, &chunks[i], codecs[codec])
			}
			if group.NumRows() != int64(rows[g]) || group.TotalByteSize() != size || group.TotalCompressedSize() != compressed ||
				group.FileOffset() != chunks[0].begin() || group.Ordinal() != int16(g) {
				t.Fatalf("round %d: row group %d is %v", round, g, group)
			}
		}
		if m.NumRows != total {
			t.Fatalf("round %d: %d rows, want %d", round, m.NumRows, total)
		}
	}
}

func checkChunk(t *testing.T, m *metadata.FileMetaData, g, i int, c *Chunk, codec compress.Compression) {
	t.Helper()
	chunk, err := m.RowGroup(g).ColumnChunk(i)
	if err != nil {
		t.Fatal(err)
	}
	if chunk.NumValues() != c.Values || chunk.TotalUncompressedSize() != c.Size || chunk.TotalCompressedSize() != c.Compressed ||
		chunk.DataPageOffset() != c.DataPage || chunk.DictionaryPageOffset() != c.Dictionary || chunk.HasDictionaryPage() != (c.Dictionary > 0) || chunk.Compression() != codec {
		t.Fatalf("chunk %+v: %+v", c, chunk)
	}
	encodings := "[PLAIN RLE]"
	if c.Dictionary > 0 {
		encodings = "[RLE_DICTIONARY PLAIN RLE]"
	}
	if got := fmt.Sprint(chunk.Encodings()); got != encodings {
		t.Fatalf("encodings %s, want %s", got, encodings)
	}
	raw := m.RowGroups[g].Columns[i].MetaData
	counts := map[string]int{}
	for _, e := range raw.EncodingStats {
		counts[e.PageType.String()+" "+e.Encoding.String()] += int(e.Count)
	}
	if counts["DATA_PAGE PLAIN"] != c.PlainPages || counts["DATA_PAGE RLE_DICTIONARY"] != c.IndexPages || (counts["DICTIONARY_PAGE PLAIN"] == 1) != (c.Dictionary > 0) {
		t.Fatalf("pages %v, want %+v", counts, c)
	}
	s := c.Stats
	got := raw.Statistics
	bound := func(has bool, want, got []byte) bool { return has == (got != nil) && (!has || bytes.Equal(want, got)) }
	if *got.NullCount != s.NullCount || !bound(s.HasMin, s.Min, got.MinValue) || !bound(s.HasMax, s.Max, got.MaxValue) ||
		!bound(s.HasMin && s.Signed, s.Min, got.Min) || !bound(s.HasMax && s.Signed, s.Max, got.Max) {
		t.Fatalf("statistics %+v, want %+v", got, s)
	}
}
