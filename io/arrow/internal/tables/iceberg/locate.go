// This file finds the metadata file of a table.

package iceberg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// errAmbiguous: a directory doesn't say which of its metadata files is the current one.
var errAmbiguous = errors.New("it is not clear which metadata file is the current one")

// versions are the names of metadata files that begin with a version: v3.metadata.json of
// tables that are directories alone, 00003-<uuid>.metadata.json of tables that a catalog
// has. Those that end in .gz, or have it before .metadata, are compressed.
var versions = regexp.MustCompile(`^(?:v(\d{1,18})|(\d{1,18})-[^/]*?)(?:\.gz)?\.metadata\.json(?:\.gz)?$`)

func isMetadataFile(name string) bool {
	return strings.HasSuffix(name, ".metadata.json") || strings.HasSuffix(name, ".metadata.json.gz")
}

// locate returns the table's directory and its current metadata file. name is the name of
// either.
func locate(ctx context.Context, files tables.FS, name string) (dir, file string, err error) {
	name = slashes(name)
	if base := path.Base(name); isMetadataFile(base) {
		dir = parent(name)
		if path.Base(dir) != "metadata" {
			return "", name, nil // it lies elsewhere: the table is where it says itself
		}
		return parent(dir), name, nil
	}
	dir = strings.TrimRight(name, "/")
	if dir == "" && name != "" {
		dir = "/"
	}
	if file, err = hinted(ctx, files, dir); file != "" || err != nil {
		return dir, file, err
	}
	file, err = newest(ctx, files, dir)
	return dir, file, err
}

// hinted returns the metadata file that version-hint.text names, or none.
func hinted(ctx context.Context, files tables.FS, dir string) (string, error) {
	b, err := readAll(ctx, files, join(dir, "metadata", "version-hint.text"), maxHint)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	hint := string(bytes.TrimSpace(b))
	version, err := strconv.ParseInt(hint, 10, 64)
	if err != nil {
		// Some writers put the name of the file there.
		base := path.Base(slashes(hint))
		if !isMetadataFile(base) {
			base += ".metadata.json"
		}
		file := join(dir, "metadata", base)
		if hint == "" {
			return "", nil
		}
		if is, err := exists(ctx, files, file); err != nil || !is {
			return "", err // a hint it is, no more
		}
		return file, nil
	}
	file := ""
	for ; version >= 0; version++ { // the hint is written after the file, by several writers in any order
		next, err := ofVersion(ctx, files, dir, version)
		if next == "" || err != nil {
			return file, err
		}
		file = next
	}
	return file, nil
}

// ofVersion returns the metadata file of a version, or none.
func ofVersion(ctx context.Context, files tables.FS, dir string, version int64) (string, error) {
	v := fmt.Sprintf("v%d", version)
	for _, end := range []string{".metadata.json", ".gz.metadata.json", ".metadata.json.gz"} {
		file := join(dir, "metadata", v+end)
		if is, err := exists(ctx, files, file); err != nil || is {
			return file, err
		}
	}
	return "", nil
}

// newest returns the metadata file with the highest version.
func newest(ctx context.Context, files tables.FS, dir string) (string, error) {
	entries, err := files.List(ctx, join(dir, "metadata"))
	if err != nil {
		return "", err
	}
	var best []string
	most := int64(-2) // files without a version count least
	for _, e := range entries {
		base := path.Base(slashes(e.Name))
		if !isMetadataFile(base) || strings.HasPrefix(base, ".") {
			continue
		}
		version := int64(-1)
		if m := versions.FindStringSubmatch(base); m != nil {
			version, _ = strconv.ParseInt(m[1]+m[2], 10, 64)
		}
		if version > most {
			best, most = nil, version
		}
		if version == most {
			best = append(best, e.Name)
		}
	}
	switch len(best) {
	case 0:
		return "", fmt.Errorf("%w: there is no *.metadata.json in %s", fs.ErrNotExist, join(dir, "metadata"))
	case 1:
		return slashes(best[0]), nil
	}
	return "", fmt.Errorf("%w: %s or %s; name one of them in place of the directory", errAmbiguous, best[0], best[1])
}

// exists reports whether a file is there. Stores that don't let us list say of files that
// aren't there that they may not be read.
func exists(ctx context.Context, files tables.FS, name string) (bool, error) {
	f, err := files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// readAll reads a file of at most so many bytes.
func readAll(ctx context.Context, files tables.FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRange(f, 0, f.Size(), most)
}

// readCounted reads a file that counts for the budget.
func readCounted(ctx context.Context, files tables.FS, name string, budget *tables.Budget) ([]byte, error) {
	f, err := files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := budget.Take(f.Size()); err != nil {
		return nil, err
	}
	return readRange(f, 0, f.Size(), f.Size())
}

// readRange reads a part of a file.
func readRange(f tables.File, at, n, most int64) ([]byte, error) {
	if n > most {
		return nil, columnar.Unsupported("%d bytes, where at most %d are read", n, most)
	}
	if at < 0 || n < 0 || at > f.Size()-n {
		return nil, columnar.Corrupt("it has %d bytes, too few for %d at %d", f.Size(), n, at)
	}
	b := make([]byte, n)
	if k, err := f.ReadAt(b, at); k < len(b) {
		if err == nil || errors.Is(err, io.EOF) {
			err = columnar.Corrupt("it ends too early")
		}
		return nil, err
	}
	return b, nil
}
