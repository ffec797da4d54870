// This file holds the rule on spelling: sources and documents are written in American English.

package rules

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// british returns words in British spelling, of those that stood here or are likely to.
var british = sync.OnceValue(func() []string {
	all := strings.Fields("neighbour colour behaviour favour licence centre labelled labelling cancelled cancelling modelled modelling learnt analysed analysing")
	for stem := range strings.FieldsSeq("optim serial initial normal organ recogn synchron parallel minim maxim summar general special util personal material random") {
		all = append(all, stem+"ise", stem+"ising", stem+"isation")
	}
	return all
})

// spelled are the files with text: sources and documents.
const spelled = " .go .cu .cuh .cc .h .md "

// exempt are the list of changes, which quotes names that were, and tests that have such words.
const exempt = " CHANGELOG.md internal/tools/rules/spelling_test.go internal/tools/notice/notice_test.go "

// misspelled names the words in British spelling. Names in code spans of documents are what programs have, and of
// device code only comments count, as names of types are in compiled kernels.
func misspelled(files fs.FS) (offenses []string, err error) {
	err = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		switch ext := path.Ext(name); {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata"):
			return fs.SkipDir
		case e.IsDir() || ext == "" || !strings.Contains(spelled, " "+ext+" ") || strings.Contains(exempt, " "+name+" "):
			return nil
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		text := strings.ToLower(string(data))
		for _, word := range british() {
			if !strings.Contains(text, word) {
				continue
			}
			number := 0
			for line := range strings.Lines(text) {
				if number++; strings.Contains(prose(path.Ext(name), line), word) {
					offenses = append(offenses, fmt.Sprintf("%s:%d: %s is British; write it as Americans do", name, number, word))
				}
			}
		}
		return nil
	})
	return offenses, err
}

var span = regexp.MustCompile("`[^`]*`")

// prose returns what of a line the rule is about.
func prose(ext, line string) string {
	switch ext {
	case ".md":
		return span.ReplaceAllString(line, "")
	case ".cu", ".cuh":
		if _, comment, ok := strings.Cut(line, "//"); ok {
			return strings.NewReplacer("labelled is the sink", "").Replace(comment) // the name of a type
		}
		return ""
	}
	return line
}

func TestSpelling(t *testing.T) {
	offenses, err := misspelled(os.DirFS(filepath.Join("..", "..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range offenses {
		t.Error(o)
	}
}

func TestSpellingBroken(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	offenses, err := misspelled(fstest.MapFS{
		"a.go": file("package a\n\n// A neighbour.\n"), "b.cuh": file("struct Serialised {};\n// colours\n"), "c.md": file("It behaves; `Optimising`.\nBehaviour.\n"), "d.txt": file("centre"),
		"CHANGELOG.md": file("`--colour`, colour"),
	})
	want := "a.go:3: neighbour is British; write it as Americans do|b.cuh:2: colour is British; write it as Americans do|c.md:2: behaviour is British; write it as Americans do"
	if got := strings.Join(offenses, "|"); err != nil || got != want {
		t.Errorf("%v: %s, want %s", err, got, want)
	}
}
