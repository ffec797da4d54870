// This file holds compressions: how they are told, and the members of gzip.

package edgelist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// compressionOf splits a name into the name without the compression's
// suffix, and the compression: "", "gzip", "zstd" or "bzip2".
func compressionOf(path string) (base, compression string) {
	ext := filepath.Ext(path)
	switch strings.ToLower(ext) {
	case ".gz":
		return strings.TrimSuffix(path, ext), "gzip"
	case ".zst":
		return strings.TrimSuffix(path, ext), "zstd"
	case ".bz2":
		return strings.TrimSuffix(path, ext), "bzip2"
	}
	return path, ""
}

// unread are compressions that are not read, by the ends of names and by how the content begins.
var unread = []struct{ name, ext, magic string }{
	{"xz", ".xz", "\xfd7zXZ\x00"}, {"lz4", ".lz4", "\x04\x22\x4d\x18"}, {"zip", ".zip", "PK\x03\x04"}, {"compress", ".z", "\x1f\x9d"},
	{"lzip", ".lz", "LZIP\x01"}, {"lzma", ".lzma", ""}, {"7-Zip", ".7z", "7z\xbc\xaf\x27\x1c"}, {"brotli", ".br", ""},
	{"snappy", ".snappy", "\xff\x06\x00\x00sNaPpY"}, {"snappy", ".sz", ""},
}

// unreadCompression returns the compression that a content which begins so has and which isn't read, or "".
func unreadCompression(begin []byte) string {
	for _, c := range unread {
		if c.magic != "" && strings.HasPrefix(string(begin), c.magic) {
			return c.name
		}
	}
	return ""
}

func compressionError(name string) error {
	return fmt.Errorf("%w: it is compressed by %s, which isn't read; unpack it, or compress it by gzip or zstd", errCompression, name)
}

// isBzip2 reports whether a stream begins like bzip2, and not as text may.
func isBzip2(br *bufio.Reader) bool {
	b, _ := br.Peek(10)
	return len(b) == 10 && string(b[:3]) == "BZh" && '1' <= b[3] && b[3] <= '9' &&
		(string(b[4:]) == "1AY&SY" || string(b[4:]) == "\x17\x72\x45\x38\x50\x90") // a block, or the end
}

// members reads the members of a gzip file one after the other, and accepts zeros behind the last one, as gzip
// does: tapes and some tools fill blocks with them.
type members struct {
	z     *gzip.Reader
	in    *bufio.Reader
	ended bool // a member
	zeros bool // were behind it
}

// errTrailing: what follows the last member isn't gzip.
var errTrailing = errors.New("trailing garbage")

func (m *members) Read(p []byte) (int, error) {
	if !m.ended {
		n, err := m.z.Read(p)
		if m.ended = err == io.EOF; m.ended {
			err = nil
		}
		return n, err
	}
	for range zerosAtOnce {
		b, err := m.in.Peek(1)
		switch {
		case err != nil:
			return 0, err
		case b[0] == 0:
			m.zeros = true
			b, _ = m.in.Peek(m.in.Buffered())
			zeros := len(b) - len(bytes.TrimLeft(b, "\x00"))
			_, _ = m.in.Discard(zeros)
			continue
		case m.zeros:
			return 0, errTrailing
		}
		b, err = m.in.Peek(2)
		if err == nil && (b[0] != 0x1f || b[1] != 0x8b) || err == io.EOF {
			return 0, errTrailing
		} else if err != nil {
			return 0, err
		}
		if err := m.z.Reset(m.in); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		m.z.Multistream(false)
		m.ended = false
		return 0, nil
	}
	return 0, nil
}
