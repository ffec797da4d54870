// This file finds the files of a dataset, and tells prepared graphs from other Arrow files.

package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/io/arrow/internal/ipc"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// Data reports whether a file in a directory is read, by the end of its name.
func Data(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".parquet", ".arrow", ".feather", ".ipc", ".arrows":
		return true
	}
	return false
}

// Discover returns the files and objects that paths stand for: themselves,
// those in directories, or what matches patterns. Those of one path are sorted
// by name, and none of them comes twice; what several paths stand for is read as often.
func (s *Store) Discover(ctx context.Context, paths []string, at tables.At) ([]Origin, error) {
	if s.FS != nil {
		return s.discoverFS(ctx, paths)
	}
	var all []Origin
	for _, p := range paths {
		p, err := LocalPath(p)
		if err != nil {
			return nil, err
		}
		if tables.InCatalog(p) {
			found, err := s.openLake(ctx, tableformat.Iceberg, p, at)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
			continue
		}
		if s3.Is(p) {
			found, err := s.expandObjects(ctx, p, at)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
			continue
		}
		if kind := s.tableAt(p); kind != "" {
			found, err := s.openLake(ctx, kind, p, at)
			if err != nil {
				return nil, err
			}
			if all == nil { // of many files
				all = found
				continue
			}
			all = append(all, found...)
			continue
		}
		found, named, err := s.expand(p)
		if err != nil {
			return nil, err
		}
		seen := make(map[string]bool, len(found)) // a pattern may match a directory and what is in it
		for _, f := range found {
			if key := filepath.Clean(f); !seen[key] {
				seen[key] = true
				all = append(all, Origin{Path: f, named: named})
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("arrow: %w: no path was given", ErrNoData)
	}
	return all, nil
}

// LocalPath returns the path of a file:// address, and refuses those that aren't read.
func LocalPath(p string) (string, error) {
	p, err := location.Path(p)
	if err != nil {
		err = fmt.Errorf("arrow: %w: %w", ErrUnsupported, err)
	}
	return p, err
}

// expand returns the files that a path stands for, and how many of the names in
// theirs were named.
func (s *Store) expand(p string) ([]string, int, error) {
	named := len(elements(p))
	info, err := os.Stat(p)
	switch {
	case err == nil && info.IsDir():
		files, err := s.walk(p, nil)
		if err == nil && len(files) == 0 {
			err = noData(p)
		}
		return files, named, InFile(p, "", err)
	case err == nil:
		return []string{p}, named, nil
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(p, "*?["):
		files, err := s.glob(p)
		return files, rootOf(p), err
	}
	return nil, 0, fmt.Errorf("arrow: %w", err)
}

// beginsLikeData reports whether a file begins with the mark of Parquet or Arrow. What isn't a regular file isn't
// opened.
func beginsLikeData(name string, stat func() (fs.FileInfo, error), open func() (io.ReadCloser, error)) (bool, error) {
	info, err := stat()
	if errors.Is(err, fs.ErrNotExist) { // a link to nothing
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	f, err := open()
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return false, nil // as likely no data, and if it is named it is an error
		}
		return false, err
	}
	defer f.Close()
	var head [8]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, InFile(name, "", err)
	}
	return looksLikeData(string(head[:n])), nil
}

func looksLikeData(begin string) bool {
	return strings.HasPrefix(begin, parquet.Magic) || strings.HasPrefix(begin, "PARE") || strings.HasPrefix(begin, ipc.Magic)
}

// noData describes a directory without readable files.
func noData(dir string) error {
	const wanted = "the directory has no files that end in .parquet, .arrow, .feather, .ipc or .arrows"
	files, dirs, left, example := 0, 0, 0, ""
	_ = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // it could be read a moment ago, and this is but a hint
			return fs.SkipDir
		case name == ".":
		case Hidden(path.Base(name)):
			left++
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			dirs++
		default:
			if files++; files == 1 {
				example = filepath.FromSlash(name)
			}
		}
		return nil
	})
	switch {
	case files > 0:
		return fmt.Errorf("%w: %s, but others, such as %s; name such files, or a pattern of them, to have them read", ErrNoData, wanted, example)
	case left > 0:
		return fmt.Errorf("%w: %s, only names that begin with a dot or an underscore, which are left out", ErrNoData, wanted)
	case dirs > 0:
		return fmt.Errorf("%w: %s, only directories without a file; check what wrote it", ErrNoData, wanted)
	}
	return fmt.Errorf("%w: %s: it is empty", ErrNoData, wanted)
}

// Hidden reports whether a name is one that writers give to files that aren't data.
func Hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

func (s *Store) glob(pattern string) ([]string, error) {
	trimmed := strings.TrimRight(pattern, string(filepath.Separator))
	tree, err := pathglob.Root(trimmed, s.Links)
	if err != nil {
		return nil, fmt.Errorf("arrow: pattern %q: %w", pattern, err)
	}
	matches, err := pathglob.Match(trimmed, s.Links)
	if err = linkError(err); err != nil {
		return nil, fmt.Errorf("arrow: pattern %q: %w", pattern, err)
	}
	var files []string
	for _, m := range matches {
		if Hidden(filepath.Base(m)) {
			continue
		}
		info, err := os.Stat(m)
		if err != nil {
			return nil, fmt.Errorf("arrow: %w", err)
		}
		if !info.IsDir() {
			if err := s.finder.Check(filepath.Dir(m)); err != nil {
				return nil, InFile(pattern, "", err)
			}
			files = append(files, m)
			continue
		}
		below, err := s.walk(m, tree)
		if err != nil {
			return nil, InFile(m, "", err)
		}
		files = append(files, below...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("arrow: %w: no file matches %q", ErrNoData, pattern)
	}
	return files, nil
}

// Every prepared graph has this key and value in its metadata.
const (
	KeyFormat    = "foray.format"
	StoredFormat = "graph"
)

// IsGraph reports whether metadata belongs to a prepared graph.
func IsGraph(kv map[string]string) bool { return kv[KeyFormat] == StoredFormat }

// ErrIsGraph is for a prepared graph where edges are wanted.
func ErrIsGraph() error {
	return fmt.Errorf("%w: it is a prepared graph, not a table of edges; OpenGraph opens it", ErrFormat)
}
