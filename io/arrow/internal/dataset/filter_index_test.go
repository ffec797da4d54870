// This file reads files with page indexes and bloom filters, right ones and
// wrong ones.

package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
)

// indexedColumn makes a column of pages of random lengths, with an index.
func indexedColumn(r *rand.Rand, name string, values []int64, dictionary bool) (*craft.Column, *craft.Index) {
	c := &craft.Column{Name: name, Type: pqInt64, Rows: int64(len(values))}
	x := &craft.Index{}
	var dict []int64
	if dictionary {
		dict = append(dict, values...)
		slices.Sort(dict)
		dict = slices.Compact(dict)
		c.Pages = append(c.Pages, craft.Page{Kind: 2, Values: len(dict), Body: plain64(dict...)})
	}
	for len(values) > 0 {
		n := min(len(values), 1+r.IntN(40))
		page := values[:n]
		values = values[n:]
		body := plain64(page...)
		encoding := 0
		if dictionary {
			encoding, body = 8, []byte{32, byte((n+7)/8<<1 | 1)}
			for i := range (n + 7) / 8 * 8 {
				at := 0
				if i < n {
					at, _ = slices.BinarySearch(dict, page[i])
				}
				body = binary.LittleEndian.AppendUint32(body, uint32(at))
			}
		}
		c.Pages = append(c.Pages, craft.Page{Values: n, Encoding: encoding, Body: body})
		x.Min = append(x.Min, string(plain64(slices.Min(page))))
		x.Max = append(x.Max, string(plain64(slices.Max(page))))
		x.Null = append(x.Null, false)
		x.Nulls = append(x.Nulls, 0)
	}
	return c, x
}

// bloomOf makes a bloom filter of so many blocks.
func bloomOf(values []int64, blocks int) []byte {
	var plain [][]byte
	for _, v := range values {
		plain = append(plain, plain64(v))
	}
	return bloomOfBytes(plain, blocks)
}

func bloomOfBytes(values [][]byte, blocks int) []byte {
	bits := make([]byte, 32*blocks)
	salts := []uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}
	for _, v := range values {
		h := xxhash.Sum64(v)
		block := bits[int(h>>32*uint64(blocks)>>32)*32:]
		for i, s := range salts {
			bit := uint32(h) * s >> 27
			block[4*i+int(bit>>3)] |= 1 << (bit & 7)
		}
	}
	return bits
}

// TestPageIndex: what the pages' bounds rule out isn't read, and the rest is
// what it was, for any lengths of pages in each column.
func TestPageIndex(t *testing.T) {
	for seed := range uint64(seeds(40) + 20) {
		r := rand.New(rand.NewPCG(11, seed))
		n := 200 + r.IntN(800)
		var values [3][]int64
		for i := range n {
			values[0] = append(values[0], int64(i))
			values[1] = append(values[1], r.Int64N(50))
			values[2] = append(values[2], int64(i)/3+r.Int64N(5))
		}
		var cols []*craft.Column
		var indexes []*craft.Index
		for k, name := range []string{"src", "dst", "t"} {
			c, x := indexedColumn(r, name, values[k], r.IntN(2) == 0)
			cols, indexes = append(cols, c), append(indexes, x)
			switch r.IntN(6) {
			case 0:
				indexes[k] = nil
			case 1:
				x.Min = nil // pages alone
			case 2:
				x.Nulls = nil
			case 3:
				if k < 2 { // an index that is wrong is not used, or does no harm
					x.Wrong = wrongPages(r)
				}
			}
		}
		path := tempFile(t, "edges.parquet", craft.Indexed(int64(n), cols, indexes))
		for range 8 {
			lo := r.Int64N(int64(n) / 3)
			hi := lo + r.Int64N(20)
			text := fmt.Sprintf("t between %d and %d or t = %d", lo, hi, hi+40)
			if r.IntN(2) == 0 {
				text = fmt.Sprintf("t >= %d and t <= %d and dst <> 7", lo, hi)
			}
			var want []string
			for i := range n {
				x := values[2][i]
				ok := x >= lo && x <= hi && values[1][i] != 7
				if text[2] == 'b' {
					ok = x >= lo && x <= hi || x == hi+40
				}
				if ok {
					want = append(want, fmt.Sprint(values[0][i], values[1][i]))
				}
			}
			slices.Sort(want)
			got, _ := pairsOf(t, path, Options{Where: text})
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s: %d edges, want %d", seed, text, len(got), len(want))
			}
		}
	}
}

