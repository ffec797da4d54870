// This file reads the bytes of one buffer of a record batch, a window at a
// time, compressed or not.

package ipc

import (
	"encoding/binary"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs of a BodyCompression; codecNone without it.
const (
	codecNone = -1
	codecLZ4  = 0
	codecZstd = 1
)

// stream reads a buffer from its start to its end. Its decompressors and
// windows are used again for the next buffer.
type stream struct {
	mem  *columnar.Memory
	file *File
	src  io.ReaderAt

	pos, end int64  // of the bytes not read from the file
	win      []byte // read, not consumed: win[used:]
	used     int
	size     int64 // plain bytes left
	active   io.Reader
	buf      []byte // decompressed bytes

	lz4  *lz4.Reader
	zstd *zstd.Decoder
	most uint64 // zstd's window limit
}

// open starts the buffer at pos. It is to be decompressed to at least need
// bytes.
func (s *stream) open(file *File, src io.ReaderAt, pos, length, need int64, codec int) error {
	s.file, s.src, s.pos, s.end = file, src, pos, pos+length
	s.win, s.used, s.active = s.win[:0], 0, nil
	s.size = length
	if codec != codecNone && length > 0 {
		if length < 8 {
			return columnar.Corrupt("a compressed buffer of %d bytes", length)
		}
		head, err := s.raw(8)
		if err != nil {
			return err
		}
		s.size = int64(binary.LittleEndian.Uint64(head))
		switch {
		case s.size == -1:
			s.size = length - 8 // not compressed, for it didn't pay
		case s.size < 0:
			return columnar.Corrupt("a buffer that decompresses to %d bytes", s.size)
		default:
			if err := s.decoder(codec); err != nil {
				return err
			}
		}
	}
	if s.size < need {
		return columnar.Corrupt("a buffer of %d bytes, where %d are needed", s.size, need)
	}
	return nil
}

func (s *stream) decoder(codec int) error {
	switch codec {
	case codecLZ4:
		if s.lz4 == nil {
			s.lz4 = lz4.NewReader(nil)
		}
		s.lz4.Reset((*window)(s))
		s.active = s.lz4
	case codecZstd:
		most := uint64(min(max(zstdWindowFloor, 4*s.file.Size), zstdWindowMost))
		if s.zstd != nil && s.most != most {
			s.zstd.Close()
			s.zstd = nil
		}
		if s.zstd == nil {
			// Concurrency of one means that there are no goroutines.
			d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(most))
			if err != nil {
				return err
			}
			s.zstd, s.most = d, most
		}
		if err := s.zstd.Reset((*window)(s)); err != nil {
			return columnar.Corrupt("decompressing a buffer: %w", err)
		}
		s.active = s.zstd
	default:
		return columnar.Unsupported("compression number %d", codec)
	}
	return nil
}

// fill reads more of the file into the window, behind its rest,
// until that has n bytes or the buffer ends.
func (s *stream) fill(n int) error {
	if have := len(s.win) - s.used; have >= n || s.pos == s.end {
		return nil
	}
	left := s.win[s.used:]
	size := int(min(int64(len(left))+s.end-s.pos, int64(max(n, windowBytes))))
	win, err := columnar.Grow(s.mem, s.win, size)
	if err != nil {
		return err
	}
	have := copy(win, left)
	s.win, s.used = win, 0
	if err := readAt(s.src, win[have:], s.pos); err != nil {
		s.win = s.win[:0]
		return err
	}
	s.pos += int64(size - have)
	return nil
}

// raw returns the next n bytes of the file's buffer.
func (s *stream) raw(n int) ([]byte, error) {
	if err := s.fill(n); err != nil {
		return nil, err
	}
	if len(s.win)-s.used < n {
		return nil, columnar.Corrupt("a buffer ends too early")
	}
	b := s.win[s.used : s.used+n]
	s.used += n
	return b, nil
}

// next returns the next n plain bytes, valid until the next call.
func (s *stream) next(n int) ([]byte, error) {
	if int64(n) > s.size {
		return nil, columnar.Corrupt("a buffer ends too early")
	}
	s.size -= int64(n)
	if s.active == nil {
		return s.raw(n)
	}
	var err error
	if s.buf, err = columnar.Grow(s.mem, s.buf, n); err != nil {
		return nil, err
	}
	if err := s.file.work.Add(n); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(s.active, s.buf); err != nil {
		return nil, columnar.Corrupt("decompressing a buffer: %w", err)
	}
	return s.buf, nil
}

// skip passes over n plain bytes.
func (s *stream) skip(n int64) error {
	if s.active == nil && n <= s.size {
		s.size -= n
		k := min(n, int64(len(s.win)-s.used))
		s.used += int(k)
		s.pos += n - k
		return nil
	}
	for n > 0 {
		k := min(n, 64<<10)
		if _, err := s.next(int(k)); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// drop lets go of the buffers and decompressors.
func (s *stream) drop() {
	if s.zstd != nil {
		s.zstd.Close()
	}
	*s = stream{mem: s.mem}
}

// window is the file's side of a stream, for decompressors to read from.
type window stream

// Read returns bytes of the buffer as they are in the file.
func (w *window) Read(p []byte) (int, error) {
	s := (*stream)(w)
	if err := s.fill(1); err != nil {
		return 0, err
	}
	if s.used == len(s.win) {
		return 0, io.EOF
	}
	n := copy(p, s.win[s.used:])
	s.used += n
	return n, nil
}

// bits reads a validity bitmap.
type bits struct {
	s    stream
	on   bool // else everything is valid
	byte byte
	left int
}

// read sets dst to false where the bitmap says null.
func (b *bits) read(dst []bool) error {
	if !b.on {
		return nil
	}
	for i := 0; i < len(dst); {
		if b.left == 0 {
			chunk, err := b.s.next(1)
			if err != nil {
				return err
			}
			b.byte, b.left = chunk[0], 8
		}
		k := min(b.left, len(dst)-i)
		for j := range dst[i : i+k] {
			dst[i+j] = dst[i+j] && b.byte>>j&1 != 0
		}
		b.byte >>= k
		b.left -= k
		i += k
	}
	return nil
}
