// This file holds origin, a file or object of a dataset.

package arrow

import (
	"strings"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
)

// origin is a file or object of a dataset, and the columns that its
// directories tell.
type origin struct {
	path   string
	object *s3.Object // nil for files
	named  int        // how many of the path's directories were named, not found
	told   []constant
	beside []string                // further files with columns of the same rows
	csv    map[string][]csv.Column // of those that are CSV, their columns
	lake   *lakeFile               // what the table says that it is a file of; nil for others
}

// partitions returns the partition columns of a file's directories: the
// directories found below the named path, and the consecutive ones at the end of
// that path. A directory further up wasn't chosen by the writer of the data. If
// several have the same name the last one counts.
func (f *origin) partitions() []constant {
	dirs := elements(f.path)
	dirs = dirs[:len(dirs)-1]
	named := min(f.named, len(dirs))
	first := named
	for first > 0 && isPartition(dirs[first-1]) {
		first--
	}
	var all []constant
	for i, d := range dirs[first:] {
		if !isPartition(d) {
			continue
		}
		name, value, _ := strings.Cut(d, "=")
		c := constant{name: unescape(name), null: value == nullPartition, weak: first+i < named}
		if !c.null {
			c.text = unescape(value)
		}
		kept := all[:0]
		for _, old := range all {
			if old.name != c.name {
				kept = append(kept, old)
			}
		}
		all = append(kept, c)
	}
	return all
}
