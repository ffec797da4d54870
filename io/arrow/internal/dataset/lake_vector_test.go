// This file writes deletion vectors of random Delta Lake tables.

package dataset

import (
	"encoding/binary"
	"encoding/hex"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// vector writes a deletion vector and returns its description.
func (d *deltaTable) vector(deleted map[int]bool) map[string]any {
	rows := slices.Sorted(maps.Keys(deleted))
	data := serialized(d.r, rows)
	a := map[string]any{"sizeInBytes": len(data), "cardinality": len(rows)}
	if d.r.IntN(3) == 0 {
		a["storageType"], a["pathOrInlineDv"] = "i", base85(append(data, make([]byte, (4-len(data)%4)%4)...))
		return a
	}
	var id [16]byte
	for i := range id {
		id[i] = byte(d.r.Uint32())
	}
	x := hex.EncodeToString(id[:])
	name := "deletion_vector_" + x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:] + ".bin"
	prefix := []string{"", "ab"}[d.r.IntN(2)]
	file := []byte{1}
	for range d.r.IntN(3) { // other vectors in the file
		file = append(file, 0, 0, 0, 1, 9, 0, 0, 0, 0)
	}
	a["offset"] = len(file)
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	file = append(file, data...)
	file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(data))
	if err := os.MkdirAll(filepath.Join(d.dir, prefix), 0o777); err != nil {
		d.t.Fatal(err)
	}
	samples.WriteTo(d.t, filepath.Join(d.dir, prefix, name), file)
	a["storageType"], a["pathOrInlineDv"] = "u", prefix+base85(id[:])
	return a
}

// base85 is ZeroMQ's encoding.
func base85(b []byte) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	var s []byte
	for ; len(b) > 0; b = b[4:] {
		x := binary.BigEndian.Uint32(b)
		for _, power := range []uint32{85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1} {
			s = append(s, digits[x/power%85])
		}
	}
	return string(s)
}

// serialized is a bitmap of rows below 65,536, with a container that is an array or runs.
func serialized(r *rand.Rand, rows []int) []byte {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint32(nil, 1681511377), 1)
	b = le.AppendUint32(b, 0) // the key
	if r.IntN(2) == 0 {
		b = le.AppendUint32(le.AppendUint32(b, 12346), 1)
		b = le.AppendUint16(le.AppendUint16(b, 0), uint16(len(rows)-1))
		b = le.AppendUint32(b, 16)
		for _, row := range rows {
			b = le.AppendUint16(b, uint16(row))
		}
		return b
	}
	var runs []uint16
	for i := 0; i < len(rows); {
		n := 1
		for i+n < len(rows) && rows[i+n] == rows[i]+n {
			n++
		}
		runs = append(runs, uint16(rows[i]), uint16(n-1))
		i += n
	}
	b = append(le.AppendUint32(b, 12347), 1)
	b = le.AppendUint16(le.AppendUint16(b, 0), uint16(len(rows)-1))
	b = le.AppendUint16(b, uint16(len(runs)/2))
	for _, x := range runs {
		b = le.AppendUint16(b, x)
	}
	return b
}
