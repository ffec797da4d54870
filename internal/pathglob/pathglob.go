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
// underscore, and links to directories, aren't looked into for it. A
// pattern without ** is that of filepath.Glob.
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
		return filepath.Glob(pattern)
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
