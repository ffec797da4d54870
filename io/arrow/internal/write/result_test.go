// This file tests WriteResult: every format and type of id against the rows
// made naively of the graph and the result.

package write

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// idTypes has every type of id, and dense ids as its last.
var idTypes = []graph.IDType{graph.Int64, graph.Int32, graph.Int16, graph.Int8,
	graph.Uint64, graph.Uint32, graph.Uint16, graph.Uint8, graph.String, graph.Binary}

// randomResultIDs makes n ids of a type, among them the least and the greatest ones
// or, of strings, what text formats trip over. They are distinct where the
// type has so many values.
func randomResultIDs(rng *rand.Rand, t graph.IDType, n int) *graph.IDs {
	ids := &graph.IDs{Type: t, Len: n}
	if t.Integer() {
		bits := int(intBits(t))
		special := []uint64{0, 1<<bits - 1, 1 << (bits - 1), 1<<(bits-1) - 1}
		for v := range n {
			x := rng.Uint64()
			if v < len(special) {
				x = special[v]
			}
			shift := 64 - bits
			if t.Signed() {
				ids.Ints = append(ids.Ints, int64(x<<shift)>>shift)
			} else {
				ids.Ints = append(ids.Ints, int64(x<<shift>>shift))
			}
		}
		return ids
	}
	pieces := []string{`"`, `""`, ",", "\n", "\r\n", "\r", "\t", " ", "\\", "a", "bc", "é", "漢字", "🜁",
		"\x00", "\x1f", "\x7f", "null", "-1", "</script>", "\u2028", "'", ";", "\ufeff", "\xff", "\xe2\x82", "{}"}
	special := []string{"", `"`, " ", ",", "\n", "x ", "\t", `\.`}
	ids.StringOffsets = []uint64{0}
	for v := range n {
		if v < len(special) {
			ids.Data = append(ids.Data, special[v]...)
		} else {
			for range rng.IntN(5) {
				ids.Data = append(ids.Data, pieces[rng.IntN(len(pieces))]...)
			}
			ids.Data = binary.BigEndian.AppendUint32(ids.Data, uint32(v))
		}
		ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
	}
	return ids
}

func randomResult(rng *rand.Rand, n int) samples.TestResult {
	r := samples.TestResult{DepthList: make([]int32, n), ParentList: make([]uint32, n)}
	reached := rng.Float64()
	if rng.IntN(4) == 0 {
		reached = math.Round(reached) // all or none
	}
	depth := []int32{1, 10, math.MaxInt32}[rng.IntN(3)]
	for v := range n {
		r.DepthList[v], r.ParentList[v] = -1, graph.NoVertex
		if rng.Float64() < reached {
			r.DepthList[v] = rng.Int32N(depth)
			r.ParentList[v] = rng.Uint32N(uint32(n))
		}
	}
	return r
}

// wantRows makes the rows that a format should have.
func wantRows(g *graph.Graph, r samples.TestResult, format string, reachedOnly bool) (names, types []string, rows [][]string) {
	typ := g.IDs().Type.String()
	names, types = []string{"vertex"}, []string{typ}
	if r.DepthList != nil {
		names, types = append(names, "depth"), append(types, "int32?")
	}
	if r.ParentList != nil {
		names, types = append(names, "parent"), append(types, typ+"?")
	}
	for v := range g.NumVertices() {
		row := []string{idCell(g.IDs(), uint32(v), format)}
		reached := r.DepthList == nil && r.ParentList[v] != graph.NoVertex
		if r.DepthList != nil {
			cell := strconv.Itoa(int(r.DepthList[v]))
			if reached = r.DepthList[v] >= 0; !reached && format != "csv" {
				cell = samples.Null
			}
			row = append(row, cell)
		}
		if r.ParentList != nil {
			row = append(row, idCell(g.IDs(), r.ParentList[v], format))
		}
		if reached || !reachedOnly {
			rows = append(rows, row)
		}
	}
	return names, types, rows
}

