// This file tests WriteEdges and WriteEdgeBatches in every format and type of
// id against the rows made naively.

package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// randomEdges makes m edges, self-loops and repeated ones among them.
func randomEdges(rng *rand.Rand, n, m int) (src, dst []uint32, weights []float32) {
	odd := []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32, 1 << 24, 0.1, 1e21, -3}
	for e := range m {
		src, dst = append(src, rng.Uint32N(uint32(n))), append(dst, rng.Uint32N(uint32(n)))
		w := rng.Float32()
		if e < len(odd) {
			w = odd[e]
		}
		weights = append(weights, w)
	}
	return src, dst, weights
}

// csrOf makes a CSR, in the order of the edges within a row. Undirected edges
// are there in both directions, a self-loop once.
func csrOf(n int, src, dst []uint32, weights []float32, directed bool) graph.CSR {
	type half struct {
		v uint32
		w float32
	}
	rows := make([][]half, n)
	for e := range src {
		u, v := src[e], dst[e]
		rows[u] = append(rows[u], half{v, weights[e]})
		if !directed && u != v {
			rows[v] = append(rows[v], half{u, weights[e]})
		}
	}
	c := graph.CSR{Offsets: []uint64{0}}
	for _, row := range rows {
		for _, h := range row {
			c.Targets, c.Weights = append(c.Targets, h.v), append(c.Weights, h.w)
		}
		c.Offsets = append(c.Offsets, uint64(len(c.Targets)))
	}
	return c
}

func weightCell(w float32) string { return strconv.FormatFloat(float64(w), 'g', -1, 32) }

func edgeNames(t graph.IDType, weighted bool) (names, types []string) {
	names, types = []string{"src", "dst"}, []string{t.String(), t.String()}
	if weighted {
		names, types = append(names, "weight"), append(types, "float32")
	}
	return names, types
}

// edgeEndIDs are random ids that a format can have at the ends of edges.
func edgeEndIDs(rng *rand.Rand, typ graph.IDType, n int, format string) *graph.IDs {
	ids := randomResultIDs(rng, typ, n)
	if writeFormats[format] == formatCSV && typ == graph.String {
		for i, b := range ids.Data {
			if k := bytes.IndexByte([]byte("\r\n\x00"), b); k >= 0 {
				ids.Data[i] = "rn0"[k]
			}
		}
	}
	return ids
}

func TestWriteEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, typ := range idTypes {
		for format := range writeFormats {
			n, m := 1+rng.IntN(40), rng.IntN(300)
			directed, weighted := rng.IntN(2) == 0, rng.IntN(2) == 0
			src, dst, weights := randomEdges(rng, n, m)
			csr := csrOf(n, src, dst, weights, directed)
			if !weighted {
				csr.Weights = nil
			}
			ids := edgeEndIDs(rng, typ, n, format)
			g, err := graph.FromCSR(csr, graph.CSROptions{Directed: directed, IDs: ids, WeightType: graph.WeightsFloat32})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%v/%s/%d/%d/%t/%t", typ, format, n, m, directed, weighted), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "edges."+format)
				if err := WriteEdges(context.Background(), path, g, WriteOptions{RowGroup: 100}); err != nil {
					t.Fatal(err)
				}
				var rows [][]string
				for u := range uint32(n) {
					for e := csr.Offsets[u]; e < csr.Offsets[u+1]; e++ {
						v := csr.Targets[e]
						if !directed && v < u {
							continue
						}
						from, to := u, v
						if !directed && ids.Rank(v) < ids.Rank(u) { // the end with the lower id comes first
							from, to = v, u
						}
						row := []string{idCell(ids, from, format), idCell(ids, to, format)}
						if weighted {
							row = append(row, weightCell(csr.Weights[e]))
						}
						rows = append(rows, row)
					}
				}
				if len(rows) != m {
					t.Fatalf("%d rows wanted of %d edges", len(rows), m)
				}
				names, types := edgeNames(typ, weighted)
				readBack(t, path).equal(t, names, types, rows)
			})
		}
	}
}

// batchOf makes a batch of edges e of external ids.
func batchOf(ids *graph.IDs, src, dst []uint32, weights []float32) graph.Batch {
	b := graph.Batch{Type: ids.Type, Weights: weights}
	if ids.Type.Integer() {
		b.Src, b.Dst = []int64{}, []int64{}
		for e := range src {
			b.Src, b.Dst = append(b.Src, ids.Int(src[e])), append(b.Dst, ids.Int(dst[e]))
		}
		return b
	}
	// Arrow's slices keep their offsets: the first one need not be 0.
	column := func(vs []uint32) *graph.Strings {
		s := &graph.Strings{Offsets: []int64{3}, Data: []byte("abc"), Binary: ids.Type == graph.Binary}
		for _, v := range vs {
			s.Data = append(s.Data, ids.Bytes(v)...)
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
		}
		return s
	}
	b.SrcStrings, b.DstStrings = column(src), column(dst)
	return b
}