// wrongPages damages where pages are said to be, in ways that show.
func wrongPages(r *rand.Rand) func(pages [][2]int64) [][2]int64 {
	return func(pages [][2]int64) [][2]int64 {
		i := r.IntN(len(pages))
		switch r.IntN(4) {
		case 0:
			pages[i][0] = 1 << 40
		case 1:
			pages[i][1] = -1
		case 2:
			slices.Reverse(pages)
		default:
			return nil
		}
		return pages
	}
}

// TestPageIndexSkips: pages that are ruled out aren't even decompressed.
func TestPageIndexSkips(t *testing.T) {
	src, dst := make([]int64, 100_000), make([]int64, 100_000)
	for i := range src {
		src[i], dst[i] = int64(i), int64(i)
	}
	var cols []*craft.Column
	var indexes []*craft.Index
	for _, c := range []struct {
		name   string
		values []int64
	}{{"src", src}, {"dst", dst}} {
		col, x := &craft.Column{Name: c.name, Type: pqInt64, Rows: int64(len(c.values))}, &craft.Index{}
		for at := 0; at < len(c.values); at += 10_000 {
			page := c.values[at : at+10_000]
			body := plain64(page...)
			if at != 50_000 {
				body = bytes.Repeat([]byte{0xff}, 100) // would fail
			}
			col.Pages = append(col.Pages, craft.Page{Values: len(page), Body: body})
			x.Min, x.Max = append(x.Min, string(plain64(page[0]))), append(x.Max, string(plain64(page[len(page)-1])))
			x.Null = append(x.Null, false)
		}
		cols, indexes = append(cols, col), append(indexes, x)
	}
	path := tempFile(t, "edges.parquet", craft.Indexed(100_000, cols, indexes))
	got, stats := pairsOf(t, path, Options{Where: "src >= 50005 and src < 50010"})
	if len(got) != 5 || stats.RowsPassed != 99_995 {
		t.Errorf("%v, %+v", got, stats)
	}
}

// TestBloom: a value that a bloom filter lacks rules the row group out.
func TestBloom(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	values := make([]int64, 1000)
	for i := range values {
		values[i] = r.Int64N(1<<40) * 2
	}
	src, x := indexedColumn(r, "src", values, false)
	x.Bloom = bloomOf(values, 64)
	src.Pages[3].Body = src.Pages[3].Body[:1] // fails if it is read
	dst, y := indexedColumn(r, "dst", values, false)
	path := tempFile(t, "edges.parquet", craft.Indexed(1000, []*craft.Column{src, dst}, []*craft.Index{{Bloom: x.Bloom}, y}))
	out := 0
	for range 200 {
		odd := r.Int64N(1<<40)*2 + 1
		d, err := Open(t.Context(), []string{path}, Options{Where: fmt.Sprintf("src in (%d)", odd)})
		if err == nil {
			err = d.Batches(t.Context(), func(graph.Batch) error { return errors.New("a batch came") })
		}
		if err == nil {
			out++
		}
	}
	if out < 190 {
		t.Errorf("%d of 200 values that aren't there were ruled out", out)
	}
	src.Pages[3].Body = plain64(values...)[:8*src.Pages[3].Values]
	clean, _ := indexedColumn(r, "src", values, false)
	path = tempFile(t, "clean.parquet", craft.Indexed(1000, []*craft.Column{clean, dst}, []*craft.Index{{Bloom: x.Bloom}, nil}))
	for _, v := range values[:50] {
		if got, _ := pairsOf(t, path, Options{Where: fmt.Sprintf("src = %d", v)}); len(got) == 0 {
			t.Errorf("%d isn't found", v)
		}
	}
}

