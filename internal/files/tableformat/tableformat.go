// Package tableformat recognizes the directories of Apache Iceberg, Delta Lake and Apache Hudi
// tables. It looks for their metadata, and doesn't read it. Only the metadata states which files
// and rows of a table count, so the files must not be read as a plain directory. Package io/arrow
// reads the metadata of Iceberg and Delta Lake.
package tableformat

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Kind is a table format; empty for a directory that isn't a table.
type Kind string

// The table formats.
const (
	Iceberg Kind = "Apache Iceberg"
	Delta   Kind = "Delta Lake"
	Hudi    Kind = "Apache Hudi"
)

// Names of the metadata's directories.
const (
	deltaLog    = "_delta_log"
	hudiMeta    = ".hoodie"
	icebergMeta = "metadata"
)

// Evidence describes what in a table's directory shows its kind.
func (k Kind) Evidence() string {
	switch k {
	case Iceberg:
		return icebergMeta + "/ with a *.metadata.json or version-hint.text"
	case Delta:
		return deltaLog + "/"
	}
	return hudiMeta + "/"
}

// Read reports whether tables of the kind are read, where their directories are
// named.
func (k Kind) Read() bool { return k == Delta || k == Iceberg }

// ErrTable: a directory of a table that isn't read, or one above or inside a table.
var ErrTable = errors.New("a table of Iceberg, Delta Lake or Hudi")

// Error reports which directory is a table, and how to read it. It wraps ErrTable.
type Error struct {
	Root string // the table's directory
	Kind Kind
}

func (e *Error) Error() string {
	article := "an"
	if e.Kind == Delta {
		article = "a"
	}
	remedy := "name that directory itself to read the table"
	if !e.Kind.Read() {
		remedy = "export a snapshot of it to plain Parquet files"
	}
	return fmt.Sprintf("%s is %s %s table (it has %s), whose files hold deleted and replaced rows too; "+
		"%s, or name data files one by one to read whatever is in them", e.Root, article, e.Kind, e.Kind.Evidence(), remedy)
}

// Unwrap returns ErrTable.
func (e *Error) Unwrap() error { return ErrTable }

// icebergFile reports whether a file in a directory metadata is what Iceberg's
// readers begin with.
func icebergFile(name string) bool { return name == "version-hint.text" || MetadataFile(name) }

// MetadataFile reports whether a name is one that Iceberg gives to a table's metadata.
func MetadataFile(name string) bool {
	return strings.HasSuffix(name, ".metadata.json") || strings.HasSuffix(name, ".metadata.json.gz")
}

// OfKey returns the table whose metadata the key of an object belongs to: the
// outermost, if there are several. The root is empty if the table is a whole bucket.
// Kind is empty if the key belongs to no table.
func OfKey(key string) (root string, kind Kind) {
	for at := 0; ; {
		n := strings.IndexByte(key[at:], '/')
		if n < 0 {
			return "", ""
		}
		rest := key[at+n+1:]
		switch root = strings.TrimSuffix(key[:at], "/"); key[at : at+n] {
		case deltaLog:
			return root, Delta
		case hudiMeta:
			return root, Hudi
		case icebergMeta:
			if !strings.Contains(rest, "/") && icebergFile(rest) {
				return root, Iceberg
			}
		}
		at += n + 1
	}
}

// LookFS is Finder.At for a directory of a file system.
func LookFS(fsys fs.FS, dir string) Kind {
	isDir := func(name string) bool {
		info, err := fs.Stat(fsys, path.Join(dir, name))
		return err == nil && info.IsDir()
	}
	switch {
	case isDir(deltaLog):
		return Delta
	case isDir(hudiMeta):
		return Hudi
	}
	entries, _ := fs.ReadDir(fsys, path.Join(dir, icebergMeta)) // what can't be read is no table
	for _, e := range entries {
		if icebergFile(e.Name()) {
			return Iceberg
		}
	}
	return ""
}

// Probe is a query to a store that determines whether a directory is a table: does
// a key that begins with Prefix, among the first Keys in order, belong to
// a table's metadata?
type Probe struct {
	Prefix string
	Keys   int
	Then   string // another prefix to query if that many keys match
}

// Probes returns the queries for a directory in a store, whose name is empty or
// ends in a slash. Iceberg's names begin with digits, which come first in a
// listing, or with a v, which can come behind any number of manifests.
func Probes(dir string) []Probe {
	return []Probe{
		{Prefix: dir + deltaLog + "/", Keys: 1},
		{Prefix: dir + hudiMeta + "/", Keys: 1},
		{Prefix: dir + icebergMeta + "/", Keys: probeKeys, Then: dir + icebergMeta + "/v"},
	}
}

// Above returns the directories whose tables a directory of a store can belong
// to, from the nearest: those above it, Levels at most. Names end in a slash, except
// the bucket's, which is empty.
func Above(dir string) []string {
	var dirs []string
	for dir = strings.TrimSuffix(dir, "/"); dir != "" && len(dirs) < Levels; {
		dir = dir[:max(0, strings.LastIndexByte(dir, '/'))]
		if dir == "" {
			return append(dirs, "")
		}
		dirs = append(dirs, dir+"/")
	}
	return dirs
}
