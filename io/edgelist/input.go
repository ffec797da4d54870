// This file holds opening: files, compression by content, and what is said
// when the bytes end too early.

package edgelist

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/ctxfile"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
)

// input is an open source of decompressed bytes.
type input struct {
	name        string
	compression string // "", "gzip", "zstd" or "bzip2"
	size        int64  // of the decompressed bytes; -1 if unknown
	r           io.Reader
	stored      counter
	out         uint64 // decompressed bytes read
	freely      uint64 // of them, those that come in any case
	expansion   uint64 // and as many of each byte
	progress    func(graph.Progress)
	close       func()
}

// counter counts the bytes read from the stored form.
type counter struct {
	r     io.Reader
	n     uint64
	total uint64
	err   error // that r had, other than io.EOF: then it isn't the stream that is damaged
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n < 0 || n > len(p) {
		n, err = 0, fmt.Errorf("%w: the reader's Read returned %d for a buffer of %d bytes", graph.ErrOptions, n, len(p))
	}
	c.n += uint64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// openFile opens a file. The name's suffix and the content must agree about
// the compression, so that damage at the start isn't taken for plain data.
//
// It may be a pipe or a terminal, once: ctx ends the waiting for the other end.
func openFile(ctx context.Context, path string, o *Options) (*input, error) {
	r, size, err := openStored(ctx, path, o)
	if err != nil {
		return nil, err
	}
	in, err := newInput(r, size, o)
	if err != nil {
		r.Close()
		return nil, err
	}
	end := in.close
	in.close = func() { end(); r.Close() }
	if _, want := compressionOf(path); want != "" && want != in.compression {
		in.close()
		if size == 0 {
			return nil, fmt.Errorf("%s: %w: the file is empty, not even a %s header", in.name, errTruncated, want)
		}
		return nil, fmt.Errorf("%s: %w: the name says %s, but the content doesn't begin like it; if it isn't compressed, rename it",
			in.name, ErrFormat, want)
	}
	return in, nil
}

// openStored opens a file or an object, whose size is -1 where it isn't known.
func openStored(ctx context.Context, path string, o *Options) (io.ReadCloser, int64, error) {
	if s3.Is(path) {
		return openObject(ctx, path, o)
	}
	if err := readable(path); err != nil {
		return nil, 0, err
	}
	f, err := ctxfile.OpenFile(ctx, path, os.O_RDONLY, 0)
	if err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	atomicfile.NoteFile(ctx, path, st)
	if !st.Mode().IsRegular() {
		return f, -1, nil
	}
	return f, st.Size(), nil
}

// readable refuses what can't be read as a file, before it is opened.
func readable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return fmt.Errorf("%s: %w: it is a directory", path, ErrFormat)
	case st.Mode()&os.ModeSocket != 0:
		return fmt.Errorf("%s: %w: it is a socket, not a file or a pipe", path, ErrFormat)
	}
	return nil
}

// newInput wraps r, whose length is size or, if unknown, -1. The input must be
// closed; r is the caller's to close.
func newInput(r io.Reader, size int64, o *Options) (*input, error) {
	in := &input{name: o.Name, size: -1, freely: o.freely, expansion: uint64(o.MaxExpansion), progress: o.Progress, close: func() {}}
	in.stored.r, in.stored.total = r, uint64(max(size, 0))
	br := bufio.NewReaderSize(&in.stored, 64<<10)
	// The next reader meets a short read or an error again.
	magic, _ := br.Peek(10)
	if name := unreadCompression(magic); name != "" {
		return nil, in.named(compressionError(name))
	}
	begins := magic[:min(4, len(magic))]
	switch magic := begins; {
	case len(magic) >= 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		in.compression = "gzip"
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, in.wrap(err)
		}
		z.Multistream(false)
		in.r = &members{z: z, in: br}
	case isBzip2(br):
		in.compression, in.r = "bzip2", bzip2.NewReader(br)
	case len(magic) == 4 && (bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})):
		in.compression = "zstd"
		// One goroutine: decompressing on this one, parsing on the others, keeps
		// all busy, and there is nothing to wait for when it is closed.
		z, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, in.wrap(err)
		}
		in.r, in.close = z, z.Close
	default:
		in.r, in.size = br, size
	}
	return in, nil
}

