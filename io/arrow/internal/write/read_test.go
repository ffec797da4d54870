// This file reads back what was written, with the plainest reader that each
// format has, so that it can be compared cell by cell.

package write

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// writtenTable is a file's contents: cells as text, binary in hexadecimal.
type writtenTable struct {
	names    []string
	types    []string // in Arrow's words; nil for text formats
	rows     [][]string
	groups   []int // rows of each row group or record batch
	metadata map[string]string
	codecs   map[string]bool // of Parquet's column chunks
	// encodings lists the encodings of the columns in Parquet's first row group.
	encodings [][]string
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
		FormatFile:    (*writtenTable).ipcFile,
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
			if token == json.Delim('{') || token == json.Delim('}') {
				continue
			}
			if token == json.Delim('[') {
				var list []string
				for d.More() {
					element, err := d.Token()
					if err != nil {
						return err
					}
					list = append(list, fmt.Sprint(element))
				}
				token = strings.Join(list, samples.ListJoint)
				if _, err := d.Token(); err != nil {
					return err
				}
			}
			cell := fmt.Sprint(token)
			if token == nil {
				cell = samples.Null
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
		typ := arrowTypeName(f.Type)
		if f.Nullable {
			typ += "?"
		}
		t.types = append(t.types, typ)
	}
	for i, key := range s.Metadata().Keys() {
		t.metadata[key] = s.Metadata().Values()[i]
	}
}

func arrowTypeName(t goarrow.DataType) string {
	switch t := t.(type) {
	case *goarrow.StringType:
		return "string"
	case *goarrow.TimestampType:
		return fmt.Sprintf("timestamp[%s,%t]", t.Unit, t.TimeZone != "")
	case *goarrow.ListType:
		return "list " + arrowTypeName(t.Elem())
	case *goarrow.Date32Type:
		return "date"
	}
	return t.Name()
}

func (t *writtenTable) record(r goarrow.Record) {
	t.groups = append(t.groups, int(r.NumRows()))
	for row := range int(r.NumRows()) {
		var cells []string
		for _, c := range r.Columns() {
			cells = append(cells, arrowCell(c, row))
			if c.IsNull(row) {
				cells[len(cells)-1] = samples.Null
			}
		}
		t.rows = append(t.rows, cells)
	}
}

// arrowCell is a value as text, lists joined by listJoint.
func arrowCell(c goarrow.Array, row int) string {
	switch a := c.(type) {
	case *array.Binary:
		return hex.EncodeToString(a.Value(row))
	case *array.String:
		return strings.Clone(a.Value(row))
	case *array.Timestamp:
		t := a.DataType().(*goarrow.TimestampType)
		return timeCell(int64(a.Value(row)), t.Unit, t.TimeZone != "")
	case *array.List:
		lo, hi := a.ValueOffsets(row)
		var cells []string
		for i := lo; i < hi; i++ {
			cells = append(cells, arrowCell(a.ListValues(), int(i)))
		}
		return strings.Join(cells, samples.ListJoint)
	}
	return c.ValueStr(row)
}

// timeCell is a timestamp as text files have it.
func timeCell(x int64, unit goarrow.TimeUnit, zone bool) string {
	layout := map[goarrow.TimeUnit]string{goarrow.Second: "", goarrow.Millisecond: ".000", goarrow.Microsecond: ".000000", goarrow.Nanosecond: ".000000000"}[unit]
	s := goarrow.Timestamp(x).ToTime(unit).Format("2006-01-02T15:04:05" + layout)
	if zone {
		s += "Z"
	}
	return s
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
// of it, except for the changes of CSV and JSON readers.
func idCell(ids *graph.IDs, v uint32, format string) string {
	if v == graph.NoVertex {
		if writeFormats[format] == formatCSV {
			return ""
		}
		return samples.Null
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
