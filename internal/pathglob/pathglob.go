// Package pathglob finds the files that a pattern stands for. It is
// filepath.Glob with ** for directories of any depth.
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
// in it stands for no directory, one, or several, one below the other; at the
// end, for the files in them. Directories that begin with a dot or an
// underscore, and links to directories, aren't looked into for it; nor are such
// directories for another name with wildcards, unless that begins like theirs
// (_* or .*). A pattern without ** is otherwise that of filepath.Glob.
func Match(pattern string) ([]string, error) {
	names, err := match(filepath.FromSlash(pattern))
	slices.Sort(names)
	return slices.Compact(names), err
}

func match(pattern string) ([]string, error) {
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
		err := filepath.WalkDir(filepath.Join(top, "."), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case !d.IsDir():
				if len(rest) == 0 {
					names = append(names, name)
				}
				return nil
			case name != filepath.Join(top, ".") && (d.Name()[0] == '.' || d.Name()[0] == '_'):
				return fs.SkipDir
			}
			if len(rest) == 0 {
				return nil
			}
			below, err := match(filepath.Join(escaped(name), strings.Join(rest, separator)))
			names = append(names, below...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// visible leaves out matches in directories that a pattern doesn't look into. Of
// its last names so many aren't directories.
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

// looksInto reports whether a name of a pattern, which matches a directory's, looks
// into that: not where writers keep what isn't data, unless it says so itself.
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