func TestWriteResult(t *testing.T) {
	testlong.Only(t)
	rng := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	for _, typ := range idTypes {
		for _, n := range []int{0, 1, 7, 300, 3000} {
			g := samples.WithIDs(t, randomResultIDs(rng, typ, n))
			for format := range writeFormats {
				r := randomResult(rng, n)
				switch rng.IntN(3) {
				case 0:
					r.DepthList = nil
				case 1:
					r.ParentList = nil
				}
				o := WriteOptions{ReachedOnly: rng.IntN(2) == 0, RowGroup: rng.IntN(2 * (n + 1))}
				if format == "parquet" {
					o.Compression = parquetCodecNames[rng.IntN(len(parquetCodecNames))]
				} else if strings.HasPrefix(format, "arrow") {
					o.Compression = ipcCodecNames[rng.IntN(len(ipcCodecNames))]
				}
				name := fmt.Sprintf("%v/%d/%s/%+v/%t/%t", typ, n, format, o, r.DepthList != nil, r.ParentList != nil)
				t.Run(name, func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "result."+strings.ToUpper(format))
					if err := WriteResult(ctx, path, g, r, o); err != nil {
						t.Fatal(err)
					}
					data, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					names, types, rows := wantRows(g, r, format, o.ReachedOnly)
					readBytes(t, format, data).equal(t, names, types, rows)
				})
			}
		}
	}
}

// TestWriteResultBatches writes more rows than a batch has, of dense ids.
func TestWriteResultBatches(t *testing.T) {
	testlong.Project(t)
	rng := rand.New(rand.NewPCG(3, 4))
	n := batchRows + 4711
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Uint32, Len: n})
	r := randomResult(rng, n)
	for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
		for _, only := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "result."+format)
			if err := WriteResult(context.Background(), path, g, r, WriteOptions{ReachedOnly: only, RowGroup: 50_000}); err != nil {
				t.Fatal(err)
			}
			names, types, rows := wantRows(g, r, format, only)
			got := readBack(t, path)
			got.equal(t, names, types, rows)
			for i, rows := range got.groups {
				if format == "parquet" && (rows > 50_000 || rows < 50_000 && i < len(got.groups)-1) || rows > batchRows {
					t.Errorf("%s: groups of %d rows", format, got.groups)
				}
			}
		}
	}
}

