// This file reads back what was written, with the plainest reader that each
// format has, so that it can be compared cell by cell.

package arrow

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
)

// null is what a missing value reads as in a table.
const null = "\x00null"

// writtenTable is a file's contents: cells as text, binary in hexadecimal.
type writtenTable struct {
	names    []string
	types    []string // in Arrow's words; nil for text formats
	rows     [][]string
	groups   []int // rows of each row group or record batch
	metadata map[string]string
	codecs   map[string]bool // of Parquet's column chunks
}

func readBack(t testing.TB, path string) *writtenTable {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return readBytes(t, path[strings.LastIndexByte(path, '.')+1:], data)
}

func readBytes(t testing.TB, format string, data []byte) *writtenTable {
	t.Helper()
	read := map[writeFormat]func(*writtenTable, []byte) error{
		formatParquet: (*writtenTable).parquet,
		formatFile:    (*writtenTable).ipcFile,
		formatStream:  (*writtenTable).ipcStream,
		formatCSV:     (*writtenTable).csv,
		formatJSON:    (*writtenTable).json,
	}[writeFormats[format]]
	out := &writtenTable{metadata: map[string]string{}, codecs: map[string]bool{}}
	if err := read(out, data); err != nil {
		t.Fatalf("reading %s back: %v", format, err)
	}
	return out
}

func (t *writtenTable) csv(data []byte) error {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return err
	}
	t.names, t.rows = rows[0], rows[1:]
	return nil
}

func (t *writtenTable) json(data []byte) error {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return fmt.Errorf("the last line has no end")
	}
	for line := range bytes.Lines(data) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var names, row []string
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("%w in %s", err, line)
			}
			if delim, ok := token.(json.Delim); ok {
				if delim != '{' && delim != '}' {
					return fmt.Errorf("%v in %s", delim, line)
				}
				continue
			}
			cell := fmt.Sprint(token)
			if token == nil {
				cell = null
			}
			if len(names) == len(row) {
				names = append(names, cell)
			} else {
				row = append(row, cell)
			}
		}
		if t.names == nil {
			t.names = names
		}
		if !slices.Equal(names, t.names) {
			return fmt.Errorf("keys %q after %q", names, t.names)
		}
		t.rows = append(t.rows, row)
	}
	return nil
}

func (t *writtenTable) ipcFile(data []byte) error {
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer r.Close()
	t.arrowSchema(r.Schema())
	for i := range r.NumRecords() {
		record, err := r.RecordAt(i)
		if err != nil {
			return err
		}
		t.record(record)
		record.Release()
	}
	return nil
}

func (t *writtenTable) ipcStream(data []byte) error {
	r, err := ipc.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer r.Release()
	t.arrowSchema(r.Schema())
	for r.Next() {
		t.record(r.Record())
	}
	return r.Err()
}

func (t *writtenTable) arrowSchema(s *goarrow.Schema) {
	for _, f := range s.Fields() {
		t.names = append(t.names, f.Name)
		typ := f.Type.Name()
		if typ == "utf8" {
			typ = "string"
		}
		if f.Nullable {
			typ += "?"
		}
		t.types = append(t.types, typ)
	}
	for i, key := range s.Metadata().Keys() {
		t.metadata[key] = s.Metadata().Values()[i]
	}
}

func (t *writtenTable) record(r goarrow.Record) {
	t.groups = append(t.groups, int(r.NumRows()))
	for row := range int(r.NumRows()) {
		var cells []string
		for _, c := range r.Columns() {
			switch a := c.(type) {
			case *array.Binary:
				cells = append(cells, hex.EncodeToString(a.Value(row)))
			case *array.String:
				cells = append(cells, strings.Clone(a.Value(row)))
			default:
				cells = append(cells, a.ValueStr(row))
			}
			if c.IsNull(row) {
				cells[len(cells)-1] = null
			}
		}
		t.rows = append(t.rows, cells)
	}
}

func (t *writtenTable) parquet(data []byte) error {
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer r.Close()
	s := r.MetaData().Schema
	for i := range s.NumColumns() {
		t.names = append(t.names, s.Column(i).Name())
		t.types = append(t.types, parquetType(s.Column(i)))
	}
	for i, key := range r.MetaData().KeyValueMetadata().Keys() {
		t.metadata[key] = r.MetaData().KeyValueMetadata().Values()[i]
	}
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		n := int(group.NumRows())
		t.groups = append(t.groups, n)
		first := len(t.rows)
		for range n {
			t.rows = append(t.rows, nil)
		}
		for i := range s.NumColumns() {
			meta, err := group.MetaData().ColumnChunk(i)
			if err != nil {
				return err
			}
			t.codecs[strings.ToLower(meta.Compression().String())] = true
			c, err := group.Column(i)
			if err != nil {
				return err
			}
			cells, err := parquetCells(c, n)
			if err != nil {
				return fmt.Errorf("row group %d, column %d: %w", g, i, err)
			}
			for row, cell := range cells {
				t.rows[first+row] = append(t.rows[first+row], cell)
			}
		}
	}
	if got := int(r.NumRows()); got != len(t.rows) {
		return fmt.Errorf("the footer says %d rows, the row groups %d", got, len(t.rows))
	}
	return nil
}

