// This file finds the files of a table, which may have been moved since its
// metadata was written.

package iceberg

import (
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// slashes returns a path with slashes.
func slashes(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return filepath.ToSlash(name)
}

// join appends names to a path, which may be that of a store.
func join(dir string, names ...string) string {
	rest := strings.Join(names, "/")
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + rest
	}
	return dir + "/" + rest
}

// parent returns the directory that contains a path.
func parent(name string) string {
	switch i := strings.LastIndexByte(name, '/'); i {
	case -1:
		return "."
	case 0:
		return "/"
	default:
		return name[:i]
	}
}

// places finds the files that a table's metadata names.
type places struct {
	location string // the table's directory as the metadata has it, plain
	dir      string // where it is now; "" if it is there still
	store    bool   // the table is in a store
	// The names of the directories in location and dir, without those at their ends that
	// are alike. If there are some, other files may have been moved along with the table.
	was, is []string
	along   bool
}

// newPlaces returns places of a table whose metadata was found below dir, or isn't in its
// directory, where dir is "".
func newPlaces(location, dir string) *places {
	p := &places{location: strings.TrimRight(plain(location), "/"), dir: dir}
	if location != "" && (p.location == "" && !strings.HasPrefix(plain(location), "/") || p.location == ".") {
		p.location = "." // the directory that the writer was in
	}
	p.store = strings.HasPrefix(dir, "s3://") || dir == "" && strings.HasPrefix(p.location, "s3://")
	if dir == p.location {
		p.dir = ""
	}
	p.was, p.is = strings.Split(p.location, "/"), strings.Split(dir, "/")
	for len(p.was) > 0 && len(p.is) > 0 && p.was[len(p.was)-1] == p.is[len(p.is)-1] {
		p.was, p.is, p.along = p.was[:len(p.was)-1], p.is[:len(p.is)-1], true
	}
	return p
}

// root returns the table's directory.
func (p *places) root() string {
	if p.dir == "" {
		return p.location
	}
	return p.dir
}

// scheme returns what a location has before its colon, in lower case, and what is behind
// it; the scheme is empty if the path has no scheme.
func scheme(location string) (name, rest string) {
	name, rest, ok := strings.Cut(location, ":")
	if !ok || strings.ContainsAny(name, `/\.=`) || len(name) < 2 { // a path, or the letter of a drive
		return "", location
	}
	return strings.ToLower(name), rest
}

// plain returns a location without what may be said in several ways: local paths have no
// scheme and no name that is a dot, and objects of S3-compatible stores s3://.
func plain(location string) string {
	switch name, rest := scheme(location); name {
	case "":
		return withoutDots(location)
	case "file":
		rest = strings.TrimPrefix(rest, "//localhost")
		return withoutDots(strings.TrimPrefix(rest, "//"))
	case "s3a", "s3n", "s3":
		return "s3:" + rest
	}
	return location
}

// withoutDots returns a path without the names in it that are a dot.
func withoutDots(p string) string {
	for strings.Contains(p, "/./") {
		p = strings.ReplaceAll(p, "/./", "/")
	}
	p = strings.TrimSuffix(p, "/.")
	for strings.HasPrefix(p, "./") {
		p = strings.TrimLeft(p[2:], "/")
	}
	return p
}

// find returns where a file is that the metadata names.
func (p *places) find(name string) (string, error) {
	found := plain(name)
	if found == "" {
		return "", columnar.Corrupt("the metadata names a file without a name")
	}
	if p.dir != "" {
		if name, _ := scheme(found); p.location == "." && name == "" && !strings.HasPrefix(found, "/") {
			found = join(p.dir, found)
		} else if rest, ok := strings.CutPrefix(found, p.location+"/"); ok {
			found = join(p.dir, rest)
		} else if rest, ok := p.beside(found); ok {
			found = rest
		}
	}
	switch name, _ := scheme(found); {
	case name != "" && name != "s3":
		return "", columnar.Unsupported("the table names a file %.200q: local files and objects of S3-compatible stores are read", found)
	case p.store && name == "":
		return "", columnar.Unsupported("the table is in a store and names a file that isn't: %.200q", found)
	}
	return found, nil
}

// beside returns where a file is that lies outside of the table's directory, if it was
// moved along: if the end of the table's path is unchanged, everything above that
// end is looked for above it.
func (p *places) beside(name string) (string, bool) {
	if !p.along {
		return "", false
	}
	rest := name
	if len(p.was) > 0 {
		var ok bool
		if rest, ok = strings.CutPrefix(name, strings.Join(p.was, "/")+"/"); !ok {
			return "", false
		}
	} else if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "s3:") {
		return "", false
	}
	return join(strings.Join(p.is, "/"), rest), true
}
