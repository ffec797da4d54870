// This file renders blocks of code with their keywords, strings and comments marked.

package main

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

const (
	slashed = `(?P<c>//[^\n]*|/\*(?s:.*?)\*/)|`
	quoted  = `(?P<s>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
)

// languages are what is marked in code, by the word behind its fence: comments c, strings s, keywords k.
var languages = map[string]*regexp.Regexp{
	"go":   regexp.MustCompile(slashed + quoted + "|`[^`]*`)|" + `(?P<k>\b(?:break|case|chan|const|continue|default|defer|else|fallthrough|for|func|go|goto|if|import|interface|map|package|range|return|select|struct|switch|type|var)\b)`),
	"cuda": regexp.MustCompile(slashed + quoted + ")|" + `(?P<k>#\w+|\b(?:__\w+__|auto|bool|break|case|const|continue|else|float|for|if|int|namespace|return|static|struct|switch|template|typename|unsigned|using|void|while)\b)`),
	"sh":   regexp.MustCompile(`(?m)(?P<c>(?:^|\s)#.*$)|` + quoted + ")"),
}

// mark returns code as HTML.
func mark(language, code string) string {
	lexer := languages[language]
	if lexer == nil {
		return html.EscapeString(code)
	}
	var b strings.Builder
	done := 0
	for _, m := range lexer.FindAllStringSubmatchIndex(code, -1) {
		b.WriteString(html.EscapeString(code[done:m[0]]))
		for group, class := range lexer.SubexpNames() {
			if class != "" && m[2*group] >= 0 {
				b.WriteString(`<span class="` + class + `">` + html.EscapeString(code[m[0]:m[1]]) + `</span>`)
			}
		}
		done = m[1]
	}
	b.WriteString(html.EscapeString(code[done:]))
	return b.String()
}

// block returns a block of code, which scrolls in its own box.
func block(language, code string) string {
	return `<pre tabindex="0"><code>` + mark(language, code) + "</code></pre>\n"
}

// codeBlocks renders fenced blocks by block.
var codeBlocks = renderer.WithNodeRenderers(util.Prioritized(fences{}, 100), util.Prioritized(spans{}, 100))

// longWord is the number of characters up to which a word of code stays on one line. That many fit a phone.
const longWord = 32

// spans renders code within a line. Browsers break lines behind hyphens and slashes, which would tear up flags
// and paths. They break such a word only if it is long.
type spans struct{}

func (spans) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeSpan, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var text strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			text.Write(c.(*ast.Text).Segment.Value(source))
		}
		_, err := w.WriteString("<code>" + unbroken(text.String()) + "</code>")
		return ast.WalkSkipChildren, err
	})
}

// unbroken returns code within a line as HTML, its words kept on one line.
func unbroken(code string) string {
	words := strings.Split(strings.ReplaceAll(code, "\n", " "), " ")
	for i, word := range words {
		words[i] = html.EscapeString(word)
		if strings.ContainsAny(word, "-/?|") && utf8.RuneCountInString(word) <= longWord {
			words[i] = `<span class="w">` + words[i] + "</span>"
		}
	}
	return strings.Join(words, " ")
}

type fences struct{}

func (fences) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, err := w.WriteString(block(string(n.(*ast.FencedCodeBlock).Language(source)), string(n.Lines().Value(source))))
		return ast.WalkSkipChildren, err
	})
}
