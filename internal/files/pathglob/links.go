// This file holds what becomes of symbolic links on the way through directories.

package pathglob

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Tree is the directories below one, through which links may lead.
type Tree struct {
	root string // without links in its name
	out  bool   // links may lead out of it
}

// LinkError is a link that isn't followed.
type LinkError struct {
	Link, To string
	Loop     bool   // it leads to a directory that it is in
	Root     string // else it leads out of this one
}

func (e *LinkError) Error() string {
	if e.Loop {
		return fmt.Sprintf("the link %s leads to a directory that it is in, so that there is no end; take it away, or name the files themselves", e.Link)
	}
	return fmt.Sprintf("the link %s leads out of %s, to %s; set Options.FollowLinks to follow such links, or name what it leads to", e.Link, e.Root, e.To)
}

// NewTree returns the tree below a directory. Where out is set, links may lead out
// of it.
func NewTree(dir string, out bool) (*Tree, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	return &Tree{root, out}, err
}

// Check returns a LinkError if a link on the way to a file or directory leads out
// of the tree. below is how many names of the path are in it.
func (t *Tree) Check(path string, below int) error {
	if t.out || t.holds(path) {
		return nil
	}
	// The first link that leads out is the one to name; a path with .. may be
	// elsewhere without one.
	names := strings.Split(filepath.Clean(path), separator)
	for n := max(len(names)-below, 0) + 1; n <= len(names); n++ {
		link := strings.Join(names[:n], separator)
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || t.holds(link) {
			continue
		}
		to, err := filepath.EvalSymlinks(link)
		if err == nil {
			to, err = filepath.Abs(to)
		}
		if err != nil {
			return err
		}
		return &LinkError{Link: link, To: to, Root: t.root}
	}
	return nil
}

// holds reports whether the target of a path is in the tree, or doesn't exist.
func (t *Tree) holds(path string) bool {
	to, err := filepath.EvalSymlinks(path)
	if err == nil {
		to, err = filepath.Abs(to)
	}
	return err != nil || within(t.root, to)
}

func within(root, path string) bool {
	below, err := filepath.Rel(root, path)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+separator)
}

// Enter returns the directory that a link leads to, without links in its name, for a
// walk that came through some such directories, the tree's root first.
func (t *Tree) Enter(link string, way []string) (string, error) {
	if err := t.Check(link, 1); err != nil {
		return "", err
	}
	to, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", err
	}
	from, err := filepath.EvalSymlinks(filepath.Dir(link))
	if err != nil {
		return "", err
	}
	for _, dir := range append(way[:len(way):len(way)], from) {
		if to, err = filepath.Abs(to); err != nil {
			return "", err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
		if within(to, dir) {
			return "", &LinkError{Link: link, To: to, Loop: true}
		}
	}
	return to, nil
}

// isDir reports whether a path leads to a directory.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
