// This file decompresses pages, into buffers whose size is known and never
// exceeded.

package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/codec"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// codecs holds the decompressors of one worker, made when first needed.
type codecs struct {
	src    bytes.Reader
	gzip   *gzip.Reader
	brotli codec.Reader
	zstd   *zstd.Decoder
}

func (c *codecs) close() {
	if c.zstd != nil {
		c.zstd.Close()
		c.zstd = nil
	}
}

// maxRatio returns the highest ratio that a format can reach, 0 where there is
// no such bound: a snappy copy makes 64 bytes of 3, a byte of LZ4 255, and one
// of deflate 1032.
func maxRatio(codec int) int {
	switch codec {
	case codecSnappy:
		return 22
	case codecLZ4, codecLZ4Raw:
		return 256
	case codecGzip:
		return 1040
	}
	return 0
}

// plausible reports an error where no data of n bytes decompresses to size.
func plausible(codec, n, size int) error {
	if ratio := maxRatio(codec); ratio > 0 && (size-64)/ratio > n {
		return columnar.Corrupt("a page of %d bytes cannot decompress to %d with %s", n, size, name(codecNames[:], codec))
	}
	return nil
}

// decompress fills dst with what src decompresses to, which has to be exactly
// as long.
func (c *codecs) decompress(codec int, dst, src []byte) error {
	if len(dst) == 0 && len(src) == 0 {
		return nil // some writers don't compress nothing
	}
	n, err := c.decode(codec, dst, src)
	if err != nil {
		if errors.Is(err, columnar.ErrUnsupported) {
			return err
		}
		return columnar.Corrupt("decompressing a page with %s: %w", name(codecNames[:], codec), err)
	}
	if n != len(dst) {
		return columnar.Corrupt("a page decompresses to %d bytes, but its header says %d", n, len(dst))
	}
	return nil
}

func (c *codecs) decode(kind int, dst, src []byte) (int, error) {
	// No decompressor may see room beyond dst.
	dst = dst[:len(dst):len(dst)]
	switch kind {
	case codecNone:
		return max(copy(dst, src), len(src)), nil
	case codecSnappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return n, err
		}
		out, err := snappy.Decode(dst, src)
		return len(out), err
	case codecGzip:
		c.src.Reset(src)
		if c.gzip == nil {
			c.gzip = new(gzip.Reader)
		}
		if err := c.gzip.Reset(&c.src); err != nil {
			return 0, err
		}
		return drain(c.gzip, dst)
	case codecBrotli:
		c.src.Reset(src)
		if c.brotli == nil {
			linked, err := codec.Brotli.Get()
			if err != nil {
				return 0, columnar.Unsupported("%w", err)
			}
			c.brotli = linked.NewReader()
		}
		if err := c.brotli.Reset(&c.src); err != nil {
			return 0, err
		}
		return drain(c.brotli, dst)
	case codecZstd:
		if c.zstd == nil {
			// One block decoder and no goroutines; the output is bounded by dst.
			d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
			if err != nil {
				return 0, err
			}
			c.zstd = d
		}
		out, err := c.zstd.DecodeAll(src, dst[:0])
		return len(out), err
	case codecLZ4Raw:
		return lz4.UncompressBlock(src, dst)
	case codecLZ4:
		// The name stood for two formats: Hadoop's framing, and bare blocks.
		if n, ok := hadoopLZ4(dst, src); ok {
			return n, nil
		}
		return lz4.UncompressBlock(src, dst)
	}
	return 0, columnar.Unsupported("codec %s", name(codecNames[:], kind))
}

// drain reads r to its end into dst. What doesn't fit counts as one byte more.
func drain(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = nil
		}
		return n, err
	}
	var more [1]byte
	// The checksum at the end is looked at by the read that finds it.
	for range 8 {
		k, err := r.Read(more[:])
		switch {
		case k > 0:
			return n + 1, nil
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		}
	}
	return n, io.ErrNoProgress
}

// hadoopLZ4 reads frames of the lengths of plain and compressed bytes, both
// big-endian, and a block.
func hadoopLZ4(dst, src []byte) (n int, ok bool) {
	for len(src) > 0 {
		if len(src) < 8 {
			return 0, false
		}
		plain, packed := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if uint64(plain) > uint64(len(dst)-n) || uint64(packed) > uint64(len(src)) {
			return 0, false
		}
		k, err := lz4.UncompressBlock(src[:packed], dst[n:n+int(plain)])
		if err != nil || k != int(plain) {
			return 0, false
		}
		n, src = n+k, src[packed:]
	}
	return n, true
}
