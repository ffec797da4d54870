// This file walks directories for files of data.

package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/tableformat"
)

// walk returns the data files below a directory, sorted: by the ends of their
// names, and those without one, as Hive writes them, by how they begin. Of the
// latter all are data or none: what is among them besides may be damaged. Links
// to directories are directories, for lakes have them where a disk is full; those that
// lead out of the tree, which is what is below dir where it is nil, are refused. Tables,
// and directories in or above one, are ErrTable.
func (s *Store) walk(dir string, tree *pathglob.Tree) ([]string, error) {
	if err := s.finder.Check(dir); err != nil {
		return nil, err
	}
	if tree == nil {
		var err error
		if tree, err = pathglob.NewTree(dir, s.Links); err != nil {
			return nil, err
		}
	}
	way, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	w := walker{left: &s.Left, finder: &s.finder, tree: tree}
	err = w.walk(dir, []string{way})
	if err == nil && w.plain > 0 && w.other != "" {
		other, _ := filepath.Rel(dir, w.other)
		info, _ := filepath.Glob(filepath.Join(dir, "*.graph.y*ml")) // of all of it
		if len(info) == 0 {
			info, _ = filepath.Glob(filepath.Join(dir, "*.y*ml"))
		}
		if len(info) > 0 {
			return nil, fmt.Errorf("%w: %s says that the directory is Apache GraphAr's, which package graphar reads; name that file", ErrFormat, info[0])
		}
		err = fmt.Errorf("%w: of the files without an extension some are Parquet or Arrow, but %s isn't; take it away, or name the files themselves", ErrFormat, other)
	}
	return w.files, err
}

type walker struct {
	files []string
	plain int    // how many of them have no end
	other string // without an end, and no data
	left  *ignored

	finder *tableformat.Finder
	tree   *pathglob.Tree
}

// ignored counts files, or objects, that aren't read since their names, or what
// they begin with, aren't those of data.
type ignored struct {
	N   int
	One string // of them, the first
}

func (i *ignored) note(path string) {
	if i.N++; i.N == 1 {
		i.One = path
	}
}

// walk adds what is below a directory. Way is the directories that led here,
// by links from one to the next, without links in their own names.
func (w *walker) walk(dir string, way []string) error {
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		file := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case name != "." && Hidden(path.Base(name)):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			if kind := w.finder.At(file); kind != "" {
				return &tableformat.Error{Root: file, Kind: kind}
			}
		case d.Type()&fs.ModeSymlink != 0 && isDir(file):
			return w.link(file, way)
		case Data(name):
			w.files = append(w.files, file)
			return w.inTree(file, d)
		case path.Ext(name) == "":
			is, err := beginsLikeData(file, func() (fs.FileInfo, error) { return os.Stat(file) },
				func() (io.ReadCloser, error) { return os.Open(file) })
			switch {
			case err != nil:
				return err
			case is:
				w.plain++
				w.files = append(w.files, file)
				return w.inTree(file, d)
			default:
				w.other = file
				w.left.note(file)
			}
		default:
			w.left.note(file)
		}
		return nil
	})
}

// inTree refuses a link to a file out of the tree.
func (w *walker) inTree(file string, d fs.DirEntry) error {
	if d.Type()&fs.ModeSymlink == 0 {
		return nil
	}
	return linkError(w.tree.Check(file, 1))
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// link walks the directory that a link leads to.
func (w *walker) link(link string, way []string) error {
	to, err := w.tree.Enter(link, way)
	if err != nil {
		return linkError(err)
	}
	if err := w.finder.Check(to); err != nil {
		return err
	}
	return w.walk(link, append(way[:len(way):len(way)], to))
}

// linkError makes an ErrUnsupported of a link that isn't followed.
func linkError(err error) error {
	var link *pathglob.LinkError
	if errors.As(err, &link) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}
