// This file looks for tables among the directories of this machine.

package tableformat

import (
	"os"
	"path/filepath"
)

// Levels is how far above a directory a table is looked for. Six are data/ and
// five partition columns; Iceberg's layout for object stores has data/ and four
// directories of hashes, then partitions.
const Levels = 8

// probeKeys is how many names in a directory metadata are looked at: a page of a
// listing, the most that S3 gives.
const probeKeys = 1000

// Finder examines directories, and caches their kinds. The zero value is
// ready. Only one goroutine may use it.
type Finder struct {
	known map[string]Kind // by path
	clear map[string]bool // directories that Check found no table for
}

// At returns the kind of table that a directory is. A directory that can't be read
// isn't a table: reading it later returns the error.
func (f *Finder) At(dir string) Kind {
	kind, ok := f.known[dir]
	if !ok {
		kind = look(dir)
		if f.known == nil {
			f.known = map[string]Kind{}
		}
		f.known[dir] = kind
	}
	return kind
}

// Check returns an Error if the directory is a table, or is inside one, by its
// path or by the target of links in it.
func (f *Finder) Check(dir string) error {
	if f.clear[dir] {
		return nil
	}
	err := f.check(dir)
	if err == nil {
		if f.clear == nil {
			f.clear = map[string]bool{}
		}
		f.clear[dir] = true
	}
	return err
}

func (f *Finder) check(dir string) error {
	if kind := f.At(dir); kind != "" {
		return &Error{filepath.Clean(dir), kind}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil // without a working directory the path leads nowhere either
	}
	if err := f.above(abs); err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(abs); err == nil && to != abs {
		return f.above(to)
	}
	return nil
}

func (f *Finder) above(dir string) error {
	for range Levels {
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		if kind := f.At(up); kind != "" {
			return &Error{up, kind}
		}
		dir = up
	}
	return nil
}

func look(dir string) Kind {
	is := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.IsDir()
	}
	switch {
	case is(deltaLog):
		return Delta
	case is(hudiMeta):
		return Hudi
	case is(icebergMeta) && hasIcebergFile(filepath.Join(dir, icebergMeta)):
		return Iceberg
	}
	return ""
}

func hasIcebergFile(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(probeKeys)
		for _, name := range names {
			if icebergFile(name) {
				return true
			}
		}
		if err != nil { // io.EOF at the end
			return false
		}
	}
}
