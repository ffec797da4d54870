//go:build ignore

// This program writes the edges of a Graph500 R-MAT graph as Parquet files of
// two columns, snappy: the inputs of the loading figures in RESULTS.md.
//
//	go run bench/kron_parquet.go kron20 int64 k20.parquet        // ids 0 to 2^20-1
//	go run bench/kron_parquet.go kron20 random64 k20.parquet     // ids scattered over int64
//	go run bench/kron_parquet.go kron22 names k22/part.parquet 16 // strings of 20 bytes, 16 files

package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	g, err := gen.Parse(os.Args[1])
	check(err)
	path, files := os.Args[3], 1
	if len(os.Args) > 4 {
		files, err = strconv.Atoi(os.Args[4])
		check(err)
	}
	next, stop := iter.Pull(batches(g, os.Args[2]))
	defer stop()
	blocks := (int(g.NumEdges()) + gen.BlockEdges - 1) / gen.BlockEdges
	for f := range files {
		name := path
		if files > 1 {
			name = strings.TrimSuffix(path, ".parquet") + fmt.Sprintf("-%02d.parquet", f)
		}
		check(arrow.WriteBatches(context.Background(), name, func(_ context.Context, yield func(graph.Batch) error) error {
			for range blocks*(f+1)/files - blocks*f/files {
				b, ok := next()
				if !ok {
					break
				}
				if err := yield(b); err != nil {
					return err
				}
			}
			return nil
		}, arrow.WriteOptions{Compression: "snappy"}))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// batches returns the edges, with ids of a kind.
func batches(g gen.Generator, ids string) iter.Seq[graph.Batch] {
	return func(yield func(graph.Batch) bool) {
		s, d := make([]int64, gen.BlockEdges), make([]int64, gen.BlockEdges)
		var names [2]graph.Strings
		err := gen.Ordered(context.Background(), g, 2, func(_ int, src, dst []uint32) error {
			b := graph.Batch{Type: graph.Int64, Src: s[:len(src)], Dst: d[:len(dst)]}
			switch ids {
			case "names":
				b = graph.Batch{SrcStrings: name(&names[0], src), DstStrings: name(&names[1], dst)}
			case "random64":
				for i := range src {
					s[i], d[i] = mix(uint64(src[i])), mix(uint64(dst[i]))
				}
			default:
				for i := range src {
					s[i], d[i] = int64(src[i]), int64(dst[i])
				}
			}
			if !yield(b) {
				return context.Canceled
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) { // the consumer wants no more edges
			check(err)
		}
	}
}

// name makes strings of 20 bytes of ids.
func name(to *graph.Strings, ids []uint32) *graph.Strings {
	to.Offsets, to.Data = append(to.Offsets[:0], 0), to.Data[:0]
	for _, id := range ids {
		to.Data = fmt.Appendf(to.Data, "vertex-%013d", id)
		to.Offsets = append(to.Offsets, int64(len(to.Data)))
	}
	return to
}

func mix(x uint64) int64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int64(x ^ x>>31)
}
