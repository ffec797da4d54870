// This file holds files of other formats, which Join puts beside Parquet files.

package parquet

import "github.com/foray-graph/foray/io/arrow/internal/columnar"

// NewForeign returns a file of another format with so many rows and bytes: one row group, whose values
// the caller reads. bounds and nulls describe the values of each column.
func NewForeign(columns []columnar.Column, rows, size int64, bounds []columnar.Bounds, nulls []int64) *File {
	f := &File{Rows: rows, Size: size, work: columnar.NewWork(size, columnar.Limits{})}
	for i, c := range columns {
		chunk := Chunk{Nulls: nulls[i], Bounds: bounds[i], values: rows}
		if b := bounds[i]; c.IsID && c.ID.Integer() && b.HasMin && b.HasMax {
			chunk.Range = columnar.Range{Min: b.Min.Int, Max: b.Max.Int, Known: true}
		}
		f.leaves = append(f.leaves, leaf{Column: c, foreign: true})
		f.foreign = append(f.foreign, chunk)
	}
	return f
}

// Foreign returns where the values of a column are, by its index in Columns, if its file isn't Parquet:
// in which of the joined files, and in which of its columns.
func (f *File) Foreign(i int) (file, column int, ok bool) {
	if !f.leaves[i].foreign {
		return 0, 0, false
	}
	for k, p := range f.parts {
		if i >= p.first && i < p.first+len(p.file.leaves) {
			return k, i - p.first, true
		}
	}
	return 0, i, true
}

// selectForeign is Select of a file of another format.
func (f *File) selectForeign(cols []int, wants []columnar.Kind) {
	f.picked, f.wants = cols, wants
	if f.Rows == 0 {
		return
	}
	g := Group{Rows: f.Rows}
	for _, c := range cols {
		g.Chunks = append(g.Chunks, f.foreign[c])
	}
	f.Groups = []Group{g}
}