// Read reads decompressed bytes. Its errors name the input.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	in.out += uint64(n)
	if in.compression != "" && in.out > in.freely && in.out/in.expansion > in.stored.n {
		return n, in.named(overLimit{limit.Error("Options.MaxExpansion", in.expansion, "%s of %s became %s, more than %d times as much",
			text.Bytes(in.stored.n), in.compression, text.Bytes(in.out), in.expansion)})
	}
	if err != nil && err != io.EOF {
		err = in.wrap(err)
	}
	return n, err
}

// fill reads until p is full. The error is io.EOF if the input ended, also if
// that was in the middle.
func (in *input) fill(ctx context.Context, p []byte) (n int, err error) {
	idle := 0
	for n < len(p) {
		if err := ctx.Err(); err != nil {
			return n, in.named(err)
		}
		k, err := in.Read(p[n:])
		n += k
		if err != nil {
			return n, err
		}
		if idle++; k > 0 {
			idle = 0
		} else if idle == 100 {
			return n, in.named(io.ErrNoProgress)
		}
	}
	return n, nil
}

func (in *input) report() {
	if in.progress != nil {
		in.progress(graph.Progress{Phase: "read bytes", Done: in.stored.n, Total: in.stored.total})
	}
}

func (in *input) named(err error) error { return fmt.Errorf("%s: %w", in.name, err) }

// wrap explains a reading error.
func (in *input) wrap(err error) error {
	var bzip2Error bzip2.StructuralError
	switch {
	case err == errTrailing, errors.Is(err, zstd.ErrMagicMismatch) && in.out > 0,
		errors.As(err, &bzip2Error) && bzip2Error == "bad magic value in continuation file":
		return fmt.Errorf("%s: %w: trailing garbage: what follows the end of the %s stream, before byte %d, isn't %[3]s; cut it off (%[5]s decompressed until there)",
			in.name, errCorrupt, in.compression, in.stored.n, text.Bytes(in.out))
	case in.compression == "" || in.stored.err != nil:
		return in.named(err)
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return fmt.Errorf("%s: %w: the %s stream breaks off after %d bytes (%d decompressed); the file was not copied or written to its end",
			in.name, errTruncated, in.compression, in.stored.n, in.out)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("%s: %w: its window is over %s; compress it again without --long", in.name, errCorrupt, text.Bytes(zstdWindow))
	}
	return fmt.Errorf("%s: %w (%s, near byte %d): %w", in.name, errCorrupt, in.compression, in.stored.n, err)
}

// object is an object that is read in order, with some ranges fetched ahead.
type object struct {
	client s3.Client
	ahead  s3.Prefetch
	at     int64
}

// openObject opens the object of a path as it is now: if it changes, reading fails.
func openObject(ctx context.Context, path string, o *Options) (io.ReadCloser, int64, error) {
	client := o.S3.client()
	found, err := client.Stat(ctx, path)
	if err != nil {
		client.Close()
		return nil, 0, err
	}
	r, err := client.Open(ctx, found)
	if err != nil {
		client.Close()
		return nil, 0, err
	}
	ahead, err := r.Prefetch(ctx, []s3.Range{{Offset: 0, Length: found.Size}}, s3.PrefetchOptions{})
	if err != nil {
		client.Close()
		return nil, 0, err
	}
	return &object{client: client, ahead: ahead}, found.Size, nil
}

func (o *object) Read(p []byte) (int, error) {
	left := o.ahead.Size() - o.at
	if left <= 0 {
		return 0, io.EOF
	}
	n, err := o.ahead.ReadAt(p[:min(int64(len(p)), left)], o.at)
	o.at += int64(n)
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}

func (o *object) Close() error {
	o.ahead.Close()
	o.client.Close()
	return nil
}
