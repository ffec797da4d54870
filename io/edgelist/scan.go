// This file holds the scanning of numbers, byte by byte.

package edgelist

import (
	"bytes"
	"math"
	"strconv"

	"github.com/foray-graph/foray/graph"
)

// The functions here that take b and a position rely on b ending in LF, which
// is part of no number.

// scanInt scans a decimal integer at b[p:] and returns the position behind
// it. ok is false if no number fits.
func scanInt(b []byte, p int) (v int64, q int, ok bool) {
	neg := false
	if c := b[p]; c == '-' {
		neg = true
		p++
	} else if c == '+' {
		p++
	}
	x, q, ok := scanUint(b, p)
	switch {
	case !neg:
		return int64(x), q, ok && x <= math.MaxInt64
	default:
		return -int64(x), q, ok && x <= 1<<63
	}
}

// scanUint is scanInt for numbers without a sign.
func scanUint(b []byte, p int) (x uint64, q int, ok bool) {
	for q = p; q < len(b); q++ {
		d := b[q] - '0'
		if d > 9 {
			break
		}
		x = 10*x + uint64(d)
	}
	if n := q - p; 0 < n && n <= 19 { // 10^19-1 fits
		return x, q, true
	}
	return scanLong(b, p, q)
}

// scanLong is scanUint for the digits b[p:q], so many that the sum may have
// run over, or no digit at all.
func scanLong(b []byte, p, q int) (uint64, int, bool) {
	for p < q-1 && b[p] == '0' {
		p++
	}
	x, err := strconv.ParseUint(string(b[p:q]), 10, 64)
	return x, q, err == nil
}

// idFault says why a field is no id of an integer type. It is nil where it is
// one.
func idFault(f []byte, typ graph.IDType) error {
	line := append(bytes.Clone(f), '\n')
	_, q, ok := scanInt(line, 0)
	if typ == graph.Uint64 {
		_, q, ok = scanUint(line, 0)
	}
	switch {
	case ok && q == len(f):
		return nil
	case !isNumber(f):
		return faultf(ErrSyntax, "want an integer id, found %s; for other ids set Options.IDs to \"string\"", quoted(f))
	case typ == graph.Uint64 && (f[0] == '-' || f[0] == '+'):
		return faultf(graph.ErrIDRange, "id %s has a sign, but ids are read as uint64", quoted(f))
	case typ == graph.Uint64:
		return faultf(graph.ErrIDRange, "id %s is past the largest uint64; set Options.IDs to \"string\"", quoted(f))
	}
	return faultf(graph.ErrIDRange, "id %s doesn't fit an int64; set Options.IDs to \"uint64\" or \"string\"", quoted(f))
}
