// This file holds rowWriter, the way that every row written takes: from
// batches of columns through a format's encoder into a file that is put in its
// place at the end.

package write

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/text"
)

// Output is where the bytes go: a file or standard output.
type Output interface {
	io.Writer
	// Commit makes what was written final, Abort drops it.
	Commit() error
	Abort()
	// Explain adds the path and a remedy to an error of the system or context.
	Explain(err error) error
}

// OpenOutput opens what the options say.
func OpenOutput(ctx context.Context, s *WriteSpec) (Output, error) {
	if s.prefix != nil {
		return s.prefix.create(s)
	}
	if !s.stdout && s3.Is(s.Path) {
		return createObject(ctx, s)
	}
	if !s.stdout {
		return atomicfile.Create(ctx, s.Path)
	}
	if s.Stdout == nil {
		return Stdout{os.Stdout}, nil
	}
	return Stdout{s.Stdout}, nil
}

// Stdout is a stream that others own: what is written can't be taken back.
type Stdout struct{ io.Writer }

// Write checks the number of bytes that the Writer of a program returns.
func (s Stdout) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	switch {
	case n < 0 || n > len(b):
		return 0, fmt.Errorf("%w: WriteOptions.Stdout: Write returned %d for %d bytes", graph.ErrOptions, n, len(b))
	case n < len(b) && err == nil:
		err = io.ErrShortWrite
	}
	return n, err
}

func (Stdout) Commit() error           { return nil }
func (Stdout) Abort()                  {}
func (Stdout) Explain(err error) error { return atomicfile.Explain(atomicfile.Stdout, err) }

// encoder writes batches in one format. The batch and its columns are the
// caller's again when write returns.
type encoder interface {
	write(b *outBatch) error
	// close writes what the format has at its end.
	close() error
	// stop ends what the encoder does besides, whether it was closed or not.
	stop()
}

// countingWriter buffers, counts what is written, and fails for good once a
// write has failed, also where an encoder loses the error on the way.
type countingWriter struct {
	*bufio.Writer
	pos int64
	to  *errorKeeper
}

// errorKeeper keeps the first error that the output returns, and counts bytes.
type errorKeeper struct {
	io.Writer
	err     error
	written int64 // bytes
}

func (k *errorKeeper) Write(p []byte) (int, error) {
	n, err := k.Writer.Write(p)
	k.written += int64(n)
	if err != nil && k.err == nil {
		k.err = err
	}
	return n, err
}

func newCountingWriter(w io.Writer) *countingWriter {
	k := &errorKeeper{Writer: w}
	return &countingWriter{Writer: bufio.NewWriterSize(k, outputBuffer), to: k}
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.pos += int64(n)
	return n, err
}

// Tell returns how many bytes were written, which Parquet's offsets are made of.
func (w *countingWriter) Tell() int64 { return w.pos }

// Seek tells the position; it can't move it. IPC files ask for no more.
func (w *countingWriter) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent && offset == 0 {
		return w.pos, nil
	}
	return w.pos, errors.ErrUnsupported
}

// rowWriter writes batches to one output. It must be ended with
// end, and abort called after that, come what may.
type rowWriter struct {
	ctx  context.Context
	spec WriteSpec
	out  Output
	w    *countingWriter
	enc  encoder // nil until begin
	rows uint64
}

func newRowWriter(ctx context.Context, spec WriteSpec, open func(context.Context, *WriteSpec) (Output, error)) (*rowWriter, error) {
	out, err := open(ctx, &spec)
	if err != nil {
		return nil, err
	}
	return &rowWriter{ctx: ctx, spec: spec, out: out, w: newCountingWriter(out)}, nil
}

// begin sets the columns.
func (r *rowWriter) begin(fields []outField) error {
	if limit, least := r.spec.MemoryLimit, r.spec.least(len(fields)); limit > 0 && limit < least {
		return fmt.Errorf("%w: writing %s takes at least %s, and %s are left for it; allow more",
			device.ErrMemory, r.spec.As, text.Bytes(least), text.Bytes(limit))
	}
	enc, err := newEncoder(r.w, fields, &r.spec)
	if err == nil {
		r.enc = enc
	}
	return err
}

// least returns what writing so many columns holds at least.
func (s *WriteSpec) least(columns int) uint64 {
	switch {
	case s.As == formatParquet:
		return leastWriting + leastGroup + pageWorker + uint64(columns)*leastColumn
	case s.Compression == ipcCodecNames[0]:
		return leastWriting
	}
	return leastWriting + ipcCodec
}

func newEncoder(w *countingWriter, fields []outField, spec *WriteSpec) (encoder, error) {
	switch spec.As {
	case formatParquet:
		return newParquetEncoder(w, fields, spec)
	case formatCSV:
		return newCSVEncoder(w, fields)
	case formatJSON:
		return newJSONEncoder(w, fields), nil
	}
	return newIPCEncoder(w, fields, spec)
}

// write writes one batch of at most batchRows rows.
func (r *rowWriter) write(b *outBatch) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if b.n == 0 {
		return nil
	}
	err := r.enc.write(b)
	if err == nil {
		r.rows += uint64(b.n)
	}
	return err
}

// end puts the output in its place if err is nil and nothing else goes wrong,
// and returns the error to report.
func (r *rowWriter) end(err error) error {
	if err == nil {
		err = r.enc.close()
	}
	if err == nil {
		err = r.w.Flush()
	}
	if err == nil {
		err = r.ctx.Err()
	}
	if err == nil {
		return r.out.Commit()
	}
	if r.w.to.err != nil {
		return r.out.Explain(r.w.to.err) // encoders wrap it in their own text
	}
	if ctxErr := r.ctx.Err(); ctxErr != nil && errors.Is(err, ctxErr) {
		return r.out.Explain(fmt.Errorf("stopped after %d rows: %w", r.rows, err))
	}
	return fmt.Errorf("cannot write %s: %w", r.spec.Path, err)
}

// abort drops what was written unless it is in its place.
func (r *rowWriter) abort() {
	if r.enc != nil {
		r.enc.stop()
	}
	r.out.Abort()
}

// object is an object that is being written.
type object struct {
	s3.Writer
	client s3.Client
}

// contentTypes are the content types of uploaded objects.
var contentTypes = map[writeFormat]string{
	formatParquet: "application/vnd.apache.parquet",
	FormatFile:    "application/vnd.apache.arrow.file",
	formatStream:  "application/vnd.apache.arrow.stream",
	formatCSV:     "text/csv; charset=utf-8",
	formatJSON:    "application/x-ndjson",
}

func createObject(ctx context.Context, s *WriteSpec) (Output, error) {
	c := s.S3.Client()
	w, err := c.Create(ctx, s.Path, contentTypes[s.As])
	if err != nil {
		c.Close()
		return nil, err
	}
	return &object{w, c}, nil
}

// Commit makes the object appear.
func (o *object) Commit() error {
	defer o.client.Close()
	return o.Writer.Commit()
}

// Abort drops what was sent.
func (o *object) Abort() {
	o.Writer.Abort()
	o.client.Close()
}
