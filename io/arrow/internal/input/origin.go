// This file holds origin, a file or object of a dataset.

package input

import (
	"io/fs"
	"strings"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
)

// Origin is a file or object of a dataset, and the columns that its
// directories tell.
type Origin struct {
	Path   string
	FS     fs.FS      // that has the file; nil for this machine's
	Object *s3.Object // nil for files
	named  int        // how many of the path's directories were named, not found
	Told   []Constant
	Beside []string                // further files with columns of the same rows
	CSV    map[string][]csv.Column // of those that are CSV, their columns
	Lake   *lakeFile               // the table's entry for the file; nil for others
}

// Partitions returns the partition columns of a file's directories: the
// directories found below the named path, and the consecutive ones at the end of
// that path. A directory further up wasn't chosen by the writer of the data. If
// several have the same name the last one counts.
func (f *Origin) Partitions() []Constant {
	dirs := elements(f.Path)
	dirs = dirs[:len(dirs)-1]
	named := min(f.named, len(dirs))
	first := named
	for first > 0 && isPartition(dirs[first-1]) {
		first--
	}
	var all []Constant
	for i, d := range dirs[first:] {
		if !isPartition(d) {
			continue
		}
		name, value, _ := strings.Cut(d, "=")
		c := Constant{Name: unescape(name), Null: value == NullPartition, Weak: first+i < named}
		if !c.Null {
			c.Text = unescape(value)
		}
		kept := all[:0]
		for _, old := range all {
			if old.Name != c.Name {
				kept = append(kept, old)
			}
		}
		all = append(kept, c)
	}
	return all
}
