// This file holds the statistics of a column chunk, by which readers skip it.

package write

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/foray-graph/foray/io/arrow/internal/parquet/metadata"
)

// columnStats are the least and the greatest value and the number of missing
// ones.
type columnStats struct {
	nulls             int64
	any               bool // a value was added
	least, greatest   int64
	fleast, fgreatest float64
	bleast, bgreatest []byte
}

func (s *columnStats) reset() { *s = columnStats{bleast: s.bleast[:0], bgreatest: s.bgreatest[:0]} }

// addInt adds an integer. Those of 64 unsigned bits are compared as such, and
// kept as the bits that they are.
func (s *columnStats) addInt(x int64, unsigned64 bool) {
	const sign = math.MinInt64
	if unsigned64 {
		x ^= sign
	}
	if !s.any {
		s.any, s.least, s.greatest = true, x, x
	}
	s.least, s.greatest = min(s.least, x), max(s.greatest, x)
}

func (s *columnStats) addFloat(x float64) {
	if x != x {
		return // NaN has no place in an order
	}
	if !s.any {
		s.any, s.fleast, s.fgreatest = true, x, x
	}
	s.fleast, s.fgreatest = min(s.fleast, x), max(s.fgreatest, x)
}

func (s *columnStats) addBytes(x []byte) {
	if !s.any || bytes.Compare(x, s.bleast) < 0 {
		s.bleast = append(s.bleast[:0], x...)
	}
	if !s.any || bytes.Compare(x, s.bgreatest) > 0 {
		s.bgreatest = append(s.bgreatest[:0], x...)
	}
	s.any = true
}

// encode returns the statistics as plain values.
func (s *columnStats) encode(f *outField) metadata.Statistics {
	e := metadata.Statistics{NullCount: s.nulls, Signed: f.typ.kind != kindUint && !f.typ.text()}
	if !s.any || f.typ.kind == kindFixed && f.typ.digits > 0 { // decimals don't sort bytewise
		return e
	}
	le := binary.LittleEndian
	e.HasMin, e.HasMax = true, true
	switch t := f.typ; {
	case t.kind == kindFloat:
		// Zeros are written so that they bound zeros of either sign.
		lo, hi := s.fleast, s.fgreatest
		if lo == 0 {
			lo = math.Copysign(0, -1)
		}
		if hi == 0 {
			hi = 0
		}
		if t.bits == 32 {
			e.Min, e.Max = le.AppendUint32(nil, math.Float32bits(float32(lo))), le.AppendUint32(nil, math.Float32bits(float32(hi)))
		} else {
			e.Min, e.Max = le.AppendUint64(nil, math.Float64bits(lo)), le.AppendUint64(nil, math.Float64bits(hi))
		}
	case t.text():
		e.Min, e.Max = bytes.Clone(s.bleast), bytes.Clone(s.bgreatest)
		e.HasMin, e.HasMax = len(e.Min) <= maxStatBytes, len(e.Max) <= maxStatBytes
	case t.kind == kindBool:
		e.Min, e.Max = []byte{byte(s.least)}, []byte{byte(s.greatest)}
	case t.width() == 8:
		lo, hi := uint64(s.least), uint64(s.greatest)
		if t.unsigned64() {
			lo, hi = lo^1<<63, hi^1<<63
		}
		e.Min, e.Max = le.AppendUint64(nil, lo), le.AppendUint64(nil, hi)
	default:
		e.Min, e.Max = le.AppendUint32(nil, uint32(s.least)), le.AppendUint32(nil, uint32(s.greatest))
	}
	return e
}
