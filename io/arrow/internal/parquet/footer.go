// Package parquet reads columns of untrusted Parquet files.
//
// It stands in for arrow's own reader, which cannot be guarded from outside:
// it drops errors of its decoders, reads past the end of bit-packed data as
// zeros, allocates by counts in the data, and builds the paths of columns in
// quadratic space. Here every size is checked against the bytes that are
// there before it is used.
package parquet

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Magic opens and closes a Parquet file.
const Magic = "PAR1"

const encryptedMagic = "PARE"

// File is the metadata of a Parquet file. Once Select returned, it is
// immutable.
type File struct {
	Size   int64 // bytes
	Rows   int64
	Groups []Group // the row groups, after Select

	leaves   []leaf
	picked   []int // the leaf of each selected column
	wants    []columnar.Kind
	footer   []byte // until Select
	groupsAt int    // where in the footer the list of row groups is
	limits   columnar.Limits
	work     *columnar.Work

	levels bool // columns are read with their levels, by SelectLevels

	foreign []Chunk // of a file of another format: all columns

	parts  []part    // of joined files
	pieces [][]piece // of these, by row group and selected column
}

// Group is a row group: where its selected columns are.
type Group struct {
	Rows   int64
	Chunks []Chunk
}

// Chunk is a column of a row group.
type Chunk struct {
	Start, Length int64 // bytes in the file, pages and dictionary
	Nulls         int64 // as the statistics say; -1 if they don't
	Range         columnar.Range
	Bounds        columnar.Bounds // of values, as the statistics say
	codec         int
	values        int64

	offsetIndex, columnIndex, bloom Extent

	base int64   // where its file begins, of those that are joined
	more []Chunk // of the rows that follow in the row group
}

// Extent is a part of the file; its size is 0 if it is missing, or if its
// size isn't known.
type Extent struct{ At, Size int64 }

// Open reads the footer of a file of the given size.
func Open(r io.ReaderAt, size int64) (*File, error) { return OpenWithin(r, size, columnar.Limits{}) }

// OpenWithin is Open with limits.
func OpenWithin(r io.ReaderAt, size int64, limits columnar.Limits) (*File, error) {
	var tail [8]byte
	if size < int64(len(tail))+4 {
		return nil, columnar.Corrupt("%d bytes are too few for a Parquet file", size)
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, readError(err)
	}
	if m := string(tail[4:]); m == encryptedMagic {
		return nil, columnar.Unsupported("the file is encrypted")
	} else if m != Magic {
		return nil, columnar.Corrupt("it doesn't end with %s; it may be truncated", Magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return nil, columnar.Corrupt("a footer of %d bytes in a file of %d", n, size)
	}
	if err := limits.CheckFooter(n); err != nil {
		return nil, err
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil {
		return nil, readError(err)
	}
	f := &File{Size: size, footer: footer, Rows: -1, limits: limits, work: columnar.NewWork(size, limits)}
	if err := f.parse(); err != nil {
		if errors.Is(err, errShort) {
			err = columnar.Corrupt("the footer: %w", err)
		}
		return nil, err
	}
	return f, nil
}

// Empty returns a file without columns and rows, which needs no bytes.
func Empty() *File { return &File{work: columnar.NewWork(0, columnar.Limits{})} }

// readError makes of a file that got shorter a damaged one.
func readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return columnar.Corrupt("it ends too early")
	}
	return err
}

// The types of the fields that are read of FileMetaData and RowGroup.
var (
	fileFields  = []byte{2: tList, 3: integer, 4: tList}
	groupFields = []byte{1: tList, 3: integer}
)

func (f *File) parse() error {
	t := &thrift{b: f.footer}
	id := 0
	for {
		typ, ok := t.fieldOf(&id, fileFields)
		if !ok {
			break
		}
		switch id {
		case 2:
			if f.leaves != nil {
				t.fail(columnar.Corrupt("two schemas"))
			}
			f.leaves = t.schema(typ)
		case 3:
			f.Rows = t.int(typ)
		case 4:
			f.groupsAt = t.p
			t.skip(typ)
		default:
			t.skip(typ)
		}
	}
	switch {
	case t.err != nil:
		return t.err
	case len(f.leaves) == 0:
		return columnar.Corrupt("the footer has no columns")
	case f.Rows < 0:
		return columnar.Corrupt("the footer says that there are %d rows", f.Rows)
	case f.Rows > columnar.MaxRows(f.Size):
		return columnar.Corrupt("%d rows in a file of %d bytes are not plausible", f.Rows, f.Size)
	}
	return nil
}

// Columns describes the columns of the file.
func (f *File) Columns() []columnar.Column {
	cols := make([]columnar.Column, len(f.leaves))
	for i := range f.leaves {
		cols[i] = f.leaves[i].Column
	}
	return cols
}

