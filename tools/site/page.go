// This file parses a document: its headings with their anchors, and its links.

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// page is a document or a source file that a document links.
type page struct {
	file, out string // such as docs/search.md and docs/search.html
	Title     string
	text      []byte
	source    bool // shown as code
	root      ast.Node
	Headings  []heading
	anchors   map[string]bool
}

// heading is a heading with its anchor, which is the one that GitHub makes.
type heading struct {
	Level        int
	Text, Anchor string
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(codeBlocks))

// parse reads a document.
func parse(file string, source []byte) *page {
	p := &page{file: file, out: outOf(file), Title: file, text: source, anchors: map[string]bool{}}
	p.root = markdown.Parser().Parse(text.NewReader(source))
	p.each(func(n ast.Node) {
		h, ok := n.(*ast.Heading)
		if !ok {
			return
		}
		words := p.plain(h)
		anchor := slug(words)
		for i := 1; p.anchors[anchor]; i++ {
			anchor = fmt.Sprintf("%s-%d", slug(words), i)
		}
		p.anchors[anchor] = true
		h.SetAttributeString("id", []byte(anchor))
		p.Headings = append(p.Headings, heading{h.Level, words, anchor})
	})
	if len(p.Headings) > 0 {
		p.Title = p.Headings[0].Text
	}
	return p
}

// outOf returns the path of a document's HTML.
func outOf(file string) string {
	dir, name := path.Split(file)
	if name == "README.md" {
		return dir + "index.html"
	}
	return dir + strings.TrimSuffix(name, ".md") + ".html"
}

var punctuation = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// slug returns a heading's anchor, as GitHub makes it.
func slug(words string) string {
	return strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(words), ""), " ", "-")
}

// each calls f for all nodes. f may remove or change its node's children, not the node.
func (p *page) each(f func(ast.Node)) {
	ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f(n)
		}
		return ast.WalkContinue, nil
	})
}

// plain returns the text of a node without its markup.
func (p *page) plain(n ast.Node) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(p.text))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(p.text))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock { // cells and paragraphs are separate words
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// link turns the links of a page into those between files of the site, and drops comments.
func (s *site) link(p *page) {
	if p.source {
		return
	}
	p.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = s.target(p, string(n.Destination))
		case *ast.Image:
			n.Destination = s.picture(p, string(n.Destination))
		}
		for c := n.FirstChild(); c != nil; {
			next := c.NextSibling()
			if html, ok := rawHTML(p, c); ok {
				if !comment.MatchString(html) {
					s.fault("%s: HTML in Markdown, %q: write Markdown", p.file, html)
				}
				n.RemoveChild(n, c)
			}
			c = next
		}
	})
}

var comment = regexp.MustCompile(`(?s)^\s*<!--.*-->\s*$`)

// rawHTML returns the text of a node of HTML.
func rawHTML(p *page, n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.HTMLBlock:
		text := n.Lines().Value(p.text)
		if n.HasClosure() {
			text = append(bytes.Clone(text), n.ClosureLine.Value(p.text)...)
		}
		return string(text), true
	case *ast.RawHTML:
		return string(n.Segments.Value(p.text)), true
	}
	return "", false
}

// target returns what a link of a page becomes. Links to files that aren't documents lead to a page with the
// file's text.
func (s *site) target(p *page, to string) []byte {
	u, err := url.Parse(to)
	if err != nil {
		s.fault("%s: the link %s: %v", p.file, to, err)
		return nil
	}
	if u.Scheme != "" || u.Host != "" {
		return []byte(to)
	}
	other := p
	if u.Path != "" {
		file := path.Join(path.Dir(p.file), u.Path)
		if other = s.at(file); other == nil {
			s.fault("%s: a link that leads nowhere: %s", p.file, to)
			return nil
		}
	}
	if u.Fragment != "" && !other.anchors[u.Fragment] {
		s.fault("%s: a link to a heading that is not there: %s", p.file, to)
	}
	u.Path = ""
	if other != p {
		u.Path = relative(p.out, other.out)
	}
	return []byte(u.String())
}

// at returns the page of a file or a folder, nil if neither exists.
func (s *site) at(file string) *page {
	if p := s.pages[file]; p != nil {
		return p
	}
	if p := s.pages[path.Join(file, "README.md")]; p != nil {
		return p
	}
	text, err := fs.ReadFile(s.files, file)
	if err != nil {
		return nil
	}
	p := &page{file: file, out: file + ".html", Title: file, text: text, source: true}
	s.pages[file] = p
	return p
}

// picture returns the path of a picture, which the site copies.
func (s *site) picture(p *page, to string) []byte {
	file := path.Join(path.Dir(p.file), to)
	data, err := fs.ReadFile(s.files, file)
	if err != nil {
		s.fault("%s: the picture %s is not a file of the repository: %v", p.file, to, err)
		return nil
	}
	s.copied[file] = data
	return []byte(to)
}

// relative returns the link from one file of the site to another.
func relative(from, to string) string {
	for {
		dir, rest, ok := strings.Cut(from, "/")
		if !ok {
			return to
		}
		below, ok := strings.CutPrefix(to, dir+"/")
		if !ok {
			return strings.Repeat("../", strings.Count(from, "/")) + to
		}
		from, to = rest, below
	}
}
