// This file finds the files that a log names.

package delta

import (
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// resolve returns the name of a file that an action names: a URI, relative to the
// table's directory or absolute. It is percent-decoded once.
func (t *table) resolve(p string) (string, error) {
	scheme, rest, ok := strings.Cut(p, ":")
	if ok = ok && isScheme(scheme); !ok {
		scheme, rest = "", p
	}
	name, err := url.PathUnescape(rest)
	if err != nil {
		return "", columnar.Corrupt("the path %.200q of a file: %w", p, err)
	}
	switch {
	case strings.ContainsRune(name, 0):
		return "", columnar.Corrupt("the path %.200q of a file", p)
	case scheme != "":
		return absolute(scheme, name, p)
	case strings.HasPrefix(name, "/"), filepath.IsAbs(name): // the latter with a drive
		return absolute("file", name, p)
	case !filepath.IsLocal(filepath.FromSlash(name)) && strings.HasPrefix(t.dir, "s3://"): // keys have no ".."
		return "", columnar.Unsupported("the path %.200q of a file leads out of the table's directory", p)
	}
	if strings.HasPrefix(t.dir, "s3://") {
		return t.dir + "/" + name, nil // keys aren't cleaned
	}
	return filepath.Join(t.dir, filepath.FromSlash(name)), nil
}

// isScheme reports whether a name is a URI's scheme, and not a drive's or a
// part of a file's.
func isScheme(s string) bool {
	if len(s) < 2 {
		return false
	}
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '-') {
			return false
		}
	}
	return true
}

// absolute returns the name of a file that has a scheme, given the rest of the name without
// escapes.
func absolute(scheme, name, all string) (string, error) {
	switch scheme {
	case "s3", "s3a", "s3n":
		return "s3:" + name, nil
	case "file":
		if rest, ok := strings.CutPrefix(name, "//localhost/"); ok {
			name = rest
		}
		name = path.Clean("/" + strings.TrimLeft(filepath.ToSlash(name), "/"))
		if runtime.GOOS == "windows" {
			name = filepath.FromSlash(strings.TrimPrefix(name, "/"))
		}
		return name, nil
	}
	return "", columnar.Unsupported("files at %.40q, such as %.200q", scheme+":", all)
}