func TestWriteResultErrors(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
	depths, parents := []int32{0, 1, -1}, []uint32{0, 0, graph.NoVertex}
	malformed := func(ids *graph.IDs) *graph.Graph { return samples.WithIDs(t, ids) }
	for name, c := range map[string]struct {
		g    *graph.Graph
		r    Result
		want error
	}{
		"no graph":         {nil, samples.TestResult{DepthList: depths, ParentList: parents}, ErrResult},
		"no result":        {g, nil, ErrResult},
		"nothing in it":    {g, samples.TestResult{}, ErrResult},
		"few depths":       {g, samples.TestResult{DepthList: depths[:2], ParentList: parents}, ErrResult},
		"many parents":     {g, samples.TestResult{DepthList: depths, ParentList: append(slices.Clone(parents), 1)}, ErrResult},
		"parent outside":   {g, samples.TestResult{DepthList: depths, ParentList: []uint32{0, 3, 0}}, ErrResult},
		"depth of -2":      {g, samples.TestResult{DepthList: []int32{0, -2, 0}, ParentList: nil}, ErrResult},
		"few ids":          {malformed(&graph.IDs{Len: 3, Ints: []int64{1}}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"few numbers":      {malformed(&graph.IDs{Len: 3, Dense32: []uint32{1}}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"two forms":        {malformed(&graph.IDs{Len: 3, Dense32: []uint32{0, 1, 2}, Ints: []int64{0, 1, 2}}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"no strings":       {malformed(&graph.IDs{Type: graph.String, Len: 3}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"few strings":      {malformed(&graph.IDs{Type: graph.String, Len: 3, StringOffsets: []uint64{0, 0}}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"strings outside":  {malformed(&graph.IDs{Type: graph.String, Len: 3, StringOffsets: []uint64{0, 0, 1, 2}, Data: []byte("a")}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"strings descend":  {malformed(&graph.IDs{Type: graph.Binary, Len: 3, StringOffsets: []uint64{0, 1, 0, 1}, Data: []byte("a")}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"integers strings": {malformed(&graph.IDs{Type: graph.Int8, Len: 3, StringOffsets: []uint64{0, 0, 0, 0}}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrMalformed},
		"unknown type":     {malformed(&graph.IDs{Type: graph.Binary + 1, Len: 3}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrIDType},
		"int8 too large":   {malformed(&graph.IDs{Type: graph.Int8, Len: 3, Ints: []int64{1, 128, 3}}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrIDRange},
		"uint8 negative":   {malformed(&graph.IDs{Type: graph.Uint8, Len: 3, Ints: []int64{1, -1, 3}}), samples.TestResult{DepthList: depths, ParentList: parents}, graph.ErrIDRange},
	} {
		for _, format := range []string{"parquet", "arrow", "csv"} {
			dir := t.TempDir()
			path := filepath.Join(dir, "result."+format)
			err := WriteResult(context.Background(), path, c.g, c.r, WriteOptions{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: got %v, want %v", name, err, c.want)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("%s: left %v behind", name, entries)
			}
		}
	}
}

func TestWriteText(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.String, Len: 4, StringOffsets: []uint64{0, 0, 1, 6, 9}, Data: []byte("a\"b,c\n\xff\x01z")})
	r := samples.TestResult{DepthList: []int32{0, 1, 2, -1}, ParentList: []uint32{0, 0, 1, graph.NoVertex}}
	for format, want := range map[string]string{
		"csv":   "vertex,depth,parent\n\"\",0,\"\"\na,1,\"\"\n\"\"\"b,c\n\",2,a\n\xff\x01z,-1,\n",
		"jsonl": `{"vertex":"","depth":0,"parent":""}` + "\n" + `{"vertex":"a","depth":1,"parent":""}` + "\n" + `{"vertex":"\"b,c\n","depth":2,"parent":"a"}` + "\n" + `{"vertex":"` + "\uFFFD" + `\u0001z","depth":null,"parent":null}` + "\n",
	} {
		var out bytes.Buffer
		if err := WriteResult(context.Background(), "-", g, r, WriteOptions{Format: format, Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%s:\n%q, want\n%q", format, out.String(), want)
		}
	}
}

func TestAppendCSV(t *testing.T) {
	for in, want := range map[string]string{
		"": `""`, "a": "a", "a b": "a b", " a": `" a"`, "a ": `"a "`, "\ta": "\"\ta\"", "a\t": "\"a\t\"",
		"a,b": `"a,b"`, `a"b`: `"a""b"`, "a\nb": "\"a\nb\"", "a\rb": "\"a\rb\"", "é\xff": "é\xff",
	} {
		if got := string(appendCSV(nil, []byte(in))); got != want {
			t.Errorf("%q is written as %q, want %q", in, got, want)
		}
	}
}

func TestWriteMetadata(t *testing.T) {
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 3})
	r := samples.TestResult{DepthList: []int32{0, 1, -1}}
	want := map[string]string{"foray.source": "42", "b": "", "ä": "漢"}
	for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
		path := filepath.Join(t.TempDir(), "r."+format)
		if err := WriteResult(context.Background(), path, g, r, WriteOptions{Metadata: want}); err != nil {
			t.Fatal(err)
		}
		got := readBack(t, path)
		if got.types != nil && !maps.Equal(got.metadata, want) {
			t.Errorf("%s: metadata %q", format, got.metadata)
		}
		err := WriteResult(context.Background(), path, g, r, WriteOptions{Metadata: map[string]string{"a": "\xff"}})
		if got.types != nil && !errors.Is(err, ErrOutputOption) {
			t.Errorf("%s: metadata that isn't UTF-8: %v", format, err)
		}
	}
}
