// This file tests unpacking against a definition by single bits.

package parquet

import (
	"math/rand/v2"
	"testing"
)

// TestUnpack: values of every width, read in pieces of any length, from data
// that ends anywhere.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for width := uint(1); width <= 32; width++ {
		for range 200 {
			data := make([]byte, r.IntN(40*int(width)))
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			n := len(data) * 8 / int(width)
			want := make([]uint32, n)
			for i := range want {
				for b := range int(width) {
					at := i*int(width) + b
					want[i] |= uint32(data[at/8]>>(at%8)&1) << b
				}
			}
			h := hybrid{width: width, bits: data[:len(data):len(data)]}
			got := make([]uint32, n)
			for at := 0; at < n; {
				k := min(n-at, 1+r.IntN(50))
				h.unpack(got[at : at+k])
				at += k
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("width %d, %d bytes: value %d is %#x, want %#x", width, len(data), i, got[i], want[i])
				}
			}
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	for _, width := range []uint{1, 7, 12, 19, 31} {
		b.Run(string('0'+rune(width/10))+string('0'+rune(width%10)), func(b *testing.B) {
			data, dst := make([]byte, 1024*width/8+8), make([]uint32, 1024)
			b.SetBytes(4 * 1024)
			for range b.N {
				h := hybrid{width: width, bits: data}
				h.unpack(dst)
			}
		})
	}
}
