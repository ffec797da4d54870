// This file tests the keys by which equality deletes find rows.

package dataset

import (
	"bytes"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// TestInstantKeys: equal dates and timestamps have equal keys, whatever they are stored as.
func TestInstantKeys(t *testing.T) {
	for _, day := range []int64{0, 1, -1, 20_000, -700_000} {
		for _, nanos := range []int64{0, 1_000_000, 5_000, 7} {
			var keys [][]byte
			add := func(c columnar.Column, v columnar.Vector) { keys = append(keys, appendKey(nil, &c, &v, 0)) }
			ints := func(x int64) columnar.Vector { return columnar.Vector{Kind: columnar.Ints, Ints: []int64{x}} }
			b := columnar.AppendInt96(nil, day, nanos)
			add(columnar.Column{Class: columnar.Int96}, columnar.Vector{Kind: columnar.Strings, Data: b, Offsets: []int64{0, 12}})
			if nanos == 0 {
				add(columnar.Column{Class: columnar.Date}, ints(day))
			}
			for _, unit := range []int64{1e3, 1e6, 1e9} {
				if part := int64(1e9) / unit; nanos%part == 0 && (unit < 1e9 || day > -100_000) {
					add(columnar.Column{Class: columnar.Timestamp, Unit: unit}, ints(day*86_400*unit+nanos/part))
				}
			}
			for i, k := range keys {
				if !bytes.Equal(k, keys[0]) {
					t.Errorf("day %d, %d ns: key %d is %x, want %x", day, nanos, i, k, keys[0])
				}
			}
			other := appendKey(nil, &columnar.Column{Class: columnar.Timestamp, Unit: 1e6}, &columnar.Vector{Kind: columnar.Ints, Ints: []int64{day*86_400e6 + 123_456_789}}, 0)
			if bytes.Equal(other, keys[0]) {
				t.Errorf("day %d, %d ns: another value has its key", day, nanos)
			}
		}
	}
}
