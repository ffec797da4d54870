// Package pathglob finds the files that match a pattern. It is filepath.Glob with ** for
// directories of any depth.
package pathglob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ErrStars is a pattern in which ** isn't a whole name.
var ErrStars = errors.New("** stands for directories of any depth, and has to be a whole name, as in dir/**/*.parquet")

const separator = string(filepath.Separator)

// Match returns the names that match the pattern, sorted, each once. A name **
// in it matches any number of nested directories, including none; at the
// end, the files in them. It skips directories that begin with a dot or an
// underscore. Another name with wildcards skips such
// directories too, unless it begins like them
// (_* or .*). Without **, a pattern works as in filepath.Glob.
//
// Links to directories are directories. Those that lead out of the directory that the
// pattern begins with, before its first wildcard, are a *LinkError unless out is set.
func Match(pattern string, out bool) ([]string, error) {
	pattern = filepath.FromSlash(pattern)
	tree, named, err := treeOf(pattern, out)
	if err != nil {
		return nil, err
	}
	names, err := match(pattern, tree)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, n := range names {
		if err := tree.Check(n, len(strings.Split(filepath.Clean(n), separator))-named); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// treeOf returns the tree that a pattern finds files in, and how many names its root
// has.
func treeOf(pattern string, out bool) (*Tree, int, error) {
	parts := strings.Split(pattern, separator)
	at := slices.IndexFunc(parts, func(p string) bool { return strings.ContainsAny(p, `*?[\`) })
	if at < 0 {
		at = len(parts) - 1
	}
	root := strings.Join(parts[:at], separator)
	switch {
	case at == 0:
		root = "."
	case root == "":
		root = separator
	}
	tree, err := NewTree(root, out)
	if err != nil { // then nothing matches
		tree, err = &Tree{root: root, out: true}, nil
	}
	return tree, len(slices.DeleteFunc(strings.Split(filepath.Clean(root), separator), func(s string) bool { return s == "." })), err
}

// Root returns the directory that a pattern begins with before its first wildcard,
// as a tree.
func Root(pattern string, out bool) (*Tree, error) {
	tree, _, err := treeOf(filepath.FromSlash(pattern), out)
	return tree, err
}

func match(pattern string, tree *Tree) ([]string, error) {
	parts := strings.Split(pattern, separator)
	at := slices.Index(parts, "**")
	for i, p := range parts {
		if p != "**" && strings.Contains(p, "**") {
			return nil, ErrStars
		}
		if at >= 0 && i > at { // which may never be compared with a name
			if _, err := filepath.Match(p, ""); err != nil {
				return nil, err
			}
		}
	}
	if at < 0 {
		names, err := filepath.Glob(pattern)
		return visible(names, parts, 1), err
	}
	tops := []string{""}
	if at > 0 {
		top := strings.Join(parts[:at], separator)
		if top == "" {
			top = separator
		}
		var err error
		if tops, err = filepath.Glob(top); err != nil {
			return nil, err
		}
		tops = visible(tops, parts[:at], 0)
	}
	rest := parts[at+1:]
	for len(rest) > 0 && (rest[0] == "**" || rest[0] == "") {
		rest = rest[1:]
	}
	var names []string
	for _, top := range tops {
		if info, err := os.Stat(filepath.Join(top, ".")); err != nil || !info.IsDir() {
			continue
		}
		way, err := filepath.EvalSymlinks(filepath.Join(top, "."))
		if err != nil {
			return nil, err
		}
		if err := walk(filepath.Join(top, "."), rest, tree, []string{way}, &names); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// walk adds what matches rest in a directory and all below it. Way is the directories
// that led here, by links from one to the next.
func walk(dir string, rest []string, tree *Tree, way []string, names *[]string) error {
	// The separator makes WalkDir descend into dir if it is a link.
	return filepath.WalkDir(dir+separator, func(name string, d fs.DirEntry, err error) error {
		top := filepath.Clean(name) == dir
		if top {
			name = dir
		}
		switch {
		case err != nil:
			return err
		case !top && d.Type()&fs.ModeSymlink != 0 && isDir(name):
			if d.Name()[0] == '.' || d.Name()[0] == '_' {
				return nil
			}
			to, err := tree.Enter(name, way)
			if err != nil {
				return err
			}
			return walk(name, rest, tree, append(way[:len(way):len(way)], to), names)
		case !d.IsDir():
			if len(rest) == 0 {
				*names = append(*names, name)
			}
			return nil
		case !top && (d.Name()[0] == '.' || d.Name()[0] == '_'):
			return fs.SkipDir
		}
		if len(rest) == 0 {
			return nil
		}
		below, err := match(filepath.Join(escaped(name), strings.Join(rest, separator)), tree)
		*names = append(*names, below...)
		return err
	})
}

// visible drops matches in directories that a pattern skips. The last files names of
// a match aren't directories.
func visible(matches []string, parts []string, files int) []string {
	named := func(name string) bool { return name == "" }
	parts = slices.DeleteFunc(slices.Clone(parts), named)
	return slices.DeleteFunc(matches, func(m string) bool {
		elems := slices.DeleteFunc(strings.Split(m, separator), named)
		// From the end, since .. at the beginning is gone from the matches.
		for k := 1 + files; k <= min(len(parts), len(elems)); k++ {
			part := parts[len(parts)-k]
			if strings.ContainsAny(part, "*?[") && !looksInto(part, elems[len(elems)-k]) {
				return true
			}
		}
		return false
	})
}

// looksInto reports whether the search descends into a directory whose name matches part of a pattern. It
// skips directories in which writers keep other things than data, unless the pattern names them.
func looksInto(part, dir string) bool {
	hidden := dir != "" && (dir[0] == '.' || dir[0] == '_')
	return !hidden || strings.HasPrefix(strings.TrimPrefix(part, `\`), dir[:1])
}

// escaped makes a pattern that matches the name only.
func escaped(name string) string {
	if runtime.GOOS == "windows" {
		return name // there is no way to
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if strings.IndexByte(`*?[\`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
