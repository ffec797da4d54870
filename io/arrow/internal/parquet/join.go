// This file joins files whose rows go with each other: columns of one table
// that were written apart.

package parquet

import (
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// ErrRows: files that are joined have different numbers of rows.
var ErrRows = errors.New("wrong number of rows")

// PartError is an error of one of the files that are joined.
type PartError struct {
	Part int
	Err  error
}

func (e *PartError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the file.
func (e *PartError) Unwrap() error { return e.Err }

// part is a file among those that are joined.
type part struct {
	file  *File
	base  int64 // where its bytes begin
	first int   // the index of its first leaf
}

// piece is the place of a chunk of joined files in its own file.
type piece struct {
	part, group int
	rows        []int64 // of that row group, and of those that follow
}

// Join returns a file with the columns of all files, which are open and without
// a selection; it owns them. Its bytes are theirs, one after the
// other. Row groups needn't agree: a row group of the joined file ends where one
// does in all of them.
func Join(files ...*File) (*File, error) {
	f := &File{Rows: files[0].Rows}
	for i, p := range files {
		if p.Rows != f.Rows {
			return nil, &PartError{i, columnar.Corrupt("%w: %d, where the file that it goes with has %d", ErrRows, p.Rows, f.Rows)}
		}
		f.parts = append(f.parts, part{p, f.Size, len(f.leaves)})
		f.leaves = append(f.leaves, p.leaves...)
		f.Size += p.Size
	}
	f.work = columnar.NewWork(f.Size, files[0].limits)
	return f, nil
}

// Parts returns for each column in which of the joined files it is.
func (f *File) Parts() []int {
	of := make([]int, len(f.leaves))
	for i, p := range f.parts {
		for k := range p.file.leaves {
			of[p.first+k] = i
		}
	}
	return of
}

// Place returns in which of the joined files the k-th selected column is, and
// where in it a row of a row group is. Without a row, which is -1, it is the
// nth of the row groups that the file has there.
func (f *File) Place(group, k, nth int, row int64) (file, itsGroup int, itsRow int64) {
	p := &f.pieces[group][k]
	i := 0
	for ; i < len(p.rows)-1; i++ {
		n := p.rows[i]
		if row >= 0 && row < n || row < 0 && n > 0 && nth == 0 {
			break
		}
		if row >= 0 {
			row -= n
		} else if n > 0 {
			nth--
		}
	}
	return p.part, p.group + i, row
}

// selectJoined is Select of joined files.
func (f *File) selectJoined(cols []int, wants []columnar.Kind) error {
	f.picked, f.wants = cols, wants
	of := f.Parts()
	at := make([]int, len(cols)) // among the selected columns of their file
	ends := map[int64]int{}      // of row groups, and in how many files
	selected := 0
	for i, p := range f.parts {
		var own []int
		var kinds []columnar.Kind
		for k, c := range cols {
			if of[c] == i {
				at[k] = len(own)
				own, kinds = append(own, c-p.first), append(kinds, wants[k])
			}
		}
		if len(own) == 0 {
			continue
		}
		if err := p.file.Select(own, kinds); err != nil {
			return &PartError{i, err}
		}
		selected++
		end := int64(0)
		for _, g := range p.file.Groups {
			if g.Rows > 0 {
				end += g.Rows
				ends[end]++
			}
		}
	}
	for end, files := range ends {
		if files < selected {
			delete(ends, end)
		}
	}
	next := make([]int, len(f.parts)) // the row group that comes next in each file
	from := int64(0)
	for _, to := range slices.Sorted(maps.Keys(ends)) {
		first := slices.Clone(next)
		rows := make([][]int64, len(f.parts))
		for i, p := range f.parts {
			for have := int64(0); have < to-from && next[i] < len(p.file.Groups); next[i]++ {
				n := p.file.Groups[next[i]].Rows
				rows[i], have = append(rows[i], n), have+n
			}
		}
		g := Group{Rows: to - from, Chunks: make([]Chunk, len(cols))}
		places := make([]piece, len(cols))
		for k, c := range cols {
			i := of[c]
			var chunks []Chunk
			for _, whole := range f.parts[i].file.Groups[first[i]:next[i]] {
				if whole.Rows > 0 {
					chunks = append(chunks, whole.Chunks[at[k]].shift(&f.parts[i]))
				}
			}
			g.Chunks[k] = chain(chunks, &f.leaves[c])
			places[k] = piece{i, first[i], rows[i]}
		}
		f.Groups, f.pieces = append(f.Groups, g), append(f.pieces, places)
		from = to
	}
	return nil
}

// shift returns the chunk where it is in the joined file.
func (c Chunk) shift(p *part) Chunk {
	inside := func(x Extent) Extent {
		if x.At <= 0 || x.At >= p.file.Size || x.Size < 0 || x.Size > p.file.Size-x.At {
			return Extent{}
		}
		return Extent{x.At + p.base, x.Size}
	}
	c.offsetIndex, c.columnIndex, c.bloom = inside(c.offsetIndex), inside(c.columnIndex), inside(c.bloom)
	c.Start += p.base
	c.base = p.base
	return c
}

// chain returns a chunk that continues in the next.
func chain(chunks []Chunk, l *leaf) Chunk {
	c := chunks[0]
	if c.more = chunks[1:]; len(c.more) == 0 {
		return c
	}
	c.offsetIndex, c.columnIndex, c.bloom = Extent{}, Extent{}, Extent{}
	b := &c.Bounds
	for i := range c.more {
		next := &c.more[i]
		if c.Nulls < 0 || next.Nulls < 0 || next.Nulls > math.MaxInt64-c.Nulls {
			c.Nulls = -1
		} else {
			c.Nulls += next.Nulls
		}
		c.Range.Known = c.Range.Known && next.Range.Known
		c.Range.Min, c.Range.Max = min(c.Range.Min, next.Range.Min), max(c.Range.Max, next.Range.Max)
		n := &next.Bounds
		if b.HasMin = b.HasMin && n.HasMin; b.HasMin && l.compare(&n.Min, &b.Min) < 0 {
			b.Min = n.Min
		}
		if b.HasMax = b.HasMax && n.HasMax; b.HasMax && l.compare(&n.Max, &b.Max) > 0 {
			b.Max = n.Max
		}
	}
	return c
}
