// This file reads columns with the levels that say how repeated and nested values are
// put together, as the lists and maps of tables' metadata take it.

package parquet

import (
	"math/bits"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Levels is rows of a column: a pair of levels for each value, and for each null or empty
// list instead of one. Its slices are reused by the next rows.
type Levels struct {
	Rep, Def []uint8
	Values   columnar.Vector // of those entries whose Def is the greatest, in their order
	Rows     int
}

// levels is what was decoded of a page and not yet read.
type levels struct {
	rep, def [levelsStep]uint32
	at, end  int
}

// ReadLevels fills l with the next rows of the k-th column of SelectLevels, at most n.
// There are fewer at the end of the row group.
func (r *Reader) ReadLevels(k int, l *Levels, n int) error {
	c := r.cols[k]
	return columnar.Guard(func() error { return c.readLevels(l, n) })
}

// repeated reports whether pages have levels of repetition that are read.
func (c *column) repeated() bool { return c.leaf.maxRep > 0 && c.file.levels }

func (c *column) repWidth() uint { return uint(bits.Len(uint(c.leaf.maxRep))) }

func (c *column) readLevels(l *Levels, n int) error {
	l.Rep, l.Def, l.Rows = l.Rep[:0], l.Def[:0], 0
	l.Values.Long = true
	if c.nested == nil {
		c.nested = &levels{}
	}
	if err := l.Values.Reset(c.mem, c.want, 0); err != nil {
		return err
	}
	for c.left > 0 {
		for c.page == 0 {
			if err := c.nextPage(); err != nil {
				return err
			}
			c.nested.at, c.nested.end = 0, 0
		}
		if err := c.decodeLevels(); err != nil {
			return err
		}
		done, err := c.takeLevels(l, n)
		if err != nil || done {
			return err
		}
	}
	return nil
}

// decodeLevels makes sure that levels of the page are decoded, where there are some.
func (c *column) decodeLevels() error {
	p := c.nested
	if p.at < p.end {
		return nil
	}
	n := min(c.page, levelsStep)
	p.at, p.end = 0, n
	clear(p.rep[:n])
	clear(p.def[:n])
	if c.leaf.maxRep > 0 {
		if err := c.reps.read(p.rep[:n]); err != nil {
			return err
		}
	}
	if c.leaf.maxDef > 0 {
		if err := c.defs.read(p.def[:n]); err != nil {
			return err
		}
	}
	for i := range n {
		if p.rep[i] > uint32(c.leaf.maxRep) || p.def[i] > uint32(c.leaf.maxDef) {
			return columnar.Corrupt("levels of %d and %d, where %d and %d are the highest", p.rep[i], p.def[i], c.leaf.maxRep, c.leaf.maxDef)
		}
	}
	return nil
}

// takeLevels moves what was decoded to l, until another row than the n-th begins; then
// it reports that it is done.
func (c *column) takeLevels(l *Levels, n int) (done bool, err error) {
	p := c.nested
	from, values := p.at, 0
	for ; p.at < p.end; p.at++ {
		if p.rep[p.at] == 0 {
			if l.Rows == n {
				done = true
				break
			}
			l.Rows++
		} else if l.Rows == 0 {
			return false, columnar.Corrupt("a row begins with a repeated value")
		}
		if p.def[p.at] == uint32(c.leaf.maxDef) {
			values++
		}
	}
	took := p.at - from
	if l.Rep, err = columnar.Extend(c.mem, l.Rep, took); err != nil {
		return false, err
	}
	if l.Def, err = columnar.Extend(c.mem, l.Def, took); err != nil {
		return false, err
	}
	for i := from; i < p.at; i++ {
		l.Rep, l.Def = append(l.Rep, uint8(p.rep[i])), append(l.Def, uint8(p.def[i]))
	}
	c.page -= took
	c.left -= int64(took)
	if values == 0 {
		return done, nil
	}
	if err := l.Values.Room(c.mem, values); err != nil {
		return false, err
	}
	before := len(l.Values.Data)
	if err := c.values.read(&l.Values, values); err != nil {
		return false, err
	}
	return done, c.file.work.Add(len(l.Values.Data) - before)
}
