// This file holds the benchmarks of parsing, on lists in memory.

package edgelist

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/foray-graph/foray/graph"
)

// benchList returns an edge list of about so many bytes, ids of 1 to 7 digits.
func benchList(size int, line func(b []byte, u, v uint64, r *rand.Rand) []byte) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, size+100)
	for len(b) < size {
		b = line(b, r.Uint64N(4_000_000), r.Uint64N(4_000_000), r)
	}
	return b
}

func plainLine(b []byte, u, v uint64, _ *rand.Rand) []byte {
	b = append(strconv.AppendUint(b, u, 10), ' ')
	return append(strconv.AppendUint(b, v, 10), '\n')
}

func benchRead(b *testing.B, data []byte, text int, o Options) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			o.Workers = workers
			b.SetBytes(int64(text))
			for b.Loop() {
				var mu sync.Mutex
				edges := 0
				err := Read(context.Background(), bytes.NewReader(data), o, func(e graph.Batch) error {
					mu.Lock()
					edges += batchLen(e)
					mu.Unlock()
					return nil
				})
				if err != nil || edges == 0 {
					b.Fatal(edges, err)
				}
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	list := benchList(50<<20, plainLine)
	b.Run("ints", func(b *testing.B) { benchRead(b, list, len(list), Options{}) })
	csv := bytes.ReplaceAll(list, []byte(" "), []byte(","))
	b.Run("csv", func(b *testing.B) { benchRead(b, csv, len(csv), Options{}) })
	weighted := benchList(50<<20, func(b []byte, u, v uint64, r *rand.Rand) []byte {
		b = plainLine(b, u, v, r)
		b[len(b)-1] = ' '
		return append(strconv.AppendFloat(b, r.Float64()*100, 'f', 3, 64), '\n')
	})
	b.Run("weights", func(b *testing.B) {
		benchRead(b, weighted, len(weighted), Options{Graph: graph.Options{Weights: true}})
	})
	b.Run("strings", func(b *testing.B) { benchRead(b, list, len(list), Options{IDs: "string"}) })

	var z bytes.Buffer
	gz := gzip.NewWriter(&z)
	gz.Write(list)
	gz.Close()
	b.Run("gzip", func(b *testing.B) { benchRead(b, z.Bytes(), len(list), Options{}) })
	enc, _ := zstd.NewWriter(nil)
	zs := enc.EncodeAll(list, nil)
	b.Run("zstd", func(b *testing.B) { benchRead(b, zs, len(list), Options{}) })
}

func BenchmarkMatrixMarket(b *testing.B) {
	lines := 0
	body := benchList(50<<20, func(b []byte, u, v uint64, r *rand.Rand) []byte {
		lines++
		return plainLine(b, u+1, v+1, r)
	})
	data := fmt.Appendf(nil, "%s matrix coordinate pattern general\n4000000 4000000 %d\n%s", banner, lines, body)
	benchRead(b, data, len(data), Options{})
}

func BenchmarkDIMACS(b *testing.B) {
	lines := 0
	body := benchList(50<<20, func(b []byte, u, v uint64, r *rand.Rand) []byte {
		lines++
		b = plainLine(append(b, "a "...), u+1, v+1, r)
		b[len(b)-1] = ' '
		return append(strconv.AppendUint(b, r.Uint64N(10000), 10), '\n')
	})
	data := fmt.Appendf(nil, "p sp 4000000 %d\n%s", lines, body)
	benchRead(b, data, len(data), Options{Graph: graph.Options{Weights: true}})
}
