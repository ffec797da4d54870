// This file holds the encoder of Arrow IPC, file and stream: batches become
// record batches over the encoder's own buffers.

package arrow

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
)

// ipcWriter is what file and stream writers have in common.
type ipcWriter interface {
	Write(goarrow.Record) error
	Close() error
}

// ipcEncoder writes record batches.
type ipcEncoder struct {
	w      ipcWriter
	schema *goarrow.Schema
	fields []outField
	cols   []ipcColumn
}

// ipcColumn is a column's scratch, kept from batch to batch.
type ipcColumn struct {
	bits    []byte // validity
	values  []byte // of strings, or of integers narrower than 64 bits
	offsets []int32
}

func newIPCEncoder(w *countingWriter, fields []outField, spec *writeSpec) (*ipcEncoder, error) {
	e := &ipcEncoder{fields: fields, cols: make([]ipcColumn, len(fields))}
	var columns []goarrow.Field
	for i := range fields {
		columns = append(columns, goarrow.Field{Name: fields[i].name, Type: ipcType(&fields[i]), Nullable: fields[i].optional})
	}
	var keys, values []string
	for _, key := range slices.Sorted(maps.Keys(spec.Metadata)) {
		if !utf8.ValidString(key) || !utf8.ValidString(spec.Metadata[key]) {
			return nil, fmt.Errorf("%w: metadata %q is not UTF-8", ErrOutputOption, key)
		}
		keys, values = append(keys, key), append(values, spec.Metadata[key])
	}
	kv := goarrow.NewMetadata(keys, values)
	e.schema = goarrow.NewSchema(columns, &kv)
	options := []ipc.Option{ipc.WithSchema(e.schema)}
	switch spec.Compression {
	case "zstd":
		options = append(options, ipc.WithZstd())
	case "lz4":
		options = append(options, ipc.WithLZ4())
	}
	var err error
	if spec.format == formatStream {
		e.w = ipc.NewWriter(w, options...)
	} else {
		e.w, err = ipc.NewFileWriter(w, options...)
	}
	return e, err
}

// ipcType returns the column's Arrow type.
func ipcType(f *outField) goarrow.DataType {
	if f.float {
		return goarrow.PrimitiveTypes.Float32
	}
	switch f.typ {
	case graph.Int32:
		return goarrow.PrimitiveTypes.Int32
	case graph.Int16:
		return goarrow.PrimitiveTypes.Int16
	case graph.Int8:
		return goarrow.PrimitiveTypes.Int8
	case graph.Uint64:
		return goarrow.PrimitiveTypes.Uint64
	case graph.Uint32:
		return goarrow.PrimitiveTypes.Uint32
	case graph.Uint16:
		return goarrow.PrimitiveTypes.Uint16
	case graph.Uint8:
		return goarrow.PrimitiveTypes.Uint8
	case graph.String:
		return goarrow.BinaryTypes.String
	case graph.Binary:
		return goarrow.BinaryTypes.Binary
	}
	return goarrow.PrimitiveTypes.Int64
}

func (e *ipcEncoder) write(b *outBatch) error { return e.writeRows(b, 0, b.n, maxRecordBytes) }

// writeRows writes rows lo to hi, in halves where a column has too many bytes.
func (e *ipcEncoder) writeRows(b *outBatch, lo, hi, maxBytes int) error {
	for i := range e.fields {
		if hi-lo > 1 && columnBytes(&e.fields[i], &b.cols[i], lo, hi) > maxBytes {
			mid := lo + (hi-lo)/2
			if err := e.writeRows(b, lo, mid, maxBytes); err != nil {
				return err
			}
			return e.writeRows(b, mid, hi, maxBytes)
		}
	}
	columns := make([]goarrow.Array, len(e.fields))
	for i := range columns {
		columns[i] = e.cols[i].array(&e.fields[i], &b.cols[i], lo, hi)
		defer columns[i].Release()
	}
	record := array.NewRecord(e.schema, columns, int64(hi-lo))
	defer record.Release()
	return e.w.Write(record)
}

func (e *ipcEncoder) close() error { return e.w.Close() }

func (e *ipcEncoder) stop() {}

// array makes an Arrow array of rows lo to hi. It is valid until the next
// call, or as long as the column's values are.
func (s *ipcColumn) array(f *outField, c *outColumn, lo, hi int) goarrow.Array {
	n := hi - lo
	buffers := []*memory.Buffer{nil}
	nulls := 0
	if len(c.valid) > 0 {
		s.bits = append(s.bits[:0], make([]byte, (n+7)/8)...)
		for i, ok := range c.valid[lo:hi] {
			if ok {
				s.bits[i/8] |= 1 << (i % 8)
			} else {
				nulls++
			}
		}
		buffers[0] = memory.NewBufferBytes(s.bits)
	}
	switch {
	case f.float:
		buffers = append(buffers, memory.NewBufferBytes(goarrow.Float32Traits.CastToBytes(c.floats[lo:hi])))
	case f.integer():
		buffers = append(buffers, memory.NewBufferBytes(s.narrow(f.typ, c.ints[lo:hi])))
	default:
		s.offsets, s.values = append(s.offsets[:0], 0), s.values[:0]
		for _, x := range c.bytes[lo:hi] {
			s.values = append(s.values, x...)
			s.offsets = append(s.offsets, int32(len(s.values)))
		}
		buffers = append(buffers, memory.NewBufferBytes(goarrow.Int32Traits.CastToBytes(s.offsets)), memory.NewBufferBytes(s.values))
	}
	data := array.NewData(ipcType(f), n, buffers, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// narrow returns the integers in the width of the type.
func (s *ipcColumn) narrow(t graph.IDType, ints []int64) []byte {
	size := int(intBits(t)) / 8
	if size == 8 {
		return goarrow.Int64Traits.CastToBytes(ints)
	}
	s.values = slices.Grow(s.values[:0], size*len(ints))[:size*len(ints)]
	switch size {
	case 4:
		out := goarrow.Int32Traits.CastFromBytes(s.values)
		for i, x := range ints {
			out[i] = int32(x)
		}
	case 2:
		out := goarrow.Int16Traits.CastFromBytes(s.values)
		for i, x := range ints {
			out[i] = int16(x)
		}
	default:
		for i, x := range ints {
			s.values[i] = byte(x)
		}
	}
	return s.values
}
