// This file reads deletion vectors.

package delta

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/io/arrow/internal/tables/roaring"
)

// vector is a deletion vector, of which only the place is known.
type vector struct {
	name        string // of its file; empty for one in the log itself
	data        []byte // of one in the log itself
	offset      int64
	size        int64
	cardinality int64
}

// vector finds out where a deletion vector is.
func (t *table) vector(d *vectorDescriptor) (*vector, error) {
	v := &vector{size: d.SizeInBytes, cardinality: d.Cardinality}
	if d.Cardinality < 0 || d.SizeInBytes < 0 || d.SizeInBytes > maxVector {
		return nil, columnar.Corrupt("a deletion vector of %d rows in %d bytes", d.Cardinality, d.SizeInBytes)
	}
	var err error
	switch d.StorageType {
	case "i":
		if v.data, err = ascii85(d.PathOrInlineDV); err != nil {
			return nil, err
		}
		// The text is of whole words.
		if int64(len(v.data)) < d.SizeInBytes || int64(len(v.data)) >= d.SizeInBytes+4 {
			return nil, columnar.Corrupt("a deletion vector of %d bytes, where the log says %d", len(v.data), d.SizeInBytes)
		}
		v.data = v.data[:d.SizeInBytes]
		return v, nil
	case "u":
		v.name, err = t.vectorName(d.PathOrInlineDV)
	case "p":
		v.name, err = t.resolve(d.PathOrInlineDV)
	default:
		return nil, columnar.Unsupported("deletion vectors stored as %.40q", d.StorageType)
	}
	if d.Offset != nil {
		v.offset = *d.Offset
	}
	if err == nil && v.offset < 0 {
		err = columnar.Corrupt("a deletion vector at %d", v.offset)
	}
	return v, err
}

// vectorName makes the name of a file of a directory and 20 characters of a UUID.
func (t *table) vectorName(s string) (string, error) {
	const encoded = 20
	if len(s) < encoded || len(s) > encoded+maxPrefix {
		return "", columnar.Corrupt("the name %.100q of a deletion vector", s)
	}
	dir, id := s[:len(s)-encoded], s[len(s)-encoded:]
	b, err := ascii85(id)
	if err != nil {
		return "", err
	}
	x := hex.EncodeToString(b)
	name := "deletion_vector_" + strings.Join([]string{x[:8], x[8:12], x[12:16], x[16:20], x[20:]}, "-") + ".bin"
	if dir != "" { // which isn't escaped
		name = strings.NewReplacer("%", "%25", ":", "%3A").Replace(dir) + "/" + name
	}
	return t.resolve(name)
}

// read is tables.DataFile.Deletes.
func (v *vector) read(ctx context.Context, files tables.FS) (*tables.Deleted, error) {
	data := v.data
	if v.name != "" {
		var err error
		if data, err = v.fetch(ctx, files); err != nil {
			return nil, fmt.Errorf("its deletion vector %s: %w", v.name, err)
		}
	}
	rows, err := parseVector(data, v.cardinality)
	if err != nil {
		return nil, fmt.Errorf("its deletion vector %s: %w", v.name, err)
	}
	return &tables.Deleted{Rows: rows}, nil
}

// fetch reads the vector's bytes: their number, themselves, and their checksum, in a
// file that begins with its version.
func (v *vector) fetch(ctx context.Context, files tables.FS) ([]byte, error) {
	f, err := files.Open(ctx, v.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if v.offset > f.Size()-8 || v.size > f.Size()-8-v.offset {
		return nil, columnar.Corrupt("%d bytes at %d, in a file of %d", v.size, v.offset, f.Size())
	}
	var version [1]byte
	if v.offset > 0 {
		if _, err := f.ReadAt(version[:], 0); err != nil {
			return nil, err
		}
		if version[0] != 1 {
			return nil, columnar.Unsupported("deletion vectors of version %d", version[0])
		}
	}
	b := make([]byte, v.size+8)
	if n, err := f.ReadAt(b, v.offset); err != nil && !(err == io.EOF && n == len(b)) {
		return nil, err
	}
	if n := int64(binary.BigEndian.Uint32(b)); n != v.size {
		return nil, columnar.Corrupt("it has %d bytes, where the log says %d", n, v.size)
	}
	data := b[4 : 4+v.size]
	if sum := binary.BigEndian.Uint32(b[4+v.size:]); sum != crc32.ChecksumIEEE(data) {
		return nil, columnar.Corrupt("its checksum is wrong")
	}
	return data, nil
}

// Marks of serialized bitmaps.
const (
	portableMagic = 1681511377
	nativeMagic   = 1681511376
)

// parseVector reads a bitmap of so many rows.
func parseVector(data []byte, cardinality int64) ([]int64, error) {
	if len(data) < 4 {
		return nil, columnar.Corrupt("%d bytes are no bitmap", len(data))
	}
	switch {
	case binary.LittleEndian.Uint32(data) == portableMagic:
		return roaring.Parse64(data[4:], cardinality)
	case binary.BigEndian.Uint32(data) == nativeMagic: // as the protocol's example is
		return roaring.ParseArray(data[4:], cardinality)
	}
	return nil, columnar.Corrupt("a bitmap that begins with %x", data[:4])
}

// z85 is the alphabet of ZeroMQ's Base85.
const z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// ascii85 decodes Base85 as ZeroMQ has it.
func ascii85(s string) ([]byte, error) {
	if len(s)%5 != 0 {
		return nil, columnar.Corrupt("%d characters are no Base85", len(s))
	}
	out := make([]byte, 0, len(s)/5*4)
	for i := 0; i < len(s); i += 5 {
		x := uint64(0)
		for _, c := range []byte(s[i : i+5]) {
			d := strings.IndexByte(z85, c)
			if d < 0 {
				return nil, columnar.Corrupt("the character %q is none of Base85", c)
			}
			x = x*85 + uint64(d)
		}
		if x > 1<<32-1 {
			return nil, columnar.Corrupt("the characters %q are none of Base85", s[i:i+5])
		}
		out = binary.BigEndian.AppendUint32(out, uint32(x))
	}
	return out, nil
}
