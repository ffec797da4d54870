// This file tests footers with fields of types that they don't have.

package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/craft"
)

// thriftCopy copies a value of Thrift's compact protocol, with more fields in its structs.
type thriftCopy struct {
	r   *rand.Rand
	in  []byte
	out bytes.Buffer
	few bool // no more fields are added
}

func (c *thriftCopy) take(n int) []byte {
	b := c.in[:n]
	c.in = c.in[n:]
	return b
}

func (c *thriftCopy) varint() uint64 {
	v, n := binary.Uvarint(c.in)
	c.out.Write(c.take(n))
	return v
}

func (c *thriftCopy) value(typ byte, inList bool) {
	switch typ {
	case 1, 2:
		if inList {
			c.out.Write(c.take(1))
		}
	case 3:
		c.out.Write(c.take(1))
	case 4, 5, 6:
		c.varint()
	case 7:
		c.out.Write(c.take(8))
	case 8:
		n := c.varint()
		c.out.Write(c.take(int(n)))
	case 9, 10:
		head := c.in[0]
		c.out.Write(c.take(1))
		n := uint64(head >> 4)
		if n == 15 {
			n = c.varint()
		}
		for range n {
			c.value(head&15, true)
		}
	case 12:
		c.fields()
	default:
		panic(typ)
	}
}

// junk are fields' values by type, which are of no use.
var junk = map[byte][]byte{1: {}, 2: {}, 3: {7}, 5: {14}, 6: {3}, 7: make([]byte, 8), 8: {3, 'a', 'b', 'c'}, 9: {0x25, 2, 4}, 10: {0x18, 1, 'x'},
	11: {1, 0x85, 1, 'k', 8}, 12: {0x15, 2, 0}}

// thriftKind is what types are told apart by.
func thriftKind(typ byte) byte {
	switch typ {
	case 2:
		return 1
	case 4, 5, 6:
		return 5
	case 10:
		return 9
	}
	return typ
}

func (c *thriftCopy) fields() {
	id := int64(0)
	head := func(typ byte, id int64) {
		c.out.WriteByte(typ)
		c.out.Write(binary.AppendVarint(nil, id))
	}
	for {
		b := c.take(1)[0]
		if b == 0 {
			c.out.WriteByte(0)
			return
		}
		if b>>4 != 0 {
			id += int64(b >> 4)
		} else {
			v, n := binary.Varint(c.in)
			c.take(n)
			id = v
		}
		typ := b & 15
		add := func() {
			if c.few || c.r.IntN(3) > 0 {
				return
			}
			types := []byte{1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12}
			other := types[c.r.IntN(len(types))]
			if thriftKind(other) == thriftKind(typ) || typ == 3 || thriftKind(typ) == 1 {
				return
			}
			head(other, id)
			c.out.Write(junk[other])
		}
		add()
		head(typ, id)
		c.value(typ, false)
		add()
	}
}

// TestUnexpectedFields: fields of other types than the format has are passed over, as readers
// that Thrift generates do, wherever they are in a footer.
func TestUnexpectedFields(t *testing.T) {
	for seed := range seeds(100) {
		r := rand.New(rand.NewPCG(seed, 91))
		rows := 1 + r.IntN(200)
		all := testColumns(t, r, rows)
		g := craft.Group{Rows: int64(rows)}
		add := func(c *craft.Column, x *craft.Index) { g.Cols, g.Indexes = append(g.Cols, c), append(g.Indexes, x) }
		add(numbers(r, "src", 0, rows))
		for k := range all {
			add(indexed(r, &all[k], 0, rows))
		}
		add(numbers(r, "dst", 0, rows))
		data := craft.IndexedGroups(g)
		n := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
		body := data[:len(data)-8-n]
		c := thriftCopy{r: r, in: data[len(body) : len(body)+n]}
		c.fields()
		if len(c.in) != 0 {
			t.Fatalf("%d bytes are left", len(c.in))
		}
		foot := c.out.Bytes()
		odd := slices.Concat(body, foot, binary.LittleEndian.AppendUint32(nil, uint32(len(foot))), []byte("PAR1"))
		text, holds := conditionInRange(r, all, rows)
		var want []int
		for i := range rows {
			if holds(i) == isTrue {
				want = append(want, i)
			}
		}
		var stats [2]Stats
		for k, b := range [][]byte{data, odd} {
			d, err := Open(context.Background(), []string{tempFile(t, "x.parquet", b)}, Options{Where: text, Source: "src", Target: "dst"})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if got := rowsWhere(t, d); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d: %.300s: %d rows, want %d", seed, k, text, len(got), len(want))
			}
			stats[k] = d.Stats()
		}
		if stats[0].RowGroupsPassed != stats[1].RowGroupsPassed || stats[0].IndexesIgnored+stats[1].IndexesIgnored > 0 {
			t.Errorf("seed %d: %+v, and without such fields %+v", seed, stats[1], stats[0])
		}
	}
}
