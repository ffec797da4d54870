// This file writes the pages as HTML around a template, and the index of the search.

package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

//go:embed assets
var assets embed.FS

var layout = template.Must(template.ParseFS(assets, "assets/page.html"))

// view is what the template sees of a page.
type view struct {
	*page
	Root       string // the way to the site's root: "" or "../" and so on
	Body       template.HTML
	Chapters   []chapter
	Index      *page
	Prev, Next *page
	Outline    []heading
	site       *site
}

// To returns the link from the page to another.
func (v view) To(p *page) string { return relative(v.out, p.out) }

// IsIndex reports whether the page is the index.
func (v view) IsIndex() bool { return v.page == v.Index }

// line is an entry of the sidebar as one page shows it.
type line struct {
	Title, Href string
	Here        bool
}

// Line returns an entry of the sidebar.
func (v view) Line(e *entry) line {
	return line{e.Title, v.To(v.site.pages[e.file]), e.file == v.file}
}

// Open reports whether the pages below an entry are shown: the page is the entry, or below it.
func (v view) Open(e *entry) bool {
	return e.file == v.file || slices.ContainsFunc(e.Below, func(b *entry) bool { return b.file == v.file })
}

// write renders all pages. The list of sources is the last page of the last chapter.
func (s *site) write(sources *page) (map[string][]byte, error) {
	out := s.copied
	s.pages[sources.file] = sources
	last := &s.chapters[len(s.chapters)-1]
	last.Pages = append(last.Pages, &entry{Title: sources.Title, file: sources.file})
	order := s.order()
	place := map[*page]int{}
	for i, p := range order {
		place[p] = i
	}
	for _, p := range s.pages {
		v := view{page: p, Root: strings.Repeat("../", strings.Count(p.out, "/")), Chapters: s.chapters, Index: order[0], site: s}
		if i, ok := place[p]; ok {
			if i > 0 {
				v.Prev = order[i-1]
			}
			if i+1 < len(order) {
				v.Next = order[i+1]
			}
		}
		for _, h := range p.Headings {
			if h.Level == 2 || h.Level == 3 {
				v.Outline = append(v.Outline, h)
			}
		}
		body, err := p.body()
		if err != nil {
			return nil, err
		}
		v.Body = template.HTML(body)
		var b bytes.Buffer
		if err := layout.Execute(&b, v); err != nil {
			return nil, err
		}
		out[p.out] = b.Bytes()
	}
	for _, name := range []string{"style.css", "site.js"} {
		data, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return nil, err
		}
		out[name] = data
	}
	var err error
	out["search-index.js"], err = searchIndex(order)
	return out, err
}

// body returns the HTML of a page's text. Each table scrolls in its own box.
func (p *page) body() (string, error) {
	if p.source {
		return "<h1>" + template.HTMLEscapeString(p.file) + "</h1>\n" + block(strings.TrimPrefix(path.Ext(p.file), "."), string(p.text)), nil
	}
	var b strings.Builder
	if err := markdown.Renderer().Render(&b, p.text, p.root); err != nil {
		return "", err
	}
	// Tags in the text are escaped, so only real tables match.
	return strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>").Replace(b.String()), nil
}

// section is a part of a page that the search finds: a heading and the text up to the next one.
type section struct {
	Page    int    `json:"p"`
	Heading string `json:"h"`
	Anchor  string `json:"a"`
	Text    string `json:"t"`
}

// found is a page that the search finds.
type found struct {
	File  string `json:"f"`
	Title string `json:"t"`
}

// searchIndex returns a script with the texts of pages, in the order of the sidebar. It is a script because a
// page from file:// can't fetch.
func searchIndex(order []*page) ([]byte, error) {
	var all struct {
		Pages    []found   `json:"pages"`
		Sections []section `json:"sections"`
	}
	for i, p := range order {
		all.Pages = append(all.Pages, found{p.out, p.Title})
		all.Sections = append(all.Sections, p.sections(i)...)
	}
	data, err := json.Marshal(all)
	return append(append([]byte("window.siteIndex = "), data...), ";\n"...), err
}

// sections cuts a page at its headings.
func (p *page) sections(number int) (all []section) {
	now := section{Page: number, Heading: p.Title}
	var text strings.Builder
	end := func() {
		now.Text = strings.Join(strings.Fields(text.String()), " ")
		all = append(all, now)
		text.Reset()
	}
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			text.WriteString(p.plain(n) + " ")
			continue
		}
		if h.Level > 1 {
			end()
			id, _ := h.AttributeString("id")
			now = section{Page: number, Heading: p.plain(h), Anchor: string(id.([]byte))}
		}
	}
	end()
	return all
}
