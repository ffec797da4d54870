// This file reads messages: the frames of schemas, dictionaries and record
// batches.

package ipc

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// message is the frame of a message and its metadata.
type message struct {
	Block
	flat    *flat
	version int
	kind    int
	header  table // the Schema, DictionaryBatch or RecordBatch
}

// readAt fills b. A file that ends before is damaged.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	_, err := r.ReadAt(b, at)
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return columnar.Corrupt("it ends too early")
	}
	return err
}

// message reads the message at an offset, without its body. At the marker for
// the end of a stream it returns io.EOF. The metadata is kept in *buf, if
// that isn't nil, until the next call.
func (f *File) message(r io.ReaderAt, at int64, buf *[]byte) (*message, error) {
	var head [8]byte
	n := min(int64(len(head)), f.Size-at)
	if n < 4 {
		return nil, columnar.Corrupt("it ends within a message")
	}
	if err := readAt(r, head[:n], at); err != nil {
		return nil, err
	}
	prefix := int64(4)
	size := int64(int32(binary.LittleEndian.Uint32(head[:])))
	if binary.LittleEndian.Uint32(head[:]) == continuation {
		if n < 8 {
			return nil, columnar.Corrupt("it ends within a message")
		}
		prefix = 8
		size = int64(int32(binary.LittleEndian.Uint32(head[4:])))
	}
	switch {
	case size == 0:
		return nil, io.EOF
	case size < 0 || size > f.Size-at-prefix:
		return nil, columnar.Corrupt("a message of %d bytes, where %d are left", size, f.Size-at-prefix)
	case size > maxMessage:
		return nil, columnar.Unsupported("a message header of %d bytes", size)
	}
	var b []byte
	if buf != nil && cap(*buf) >= int(size) {
		b = (*buf)[:size]
	} else {
		b = make([]byte, size)
		if buf != nil {
			*buf = b
		}
	}
	if err := readAt(r, b, at+prefix); err != nil {
		return nil, err
	}
	m := &message{flat: &flat{b: b, left: maxTables}}
	root := m.flat.root()
	m.version, m.kind = root.i16(0), root.u8(1)
	m.Offset, m.Meta, m.Body = at, prefix+size, root.i64(3)
	var ok bool
	m.header, ok = root.sub(2)
	switch {
	case m.flat.err != nil:
		return nil, m.flat.err
	case !ok:
		return nil, columnar.Corrupt("a message without a header")
	case m.Body < 0 || m.Body > f.Size-at-m.Meta:
		return nil, columnar.Corrupt("a message with a body of %d bytes, where %d are left", m.Body, f.Size-at-m.Meta)
	}
	return m, nil
}
