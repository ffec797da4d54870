// This file makes the site from the files of the repository.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// site is the documents on their way to HTML.
type site struct {
	files    fs.FS
	pages    map[string]*page // by file, such as docs/search.md
	chapters []chapter
	copied   map[string][]byte // pictures, by file
	faults   []error
}

// build returns the files of the site, by path. Its error lists every page that the sidebar lacks and every
// link that leads nowhere.
func build(files fs.FS) (map[string][]byte, error) {
	s := &site{files: files, pages: map[string]*page{}, copied: map[string][]byte{}}
	if err := s.read(); err != nil {
		return nil, err
	}
	s.arrange()
	for _, file := range slices.Sorted(maps.Keys(s.pages)) { // linked adds sources
		s.link(s.pages[file])
	}
	sources := s.listSources()
	if len(s.faults) > 0 {
		return nil, errors.Join(s.faults...)
	}
	return s.write(sources)
}

func (s *site) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Errorf(format, args...))
}

// documents are the folders whose Markdown is part of the site, "" for the root. Those that end in "/" stand
// for the folders below them too.
var documents = []string{"", "examples", "bench/", "docs/"}

func document(file string) bool {
	dir, name := path.Split(file)
	if path.Ext(name) != ".md" {
		return false
	}
	return slices.ContainsFunc(documents, func(d string) bool {
		return strings.TrimSuffix(dir, "/") == d || strings.HasSuffix(d, "/") && strings.HasPrefix(dir, d)
	})
}

// read parses all documents.
func (s *site) read() error {
	for _, d := range documents {
		top := path.Clean("./" + d)
		err := fs.WalkDir(s.files, top, func(file string, e fs.DirEntry, err error) error {
			if e != nil && e.IsDir() && file != top && !strings.HasSuffix(d, "/") {
				return fs.SkipDir
			}
			if err != nil || e.IsDir() || !document(file) {
				return err
			}
			text, err := fs.ReadFile(s.files, file)
			if err != nil {
				return err
			}
			s.pages[file] = parse(file, text)
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// arrange reads the sidebar and compares it with the documents.
func (s *site) arrange() {
	top, ok := s.pages[index]
	if !ok {
		s.fault("%s is missing: it is the sidebar", index)
		return
	}
	var err error
	if s.chapters, err = sidebar(string(top.text)); err != nil {
		s.faults = append(s.faults, err)
	}
	if len(s.chapters) == 0 {
		s.fault("%s has no chapters: lines such as \"## CHAPTER\" and \"- [PAGE](PAGE.md): what it is about\"", index)
	}
	seen := map[string]bool{index: true}
	for _, e := range flat(s.chapters) {
		if s.pages[e.file] == nil {
			s.fault("%s lists %s, which is not a document", index, e.file)
		}
		if seen[e.file] {
			s.fault("%s lists %s twice", index, e.file)
		}
		seen[e.file] = true
	}
	for _, file := range slices.Sorted(maps.Keys(s.pages)) {
		if !seen[file] {
			to := strings.TrimPrefix(file, path.Dir(index)+"/")
			if to == file {
				to = "../" + file
			}
			s.fault("%s is missing from the sidebar: add a line such as \"- [%s](%s): what it is about\" to %s", file, s.pages[file].Title, to, index)
		}
	}
}

// order returns the pages of the sidebar, the index first.
func (s *site) order() []*page {
	all := []*page{s.pages[index]}
	for _, e := range flat(s.chapters) {
		all = append(all, s.pages[e.file])
	}
	return all
}

// sourcesPage is the page that lists the source files that documents link.
const sourcesPage = "sources.md"

// listSources returns a page with the sources that documents link, so that the sidebar leads to these too.
func (s *site) listSources() *page {
	var text strings.Builder
	text.WriteString("# Linked files\n\nThe guides link these files of the repository.\n\n")
	for _, file := range slices.Sorted(maps.Keys(s.pages)) {
		if s.pages[file].source {
			fmt.Fprintf(&text, "- [%s](%s)\n", file, file)
		}
	}
	p := parse(sourcesPage, []byte(text.String()))
	s.link(p)
	return p
}
