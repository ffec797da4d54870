// This file holds the check that texts which are read together have their edges in the same columns.

package main

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/edgelist"
)

// errColumns: the columns of edges are unclear.
var errColumns = text.Named("unclear columns", edgelist.ErrFormat)

// textColumns are those that the edges of a text are in, as edgelist.Options.Columns has them.
type textColumns struct {
	path  string
	names [3]string
	at    [3]int
	told  [3]bool
}

// ends names the columns.
func (c *textColumns) ends() string {
	if c.names[0] == "" && c.names[1] == "" {
		return "columns 1 and 2, without a header"
	}
	return fmt.Sprintf("%q and %q", c.names[0], c.names[1])
}

// alike returns an error where the text has its edges in other columns than another one, and names don't tell that
// they are the same: a column that was taken because it is one of the only two may be anything in another file.
func (in *input) alike(c textColumns) error {
	for i := range in.textCols {
		d := &in.textCols[i]
		switch {
		case d.path == c.path:
			return nil // it is read for the second time
		case (d.names == [3]string{}) != (c.names == [3]string{}):
			if d.at != c.at {
				return fmt.Errorf("%s: %w: its edges are in %s, and those of %s in %s; give all texts a header, or put source, target and weight first in all", c.path, errColumns, c.ends(), d.path, d.ends())
			}
		case d.differs(&c, 0) || d.differs(&c, 1):
			return fmt.Errorf("%s: %w: its edges are in %s, and those of %s in %s; name the columns of all texts in Options.Source and Options.Target", c.path, errColumns, c.ends(), d.path, d.ends())
		case d.differs(&c, 2):
			return fmt.Errorf("%s: %w: its weights are in %q, and those of %s in %q; name the column of all texts in Options.Weight", c.path, errColumns, c.names[2], d.path, d.names[2])
		}
	}
	for _, d := range in.textCols {
		if d.names == c.names && d.at == c.at && d.told == c.told {
			return nil // so that there are few, whatever the number of files
		}
	}
	in.textCols = append(in.textCols, c)
	return nil
}

// differs reports whether a column has another name in c and wasn't found by name in both.
func (d *textColumns) differs(c *textColumns, k int) bool {
	return !(d.told[k] && c.told[k]) && !strings.EqualFold(d.names[k], c.names[k])
}
