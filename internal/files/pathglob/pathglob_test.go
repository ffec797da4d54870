package pathglob

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.p", "b.txt", "d/c.p", "d/e/a.p", "d/e/f/z.p", "d*/x.p", ".h/a.p", "_t/a.p", "d/_u/a.p", "day=1/h=2/0.p", "day=2/h=1/0.p"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for pattern, want := range map[string]string{
		"*.p":            "a.p",
		"**/*.p":         "a.p d*/x.p d/c.p d/e/a.p d/e/f/z.p day=1/h=2/0.p day=2/h=1/0.p",
		"**/a.p":         "a.p d/e/a.p",
		"d/**/*.p":       "d/c.p d/e/a.p d/e/f/z.p",
		"d/**/**/*.p":    "d/c.p d/e/a.p d/e/f/z.p",
		"**/e/**/*.p":    "d/e/a.p d/e/f/z.p",
		"*/*.p":          "d*/x.p d/c.p",
		"[^d]*/a.p":      "",
		"_*/a.p":         "_t/a.p",
		"_t/*.p":         "_t/a.p",
		".?/*":           ".h/a.p",
		"./*/*.p":        "d*/x.p d/c.p",
		".h/../*/a.p":    "",
		"d//*/*.p":       "d/e/a.p",
		"*/_u/a.p":       "d/_u/a.p",
		"*/_u/**/*.p":    "d/_u/a.p",
		"*/**/a.p":       "d/e/a.p",
		"*/*/**/*.p":     "d/e/a.p d/e/f/z.p day=1/h=2/0.p day=2/h=1/0.p",
		"_*/**":          "_t/a.p",
		"**":             "a.p b.txt d*/x.p d/c.p d/e/a.p d/e/f/z.p day=1/h=2/0.p day=2/h=1/0.p",
		"d/**/":          "d/c.p d/e/a.p d/e/f/z.p",
		"day=*/**/*.p":   "day=1/h=2/0.p day=2/h=1/0.p",
		"no/**/*.p":      "",
		"a.p/**/*.p":     "",
		"d/**/no":        "",
		"**/h=[12]/**":   "day=1/h=2/0.p day=2/h=1/0.p",
		"./**/e/a.p":     "d/e/a.p",
		"d/e/../**/c.p":  "d/c.p",
		"d/e/**/../c.p":  "d/c.p", // and d/e/f/../c.p isn't there
		dir + "/**/c.p":  dir + "/d/c.p",
		dir + "//**/c.p": dir + "/d/c.p",
	} {
		got, err := Match(pattern, false)
		if err != nil || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, %v; want %q", pattern, got, err, want)
		}
	}
	for _, pattern := range []string{"d/**.p", "a**/x", "**/***"} {
		if _, err := Match(pattern, false); !errors.Is(err, ErrStars) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	for _, pattern := range []string{"**/[", "[/**", "no/**/["} {
		if _, err := Match(pattern, false); !errors.Is(err, filepath.ErrBadPattern) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
