// This file holds the cutting of one line into fields, for strings, weights
// and messages.

package edgelist

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
)

// cutField cuts the first field off a line, which has no end of line. With the
// separator ' ', fields are what stands between runs of spaces and tabs; with
// another, what stands between separators, without the blanks around it and
// with its quotes, in which separators don't count. ok is false where no field
// is left, and where a quote isn't closed.
func cutField(line []byte, sep byte) (f, rest []byte, ok bool) {
	if line == nil {
		return nil, nil, false
	}
	line = trimLeft(line, sep)
	if sep == ' ' {
		if len(line) == 0 {
			return nil, nil, false
		}
		for i, c := range line {
			if c == ' ' || c == '\t' {
				return line[:i], line[i:], true
			}
		}
		return line, nil, true
	}
	if len(line) > 0 && line[0] == '"' {
		end := closing(line)
		if end < 0 {
			return nil, nil, false
		}
		f, rest = line[:end+1], trimLeft(line[end+1:], sep)
		switch {
		case len(rest) == 0:
			return f, nil, true
		case rest[0] != sep:
			return nil, nil, false
		}
		return f, rest[1:], true
	}
	if i := bytes.IndexByte(line, sep); i >= 0 {
		return trimRight(line[:i], sep), line[i+1:], true
	}
	return trimRight(line, sep), nil, true
}

// countFields returns the number of fields of a line, or of the rest that cutField left
// of one. The rest after an unclosed quote counts as one field.
func countFields(line []byte, sep byte) int {
	for n := 0; ; n++ {
		_, rest, ok := cutField(line, sep)
		switch {
		case ok:
			line = rest
		case len(trimLeft(line, sep)) > 0:
			return n + 1
		default:
			return n
		}
	}
}

// closing returns the position of the quote that closes the one at s[0], -1 if
// there is none.
func closing(s []byte) int {
	for i := 1; i < len(s); i += 2 {
		k := bytes.IndexByte(s[i:], '"')
		if k < 0 {
			return -1
		}
		if i += k; i+1 == len(s) || s[i+1] != '"' {
			return i
		}
	}
	return -1
}

func trimLeft(b []byte, sep byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' && sep != '\t') {
		b = b[1:]
	}
	return b
}

func trimRight(b []byte, sep byte) []byte {
	for n := len(b); n > 0 && (b[n-1] == ' ' || b[n-1] == '\t' && sep != '\t'); n-- {
		b = b[:n-1]
	}
	return b
}

// unquoted returns a field without its quotes: a part of it, or, where quotes
// are doubled inside, a copy.
func unquoted(f []byte, sep byte) []byte {
	if sep == ' ' || len(f) == 0 || f[0] != '"' {
		return f
	}
	f = f[1 : len(f)-1]
	if bytes.IndexByte(f, '"') >= 0 {
		f = bytes.ReplaceAll(f, []byte(`""`), []byte(`"`))
	}
	return f
}

// cell is unquoted, but nil for a field that is empty without quotes. With quotes
// it is an empty string.
func cell(f []byte, sep byte) []byte {
	if len(f) == 0 {
		return nil
	}
	return unquoted(f, sep)
}

// firstLine returns the first line of b without its end.
func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

// otherSeparator is a hint where a line that sep doesn't divide has a byte inside
// that divides others' files.
func otherSeparator(line []byte, sep byte) string {
	i := bytes.IndexAny(line, ";|,")
	if i < 0 && sep == '\t' {
		i = bytes.IndexByte(line, ' ')
	}
	if i < 1 || i == len(line)-1 || line[i] == sep {
		return ""
	}
	return fmt.Sprintf("; set Options.Separator to %q if that separates the columns", line[i])
}

// otherComment is a hint where a line begins as comments do in other texts.
func (r rows) otherComment(line []byte) string {
	if l := trimLeft(line, r.sep); len(l) > 0 && (l[0] == '#' || l[0] == '%') {
		return fmt.Sprintf("; set Options.Comment to %q if such lines are comments", l[0])
	}
	return ""
}

// blanksHint is a hint where tabs make a column empty.
func (r rows) blanksHint() string {
	if r.sep == '\t' {
		return "; set Options.Separator to ' ' if runs of blanks separate the columns"
	}
	return ""
}

// lineFaultOf describes the error in a line that a parser refused. The line may
// end in LF or CRLF, and other lines may follow.
func lineFaultOf(b []byte, lay layout, weights bool) error {
	line := lay.row(b)
	if lay.onlyBlanks && bytes.IndexByte(trimRight(line, ' '), '\t') >= 0 {
		return faultf(ErrSyntax, "the line holds a tab, but the first one has none: %s; set Options.Separator to ' ' if runs of blanks and tabs separate the columns, or to '\\t' if a tab does", quoted(line))
	}
	if lay.bareCR(line) {
		return faultf(ErrSyntax, "the line holds a carriage return without a line feed; make the lines end in LF or CRLF")
	}
	if lay.picked {
		return lay.pickedFault(line, weights)
	}
	columns := make([][]byte, 2, 3)
	if weights {
		columns = columns[:3]
	}
	rest := line
	for i := range columns {
		f, r, ok := cutField(rest, lay.sep)
		if !ok {
			if t := trimLeft(rest, lay.sep); len(t) > 0 && t[0] == '"' {
				return faultf(ErrSyntax, "column %d begins with a quote, but doesn't end in one: %s", i+1, quoted(t))
			}
			if i == 2 {
				return faultf(errWeights, "want two ids and a weight, found %s; load such edges without weights", quoted(line))
			}
			return faultf(ErrSyntax, "want two ids, found %s%s%s", quoted(line), otherSeparator(line, lay.sep), lay.otherComment(line))
		}
		columns[i], rest = cell(f, lay.sep), r
	}
	for i, f := range columns {
		switch {
		case i == 2:
			if w, ok := parseWeight(f); !ok || w.past {
				return weightFault(f)
			}
		default:
			if err := lay.idFault(line, f, i); err != nil {
				return err
			}
		}
	}
	if n := countFields(line, lay.sep); !lay.fits(n) {
		return faultf(ErrSyntax, "found %d columns, but the first edge has %d: %s; set Options.Ragged to ignore columns that aren't needed%s%s", n, lay.columns, quoted(line), lay.blanksHint(), lay.otherComment(line))
	}
	return faultf(ErrSyntax, "want ids separated by %q, found %s", lay.sep, quoted(line))
}

// withHint is a fault with more words.
func withHint(err error, more string) error {
	if f, ok := err.(*lineFault); ok && more != "" {
		return &lineFault{f.err, f.msg + more}
	}
	return err
}

// idFault says why column i of a line is no id. It is nil where it is one.
func (lay *layout) idFault(line, f []byte, i int) error {
	switch {
	case f == nil && lay.ids.Integer():
		return faultf(ErrSyntax, "column %d is empty: %s%s", i+1, quoted(line), lay.blanksHint())
	case f == nil:
		return faultf(ErrSyntax, "column %d is empty: %s; an id that is empty stands in quotes%s", i+1, quoted(line), lay.blanksHint())
	case lay.ids.Integer():
		more := ""
		if i == 0 {
			more = lay.otherComment(f)
		}
		return withHint(idFault(f, lay.ids), more)
	case lay.ids == graph.String && !utf8.Valid(f):
		return faultf(ErrSyntax, "id %s isn't UTF-8; set Options.IDs to \"binary\"", quoted(f))
	}
	return nil
}
