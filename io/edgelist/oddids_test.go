package edgelist

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// oddParts are what odd ids are made of.
var oddParts = []string{"a", "b", "7", "-1", "007", " ", "\t", ",", ";", `"`, `""`, "'", "#", "%", "\\", `\.`, "{", `{"`, "src", "dst", "weight", "é", "\ufeff", "\u0085", "\u2028", "\v", "\f", "\x1b", "nan", "+", "."}

func oddID(r *rand.Rand, breaks, binary bool) string {
	var b strings.Builder
	for range r.IntN(4) {
		switch {
		case breaks && r.IntN(12) == 0:
			b.WriteString([]string{"\n", "\r", "\r\n", "\x00"}[r.IntN(4)])
		case binary && r.IntN(4) == 0:
			b.WriteByte(byte(128 + r.IntN(128)))
		default:
			b.WriteString(oddParts[r.IntN(len(oddParts))])
		}
	}
	return b.String()
}

// pairsOf returns the edges of a graph, sorted.
func pairsOf(g *graph.Graph) []string {
	var pairs []string
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Out().Neighbors(u) {
			pairs = append(pairs, fmt.Sprintf("%q %q", g.IDs().Bytes(u), g.IDs().Bytes(v)))
		}
	}
	slices.Sort(pairs)
	return pairs
}

// TestOddIDsRoundTrip: whatever ids are, they are read back as they are, by this package
// and, of CSV, by encoding/csv, or writing them is an error.
func TestOddIDsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	written, dir := map[string]int{}, t.TempDir()
	for i := range testlong.Of(60, 2_000) {
		binary, breaks := i%5 == 4, i%4 == 3
		batch := graph.Batch{Type: graph.String, SrcStrings: &graph.Strings{Offsets: []int64{0}}, DstStrings: &graph.Strings{Offsets: []int64{0}}}
		o := Options{IDs: "string", Graph: graph.Options{Directed: true, KeepSelfLoops: true, KeepDuplicates: true}}
		if binary {
			batch.Type, batch.SrcStrings.Binary, batch.DstStrings.Binary, o.IDs = graph.Binary, true, true, "binary"
		}
		odd := false
		for range 1 + r.IntN(6) {
			src, dst := oddID(r, breaks, binary), oddID(r, breaks, binary)
			odd = odd || strings.Contains(src+dst, "\x00")
			addString(batch.SrcStrings, []byte(src))
			addString(batch.DstStrings, []byte(dst))
		}
		b := graph.NewBuilder(o.Graph)
		if err := b.Add(batch); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		want := pairsOf(g)
		for _, name := range []string{"x.csv", "x.tsv", "x.el", "x.csv.gz"} {
			path := filepath.Join(dir, name)
			err := Write(context.Background(), path, g, WriteOptions{})
			if err != nil {
				if !errors.Is(err, ErrFormat) || name != "x.el" && !odd {
					t.Errorf("%s of %q: %v", name, want, err)
				}
				continue
			}
			written[name]++
			back, err := Load(context.Background(), path, o)
			if err != nil {
				t.Errorf("%s of %q: %v", name, want, err)
				continue
			}
			if got := pairsOf(back); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
			if name == "x.csv" || name == "x.tsv" {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				c := csv.NewReader(bytes.NewReader(data))
				if name == "x.tsv" {
					c.Comma = '\t'
				}
				rows, err := c.ReadAll()
				if err != nil {
					t.Errorf("%s of %q: encoding/csv: %v", name, want, err)
					continue
				}
				var got []string
				for _, row := range rows[1:] {
					got = append(got, fmt.Sprintf("%q %q", row[0], row[1]))
				}
				want := slices.Clone(want)
				for i := range want { // what encoding/csv makes of them in quotes
					want[i] = strings.ReplaceAll(want[i], `\r\n`, `\n`)
				}
				slices.Sort(want)
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Errorf("%s by encoding/csv: %q, want %q", name, got, want)
				}
			}
		}
	}
	for _, name := range []string{"x.csv", "x.tsv", "x.el", "x.csv.gz"} {
		if written[name] == 0 {
			t.Errorf("no %s was written", name)
		}
	}
}
