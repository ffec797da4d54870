// This file checks what documents refer to: links, paths and names in the code.

package doctest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	slug    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(page string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		all = append(all, strings.ReplaceAll(slug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// links returns the links of a page that lead nowhere.
func links(t *testing.T, file, page string) (broken []string) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		to, anchor, _ := strings.Cut(m[1], "#")
		text := page
		if to != "" {
			raw, err := os.ReadFile(filepath.Join(root, filepath.Dir(file), to))
			if err != nil {
				broken = append(broken, m[1])
				continue
			}
			text = string(raw)
		}
		if anchor != "" && !slices.Contains(anchors(text), anchor) {
			broken = append(broken, m[1])
		}
	}
	return broken
}

// named are the pages whose names in backquotes must be those of the code.
var named = []string{"ARCHITECTURE.md", "docs/persistent.md"}

var (
	quoted    = regexp.MustCompile("`([^`\n]+)`")
	sourceDir = regexp.MustCompile(`^(algos|bench|cmd|cuda|device|docs|examples|frontier|graph|internal|io|operators|scripts|tools|traverse)/`)
	word      = regexp.MustCompile(`\w+`)
)

// words returns all words of the sources.
var words = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && (strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".cuh") || strings.HasSuffix(path, ".cu")) {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, w := range word.FindAllString(string(text), -1) {
				all[w] = true
			}
		}
		return nil
	})
	return all
})

// unknown returns the paths and names that a page quotes, and the code doesn't have.
func unknown(page string) (missing []string) {
	for _, m := range quoted.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		name := m[1]
		if sourceDir.MatchString(name) {
			path := name
			if found, err := filepath.Glob(filepath.Join(root, path)); err == nil && found != nil {
				continue
			}
			if dir, _, ok := strings.Cut(filepath.Base(name), "."); ok && exists(filepath.Join(root, filepath.Dir(name), dir)) {
				continue
			}
			missing = append(missing, name)
			continue
		}
		for _, w := range word.FindAllString(name, -1) {
			if !words()[w] {
				missing = append(missing, name)
				break
			}
		}
	}
	return missing
}

func TestLinksAndNames(t *testing.T) {
	pages, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(append(pages, more...), filepath.Join(root, "examples", "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range links(t, file, string(text)) {
			t.Errorf("%s: a link that leads nowhere: %s", file, to)
		}
		if slices.Contains(named, filepath.ToSlash(file)) {
			for _, name := range unknown(string(text)) {
				t.Errorf("%s: `%s` is neither a path nor a name in the code", file, name)
			}
		}
	}
}

// indexed are the folders whose README.md lists the other pages.
var indexed = []string{filepath.Join("docs", "cookbook"), filepath.Join("docs", "rationale"), filepath.Join("bench", "notes")}

// TestIndex checks that the README.md of a folder links each of its pages, and that no link in there is broken.
func TestIndex(t *testing.T) {
	for _, folder := range indexed {
		pages, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(pages) < 2 {
			t.Fatalf("%s: %d pages, error %v", folder, len(pages), err)
		}
		index := filepath.Join(folder, "README.md")
		text, err := os.ReadFile(filepath.Join(root, index))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			name := filepath.Base(page)
			if name != "README.md" && !strings.Contains(string(text), "]("+name+")") {
				t.Errorf("%s: the index lacks %s", index, name)
			}
		}
		for _, to := range links(t, index, string(text)) {
			t.Errorf("%s: a link that leads nowhere: %s", index, to)
		}
	}
}
