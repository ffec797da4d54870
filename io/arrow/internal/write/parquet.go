// This file holds the Parquet encoder: the schema, row groups and the footer. It has
// what types of columns are in Parquet.

package write

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	goarrow "github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/internal/text/buildinfo"
	"github.com/foray-graph/foray/io/arrow/internal/parquet/metadata"
)

// maxGroups is how many row groups a file may have: their ordinal is an int16.
const maxGroups = math.MaxInt16

// parquetEncoder writes a Parquet file. Pages are made here, plain or of a
// dictionary, and compressed on all cores while the next rows are gathered;
// Package metadata makes their headers and the footer.
type parquetEncoder struct {
	w        *countingWriter
	fields   []outField
	metadata []metadata.KeyValue
	meta     *metadata.File
	pages    *pagePool
	cols     []parquetColumn
	chunks   []metadata.Chunk // of the row group that ends, by column

	rows  int // in the row group
	bytes int

	groupRows, groupBytes int // the most that a row group has
}

func newParquetEncoder(w *countingWriter, fields []outField, spec *WriteSpec) (*parquetEncoder, error) {
	e := &parquetEncoder{w: w, fields: fields, groupRows: spec.RowGroup, groupBytes: maxGroupBytes}
	workers := runtime.GOMAXPROCS(0)
	if limit := spec.MemoryLimit; limit > 0 {
		spare := limit - min(limit, spec.least(len(fields)))
		workers = int(min(uint64(workers), 1+spare/2/pageWorker))
		e.groupBytes = int(min(maxGroupBytes, leastGroup+spare/4))
	}
	if err := checkMetadata(spec.Metadata); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(spec.Metadata)) {
		e.metadata = append(e.metadata, metadata.KeyValue{Key: key, Value: spec.Metadata[key]})
	}
	codec := parquetCodecs[spec.Compression]
	var err error
	if e.pages, err = newPagePool(codec, workers, spec.MemoryLimit > 0); err != nil {
		return nil, err
	}
	var columns []metadata.Column
	for i := range fields {
		columns = append(columns, fields[i].parquet())
		e.cols = append(e.cols, newParquetColumn(&e.fields[i], e.pages))
	}
	e.meta = metadata.NewFile(columns, codec, parquetCreator())
	_, err = w.Write([]byte(metadata.Magic))
	return e, err
}

// parquetCreator is what files say of their writer. Readers parse it, so that
// a version in brackets, of a build without one, is left out.
func parquetCreator() string {
	version := strings.TrimPrefix(buildinfo.Version(), "v")
	if strings.HasPrefix(version, "(") {
		version = "0.0.0"
	}
	return "foray version " + version
}

func (e *parquetEncoder) write(b *outBatch) error {
	for lo := 0; lo < b.n; {
		if e.rows == 0 && e.meta.NumGroups() == maxGroups {
			return fmt.Errorf("%w: more than %d row groups; let WriteOptions.RowGroup be more than %d",
				ErrOutputOption, maxGroups, e.groupRows)
		}
		hi := min(b.n, lo+e.groupRows-e.rows)
		for i := range e.cols {
			e.cols[i].append(&b.cols[i], lo, hi)
			e.bytes += columnBytes(&e.fields[i], &b.cols[i], lo, hi)
		}
		e.rows += hi - lo
		lo = hi
		if e.rows == e.groupRows || e.bytes >= e.groupBytes {
			if err := e.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// end writes the row group.
func (e *parquetEncoder) end() error {
	for i := range e.cols {
		e.cols[i].finish()
	}
	e.chunks = e.chunks[:0]
	for i := range e.cols {
		chunk, err := e.cols[i].write(e.w)
		if err != nil {
			return fmt.Errorf("row group %d, column %s: %w", e.meta.NumGroups(), e.fields[i].name, err)
		}
		e.chunks = append(e.chunks, chunk)
	}
	e.meta.AddGroup(e.rows, e.chunks)
	e.rows, e.bytes = 0, 0
	return nil
}

// close writes the last row group and the footer.
func (e *parquetEncoder) close() error {
	if e.rows > 0 {
		if err := e.end(); err != nil {
			return err
		}
	}
	_, err := e.w.Write(e.meta.Footer(e.metadata))
	return err
}

func (e *parquetEncoder) stop() { e.pages.wait() }

// parquet returns the column's place in a schema of Parquet: its physical type,
// and a logical one that keeps width and sign of integers.
func (f *outField) parquet() metadata.Column {
	c := metadata.Column{Name: f.name, Type: f.typ.physical(), Optional: f.optional, List: f.list}
	switch t := f.typ; t.kind {
	case kindInt, kindUint:
		c.Logical = metadata.Logical{Kind: metadata.Integer, Bits: int(t.bits), Signed: t.kind == kindInt}
	case kindString:
		c.Logical.Kind = metadata.String
	case kindDate:
		c.Logical.Kind = metadata.Date
	case kindTime:
		c.Logical = metadata.Logical{Kind: metadata.Time, Unit: t.parquetUnit()}
	case kindTimestamp:
		unit := t.parquetUnit()
		c.Logical = metadata.Logical{Kind: metadata.Timestamp, Unit: unit, UTC: t.zone != ""}
	case kindDecimal, kindFixed:
		c.Length = int(t.wide)
		switch {
		case t.uuid:
			c.Logical.Kind = metadata.UUID
		case t.digits > 0:
			c.Logical = metadata.Logical{Kind: metadata.Decimal, Precision: int(t.digits), Scale: int(t.scale)}
		}
	}
	return c
}

// parquetUnit returns the unit of times: of seconds, which Parquet hasn't got, milliseconds.
func (t outType) parquetUnit() metadata.Unit {
	switch t.unit {
	case goarrow.Microsecond:
		return metadata.Micros
	case goarrow.Nanosecond:
		return metadata.Nanos
	}
	return metadata.Millis
}

// physical returns the type that values have in pages.
func (t outType) physical() metadata.Type {
	switch {
	case t.kind == kindBool:
		return metadata.Boolean
	case t.kind == kindFixed:
		return metadata.FixedLenByteArray
	case t.text():
		return metadata.ByteArray
	case t.kind == kindFloat && t.bits == 64:
		return metadata.Double
	case t.kind == kindFloat:
		return metadata.Float
	case t.bits == 64:
		return metadata.Int64
	}
	return metadata.Int32
}
