// This file holds weights of texts, which keep their type: whole numbers are integers, others floats.

package edgelist

import (
	"errors"
	"math"
	"strconv"
	"unsafe"

	"github.com/foray-graph/foray/graph"
)

// weight is an int64, or the bits of a float64.
type weight struct {
	bits  uint64
	float bool
	past  bool // an integer past 64 bits, as a float
}

func wholeWeight(x int64) weight   { return weight{bits: uint64(x)} }
func floatWeight(x float64) weight { return weight{bits: math.Float64bits(x), float: true} }
func (w weight) asFloat() float64  { return math.Float64frombits(w.asFloatBits()) }
func (w weight) asFloatBits() uint64 {
	if w.float {
		return w.bits
	}
	return math.Float64bits(float64(int64(w.bits)))
}

// times returns the weight with another sign, or as it is.
func (w weight) times(sign int) weight {
	switch {
	case sign > 0:
		return w
	case w.float || w.bits == 1<<63:
		return floatWeight(0 - w.asFloat()) // not -0
	}
	return weight{bits: -w.bits}
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseWeight parses a whole field as a number: digits with or without a sign as an int64, all else as a
// float64, rounded as strconv does: decimal, or NaN or an infinity by the names that strconv takes.
func parseWeight(s []byte) (weight, bool) {
	if w, ok := parseShort(s); ok {
		return w, true
	}
	if onlyDigits(s) {
		if x, err := strconv.ParseInt(string(s), 10, 64); err == nil {
			return wholeWeight(x), true
		}
	}
	x, err := strconv.ParseFloat(string(s), 64)
	// Not what strconv takes besides: hexadecimal, underscores.
	for _, c := range s {
		switch c | 0x20 {
		case 'x', 'p', '_' | 0x20:
			return weight{}, false
		}
	}
	w := floatWeight(x)
	w.past = onlyDigits(s)
	return w, err == nil
}

// onlyDigits reports digits, perhaps with a sign.
func onlyDigits(s []byte) bool {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

// parseShort parses digits with at most one point, if they are so few that a quotient of two float64 is the
// float64 nearest to the number.
func parseShort(s []byte) (weight, bool) {
	p := 0
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		p = 1
	}
	var x uint64
	point, digits := -1, 0
	for i := p; i < len(s); i++ {
		if d := s[i] - '0'; d <= 9 {
			x = 10*x + uint64(d)
			digits++
		} else if s[i] == '.' && point < 0 {
			point = i
		} else {
			return weight{}, false
		}
	}
	if digits == 0 || digits > 15 {
		return weight{}, false
	}
	if point < 0 {
		if s[0] == '-' {
			return wholeWeight(-int64(x)), true
		}
		return wholeWeight(int64(x)), true
	}
	f := float64(x) / pow10[len(s)-1-point]
	if s[0] == '-' {
		f = -f
	}
	return floatWeight(f), true
}

// weightFault describes the error in a weight that parseWeight refused.
func weightFault(f []byte) error {
	switch x, err := strconv.ParseFloat(string(f), 64); {
	case onlyDigits(f) && !math.IsInf(x, 0):
		return faultf(errWeights, "want a number as weight, found %s; integers are up to 9223372036854775807: set Options.WeightType to WeightsFloat64", quoted(f))
	case math.IsInf(x, 0) && errors.Is(err, strconv.ErrRange):
		return faultf(errWeights, "want a number as weight, found %s; a float64 holds up to 1.7e308: scale weights down", quoted(f))
	}
	return faultf(errWeights, "want a number as weight, found %s", quoted(f))
}

// weightList is the weights of a batch: all integers, or all floats once one is.
type weightList struct {
	bits   []uint64
	float  bool // they are floats
	floats bool // so are whole numbers of this text
	rounds bool // integers past 64 bits are floats too
}

// add appends a weight. It reports false for an integer past 64 bits, which would be rounded without a word.
func (l *weightList) add(w weight) bool {
	if w.past && !l.rounds {
		return false
	}
	if w.float && !l.float {
		for i, b := range l.bits {
			l.bits[i] = wholeWeight(int64(b)).asFloatBits()
		}
		l.float = true
	}
	if l.float {
		w.bits = w.asFloatBits()
	}
	l.bits = append(l.bits, w.bits)
	return true
}

// rounds reports whether integers past 64 bits may be rounded to floats.
func (o *Options) rounds() bool {
	return o.Graph.WeightType == graph.WeightsFloat64 || o.Graph.WeightType == graph.WeightsFloat32
}

// reset empties the list.
func (l *weightList) reset() { l.bits, l.float = l.bits[:0], l.floats }

// give makes them the weights of a batch.
func (l *weightList) give(e *graph.Batch) {
	if l.float {
		e.FloatWeights = unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(l.bits))), len(l.bits))
	} else {
		e.IntWeights = unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(l.bits))), len(l.bits))
	}
}

// appendWeight appends a weight of a graph, so that it is read back as it is (floats of which all are whole
// numbers as integers).
func appendWeight(b []byte, c *graph.CSR, t graph.WeightType, e uint64) []byte {
	switch t {
	case graph.WeightsInt64:
		return strconv.AppendInt(b, c.IntWeight(e), 10)
	case graph.WeightsFloat32:
		return strconv.AppendFloat(b, float64(c.Weights[e]), 'g', -1, 32)
	}
	return strconv.AppendFloat(b, c.FloatWeight(e), 'g', -1, 64)
}
