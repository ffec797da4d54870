// This file writes deletion vectors.

package crafticeberg

import (
	"encoding/binary"
	"math"
)

// Vector returns a deletion vector of rows, which ascend, as Puffin files have it.
func Vector(rows []int) []byte {
	var body []byte
	body = append(body, 0xd1, 0xd3, 0x39, 0x64)
	body = binary.LittleEndian.AppendUint64(body, 1)
	body = binary.LittleEndian.AppendUint32(body, 0)
	body = binary.LittleEndian.AppendUint32(body, 12346)
	body = binary.LittleEndian.AppendUint32(body, 1)
	body = binary.LittleEndian.AppendUint16(body, 0)
	body = binary.LittleEndian.AppendUint16(body, uint16(len(rows)-1))
	body = binary.LittleEndian.AppendUint32(body, 16)
	for _, r := range rows {
		if r > math.MaxUint16 {
			panic("one container is all that there is")
		}
		body = binary.LittleEndian.AppendUint16(body, uint16(r))
	}
	return frame(body)
}
