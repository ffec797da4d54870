// This file holds the Parquet encoder: the schema, row groups and the footer.

package arrow

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// maxGroups is how many row groups a file may have: their ordinal is an int16.
const maxGroups = math.MaxInt16

var parquetMagic = []byte("PAR1")

// parquetEncoder writes a Parquet file. Pages are made here, plain or of a
// dictionary, and compressed on all cores while the next rows are gathered; headers of data
// pages and the footer are the module's. Its own column writers aren't used: in version
// 15 definition levels take time and memory by the square of their runs
// (24 GB of allocations for a million rows), and a page of zstd costs a new
// compressor for every core.
type parquetEncoder struct {
	w      *countingWriter
	fields []outField
	props  *parquet.WriterProperties
	meta   *metadata.FileMetaDataBuilder
	pages  *pagePool
	cols   []parquetColumn

	group  *metadata.RowGroupMetaDataBuilder // nil between row groups
	rows   int                               // in the row group
	bytes  int
	groups int

	groupRows, groupBytes int // the most that a row group has
}

func newParquetEncoder(w *countingWriter, fields []outField, spec *writeSpec) (*parquetEncoder, error) {
	e := &parquetEncoder{w: w, fields: fields, groupRows: spec.RowGroup, groupBytes: maxGroupBytes}
	var nodes schema.FieldList
	for i := range fields {
		node, err := fields[i].parquet()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, err
	}
	if err := checkMetadata(spec.Metadata); err != nil {
		return nil, err
	}
	kv := metadata.NewKeyValueMetadata()
	for _, key := range slices.Sorted(maps.Keys(spec.Metadata)) {
		if err := kv.Append(key, spec.Metadata[key]); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOutputOption, err)
		}
	}
	codec := parquetCodecs[spec.Compression]
	if e.pages, err = newPagePool(codec); err != nil {
		return nil, err
	}
	e.props = parquet.NewWriterProperties(parquet.WithCompression(codec), parquet.WithDictionaryDefault(false))
	e.meta = metadata.NewFileMetadataBuilder(schema.NewSchema(root), e.props, kv)
	for i := range e.fields {
		e.cols = append(e.cols, newParquetColumn(&e.fields[i], e.pages))
	}
	_, err = w.Write(parquetMagic)
	return e, err
}

func (e *parquetEncoder) write(b *outBatch) error {
	for lo := 0; lo < b.n; {
		if e.group == nil {
			if e.groups == maxGroups {
				return fmt.Errorf("%w: more than %d row groups; let WriteOptions.RowGroup be more than %d",
					ErrOutputOption, maxGroups, e.groupRows)
			}
			e.group = e.meta.AppendRowGroup()
			e.rows, e.bytes = 0, 0
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
	var size int64
	for i := range e.cols {
		meta := e.group.NextColumnChunk()
		if err := e.cols[i].write(e.w, meta, int16(e.groups), int16(i)); err != nil {
			return fmt.Errorf("row group %d, column %s: %w", e.groups, e.fields[i].name, err)
		}
		size += meta.Contents().MetaData.TotalUncompressedSize
	}
	e.group.SetNumRows(e.rows)
	if err := e.group.Finish(size, int16(e.groups)); err != nil {
		return err
	}
	e.group = nil
	e.groups++
	return nil
}

// close writes the last row group and the footer.
func (e *parquetEncoder) close() error {
	if e.group != nil {
		if err := e.end(); err != nil {
			return err
		}
	}
	meta, err := e.meta.Finish()
	if err != nil {
		return err
	}
	begin := e.w.Tell()
	if _, err := meta.WriteTo(e.w, nil); err != nil {
		return err
	}
	tail := binary.LittleEndian.AppendUint32(nil, uint32(e.w.Tell()-begin))
	_, err = e.w.Write(append(tail, parquetMagic...))
	return err
}

func (e *parquetEncoder) stop() { e.pages.wait() }
