// This file holds the rule on the size of files.

package rules

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// fileBytes is how large a Go or CUDA source may get.
const fileBytes = 24 << 10

// largeFiles are those that may be larger, each up to so many bytes, and why.
var largeFiles = map[string]struct {
	bytes int
	why   string
}{}

// tooLarge names files that are larger than they may be.
func tooLarge(t *tree) (offenses []string) {
	for _, name := range slices.Sorted(maps.Keys(t.sizes)) {
		if path.Base(name) == "foray_functors.go" { // foray generate writes it
			continue
		}
		most := max(fileBytes, largeFiles[name].bytes)
		if n := t.sizes[name]; n > most {
			offenses = append(offenses, fmt.Sprintf("%s has %d bytes, %d at most; split it by what its parts do, "+
				"or add it to largeFiles in internal/tools/rules/size_test.go with the reason", name, n, most))
		}
	}
	return offenses
}

func TestFileSize(t *testing.T) {
	keep(t, tooLarge)
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range largeFiles {
		if r.sizes[name] <= fileBytes {
			t.Errorf("largeFiles in internal/tools/rules/size_test.go has %s, which has %d bytes; remove it", name, r.sizes[name])
		}
		if f.why == "" {
			t.Errorf("largeFiles in internal/tools/rules/size_test.go has %s without a reason", name)
		}
	}
}

func TestFileSizeBroken(t *testing.T) {
	broken(t, tooLarge, map[string]string{
		"a.go":     "package a\n" + strings.Repeat("/", fileBytes-10),
		"b/b.cuh":  strings.Repeat("/", fileBytes+1),
		"b/b.cu":   strings.Repeat("/", fileBytes+1),
		"b/b.sql":  strings.Repeat("/", fileBytes+1),
		"c/c.go":   "package c\n//" + strings.Repeat("/", fileBytes),
		"c/go.txt": strings.Repeat("/", fileBytes+1),
	}, "b/b.cu has 24577 bytes, 24576 at most", "b/b.cuh", "c/c.go")
}
