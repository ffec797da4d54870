// This file holds the definition of rows that the parsers of text are compared with.

package edgelist

import (
	"regexp"
	"strings"
)

// naiveRow returns the row that text begins with, without its end, and what follows. open reports whether a
// quote isn't closed.
func naiveRow(text string, sep byte) (row, rest string, open bool) {
	const start, plain, quoted = 0, 1, 2
	state := start
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case state == quoted && strings.HasPrefix(text[i:], `""`):
			i++
		case state == quoted:
			if c == '"' {
				state = plain
			}
		case c == '\n':
			return strings.TrimSuffix(text[:i], "\r"), text[i+1:], false
		case sep != ' ' && c == sep:
			state = start
		case sep != ' ' && c == '"' && state == start:
			state = quoted
		case state == start && (c == ' ' || c == '\t'):
		default:
			state = plain
		}
	}
	return strings.TrimSuffix(text, "\r"), "", state == quoted
}

// naiveSep is what separates columns by the first row that text begins with.
func naiveSep(text string) byte {
	line, _, _ := strings.Cut(text, "\n")
	if m := regexp.MustCompile(`^ *"(?s:[^"]|"")*"`).FindString(text); strings.Contains(m, "\n") { // its first column has several lines
		if after := strings.TrimLeft(text[len(m):], " "); after != "" && (after[0] == ',' || after[0] == '\t') {
			line, _, _ = strings.Cut(after, "\n")
			line = m + line
		}
	}
	line = strings.TrimRight(strings.TrimSuffix(line, "\r"), " \t")
	bare := regexp.MustCompile(`(^|[,\t]) *"(?s:[^"]|"")*("|$)`).ReplaceAllString(line, "$1")
	comma, tab := strings.Contains(bare, ","), strings.Contains(bare, "\t")
	switch {
	case !comma && !tab:
		return ' '
	case !tab:
		return ','
	case !comma:
		return '\t'
	}
	for _, sep := range []byte("\t,") {
		if header, _, refused := naiveHeader(line, "", sep, Options{IDs: "string"}); header && !refused {
			return sep
		}
	}
	for _, sep := range []byte("\t,") {
		if f := naiveFields(line, sep); len(f) > 1 && reInt.MatchString(f[0]) && reInt.MatchString(f[1]) {
			return sep
		}
	}
	return '\t'
}
