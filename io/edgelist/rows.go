// This file holds where the rows of a text end, which may hold line ends in quotes, and which
// lines are no rows: blank ones and comments.

package edgelist

import (
	"bytes"
)

// rows is the layout of a text's rows in its lines.
type rows struct {
	sep     byte // between columns: ' ' for white space, which knows no quotes
	comment byte // as Options.Comment, where 0 means # and %
}

// quotes reports whether a column may stand in quotes.
func (r rows) quotes() bool { return r.sep != ' ' && r.sep != 0 }

// commented reports whether a line is a comment.
func (r rows) commented(line []byte) bool {
	switch r.comment {
	case noComment:
		return false
	case 0:
		l := trimLeft(line, r.sep)
		return len(l) > 0 && (l[0] == '#' || l[0] == '%')
	}
	return len(line) > 0 && line[0] == r.comment
}

// skips reports whether a line is blank or a comment.
func (r rows) skips(line []byte) (skip, comment bool) {
	if r.commented(line) {
		return true, true
	}
	return len(trimLeft(line, r.sep)) == 0, false
}

// end returns where the row ends that begins at b[p:], or whose column does: the position of its
// LF, -1 where that isn't there. Comments are not looked for.
func (r rows) end(b []byte, p int) int {
	n := bytes.IndexByte(b[p:], '\n')
	if n < 0 {
		return -1
	}
	end := p + n
	if !r.quotes() {
		return end
	}
	for q := p; ; {
		i := bytes.IndexByte(b[q:end], '"')
		if i < 0 {
			return end
		}
		if i += q; !r.opens(b[p:i]) {
			q = i + 1
			continue
		}
		c := closing(b[i:])
		if c < 0 {
			return -1
		}
		if q = i + c + 1; q > end {
			if n = bytes.IndexByte(b[q:], '\n'); n < 0 {
				return -1
			}
			end = q + n
		}
	}
}

// opens reports whether a quote behind the beginning of a row is the first byte of a column.
func (r rows) opens(before []byte) bool {
	t := trimRight(before, r.sep)
	return len(t) == 0 || t[len(t)-1] == r.sep
}

// whole returns the length of the whole rows that b begins with, which begins with a row. open
// reports whether what follows has a line end in quotes.
func (r rows) whole(b []byte) (n int, open bool) {
	for p := 0; ; {
		q := -1
		if r.quotes() {
			q = bytes.IndexByte(b[p:], '"')
		}
		if q < 0 {
			return p + bytes.LastIndexByte(b[p:], '\n') + 1, false
		}
		p += bytes.LastIndexByte(b[p:p+q], '\n') + 1
		end := bytes.IndexByte(b[p:], '\n')
		if end >= 0 {
			if r.commented(b[p : p+end]) {
				end += p
			} else {
				end = r.end(b, p)
			}
		} else if r.commented(b[p:]) {
			return p, false
		}
		if end < 0 {
			return p, bytes.IndexByte(b[p:], '\n') >= 0
		}
		p = end + 1
	}
}

// row returns the row that b begins with, without its end.
func (r rows) row(b []byte) []byte {
	end := r.end(b, 0)
	if end < 0 {
		return firstLine(b)
	}
	return bytes.TrimSuffix(b[:end], []byte{'\r'})
}

// bareCR reports whether a row holds a carriage return outside of quotes.
func (r rows) bareCR(row []byte) bool {
	if bytes.IndexByte(row, '\r') < 0 {
		return false
	}
	if !r.quotes() || bytes.IndexByte(row, '"') < 0 {
		return true
	}
	for row != nil {
		f, rest, ok := cutField(row, r.sep)
		if !ok {
			t := trimLeft(row, r.sep)
			c := closing(t)
			if c < 0 {
				return bytes.IndexByte(t, '\r') >= 0
			}
			// What follows the quotes isn't well formed.
			f, rest, ok = bytes.Cut(t[c+1:], []byte{r.sep})
			if !ok {
				return bytes.IndexByte(f, '\r') >= 0
			}
		}
		if (len(f) == 0 || f[0] != '"') && bytes.IndexByte(f, '\r') >= 0 {
			return true
		}
		row = rest
	}
	return false
}

// openFault names the column of a row that begins with an unclosed quote.
func (r rows) openFault(row []byte) error {
	for i, rest := 0, row; ; i++ {
		_, next, ok := cutField(rest, r.sep)
		if !ok {
			t := trimLeft(rest, r.sep)
			return faultf(ErrSyntax, "column %d begins with a quote, but doesn't end in one: %s", i+1, quoted(firstLine(t)))
		}
		rest = next
	}
}

// separatorOf returns what separates the columns of a text by its first row: ',' or '\t' outside of
// quotes, else ' '. If it has both, tabs do, unless the names of columns or integers show that commas do.
// ext is the end of the file's name, if it is .csv or .tsv.
func separatorOf(row []byte, ext string) byte {
	if ext == ".tsv" {
		return '\t'
	}
	row = bytes.TrimRight(row, " \t")
	comma, tab := false, false
	for p, begins := 0, true; p < len(row); p++ {
		switch c := row[p]; {
		case c == '"' && begins:
			end := closing(row[p:])
			if end < 0 {
				end = len(row)
			}
			p += end
			begins = false
		case c == ',' || c == '\t':
			comma, tab = comma || c == ',', tab || c == '\t'
			begins = true
		case c != ' ':
			begins = false
		}
	}
	switch {
	case !comma && !tab:
		return ' '
	case !tab:
		return ','
	case !comma:
		return '\t'
	}
	tabs, commas := columnsOf(row, '\t'), columnsOf(row, ',')
	if _, _, found := endsOf(tabs); found == 1 {
		return '\t'
	}
	if _, _, found := endsOf(commas); found == 1 {
		return ','
	}
	switch {
	case twoNumbers(tabs):
		return '\t'
	case twoNumbers(commas), ext == ".csv":
		return ','
	}
	return '\t'
}

// twoNumbers reports whether the first two fields are integers.
func twoNumbers(fields [][]byte) bool {
	return len(fields) >= 2 && isNumber(fields[0]) && isNumber(fields[1])
}

// take returns the row at b[p:], nil for a line that is no row, and where the next one begins.
func (lay *layout) take(b []byte, p int) (row []byte, q int) {
	end := p + bytes.IndexByte(b[p:], '\n')
	line := b[p:end]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > 0 && line[0] > '%' && lay.comment == 0 && !lay.quote.in(b, '"') { // as most begin
		return line, end + 1
	}
	if skip, comment := lay.skips(line); skip {
		if comment {
			lay.comments++
		}
		return nil, end + 1
	}
	if !lay.quote.in(b, '"') {
		return line, end + 1
	}
	end = lay.rowEnd(b, p)
	return bytes.TrimSuffix(b[p:end], []byte{'\r'}), end + 1
}

// tabbed reports whether a row holds a tab where runs of blanks separate, and no tab stood in the first row.
func (lay *layout) tabbed(row []byte) bool {
	return lay.onlyBlanks && bytes.IndexByte(trimRight(row, ' '), '\t') >= 0
}