// parquetType returns a column's type in Arrow's words.
func parquetType(c *schema.Column) string {
	typ := ""
	switch logical := c.LogicalType().(type) {
	case *schema.IntLogicalType:
		typ = fmt.Sprintf("int%d", logical.BitWidth())
		if !logical.IsSigned() {
			typ = "u" + typ
		}
	case schema.StringLogicalType:
		typ = "string"
	default:
		typ = map[parquet.Type]string{parquet.Types.Float: "float32", parquet.Types.ByteArray: "binary"}[c.PhysicalType()]
	}
	if c.SchemaNode().RepetitionType() == parquet.Repetitions.Optional {
		typ += "?"
	}
	return typ
}

// parquetCells reads n values of a column chunk.
func parquetCells(c file.ColumnChunkReader, n int) ([]string, error) {
	var cells []string
	var err error
	unsigned, text := false, false
	switch logical := c.Descriptor().LogicalType().(type) {
	case *schema.IntLogicalType:
		unsigned = !logical.IsSigned()
	case schema.StringLogicalType:
		text = true
	}
	switch r := c.(type) {
	case *file.Int32ColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x int32) string {
			if unsigned {
				return strconv.FormatUint(uint64(uint32(x)), 10)
			}
			return strconv.Itoa(int(x))
		})
	case *file.Int64ColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x int64) string {
			if unsigned {
				return strconv.FormatUint(uint64(x), 10)
			}
			return strconv.FormatInt(x, 10)
		})
	case *file.Float32ColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x float32) string {
			return strconv.FormatFloat(float64(x), 'g', -1, 32)
		})
	case *file.ByteArrayColumnChunkReader:
		cells, err = chunkCells(c, n, r.ReadBatch, func(x parquet.ByteArray) string {
			if text {
				return string(x)
			}
			return hex.EncodeToString(x)
		})
	default:
		err = fmt.Errorf("unexpected column %T", c)
	}
	return cells, err
}

func chunkCells[T any](c file.ColumnChunkReader, n int,
	read func(int64, []T, []int16, []int16) (int64, int, error), format func(T) string) ([]string, error) {
	values, levels := make([]T, 1000), make([]int16, 1000)
	var cells []string
	for len(cells) < n {
		total, present, err := read(int64(len(values)), values, levels, nil)
		if err != nil {
			return nil, err
		}
		if total == 0 {
			return nil, fmt.Errorf("it ends after %d of %d values", len(cells), n)
		}
		next := 0
		for i := range int(total) {
			if c.Descriptor().MaxDefinitionLevel() > 0 && levels[i] == 0 {
				cells = append(cells, null)
				continue
			}
			cells = append(cells, format(values[next]))
			next++
		}
		if next != present {
			return nil, fmt.Errorf("%d values where the levels have %d", present, next)
		}
	}
	return cells, nil
}

// equal fails the test unless the table has these columns and rows. types is
// not compared with text formats.
func (t *writtenTable) equal(tb testing.TB, names, types []string, rows [][]string) {
	tb.Helper()
	if len(t.rows) > 0 || t.names != nil {
		if !slices.Equal(t.names, names) {
			tb.Fatalf("columns %q, want %q", t.names, names)
		}
	}
	if t.types != nil && !slices.Equal(t.types, types) {
		tb.Errorf("types %q, want %q", t.types, types)
	}
	if len(t.rows) != len(rows) {
		tb.Fatalf("%d rows, want %d", len(t.rows), len(rows))
	}
	for i := range rows {
		if !slices.Equal(t.rows[i], rows[i]) {
			tb.Fatalf("row %d is %q, want %q", i, t.rows[i], rows[i])
		}
	}
}

// cell is the cell that a format has for an id: the text that graph.IDs makes
// of it, but for what CSV and JSON readers change.
func idCell(ids *graph.IDs, v uint32, format string) string {
	if v == graph.NoVertex {
		if writeFormats[format] == formatCSV {
			return ""
		}
		return null
	}
	s := ids.Format(v)
	switch writeFormats[format] {
	case formatCSV:
		s = strings.ReplaceAll(s, "\r\n", "\n") // as encoding/csv reads it
	case formatJSON:
		s = string([]rune(s)) // each byte that isn't UTF-8 is U+FFFD
	}
	return s
}
