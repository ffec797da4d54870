// This file holds the rule on overviews: the comment of each public package links a guide, and an
// example runs.

package rules

import (
	"fmt"
	"go/ast"
	"go/doc"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guideURL is where the links of package comments lead.
const guideURL = "https://" + module + "/blob/main/"

var guideLink = regexp.MustCompile(`(?m)^\[(docs/\S+\.md)\]: (\S+)$`)

// introduced reports whether a folder's package needs an overview: each public package does, and the root.
func introduced(folder string) bool { return public(folder) || folder == "." }

// overview returns the comment of a package, and the examples of its tests.
func overview(sources []source) (comment string, examples []*doc.Example) {
	var tests []*ast.File
	for _, s := range sources {
		if s.test {
			tests = append(tests, s.File)
		} else if s.Doc != nil && strings.HasPrefix(s.Doc.Text(), "Package ") {
			comment = s.Doc.Text()
		}
	}
	return comment, doc.Examples(tests...)
}

// guides returns the guides that a package comment links, and mentions in its text.
func guides(comment string) (all []string) {
	for _, m := range guideLink.FindAllStringSubmatch(comment, -1) {
		if m[2] == guideURL+m[1] && strings.Count(comment, "["+m[1]+"]") > 1 {
			all = append(all, m[1])
		}
	}
	return all
}

// withoutOverview names public packages that lack an example or a guide.
func withoutOverview(t *tree) (offenses []string) {
	for _, folder := range t.folders() {
		if !introduced(folder) {
			continue
		}
		comment, examples := overview(t.packages[folder])
		if len(guides(comment)) == 0 {
			offenses = append(offenses, fmt.Sprintf("%s: the package comment links no guide: add a sentence such as \"The guide is [docs/NAME.md].\", "+
				"and \"[docs/NAME.md]: %sdocs/NAME.md\" as its last line", folder, guideURL))
		}
		if !slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" }) {
			offenses = append(offenses, folder+": no example has an output: add func Example with \"// Output:\" to the package's tests")
		}
	}
	return offenses
}

func TestOverviews(t *testing.T) {
	keep(t, withoutOverview)
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, folder := range r.folders() {
		if !introduced(folder) {
			continue
		}
		count++
		comment, _ := overview(r.packages[folder])
		for _, guide := range guides(comment) {
			if _, err := os.Stat(filepath.Join("..", "..", "..", filepath.FromSlash(guide))); err != nil {
				t.Errorf("%s: the package comment links a guide that isn't there: %v", folder, err)
			}
		}
	}
	if count < 30 {
		t.Errorf("%d public packages", count)
	}
}

func TestOverviewsBroken(t *testing.T) {
	link := "//\n// The guide is [docs/a.md].\n//\n// [docs/a.md]: " + guideURL + "docs/a.md\n"
	example := "import \"fmt\"\n\nfunc Example() {\n\tfmt.Println(1)\n\t// Output: 1\n}\n"
	broken(t, withoutOverview, map[string]string{
		"a/a.go":            "// Package a is fine.\n" + link + "package a\n",
		"a/a_test.go":       "package a_test\n\n" + example,
		"b/b.go":            "// Package b has no link.\npackage b\n",
		"b/b_test.go":       "package b_test\n\n" + example,
		"c/c.go":            "// Package c links another page, and its example prints nothing.\n//\n// The guide is [docs/a.md].\n//\n// [docs/a.md]: " + guideURL + "docs/b.md\npackage c\n",
		"c/c_test.go":       "package c_test\n\nfunc Example() {}\n",
		"d/d.go":            "// Package d has no tests.\n" + link + "package d\n",
		"d/internal/e/e.go": "// Package e is not public.\npackage e\n",
		"cmd/f/main.go":     "package main\n",
	}, "b: the package comment links no guide", "c: the package comment links no guide", "c: no example has an output", "d: no example has an output")
}
