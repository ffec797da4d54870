// This file holds the Parquet encoder: a file of row groups, whose columns are
// encoded and compressed side by side.

package arrow

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"github.com/foray-graph/foray/graph"
	"github.com/klauspost/compress/zstd"
)

// maxGroupBytes is how many bytes of values a row group has at most (and one
// batch more): its compressed pages are held in memory until it ends.
const maxGroupBytes = 256 << 20

// maxGroups is how many row groups a file may have: their ordinal is an int16.
const maxGroups = math.MaxInt16

var parquetMagic = []byte("PAR1")

// parquetEncoder writes row groups from the module's parts (column chunk
// writers, page writers, metadata builders) rather than with its file.Writer.
// That one compresses each page of zstd with an encoder of its own, which
// costs megabytes per page and core, drops errors of row groups that it closes
// itself, and writes one column after the other.
type parquetEncoder struct {
	w      *countingWriter
	fields []outField
	props  *parquet.WriterProperties
	codec  compress.Compression
	zstd   *zstd.Encoder // shared by all pages; nil for other codecs
	meta   *metadata.FileMetaDataBuilder

	group  *metadata.RowGroupMetaDataBuilder // nil between row groups
	cols   []parquetColumn
	rows   int // in the row group
	bytes  int
	groups int

	groupRows, groupBytes int // the most that a row group has
	maxBytes              int // the most bytes of strings written in one go
}

func newParquetEncoder(w *countingWriter, fields []outField, spec *writeSpec) (*parquetEncoder, error) {
	e := &parquetEncoder{w: w, fields: fields, codec: parquetCodecs[spec.Compression],
		groupRows: spec.RowGroup, groupBytes: maxGroupBytes, maxBytes: maxIDBytes}
	properties := []parquet.WriterProperty{
		parquet.WithCompression(e.codec),
		parquet.WithDictionaryDefault(false), // ids are mostly distinct
	}
	var nodes schema.FieldList
	for i := range fields {
		node, err := parquetNode(&fields[i])
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
		properties = append(properties, parquet.WithDictionaryFor(fields[i].name, fields[i].few))
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, err
	}
	kv := metadata.NewKeyValueMetadata()
	for _, key := range slices.Sorted(maps.Keys(spec.Metadata)) {
		if err := kv.Append(key, spec.Metadata[key]); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOutputOption, err)
		}
	}
	if e.codec == compress.Codecs.Zstd {
		e.zstd, err = zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(len(fields)))
		if err != nil {
			return nil, err
		}
	}
	e.props = parquet.NewWriterProperties(properties...)
	e.meta = metadata.NewFileMetadataBuilder(schema.NewSchema(root), e.props, kv)
	e.cols = make([]parquetColumn, len(fields))
	_, err = w.Write(parquetMagic)
	return e, err
}

// parquetNode returns the column's place in the schema: its physical type, and
// a logical one that keeps width and sign of integers.
func parquetNode(f *outField) (schema.Node, error) {
	repetition := parquet.Repetitions.Required
	if f.optional {
		repetition = parquet.Repetitions.Optional
	}
	physical, logical := parquet.Types.Int32, schema.LogicalType(schema.NoLogicalType{})
	switch {
	case f.float:
		physical = parquet.Types.Float
	case f.typ == graph.String:
		physical, logical = parquet.Types.ByteArray, schema.StringLogicalType{}
	case f.typ == graph.Binary:
		physical = parquet.Types.ByteArray
	default:
		bits := intBits(f.typ)
		logical = schema.NewIntLogicalType(bits, f.typ.Signed())
		if bits == 64 {
			physical = parquet.Types.Int64
		}
	}
	return schema.NewPrimitiveNodeLogical(f.name, repetition, logical, physical, -1, -1)
}

// intBits is the width of an integer type.
func intBits(t graph.IDType) int8 {
	switch t {
	case graph.Int8, graph.Uint8:
		return 8
	case graph.Int16, graph.Uint16:
		return 16
	case graph.Int32, graph.Uint32:
		return 32
	}
	return 64
}

func (e *parquetEncoder) write(b *outBatch) error {
	for lo := 0; lo < b.n; {
		if e.group == nil {
			if err := e.begin(); err != nil {
				return err
			}
		}
		hi := min(b.n, lo+e.groupRows-e.rows)
		if err := e.writeRows(b, lo, hi); err != nil {
			return err
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

// writeRows gives rows lo to hi of the batch to the columns, which encode them
// at the same time: they share nothing but the compressor's pool.
func (e *parquetEncoder) writeRows(b *outBatch, lo, hi int) error {
	errs := make([]error, len(e.cols))
	var wg sync.WaitGroup
	for i := 1; i < len(e.cols); i++ {
		wg.Go(func() { errs[i] = e.cols[i].write(&b.cols[i], lo, hi, e.maxBytes) })
	}
	errs[0] = e.cols[0].write(&b.cols[0], lo, hi, e.maxBytes)
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("row group %d, column %s: %w", e.groups, e.fields[i].name, err)
		}
	}
	for i := range b.cols {
		e.bytes += columnBytes(&e.fields[i], &b.cols[i], lo, hi)
	}
	return nil
}

// columnBytes is how many bytes the values take before they are compressed.
func columnBytes(f *outField, c *outColumn, lo, hi int) int {
	switch {
	case f.float:
		return 4 * (hi - lo)
	case f.integer():
		return int(max(32, intBits(f.typ))) / 8 * (hi - lo)
	}
	n := 4 * (hi - lo)
	for _, s := range c.bytes[lo:hi] {
		n += len(s)
	}
	return n
}

// begin begins a row group.
func (e *parquetEncoder) begin() error {
	if e.groups == maxGroups {
		return fmt.Errorf("%w: more than %d row groups; let WriteOptions.RowGroup be more than %d",
			ErrOutputOption, maxGroups, e.groupRows)
	}
	e.group = e.meta.AppendRowGroup()
	for i := range e.cols {
		meta := e.group.NextColumnChunk()
		pager, err := file.NewPageWriter(e.w, e.codec, compress.DefaultCompressionLevel, meta,
			int16(e.groups), int16(i), memory.DefaultAllocator, true, nil, nil)
		if err != nil {
			return err
		}
		if e.zstd != nil {
			pager = zstdPager{pager, e.zstd}
		}
		e.cols[i].field = &e.fields[i]
		e.cols[i].meta = meta
		e.cols[i].chunk = file.NewColumnChunkWriter(meta, pager, e.props)
	}
	e.rows, e.bytes = 0, 0
	return nil
}

// end writes the row group.
func (e *parquetEncoder) end() error {
	var size int64
	for i := range e.cols {
		if err := e.cols[i].chunk.Close(); err != nil {
			return fmt.Errorf("row group %d, column %s: %w", e.groups, e.fields[i].name, err)
		}
		size += e.cols[i].meta.Contents().MetaData.TotalUncompressedSize
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
