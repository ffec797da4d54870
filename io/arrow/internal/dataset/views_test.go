// This file reads columns of views, which arrow's writer here can't write.

package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/klauspost/compress/zstd"
)

func TestViews(t *testing.T) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	id := int64(1)
	plain := craft.Schema(&craft.Field{Name: "src", View: true}, &craft.Field{Name: "between", View: true}, &craft.Field{Name: "dst", View: true})
	coded := craft.Schema(&craft.Field{Name: "src", View: true, Dictionary: &id}, &craft.Field{Name: "dst", View: true, Dictionary: &id})
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		codec := -1 + 2*r.IntN(2)
		squeeze := func(b []byte) []byte {
			if codec < 0 || len(b) == 0 {
				return b
			}
			return squeezed(int64(len(b)), enc.EncodeAll(b, nil))
		}
		// column adds a random column and returns what it says.
		column := func(b *craft.Batch) []string {
			parts := make([][]byte, r.IntN(4))
			text := make([]string, b.Rows)
			var views, bits []byte
			nulls := int64(0)
			for i := range text {
				if i%8 == 0 {
					bits = append(bits, 0)
				}
				s := fmt.Sprint("v", r.IntN(1000))
				k, at := 0, 0
				if len(parts) > 0 && r.IntN(3) == 0 {
					s = strings.Repeat(s, 4+r.IntN(20))
					k = r.IntN(len(parts))
					at = len(parts[k])
					parts[k] = append(parts[k], s...)
				}
				if r.IntN(10) > 0 {
					bits[i/8] |= 1 << (i % 8)
					text[i] = s
					views = append(views, view(s, int32(k), int32(at))...)
				} else { // with a view of nothing
					nulls++
					text[i] = "-"
					views = append(views, view("what is in no buffer", 1000, -5)...)
				}
			}
			buffers := [][]byte{squeeze(bits), squeeze(views)}
			for _, p := range parts {
				buffers = append(buffers, squeeze(p))
			}
			b.Views = append(b.Views, int64(len(parts)))
			b.Column(nulls, buffers...)
			return text
		}
		var want []edge
		data := append([]byte{}, plain...)
		if seed%4 == 0 { // a dictionary of views
			dict := &craft.Batch{Rows: int64(1 + r.IntN(100)), Codec: codec, Dictionary: &id}
			text := column(dict)
			data = append(append([]byte{}, coded...), dict.Message()...)
			for range 2 {
				b := &craft.Batch{Rows: int64(r.IntN(3000)), Codec: codec}
				want = append(want, make([]edge, b.Rows)...)
				rows := want[len(want)-int(b.Rows):]
				for k := range 2 {
					var idx []byte
					for i := range rows {
						x := r.IntN(len(text))
						idx = append(idx, byte(x), 0, 0, 0)
						if k == 0 {
							rows[i].src = text[x]
						} else {
							rows[i].dst = text[x]
						}
					}
					b.Column(0, nil, squeeze(idx))
				}
				data = append(data, b.Message()...)
			}
		} else {
			for range 1 + r.IntN(3) {
				b := &craft.Batch{Rows: int64(r.IntN(3000)), Codec: codec}
				src, _, dst := column(b), column(b), column(b)
				for i := range src {
					want = append(want, edge{src: src[i], dst: dst[i]})
				}
				data = append(data, b.Message()...)
			}
		}
		got, _, err := collect(t, []string{tempFile(t, "views.arrows", data)}, Options{SkipNulls: true})
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		sameEdges(t, got, whole(want))
	}
}