// TestBloomOfDecimals: filters have decimals as they are in the file, in big
// endian and of the length that the column has.
func TestBloomOfDecimals(t *testing.T) {
	for _, width := range []int{3, 8, 9, 16} {
		values := []int64{0, 1, -1, 150, -150, 99999, -99999}
		var body []byte
		var each [][]byte
		for _, v := range values {
			b := make([]byte, width)
			for i := range b {
				b[width-1-i] = byte(v >> min(63, 8*i))
			}
			body, each = append(body, b...), append(each, b)
		}
		scale := new(craft.Struct).Sub(5, new(craft.Struct).Int(1, 2).Int(2, 5))
		amount := &craft.Column{Name: "amount", Type: 7, Length: width, Logical: scale, Rows: int64(len(values)),
			Pages: []craft.Page{{Values: len(values), Body: body}}}
		r := rand.New(rand.NewPCG(3, 3))
		src, _ := indexedColumn(r, "src", values, false)
		dst, _ := indexedColumn(r, "dst", values, false)
		path := tempFile(t, "edges.parquet", craft.Indexed(int64(len(values)), []*craft.Column{src, dst, amount},
			[]*craft.Index{nil, nil, {Bloom: bloomOfBytes(each, 64)}}))
		for _, v := range values {
			text := fmt.Sprintf("amount = %d.%02d", v/100, max(v, -v)%100)
			if v < 0 && v > -100 {
				text = fmt.Sprintf("amount = -0.%02d", -v)
			}
			if got, _ := pairsOf(t, path, Options{Where: text}); !slices.Equal(got, []string{fmt.Sprint(v, v)}) {
				t.Errorf("%d bytes, %s: %v", width, text, got)
			}
		}
	}
}

// TestStatisticsInDisorder: statistics that were compared as another type rule
// nothing out, as far as they show it: of decimals in bytes those of old
// writers, and a least value that is more than the greatest.
func TestStatisticsInDisorder(t *testing.T) {
	scale := new(craft.Struct).Sub(5, new(craft.Struct).Int(1, 0).Int(2, 4))
	unsigned := new(craft.Struct).Sub(10, new(craft.Struct).Raw(0x13, 64, 0x12))
	two := func(v int64) string { return string([]byte{byte(v >> 8), byte(v)}) }
	old := func(lo, hi string) *craft.Struct { return new(craft.Struct).Bytes(1, hi).Bytes(2, lo) }
	stated := func(lo, hi string) *craft.Struct { return new(craft.Struct).Bytes(5, hi).Bytes(6, lo) }
	plain := func(v int64) string { return string(plain64(v)) }
	for name, c := range map[string]struct {
		amount *craft.Column
		body   string
		where  string
	}{
		"old decimals": {&craft.Column{Type: 7, Length: 2, Logical: scale, Stats: old(two(1), two(-1))}, two(-1) + two(1), "amount in (1, -1)"},
		// By signed bytes 128 is less than 1 and 127, and 256 more.
		"old, ordered": {&craft.Column{Type: 7, Length: 2, Logical: scale, Stats: old(two(128), two(256))}, two(127) + two(1), "amount < 128"},
		"decimals":     {&craft.Column{Type: 7, Length: 2, Logical: scale, Stats: stated(two(1), two(-1))}, two(-1) + two(1), "amount in (1, -1)"},
		"integers":     {&craft.Column{Type: pqInt64, Stats: stated(plain(7), plain(3))}, plain(7) + plain(3), "amount >= 3"},
		"unsigned":     {&craft.Column{Type: pqInt64, Logical: unsigned, Stats: stated(plain(-1), plain(3))}, plain(-1) + plain(3), "amount = 3 or amount = 18446744073709551615"},
		"strings":      {&craft.Column{Type: 6, Stats: stated("b", "a")}, "\x01\x00\x00\x00a\x01\x00\x00\x00b", "amount >= 'a'"},
	} {
		c.amount.Name, c.amount.Rows, c.amount.Pages = "amount", 2, []craft.Page{{Values: 2, Body: []byte(c.body)}}
		ends := []*craft.Column{{Name: "src", Type: pqInt64, Rows: 2}, {Name: "dst", Type: pqInt64, Rows: 2}}
		for _, e := range ends {
			e.Pages = []craft.Page{{Values: 2, Body: plain64(1, 2)}}
		}
		path := tempFile(t, "edges.parquet", craft.File(2, append(ends, c.amount)...))
		if got, _ := pairsOf(t, path, Options{Where: c.where}); !slices.Equal(got, []string{"1 1", "2 2"}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