// Select chooses the columns that will be read, by their index in Columns, and
// into what. It finds the row groups.
func (f *File) Select(cols []int, wants []columnar.Kind) error {
	if f.parts != nil {
		return f.selectJoined(cols, wants)
	}
	if f.foreign != nil {
		f.selectForeign(cols, wants)
		return nil
	}
	f.picked, f.wants = cols, wants
	t := &thrift{b: f.footer, p: f.groupsAt}
	f.footer = nil
	if f.groupsAt != 0 {
		n, elem := t.list(tList)
		if n > 0 {
			t.expect(elem, tStruct)
		}
		for i := 0; i < n && t.err == nil; i++ {
			if err := f.group(t, i); err != nil {
				return err
			}
		}
		if errors.Is(t.err, errShort) {
			return columnar.Corrupt("the footer: %w", t.err)
		} else if t.err != nil {
			return t.err
		}
	}
	return f.check()
}

// SelectLevels is Select for columns that ReadLevels reads, repeated ones too.
func (f *File) SelectLevels(cols []int, wants []columnar.Kind) error {
	f.levels = true
	return f.Select(cols, wants)
}

// MaxLevels returns the greatest levels of a column, by its index in Columns: those of
// definition and repetition.
func (f *File) MaxLevels(i int) (def, rep int) { return f.leaves[i].maxDef, f.leaves[i].maxRep }

// check compares what the row groups say with each other and with the file.
func (f *File) check() error {
	var rows, length int64
	for i, g := range f.Groups {
		if g.Rows < 0 || g.Rows > f.Rows-rows {
			return columnar.PlaceAt(i, "", columnar.Corrupt("%d rows, where the file has %d and %d are before it", g.Rows, f.Rows, rows))
		}
		rows += g.Rows
		if g.Rows == 0 {
			continue
		}
		for k, c := range g.Chunks {
			col := f.leaves[f.picked[k]].Path
			switch {
			case c.Start < 4 || c.Length <= 0 || c.Start > f.Size-8 || c.Length > f.Size-8-c.Start:
				return columnar.PlaceAt(i, col, columnar.Corrupt("%d bytes at %d in a file of %d", c.Length, c.Start, f.Size))
			case c.values != g.Rows && !(f.levels && f.leaves[f.picked[k]].maxRep > 0 && c.values > g.Rows):
				return columnar.PlaceAt(i, col, columnar.Corrupt("%d values for %d rows", c.values, g.Rows))
			}
			if slices.Contains(f.picked[:k], f.picked[k]) {
				continue // read as two kinds, such as a weight that is compared too
			}
			// No two row groups share bytes, or few bytes could be many rows.
			if length += c.Length; length > f.Size {
				return columnar.PlaceAt(i, col, columnar.Corrupt("the row groups overlap"))
			}
		}
	}
	if rows != f.Rows {
		return columnar.Corrupt("the row groups have %d rows, but the footer says %d", rows, f.Rows)
	}
	return nil
}

func (f *File) group(t *thrift, index int) error {
	g := Group{Rows: -1}
	id := 0
	for {
		typ, ok := t.fieldOf(&id, groupFields)
		if !ok {
			break
		}
		switch id {
		case 1:
			chunks, err := f.chunks(t, typ, index)
			if err != nil {
				return err
			}
			g.Chunks = chunks
		case 3:
			g.Rows = t.int(typ)
		default:
			t.skip(typ)
		}
	}
	if t.err == nil && len(g.Chunks) != len(f.picked) {
		return columnar.PlaceAt(index, "", columnar.Corrupt("it has no columns"))
	}
	f.Groups = append(f.Groups, g)
	return nil
}

// chunks reads the list of column chunks, of which only the selected are kept.
func (f *File) chunks(t *thrift, typ byte, index int) ([]Chunk, error) {
	n, elem := t.list(typ)
	if t.err != nil {
		return nil, nil // Select tells
	}
	if n != len(f.leaves) {
		return nil, columnar.PlaceAt(index, "", columnar.Corrupt("it has %d columns, but the schema %d", n, len(f.leaves)))
	}
	if !t.expect(elem, tStruct) {
		return nil, nil
	}
	chunks := make([]Chunk, len(f.picked))
	for i := 0; i < n && t.err == nil; i++ {
		at, used := t.p, false
		for k, p := range f.picked {
			if p == i {
				t.p, used = at, true
				if err := t.chunk(&chunks[k], &f.leaves[i]); err != nil {
					return nil, columnar.PlaceAt(index, f.leaves[i].Path, err)
				}
			}
		}
		if !used {
			t.skip(tStruct)
		}
	}
	return chunks, nil
}
