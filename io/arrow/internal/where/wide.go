// This file compares values that are wider than an int64, which are compared as
// bytes that aren't in order: decimals and timestamps of 96 bits.

package where

import (
	"bytes"
	"math/big"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// wide reports whether the bytes of a class aren't in the order of the values.
func wide(c columnar.Class) bool { return c == columnar.BigDecimal || c == columnar.Int96 }

// order compares two values of a class in Strings.
func (t *test) order(a, b []byte) int {
	switch t.class {
	case columnar.BigDecimal:
		return columnar.CompareDecimals(a, b)
	case columnar.Int96:
		return columnar.CompareInt96(a, b)
	}
	return bytes.Compare(a, b)
}

// key returns the form of a value that equal ones have in common, in buf or in b.
func (t *test) key(buf, b []byte) []byte {
	if t.class == columnar.BigDecimal {
		return columnar.Trimmed(b)
	}
	day, nanos := columnar.Int96Of(b)
	return columnar.AppendInt96(buf[:0], day, nanos)
}

// bindWide makes literals values of a column of a wide class. Each is exact: what
// lies between two values of the column equals none of them.
func (t *test) bindWide(n *node, col *columnar.Column) error {
	var values [][]byte
	var exact []bool
	for _, v := range n.values {
		r, err := rational(v, col)
		if err != nil {
			return err
		}
		floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: rounds down
		values, exact = append(values, wideOf(floor, col.Class)), append(exact, r.IsInt())
	}
	list := func(values [][]byte) {
		t.listed, t.strings = true, map[string]struct{}{}
		for _, b := range values {
			t.strings[string(t.key(nil, b))] = struct{}{}
		}
		for s := range t.strings {
			t.sorted = append(t.sorted, s)
		}
		slices.SortFunc(t.sorted, func(a, b string) int { return t.order([]byte(a), []byte(b)) })
	}
	x, is := &values[0], exact[0]
	switch n.op {
	case opIn:
		at := 0
		values = slices.DeleteFunc(values, func([]byte) bool { at++; return !exact[at-1] })
		list(values)
	case opEqual, opDiffer:
		t.but = n.op == opDiffer
		if t.least, t.most = x, x; !is {
			t.least, t.most = nil, nil
			list(nil)
		}
	case opLess, opAtMost:
		t.most, t.openS[1] = x, n.op == opLess && is
	default:
		t.least, t.openS[0] = x, n.op == opMore || !is
	}
	return nil
}

// wideOf returns a whole number, of a decimal's units or of nanoseconds since 1970,
// as the bytes of the class.
func wideOf(x *big.Int, c columnar.Class) []byte {
	if c == columnar.Int96 {
		day, nanos := new(big.Int).DivMod(x, big.NewInt(24*60*60*1e9), new(big.Int))
		return columnar.AppendInt96(nil, day.Int64(), nanos.Int64()) // years have four digits
	}
	if x.Sign() >= 0 {
		return append([]byte{0}, x.Bytes()...)
	}
	size := uint(x.BitLen()/8 + 1)
	return new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 8*size), x).FillBytes(make([]byte, size))
}

// passWide is passBytes of a wide class. A value without a byte, which can't be
// one, passes nothing.
func (t *test) passWide(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if t.listed {
		var buf [12]byte
		_, ok := t.strings[string(t.key(buf[:], b))]
		return ok
	}
	if t.least != nil {
		if c := t.order(b, *t.least); c < 0 || c == 0 && t.openS[0] {
			return false
		}
	}
	if t.most != nil {
		if c := t.order(b, *t.most); c > 0 || c == 0 && t.openS[1] {
			return false
		}
	}
	return true
}