func TestWriteEdgeBatches(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	for _, typ := range idTypes {
		for _, format := range []string{"parquet", "arrow", "arrows", "csv", "jsonl"} {
			n, weighted := 1+rng.IntN(40), rng.IntN(2) == 0
			m := []int{0, 5, 1000}[rng.IntN(3)]
			if (typ == graph.Int64 || typ == graph.String) && (format == "parquet" || format == "arrow") {
				m = batchRows + 1
			}
			ids := edgeEndIDs(rng, typ, n, format)
			src, dst, weights := randomEdges(rng, n, m)
			names, types := edgeNames(typ, weighted)
			t.Run(fmt.Sprintf("%v/%s/%d/%t", typ, format, m, weighted), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "edges."+format)
				read := func(ctx context.Context, yield func(graph.Batch) error) error {
					for e := 0; e < m || e == 0; {
						end := min(m, e+rng.IntN(m+1)) // some are empty, some of all
						var w []float32
						if weighted {
							w = weights[e:end]
							w = append([]float32{}, w...)
						}
						b := batchOf(ids, src[e:end], dst[e:end], w)
						if err := yield(b); err != nil {
							return err
						}
						// A reader uses its memory again.
						clear(b.Src)
						clear(b.Dst)
						clear(b.Weights)
						if b.SrcStrings != nil {
							clear(b.SrcStrings.Data)
							clear(b.DstStrings.Data)
						}
						if e = end; m == 0 {
							return nil
						}
					}
					return nil
				}
				if err := WriteEdgeBatches(context.Background(), path, read, WriteOptions{}); err != nil {
					t.Fatal(err)
				}
				var rows [][]string
				for e := range src {
					row := []string{idCell(ids, src[e], format), idCell(ids, dst[e], format)}
					if weighted {
						row = append(row, weightCell(weights[e]))
					}
					rows = append(rows, row)
				}
				readBack(t, path).equal(t, names, types, rows)
			})
		}
	}
}

// TestWriteEdgeBatchesConcurrently yields from several goroutines: all edges
// are there, those of a batch together.
func TestWriteEdgeBatchesConcurrently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges.parquet")
	const workers, batches, size = 4, 50, 100
	err := WriteEdgeBatches(context.Background(), path, func(ctx context.Context, yield func(graph.Batch) error) error {
		var wg sync.WaitGroup
		errs := make([]error, workers)
		for w := range workers {
			wg.Go(func() {
				for b := range batches {
					batch := graph.Batch{Src: make([]int64, size), Dst: make([]int64, size)}
					for i := range size {
						batch.Src[i], batch.Dst[i] = int64(w*batches+b), int64(i)
					}
					errs[w] = errors.Join(errs[w], yield(batch))
				}
			})
		}
		wg.Wait()
		return errors.Join(errs...)
	}, WriteOptions{RowGroup: 333})
	if err != nil {
		t.Fatal(err)
	}
	rows := readBack(t, path).rows
	seen := map[string]bool{}
	for i := 0; i < len(rows); i += size {
		for j := range size {
			if want := []string{rows[i][0], strconv.Itoa(j)}; !slices.Equal(rows[i+j], want) {
				t.Fatalf("row %d is %q, want %q", i+j, rows[i+j], want)
			}
		}
		seen[rows[i][0]] = true
	}
	if len(rows) != workers*batches*size || len(seen) != workers*batches {
		t.Errorf("%d rows of %d batches", len(rows), len(seen))
	}
}

