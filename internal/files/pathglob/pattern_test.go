// This file compares patterns for names with those for files.

package pathglob

import (
	"errors"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPattern: what is found among random files is what the names alone say.
func TestPattern(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	pick := func(from string, most int) string {
		parts := make([]string, 1+rng.Intn(most))
		for i := range parts {
			words := strings.Fields(from)
			parts[i] = words[rng.Intn(len(words))]
		}
		return strings.Join(parts, "/")
	}
	matched := 0
	for range 15 {
		dir := t.TempDir()
		var files []string
		for range 40 {
			name := pick("a b ab _c .d x1 a[1]", 5)
			path := filepath.Join(dir, filepath.FromSlash(name))
			if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
				continue // a file is in the way
			}
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				continue
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
		t.Chdir(dir)
		for range 150 {
			pattern := pick(`* ? a [ab] ** ** _* x? .* *b a\[1\] [^a]* _c`, 4)
			p, err := Compile(pattern)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{} // of each file the shortest rest
			matches, err := Match(pattern, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range matches {
				err := filepath.WalkDir(m, func(name string, d fs.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						rest := strings.TrimPrefix(name, filepath.Dir(m)+"/")
						if old, ok := want[name]; !ok || len(rest) < len(old) {
							want[name] = rest
						}
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range files {
				rest, ok := want[name]
				at := p.Match(name)
				if at >= 0 != ok || ok && name[at:] != rest {
					t.Errorf("%s, %s: from %d on, want %q, %v", pattern, name, at, rest, ok)
				}
				if ok {
					matched++
					if !strings.HasPrefix(name, p.Prefix()) {
						t.Errorf("%s, %s: the prefix is %q", pattern, name, p.Prefix())
					}
				}
			}
		}
	}
	if matched < 1000 {
		t.Errorf("only %d names matched", matched)
	}
}

func TestCompile(t *testing.T) {
	for pattern, want := range map[string]error{
		"d/**.p": ErrStars, "a**/x": ErrStars, "**/***": ErrStars,
		"**/[": filepath.ErrBadPattern, "[/**": filepath.ErrBadPattern, "a/[a": filepath.ErrBadPattern,
	} {
		if _, err := Compile(pattern); !errors.Is(err, want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	p, err := Compile("a//*/b") // keys may have empty names
	if err != nil || p.Match("a//x/b") != 5 || p.Match("a/x/b") >= 0 || p.Prefix() != "a//" {
		t.Error(p, err)
	}
}
