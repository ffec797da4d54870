// This file tests that NOTICE is as it should be, and what is in it.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestNotice compares the files with the module cache.
func TestNotice(t *testing.T) {
	testlong.Project(t)
	root := filepath.Join("..", "..", "..")
	want := map[string][]string{
		"NOTICE": {"github.com/apache/arrow/go/v15: LICENSE.txt\n", "github.com/klauspost/compress: zstd/internal/xxhash/LICENSE.txt\n", "the standard library of Go\n"},
		"cmd/foray/NOTICE": {"github.com/apache/arrow/go/v15: LICENSE.txt\n", "github.com/inconshreveable/mousetrap: LICENSE\n", // of Windows
			"the standard library of Go\n"},
	}
	for _, l := range lists {
		modules, err := linked(root, l.packages)
		if err != nil {
			for _, why := range []string{"dial tcp", "lookup disabled", "no such host", "i/o timeout"} {
				if strings.Contains(err.Error(), why) {
					t.Skip("needs the network, or the modules in the module cache (go mod download):", err)
				}
			}
			t.Fatal(err)
		}
		text, err := notice(l.about, modules)
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join(root, l.file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, text) {
			t.Errorf("%s isn't what the modules' licenses are: go run ./internal/tools/notice", l.file)
		}
		for _, w := range want[l.file] {
			if !bytes.Contains(text, []byte(w)) {
				t.Errorf("%s lacks %q", l.file, w)
			}
		}
		if l.file == "NOTICE" && bytes.Contains(text, []byte("mousetrap")) {
			t.Error("NOTICE has what the command alone links")
		}
	}
}

// TestFiles: licenses beside linked packages and above them count, others don't.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE.md", "license.go", "README", "a/COPYING", "a/b/Licence-MIT", "c/LICENSE", "a/b/c/NOTICE.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("free \r\n\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := module{path: "example.org/m", dir: dir, packages: []string{filepath.Join(dir, "a", "b"), dir}}
	files, err := m.files()
	if got := strings.Join(files, " "); err != nil || got != "LICENSE.md a/COPYING a/b/Licence-MIT" {
		t.Errorf("%s, %v", got, err)
	}
	text, err := notice("What is linked.", []module{m})
	if err != nil || !bytes.HasSuffix(text, []byte("\nexample.org/m: LICENSE.md\nexample.org/m: a/COPYING\nexample.org/m: a/b/Licence-MIT\n\nfree\n")) {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.Remove(filepath.Join(dir, "LICENSE.md")); err != nil {
		t.Fatal(err)
	}
	m.packages = []string{dir}
	if _, err := m.files(); err == nil || !strings.Contains(err.Error(), "example.org/m has no license") {
		t.Errorf("without a license: %v", err)
	}
}
