// This file tests ReadIDs.

package dataset

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// format is the i-th id as text.
func (c *IDColumn) format(i int) string {
	switch {
	case c.Type == graph.Uint64:
		return fmt.Sprint(uint64(c.Ints[i]))
	case c.Type.Integer():
		return fmt.Sprint(c.Ints[i])
	case c.Type == graph.Binary:
		return hex.EncodeToString(c.Strings.Value(i))
	}
	return string(c.Strings.Value(i))
}

// sources reads the column src by Batches, on one worker and thus in order.
func sources(t *testing.T, path string) (c IDColumn) {
	d, err := Open(context.Background(), []string{path}, Options{Source: "src", Target: "dst", Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.Type = d.Schema().IDType
	c.Strings.Offsets = []int64{0}
	err = d.Batches(context.Background(), func(b graph.Batch) error {
		c.Ints = append(c.Ints, b.Src...)
		if b.SrcStrings != nil {
			for j := range b.SrcStrings.Len() {
				c.Strings.Data = append(c.Strings.Data, b.SrcStrings.Value(j)...)
				c.Strings.Offsets = append(c.Strings.Offsets, int64(len(c.Strings.Data)))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestReadIDs compares with Batches, which reads the same column as an edge's
// source.
func TestReadIDs(t *testing.T) {
	dir := t.TempDir()
	read, nulls := 0, 0
	for i, k := range idKinds() {
		for seed := range 12 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(seed)))
			rows := 1 + r.IntN(3000)
			src, _ := randomIDs(t, r, "src", k, rows)
			dst, _ := randomIDs(t, r, "dst", k, rows)
			dst.Valid, dst.Node = nil, samples.Node(t, "dst", false, k.logical, k.typ, k.length)
			path := samples.WriteTo(t, filepath.Join(dir, fmt.Sprint(i, "-", seed)), samples.WriteParquet(t, rows, 1+r.IntN(rows), []samples.ParquetColumn{src, dst}))
			var c IDColumn
			err := ReadIDs(context.Background(), path, "src", &c)
			if src.Valid != nil && err != nil {
				if !errors.Is(err, input.ErrNull) {
					t.Fatal(err)
				}
				nulls++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			want := sources(t, path)
			if c.Type != want.Type || c.Len() != rows || want.Len() != rows {
				t.Fatalf("%d ids of type %v, want %d of %v", c.Len(), c.Type, want.Len(), want.Type)
			}
			for j := range rows {
				if c.format(j) != want.format(j) {
					t.Fatalf("id %d is %s, want %s", j, c.format(j), want.format(j))
				}
			}
			read++

			// Appended once more, and not to a column of another type.
			if err := ReadIDs(context.Background(), path, "src", &c); err != nil || c.Len() != 2*rows || c.format(rows) != c.format(0) {
				t.Errorf("%d ids after the second time, %v", c.Len(), err)
			}
			other := IDColumn{Type: graph.Int8, Ints: []int64{1}}
			if c.Type != graph.Int8 {
				if err := ReadIDs(context.Background(), path, "src", &other); !errors.Is(err, input.ErrColumnType) {
					t.Error(err)
				}
			}
		}
	}
	if read == 0 || nulls == 0 {
		t.Errorf("%d files read, %d with nulls", read, nulls)
	}
}

func TestReadIDsErrors(t *testing.T) {
	testlong.Project(t)
	t.Parallel()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 7))
	k := idKinds()[0]
	ids, _ := randomIDs(t, r, "id", k, 100)
	ids.Valid, ids.Node = nil, samples.Node(t, "id", false, k.logical, k.typ, k.length)
	w := samples.ParquetColumn{Node: samples.Node(t, "w", false, nil, parquet.Types.Double, 0), Values: make([]float64, 100)}
	data := samples.WriteParquet(t, 100, 30, []samples.ParquetColumn{ids, w})
	path := samples.WriteTo(t, filepath.Join(dir, "ids"), data)
	edges := filepath.Join(dir, "edges.arrow")
	if err := write.WriteEdges(context.Background(), edges, samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 1}), write.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path, column string
		want         error
	}{
		"missing":        {filepath.Join(dir, "none"), "id", os.ErrNotExist},
		"a directory":    {dir, "id", input.ErrUnsupported},
		"no such column": {path, "di", input.ErrColumn},
		"weights":        {path, "w", input.ErrColumnType},
		"Arrow":          {edges, "src", input.ErrFormat},
		"empty":          {samples.WriteTo(t, filepath.Join(dir, "empty"), nil), "id", input.ErrFormat},
		"cut":            {samples.WriteTo(t, filepath.Join(dir, "cut"), data[:len(data)-9]), "id", input.ErrDamaged},
	} {
		if err := ReadIDs(context.Background(), c.path, c.column, &IDColumn{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := ReadIDs(ctx, path, "id", &IDColumn{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for range 1000 { // no panic, and no error without a place
		var c IDColumn
		damaged := samples.WriteTo(t, filepath.Join(dir, "damaged"), mutate(r, data, [][]byte{data}))
		var f *input.FileError
		if err := ReadIDs(context.Background(), damaged, "id", &c); err != nil && (!errors.As(err, &f) || f.Path != damaged) {
			t.Fatal(err)
		}
	}
}
