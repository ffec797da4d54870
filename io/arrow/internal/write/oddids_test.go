// This file tests that ids of all kinds come back as they were from all formats:
// empty ones, and those with quotes, line ends, spaces at their ends, NUL and
// bytes that aren't UTF-8.

package write

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/edgelist"
)

// textIDs are ids of their type, from texts.
func textIDs(typ graph.IDType, texts []string) *graph.IDs {
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	ids := &graph.IDs{Type: typ, Len: len(texts), StringOffsets: []uint64{0}}
	for _, s := range texts {
		ids.Data = append(ids.Data, s...)
		ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
	}
	return ids
}

// randomOdd is a text of characters that formats have a meaning for.
func randomOdd(rng *rand.Rand, binary bool) string {
	pieces := []string{"", " ", "\t", `"`, `""`, ",", ";", "'", "\n", "\r", "\r\n", "\x00", "#", "%", `\`, "a", "1", "null", "ä", "漢", "\u2028", "\ufeff", "-1", "{", "}"}
	if binary {
		pieces = append(pieces, "\xff", "\xc3", "\xed\xa0\x80")
	}
	s := ""
	for range rng.IntN(5) {
		s += pieces[rng.IntN(len(pieces))]
	}
	return s
}

// readText reads edges that were written as CSV or JSON lines, with readers that
// aren't ours, as edgeList has them.
func readText(t *testing.T, path, format string, typ graph.IDType) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	if format == "csv" {
		all, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil {
			t.Fatalf("%v\n%q", err, data)
		}
		for _, r := range all[1:] {
			rows = append(rows, [2]string{r[0], r[1]})
		}
	} else {
		for line := range strings.Lines(string(data)) {
			var r struct{ Src, Dst json.RawMessage }
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v: %q", err, line)
			}
			row := [2]string{string(r.Src), string(r.Dst)}
			for i, raw := range []json.RawMessage{r.Src, r.Dst} {
				if raw[0] == '"' {
					if err := json.Unmarshal(raw, &row[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
			rows = append(rows, row)
		}
	}
	var lines []string
	for _, r := range rows {
		for _, s := range r {
			if _, err := hex.DecodeString(s); typ == graph.Binary && err != nil {
				t.Errorf("%q: %v", s, err)
			}
			if _, err := strconv.ParseInt(s, 10, 64); typ.Signed() && err != nil {
				t.Errorf("%q: %v", s, err)
			}
		}
		lines = append(lines, fmt.Sprintf("%q %q", r[0], r[1]))
	}
	slices.Sort(lines)
	return lines
}

// hasNUL reports whether an end of an edge has an id with a NUL byte.
func hasNUL(g *graph.Graph) bool {
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Out().Neighbors(u) {
			if bytes.IndexByte(g.IDs().Bytes(u), 0) >= 0 || bytes.IndexByte(g.IDs().Bytes(v), 0) >= 0 {
				return true
			}
		}
	}
	return false
}

func TestOddIDsRoundTrip(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(91, 92))
	for i := range testlong.Of(30, 300) {
		typ := idTypes[i%len(idTypes)]
		n := 1 + rng.IntN(30)
		ids := randomResultIDs(rng, typ, n)
		if typ == graph.String || typ == graph.Binary {
			texts := []string{""}
			for range n {
				texts = append(texts, randomOdd(rng, typ == graph.Binary))
			}
			ids = textIDs(typ, texts)
			n = ids.Len
		}
		src, dst, w := randomEdges(rng, n, 1+rng.IntN(40))
		g, err := graph.FromCSR(csrOf(n, src, dst, w, true), graph.CSROptions{Directed: true, IDs: ids})
		if err != nil {
			t.Fatal(err)
		}
		want := edgeList(g)
		for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
			path := filepath.Join(t.TempDir(), "edges."+format)
			var file bytes.Buffer
			err := WriteEdges(context.Background(), "-", g, WriteOptions{Format: format, Stdout: &file})
			if format == "csv" && typ == graph.String && hasNUL(g) {
				if !errors.Is(err, ErrOutputFormat) || !strings.Contains(err.Error(), "holds a NUL byte") {
					t.Errorf("%q as CSV: %v", want, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			if format == "csv" || format == "jsonl" {
				if got := readText(t, path, format, typ); !slices.Equal(got, want) {
					t.Errorf("%v as %s: %q, want %q", typ, format, got, want)
				}
			}
			if format == "jsonl" {
				continue
			}
			back, err := readBackGraph(path, format, typ)
			if err != nil {
				t.Fatalf("%v as %s: %v", typ, format, err)
			}
			if got := edgeList(back); !slices.Equal(got, want) {
				t.Errorf("%v as %s: %q, want %q", typ, format, got, want)
			}
		}
	}
}

// readBackGraph reads edges with this project's readers.
func readBackGraph(path, format string, typ graph.IDType) (*graph.Graph, error) {
	o := graph.Options{Directed: true, KeepSelfLoops: true, KeepDuplicates: true}
	if format != "csv" {
		return dataset.Load(context.Background(), path, dataset.Options{Graph: o})
	}
	eo := edgelist.Options{Graph: o, IDs: "int64", Header: "first"}
	switch {
	case !typ.Integer(): // binary ids are hexadecimal
		eo.IDs = "string"
	case !typ.Signed():
		eo.IDs = "uint64"
	}
	return edgelist.Load(context.Background(), path, eo)
}

// TestOddIDsInResults: results of them, too.
func TestOddIDsInResults(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	for i := range 40 {
		typ := []graph.IDType{graph.String, graph.Binary}[i%2]
		texts := []string{""}
		for range rng.IntN(20) {
			texts = append(texts, randomOdd(rng, typ == graph.Binary))
		}
		ids := textIDs(typ, texts)
		r := randomResult(rng, ids.Len)
		path := filepath.Join(t.TempDir(), "r.csv")
		if err := WriteResult(context.Background(), path, samples.WithIDs(t, ids), r, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil || len(rows) != ids.Len+1 {
			t.Fatalf("%d rows of %d, %v: %q", len(rows), ids.Len, err, data)
		}
		for v, row := range rows[1:] {
			if want := strings.ReplaceAll(ids.Format(uint32(v)), "\r\n", "\n"); row[0] != want {
				t.Errorf("%q, want %q", row[0], want)
			}
		}
		// An empty id isn't a missing one, also to those who look at quotes.
		if !strings.Contains(string(data), "\n\"\",") {
			t.Errorf("the empty id isn't in quotes: %q", data)
		}
	}
}
