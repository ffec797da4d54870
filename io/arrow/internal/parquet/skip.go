// This file leaves out rows: whole pages unread, where it can be.

package parquet

import (
	"errors"
	"sort"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// errGap: a value shares a beginning with one that was left out undecoded.
var errGap = errors.New("the value before is missing")

// skip leaves out n rows.
func (c *column) skip(n int64) error {
	if n > c.left {
		return columnar.Corrupt("its pages end %d values too early", n-c.left)
	}
	for n > 0 {
		switch {
		case int64(c.page) > n || c.page > 0 && c.whole:
			if err := c.take(&c.skipped, int(min(n, skipRows))); err != nil {
				return err
			}
			n -= int64(c.skipped.Len())
			continue
		case c.page > 0:
			n -= int64(c.page)
			c.left -= int64(c.page)
			c.page, c.gap = 0, true
			continue
		}
		jumped, err := c.jump(&n)
		if err == nil && !jumped {
			err = c.pass(&n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pass goes over the next page, or starts it where rows of it are wanted.
func (c *column) pass(n *int64) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.pos >= c.end {
		return columnar.Corrupt("its pages end %d values too early", c.left)
	}
	h, err := c.nextHeader()
	if err != nil {
		return err
	}
	if !h.hasValues() || h.kind == pageDictionary || int64(h.values) > *n || c.whole {
		return c.enter(h)
	}
	if err := c.checkPage(h); err != nil {
		return err
	}
	c.sawData, c.gap = true, true
	c.pos += int64(h.packed)
	c.left -= int64(h.values)
	*n -= int64(h.values)
	return nil
}

// jump moves to the page that has the n-th row from here, if that is further
// on, and makes n the rows still to skip in it.
func (c *column) jump(n *int64) (bool, error) {
	if c.jumps == nil {
		return false, nil
	}
	row := c.chunk.values - c.left
	i := sort.Search(len(c.jumps), func(i int) bool { return c.jumps[i].First > row+*n }) - 1
	if i < 0 || c.jumps[i].First <= row {
		return false, nil
	}
	// The dictionary comes before all pages of data.
	if !c.sawData && !c.hasDict && c.jumps[0].at > c.pos {
		h, err := c.nextHeader()
		if err == nil {
			err = c.enter(h)
		}
		if err != nil {
			return false, err
		}
		if c.page > 0 {
			return true, nil // it was data: continue from there
		}
	}
	to := c.jumps[i]
	if to.at < c.pos {
		return false, nil // the index is wrong: the pages are passed one by one
	}
	c.pos, c.left, c.sawData = to.at, c.chunk.values-to.First, true
	c.gap = true
	*n -= to.First - row
	return true, nil
}