func TestWriteEdgeBatchesErrors(t *testing.T) {
	own := errors.New("the reader's own")
	ints := graph.Batch{Src: []int64{1}, Dst: []int64{2}}
	strs := &graph.Strings{Offsets: []int64{0, 1}, Data: []byte("a")}
	bins := &graph.Strings{Offsets: []int64{0, 1}, Data: []byte("a"), Binary: true}
	bad := &graph.Strings{Offsets: []int64{0, 2}, Data: []byte("a")}
	for name, c := range map[string]struct {
		batches []graph.Batch
		want    error
	}{
		"lengths":         {[]graph.Batch{{Src: []int64{1, 2}, Dst: []int64{1}}}, ErrEdgeBatch},
		"weights":         {[]graph.Batch{{Src: []int64{1}, Dst: []int64{1}, Weights: []float32{1, 2}}}, ErrEdgeBatch},
		"no weights":      {[]graph.Batch{{Src: []int64{1}, Dst: []int64{1}, Weights: []float32{1}}, ints}, ErrEdgeBatch},
		"both kinds":      {[]graph.Batch{{Src: []int64{1}, Dst: []int64{1}, SrcStrings: strs, DstStrings: strs}}, ErrEdgeBatch},
		"half of each":    {[]graph.Batch{{Src: []int64{1}, DstStrings: strs}}, ErrEdgeBatch},
		"strings outside": {[]graph.Batch{{SrcStrings: strs, DstStrings: bad}}, ErrEdgeBatch},
		"string, binary":  {[]graph.Batch{{SrcStrings: strs, DstStrings: bins}}, graph.ErrIDType},
		"no integer type": {[]graph.Batch{{Type: graph.String, Src: []int64{1}, Dst: []int64{1}}}, graph.ErrIDType},
		"two types":       {[]graph.Batch{ints, {SrcStrings: strs, DstStrings: strs}}, graph.ErrIDType},
		"two widths":      {[]graph.Batch{ints, {Type: graph.Int32, Src: []int64{1}, Dst: []int64{1}}}, graph.ErrIDType},
		"out of range":    {[]graph.Batch{{Type: graph.Uint16, Src: []int64{1 << 16}, Dst: []int64{1}}}, graph.ErrIDRange},
		"the reader's":    {[]graph.Batch{ints}, own},
	} {
		for _, careless := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, "edges.parquet")
			err := WriteEdgeBatches(context.Background(), path, func(_ context.Context, yield func(graph.Batch) error) error {
				for _, b := range c.batches {
					if err := yield(b); err != nil && !careless {
						return fmt.Errorf("part 7: %w", err)
					}
				}
				if c.want == own {
					return own
				}
				return nil
			}, WriteOptions{})

			if c.want == own { // it isn't the output that is at fault
				if err != own {
					t.Errorf("%s: got %v", name, err)
				}
			} else if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: got %v, want %v", name, err, c.want)
			}
			if name == "two widths" && !strings.Contains(err.Error(), "a batch of int32 ids after one of int64 ids; ") {
				t.Errorf("%s: got %v", name, err)
			}
			if !careless && c.want != own && !strings.Contains(err.Error(), "part 7") {
				t.Errorf("%s: the reader's words are lost: %v", name, err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("%s: left %v behind", name, entries)
			}
		}
	}
}

func TestWriteEdgeBatchesLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges.csv")
	var late func(graph.Batch) error
	err := WriteEdgeBatches(context.Background(), path, func(_ context.Context, yield func(graph.Batch) error) error {
		late = yield
		return nil
	}, WriteOptions{})

	if err != nil {
		t.Fatal(err)
	}
	if err := late(graph.Batch{Src: []int64{1}, Dst: []int64{2}}); !errors.Is(err, ErrEdgeBatch) {
		t.Errorf("a batch after the end: %v", err)
	}
	got := readBack(t, path)
	got.equal(t, []string{"src", "dst"}, nil, nil)
}

// TestWriteNotANumber writes weights that JSON doesn't have.
func TestWriteNotANumber(t *testing.T) {
	inf := float32(math.Inf(1))
	weights := []float32{float32(math.NaN()), inf, -inf, 1}
	for format, want := range map[string][]string{
		"parquet": {"NaN", "+Inf", "-Inf", "1"},
		"arrow":   {"NaN", "+Inf", "-Inf", "1"},
		"csv":     {"NaN", "+Inf", "-Inf", "1"},
		"jsonl":   {samples.Null, samples.Null, samples.Null, "1"},
	} {
		path := filepath.Join(t.TempDir(), "edges."+format)
		err := WriteEdgeBatches(context.Background(), path, func(_ context.Context, yield func(graph.Batch) error) error {
			return yield(graph.Batch{Src: make([]int64, 4), Dst: make([]int64, 4), Weights: weights})
		}, WriteOptions{})

		if err != nil {
			t.Fatal(err)
		}
		for i, row := range readBack(t, path).rows {
			if row[2] != want[i] {
				t.Errorf("%s: %v reads as %s", format, weights[i], row[2])
			}
		}
	}
}
