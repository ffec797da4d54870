// This file reads the sidebar, which is the index of the guides.

package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// index is the page whose headings and lists are the sidebar.
const index = "docs/README.md"

// chapter is a heading of the index with the pages below it.
type chapter struct {
	Title string
	Pages []*entry
}

// entry is a line of the sidebar. Lines that are indented below it are Below.
type entry struct {
	Title string
	file  string
	Below []*entry
}

var item = regexp.MustCompile(`^( *)- \[([^\]]+)\]\(([^)]+)\)`)

// sidebar reads the chapters from the text of the index.
func sidebar(text string) (chapters []chapter, err error) {
	for n, line := range strings.Split(text, "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			chapters = append(chapters, chapter{Title: title})
			continue
		}
		m := item.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if len(chapters) == 0 {
			return nil, fmt.Errorf("%s:%d: a page above the first chapter: put a line \"## CHAPTER\" before it", index, n+1)
		}
		e := &entry{Title: strings.ReplaceAll(m[2], "`", ""), file: path.Join(path.Dir(index), m[3])}
		c := &chapters[len(chapters)-1]
		if m[1] == "" {
			c.Pages = append(c.Pages, e)
			continue
		}
		if len(c.Pages) == 0 {
			return nil, fmt.Errorf("%s:%d: an indented page below no other", index, n+1)
		}
		above := c.Pages[len(c.Pages)-1]
		above.Below = append(above.Below, e)
	}
	return chapters, nil
}

// flat returns the entries in the order in which they are read.
func flat(chapters []chapter) (all []*entry) {
	for _, c := range chapters {
		for _, e := range c.Pages {
			all = append(append(all, e), e.Below...)
		}
	}
	return all
}
