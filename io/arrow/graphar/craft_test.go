// This file writes directories in GraphAr's format, by the specification.

package graphar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/foray-graph/foray/graph"
)

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func writeParquet(t testing.TB, path string, cols ...column) {
	t.Helper()
	writeGroups(t, path, cols[0].len(), cols...)
}

// writeGroups writes row groups of so many rows.
func writeGroups(t testing.TB, path string, groupRows int, cols ...column) {
	t.Helper()
	var nodes schema.FieldList
	for _, c := range cols {
		rep := parquet.Repetitions.Required
		if c.valid != nil {
			rep = parquet.Repetitions.Optional
		}
		var n schema.Node
		switch c.values.(type) {
		case []int64:
			n = schema.NewInt64Node(c.name, rep, -1)
		case []int32:
			n = schema.NewInt32Node(c.name, rep, -1)
		case []day:
			n = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(c.name, rep, schema.DateLogicalType{}, parquet.Types.Int32, 0, -1))
		case []float64:
			n = schema.NewFloat64Node(c.name, rep, -1)
		case []bool:
			n = schema.NewBooleanNode(c.name, rep, -1)
		case []string:
			n = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(c.name, rep, schema.StringLogicalType{}, parquet.Types.ByteArray, 0, -1))
		}
		nodes = append(nodes, n)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)))
	for from, rows := 0, cols[0].len(); from == 0 || from < rows; from += max(1, groupRows) {
		g := w.AppendRowGroup()
		for _, c := range cols {
			cw, err := g.NextColumn()
			if err == nil {
				err = errors.Join(writeColumn(cw, c.cut(from, min(from+groupRows, rows))), cw.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, out.Bytes())
}

func writeColumn(cw file.ColumnChunkWriter, c column) (err error) {
	var levels []int16
	for _, ok := range c.valid {
		levels = append(levels, 0)
		if ok {
			levels[len(levels)-1] = 1
		}
	}
	switch cw := cw.(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = cw.WriteBatch(there(c.values.([]int64), c.valid), levels, nil)
	case *file.Int32ColumnChunkWriter:
		values, ok := c.values.([]int32)
		if !ok {
			for _, d := range c.values.([]day) {
				values = append(values, int32(d))
			}
		}
		_, err = cw.WriteBatch(there(values, c.valid), levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = cw.WriteBatch(there(c.values.([]float64), c.valid), levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = cw.WriteBatch(there(c.values.([]bool), c.valid), levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		var list []parquet.ByteArray
		for _, s := range there(c.values.([]string), c.valid) {
			list = append(list, parquet.ByteArray(s))
		}
		_, err = cw.WriteBatch(list, levels, nil)
	}
	return err
}

func writeCount(t testing.TB, path string, n int) {
	writeFile(t, path, binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// vertices is a type of vertices: its keys are []int64, []int32 or []string, or
// nil for none.
type vertices struct {
	name   string
	n      int
	chunk  int
	keys   any
	groups []group // besides
	csv    bool    // the keys are in CSV
}

// group is a property group, of vertices or of edges in the order of their pairs.
type group struct {
	cols      []column
	groupRows int  // of its files; 0 for all
	numbers   bool // of vertices: with their numbers
	csv       bool
}

func (g *group) yaml() string {
	text := "- file_type: " + typeOf(g.csv) + "\n  prefix: " + g.prefix() + "\n  properties:\n"
	for _, c := range g.cols {
		text += fmt.Sprintf("  - name: %s\n    data_type: %s\n    is_primary: false\n", c.name, dataType(c.values))
	}
	return text
}

func (g *group) prefix() string { return "of_" + g.cols[0].name + "/" }

// write writes a chunk.
func (g *group) write(t testing.TB, path string, pick func(c column) column, first int) {
	var cols []column
	for _, c := range g.cols {
		cols = append(cols, pick(c))
	}
	if g.numbers {
		n := make([]int64, cols[0].len())
		for i := range n {
			n[i] = int64(first + i)
		}
		cols = append([]column{{name: vertexColumn, values: n}}, cols...)
	}
	rows := g.groupRows
	if rows == 0 {
		rows = cols[0].len()
	}
	writeChunk(t, path, g.csv, rows, cols...)
}

func (v *vertices) write(t testing.TB, dir string) {
	text := fmt.Sprintf("type: %s\nchunk_size: %d\nprefix: vertex/%s/\nversion: gar/v1\n", v.name, v.chunk, v.name)
	if v.keys != nil {
		text += "property_groups:\n- file_type: orc\n  properties:\n  - name: other\n    data_type: string\n    is_primary: false\n" +
			"- file_type: " + typeOf(v.csv) + "\n  properties:\n  - name: id\n    data_type: " + dataType(v.keys) + "\n    is_primary: true\n  - name: more\n    data_type: string\n"
		for i := 0; i*v.chunk < v.n; i++ {
			lo, hi := i*v.chunk, min((i+1)*v.chunk, v.n)
			var part any
			switch k := v.keys.(type) {
			case []int64:
				part = k[lo:hi]
			case []int32:
				part = k[lo:hi]
			case []string:
				part = k[lo:hi]
			}
			writeChunk(t, filepath.Join(dir, "vertex", v.name, "id_more", fmt.Sprintf("chunk%d", i)), v.csv, hi-lo, column{name: "more", values: make([]string, hi-lo)}, column{name: "id", values: part})
		}
	}
	if v.keys == nil && len(v.groups) > 0 {
		text += "property_groups:\n"
	}
	for k := range v.groups {
		g := &v.groups[k]
		text += g.yaml()
		for i := 0; i*v.chunk < v.n; i++ {
			lo, hi := i*v.chunk, min((i+1)*v.chunk, v.n)
			g.write(t, filepath.Join(dir, "vertex", v.name, g.prefix(), fmt.Sprintf("chunk%d", i)), func(c column) column { return c.cut(lo, hi) }, lo)
		}
	}
	writeFile(t, filepath.Join(dir, v.name+".vertex.yml"), []byte(text))
	writeCount(t, filepath.Join(dir, "vertex", v.name, "vertex_count"), v.n)
}

// edges is a kind of edges with one adjacency list.
type edges struct {
	src, dst vertices
	name     string
	chunk    int
	list     adjList
	pairs    [][2]int64
	counts   bool // write edge_count files
	groups   []group
	order    []int // of pairs, as they were written
	csv      bool  // the adjacency list and its offsets are in CSV
}

func (e *edges) dir(dir string) string {
	return filepath.Join(dir, "edge", e.src.name+"_"+e.name+"_"+e.dst.name, e.list.name())
}

func (e *edges) write(t testing.TB, dir string) (info string) {
	kind := e.src.name + "_" + e.name + "_" + e.dst.name
	text := fmt.Sprintf("src_type: %s\nedge_type: %s\ndst_type: %s\nchunk_size: %d\nsrc_chunk_size: %d\ndst_chunk_size: %d\ndirected: true\nprefix: edge/%s/\nversion: gar/v1\n",
		e.src.name, e.name, e.dst.name, e.chunk, e.src.chunk, e.dst.chunk, kind)
	other := "csv" // a list that isn't there: Parquet comes before CSV
	if e.csv {
		other = "orc"
	}
	text += fmt.Sprintf("adj_lists:\n- ordered: true\n  aligned_by: src\n  file_type: %s\n- ordered: %v\n  aligned_by: %s\n  file_type: %s\n", other, e.list.Ordered, e.list.AlignedBy, typeOf(e.csv))
	if len(e.groups) > 0 {
		text += "property_groups:\n"
	}
	for k := range e.groups {
		text += e.groups[k].yaml()
	}
	info = filepath.Join(dir, kind+".edge.yml")
	writeFile(t, info, []byte(text))

	by, at := e.src, 0
	if e.list.AlignedBy == "dst" {
		by, at = e.dst, 1
	}
	base := e.dir(dir)
	e.order = nil
	writeCount(t, filepath.Join(base, "vertex_count"), by.n)
	for i := 0; i*by.chunk < by.n; i++ {
		lo, hi := int64(i*by.chunk), int64((i+1)*by.chunk)
		var rows []int // of pairs, in the order of the part
		for i, p := range e.pairs {
			if p[at] >= lo && p[at] < hi {
				rows = append(rows, i)
			}
		}
		if e.list.Ordered {
			slices.SortStableFunc(rows, func(a, b int) int { return int(e.pairs[a][at] - e.pairs[b][at]) })
		}
		part := picked(e.pairs, rows)
		e.order = append(e.order, rows...)
		if e.list.Ordered {
			offsets := make([]int64, min(by.chunk, by.n-int(lo))+1)
			for _, p := range part {
				offsets[p[at]-lo+1]++
			}
			for k := 1; k < len(offsets); k++ {
				offsets[k] += offsets[k-1]
			}
			writeChunk(t, filepath.Join(base, "offset", fmt.Sprintf("chunk%d", i)), e.csv, len(offsets), column{name: "_graphArOffset", values: offsets})
		}
		if e.counts {
			writeCount(t, filepath.Join(base, fmt.Sprintf("edge_count%d", i)), len(part))
		}
		if err := os.MkdirAll(filepath.Join(base, "adj_list", fmt.Sprintf("part%d", i)), 0o777); err != nil {
			t.Fatal(err)
		}
		for j := 0; j*e.chunk < len(part); j++ {
			var src, dst []int64
			for _, p := range part[j*e.chunk : min((j+1)*e.chunk, len(part))] {
				src, dst = append(src, p[0]), append(dst, p[1])
			}
			for k := range e.groups {
				g := &e.groups[k]
				g.write(t, filepath.Join(base, g.prefix(), fmt.Sprintf("part%d", i), fmt.Sprintf("chunk%d", j)),
					func(c column) column { return c.pick(rows[j*e.chunk : min((j+1)*e.chunk, len(part))]) }, 0)
			}
			writeChunk(t, filepath.Join(base, "adj_list", fmt.Sprintf("part%d", i), fmt.Sprintf("chunk%d", j)), e.csv, len(src),
				column{name: "_graphArSrcIndex", values: src}, column{name: "_graphArDstIndex", values: dst})
		}
	}
	return info
}

func writeGraphInfo(t testing.TB, dir, prefix string, vs []vertices, es []edges) string {
	text := "name: it\n" + prefix + "vertices:\n"
	for _, v := range vs {
		text += "- " + v.name + ".vertex.yml\n"
	}
	text += "edges:\n"
	for _, e := range es {
		text += "- " + e.src.name + "_" + e.name + "_" + e.dst.name + ".edge.yml\n"
	}
	path := filepath.Join(dir, "it.graph.yml")
	writeFile(t, path, []byte(text+"version: gar/v1\n"))
	return path
}

// randomKeys returns n different keys, by the type of like.
func randomKeys(r *rand.Rand, n int, like any) any {
	perm := r.Perm(5 * n)
	switch like.(type) {
	case []int64:
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = int64(perm[i])*1_000_003 - 9
		}
		return keys
	case []int32:
		keys := make([]int32, n)
		for i := range keys {
			keys[i] = int32(perm[i])
		}
		return keys
	case []string:
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("k%d", perm[i])
		}
		return keys
	}
	return nil
}

func keyText(keys any, i int64) string {
	switch k := keys.(type) {
	case []int64:
		return fmt.Sprint(k[i])
	case []int32:
		return fmt.Sprint(k[i])
	}
	return keys.([]string)[i]
}

// edgeTexts returns the edges of a directed graph, sorted, by their ids.
func edgeTexts(g *graph.Graph) (list []string) {
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Out().Neighbors(u) {
			list = append(list, g.IDs().Format(u)+" "+g.IDs().Format(v))
		}
	}
	slices.Sort(list)
	return list
}

// sample writes a small graph, and returns the path of its edges' file.
func sample(t testing.TB, dir string) (e edges, info string) {
	v := vertices{name: "person", n: 5, chunk: 2, keys: []int64{10, 20, 30, 40, 50}}
	v.write(t, dir)
	e = edges{src: v, dst: v, name: "knows", chunk: 2, list: adjList{Ordered: true, AlignedBy: "src"}, counts: true,
		pairs: [][2]int64{{0, 1}, {0, 2}, {1, 2}, {3, 0}, {4, 4}}}
	return e, e.write(t, dir)
}

func typeOf(csv bool) string {
	if csv {
		return "csv"
	}
	return "parquet"
}

// writeChunk writes Parquet, with row groups of so many rows, or CSV.
func writeChunk(t testing.TB, path string, csv bool, groupRows int, cols ...column) {
	t.Helper()
	if !csv {
		writeGroups(t, path, groupRows, cols...)
		return
	}
	var b bytes.Buffer
	for i, c := range cols {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.name)
	}
	b.WriteByte('\n')
	for row := range cols[0].len() {
		for i, c := range cols {
			if i > 0 {
				b.WriteByte(',')
			}
			if c.valid == nil || c.valid[row] {
				b.WriteString(c.text(row))
			}
		}
		b.WriteByte('\n')
	}
	writeFile(t, path, b.Bytes())
}

// text returns a value as CSV has it.
func (c column) text(row int) string {
	switch v := c.values.(type) {
	case []int64:
		return fmt.Sprint(v[row])
	case []int32:
		return fmt.Sprint(v[row])
	case []day:
		return time.Unix(int64(v[row])*24*60*60, 0).UTC().Format(time.DateOnly)
	case []float64:
		return fmt.Sprint(v[row])
	case []bool:
		return fmt.Sprint(v[row])
	}
	return `"` + strings.ReplaceAll(c.values.([]string)[row], `"`, `""`) + `"`
}
