// This file holds the encoder of Arrow IPC, file and stream: batches become
// record batches.

package write

import (
	"maps"
	"slices"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// ipcWriter is what file and stream writers have in common.
type ipcWriter interface {
	Write(goarrow.Record) error
	Close() error
}

// ipcEncoder writes record batches.
type ipcEncoder struct {
	w     ipcWriter
	maker recordMaker
}

func newIPCEncoder(w *countingWriter, fields []outField, spec *WriteSpec) (*ipcEncoder, error) {
	schema, err := outSchema(fields, spec.Metadata)
	if err != nil {
		return nil, err
	}
	e := &ipcEncoder{maker: recordMaker{mem: &scratchAllocator{}, schema: schema, fields: fields}}
	options := []ipc.Option{ipc.WithSchema(schema)}
	switch spec.Compression {
	case "zstd":
		options = append(options, ipc.WithZstd())
	case "lz4":
		options = append(options, ipc.WithLZ4())
	}
	if spec.As == formatStream {
		e.w = ipc.NewWriter(w, options...)
	} else {
		e.w, err = ipc.NewFileWriter(w, options...)
	}
	return e, err
}

// outSchema is the columns in Arrow's words.
func outSchema(fields []outField, metadata map[string]string) (*goarrow.Schema, error) {
	if err := checkMetadata(metadata); err != nil {
		return nil, err
	}
	var columns []goarrow.Field
	for i := range fields {
		columns = append(columns, fields[i].arrow())
	}
	var keys, values []string
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		keys, values = append(keys, key), append(values, metadata[key])
	}
	kv := goarrow.NewMetadata(keys, values)
	return goarrow.NewSchema(columns, &kv), nil
}

func (e *ipcEncoder) write(b *outBatch) error { return e.writeRows(b, 0, b.n, maxRecordBytes) }

// writeRows writes rows lo to hi, in halves where a column has too many bytes.
func (e *ipcEncoder) writeRows(b *outBatch, lo, hi, maxBytes int) error {
	for i := range e.maker.fields {
		if hi-lo > 1 && columnBytes(&e.maker.fields[i], &b.cols[i], lo, hi) > maxBytes {
			mid := lo + (hi-lo)/2
			if err := e.writeRows(b, lo, mid, maxBytes); err != nil {
				return err
			}
			return e.writeRows(b, mid, hi, maxBytes)
		}
	}
	record := e.maker.record(b, lo, hi)
	defer record.Release()
	return e.w.Write(record)
}

func (e *ipcEncoder) close() error { return e.w.Close() }

func (e *ipcEncoder) stop() {}

// scratchAllocator keeps what is freed for the next allocation of that size, which
// one batch after the other does.
type scratchAllocator struct {
	memory.GoAllocator
	free [][]byte
}

func (a *scratchAllocator) Allocate(size int) []byte {
	for i, b := range a.free {
		if cap(b) >= size && cap(b) <= 2*size+1024 {
			last := len(a.free) - 1
			a.free[i] = a.free[last]
			a.free = a.free[:last]
			return b[:size]
		}
	}
	return a.GoAllocator.Allocate(size)
}

// Free keeps the last few buffers of moderate size.
func (a *scratchAllocator) Free(b []byte) {
	const most, largest = 32, 4 << 20
	if cap(b) > largest {
		return
	}
	if len(a.free) == most {
		a.free = append(a.free[:0], a.free[1:]...)
	}
	a.free = append(a.free, b)
}
