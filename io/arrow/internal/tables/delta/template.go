// This file parses lines of a log by the lines before them: the lines of a log are alike but for
// the values in them, so that most of a line is compared and not parsed.

package delta

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// template is a text of JSON with holes where values were: any text that has values of the same
// kinds there is valid JSON with the same members.
type template struct {
	parts      []part
	shape      *shape // of the statistics; nil for none
	quote      string // of strings in statistics: escaped in a line of a log
	dataChange *bool
}

// part is a piece of a template: bytes that are there literally, and what follows them.
type part struct {
	literal string
	hole    holeKind
}

// holeKind is the kind of values that a hole takes, and their use.
type holeKind uint8

const (
	noHole        holeKind = iota // the text ends
	textHole                      // what is between the quotes of a string, without escapes
	numberHole                    // a number
	pathHole                      // a textHole with the path
	sizeHole                      // an integer, the size
	partitionHole                 // an object of strings: the values of partition columns
	vectorHole                    // an object of strings and numbers: the deletion vector
	statsHole                     // a string or a number of the statistics
)

// matcher matches texts with templates. One goroutine uses it.
type matcher struct {
	p         *packer
	templates []*template // the latest one first
	misses    int         // less those that matches made up for
	values    []byte      // of statistics, which the added files that were parsed point to

	partition *partitionValues // the one that was asked for last

	key   []byte // of values of partition columns in a checkpoint, by which pairs has them
	pairs map[string]*partitionValues
}

// match reads an added file from a text that a template fits. The file's strings point into the text and
// the matcher.
func (m *matcher) match(text string, a *addFile) bool {
	for i, t := range m.templates {
		start := len(m.values)
		if !m.fits(t, text, a) {
			m.values = m.values[:start]
			*a = addFile{}
			continue
		}
		if t.shape != nil {
			a.shape, a.values = t.shape, unsafe.String(unsafe.SliceData(m.values[start:]), len(m.values)-start)
		}
		a.DataChange = t.dataChange
		copy(m.templates[1:], m.templates[:i])
		m.templates[0] = t
		m.misses = max(m.misses-1, 0)
		return true
	}
	return false
}

// fits is match for one template. It leaves the values of the statistics in m.values.
func (m *matcher) fits(t *template, text string, a *addFile) bool {
	at := 0
	for i := range t.parts {
		p := &t.parts[i]
		if !strings.HasPrefix(text[at:], p.literal) {
			return false
		}
		at += len(p.literal)
		end, ok := at, true
		switch p.hole {
		case noHole:
			return at == len(text)
		case textHole:
			end, ok = plainText(text, at, `"`)
		case pathHole:
			end, ok = plainText(text, at, `"`)
			a.Path = text[at:end]
		case numberHole:
			end, ok = numberText(text, at)
		case sizeHole:
			if end, ok = numberText(text, at); ok {
				n, err := strconv.ParseInt(text[at:end], 10, 64)
				a.Size, ok = n, err == nil
			}
		case partitionHole:
			if end, ok = flatObject(text, at); ok {
				a.partition, ok = m.partitionOf(text[at:end])
			}
		case vectorHole:
			if end, ok = flatObject(text, at); ok {
				ok = json.Unmarshal([]byte(text[at:end]), &a.DeletionVector) == nil
			}
		case statsHole:
			if strings.HasPrefix(text[at:], t.quote) {
				at += len(t.quote)
				if end, ok = plainText(text, at, t.quote); ok {
					m.values = append(append(append(append(m.values, '"'), text[at:end]...), '"'), hole...)
					end += len(t.quote)
				}
			} else if end, ok = numberText(text, at); ok {
				m.values = append(append(m.values, text[at:end]...), hole...)
			}
		}
		if !ok {
			return false
		}
		at = end
	}
	return false
}

// partitionOf returns the values of partition columns that a text stands for.
func (m *matcher) partitionOf(text string) (*partitionValues, bool) {
	if m.partition == nil || m.partition.text != text {
		values, ok := m.p.partition(text)
		if !ok {
			return nil, false
		}
		m.partition = values
	}
	return m.partition, true
}

// learn keeps a template of a text that nothing fitted, unless texts are so different that
// templates aren't worth it.
func (m *matcher) learn(t *template) {
	if len(m.templates) < maxTemplates {
		m.templates = append(m.templates, nil)
	}
	copy(m.templates[1:], m.templates)
	m.templates[0] = t
}

// learns reports whether another template is worth it, and counts that none fitted.
func (m *matcher) learns() bool {
	m.misses++
	return m.misses <= maxMisses
}

// plainText returns where a string ends, given where its first character is and how the quote at
// its end is written. It has neither escapes nor bytes that strings don't have.
func plainText(text string, at int, quote string) (end int, ok bool) {
	high := byte(0)
	for end = at; end < len(text); end++ {
		c := text[end]
		if c == '"' || c == '\\' || c < ' ' {
			break
		}
		high |= c
	}
	if !strings.HasPrefix(text[end:], quote) || high >= utf8.RuneSelf && !utf8.ValidString(text[at:end]) {
		return at, false
	}
	return end, true
}

// numberText returns where a number ends.
func numberText(text string, at int) (end int, ok bool) {
	digits := func() bool {
		first := end
		for end < len(text) && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		return end > first
	}
	is := func(chars string) bool {
		if end < len(text) && strings.IndexByte(chars, text[end]) >= 0 {
			end++
			return true
		}
		return false
	}
	end = at
	is("-")
	if !is("0") && !digits() {
		return at, false
	}
	if is(".") && !digits() {
		return at, false
	}
	if is("eE") {
		if is("+-"); !digits() {
			return at, false
		}
	}
	return end, true
}

// flatObject returns where an object ends whose values are numbers, null and strings, without
// spaces and escapes.
func flatObject(text string, at int) (end int, ok bool) {
	if !strings.HasPrefix(text[at:], "{") {
		return at, false
	}
	if end = at + 1; strings.HasPrefix(text[end:], "}") {
		return end + 1, true
	}
	for {
		if !strings.HasPrefix(text[end:], `"`) {
			return at, false
		}
		if end, ok = plainText(text, end+1, `"`); !ok || !strings.HasPrefix(text[end:], `":`) {
			return at, false
		}
		switch end += len(`":`); {
		case strings.HasPrefix(text[end:], `"`):
			end, ok = plainText(text, end+1, `"`)
			end++
		case strings.HasPrefix(text[end:], "null"):
			end += len("null")
		default:
			end, ok = numberText(text, end)
		}
		switch {
		case !ok || end >= len(text):
			return at, false
		case text[end] == '}':
			return end + 1, true
		case text[end] != ',':
			return at, false
		}
		end++
	}
}

// templater makes a template of a text, piece by piece.
type templater struct {
	text  string
	taken int // how much of the text is in t
	t     template
	shape []byte // of the statistics, with a hole for each of the template's; quotes are as in the text
}

// cut makes a hole of text[from:to].
func (b *templater) cut(from, to int, kind holeKind) {
	b.t.parts = append(b.t.parts, part{strings.Clone(b.text[b.taken:from]), kind})
	b.taken = to
}

// done ends the template, and reports whether it reads from its own text what the careful parser did, as
// it has to.
func (b *templater) done(m *matcher, careful *addFile) (*template, bool) {
	b.cut(len(b.text), len(b.text), noHole)
	start := len(m.values)
	var a addFile
	ok := m.fits(&b.t, b.text, &a) && (careful.shape == nil || string(m.values[start:]) == careful.values)
	m.values = m.values[:start]
	return &b.t, ok && a.Path == careful.Path && a.Size == careful.Size && a.partition == careful.partition && a.DeletionVector.id() == careful.DeletionVector.id()
}

// templateOf makes a template of a line with an added file, which parseAdd read: it is valid JSON, and no
// member that matters occurs twice.
func templateOf(line string, a *addFile, m *matcher) (*template, bool) {
	b := templater{text: line, t: template{shape: a.shape, quote: `\"`, dataChange: a.DataChange}}
	ok := members(line, func(_, add string, at int) bool {
		return members(add, func(name, value string, offset int) bool { return b.member(name, at+offset, at+offset+len(value), a) })
	})
	if !ok {
		return nil, false
	}
	return b.done(m, a)
}

// member makes holes of a member of an added file, whose value is text[at:end].
func (b *templater) member(name string, at, end int, a *addFile) bool {
	isText, isObject := b.text[at] == '"', b.text[at] == '{'
	switch {
	case name == "path" && isText:
		b.cut(at+1, end-1, pathHole)
	case name == "size" && b.text[at] != 'n':
		b.cut(at, end, sizeHole)
	case name == "partitionValues" && isObject:
		b.cut(at, end, partitionHole)
	case name == "deletionVector" && isObject:
		b.cut(at, end, vectorHole)
	case name == "stats" && isText:
		if a.shape == nil {
			return false
		}
		b.values(at+1, end-1, b.t.quote, statsHole, statsHole)
		shape, ok := unescaped(`"` + string(b.shape) + `"`)
		return ok && shape == a.shape.text
	case name == "dataChange":
	default:
		b.values(at, end, `"`, textHole, numberHole)
	}
	return true
}

// templateOfStats makes a template of a text of statistics that was packed.
func templateOfStats(text string, a *addFile, m *matcher) (*template, bool) {
	b := templater{text: text, t: template{shape: a.shape, quote: `"`}}
	if b.values(0, len(text), `"`, statsHole, statsHole); string(b.shape) != a.shape.text {
		return nil, false
	}
	return b.done(m, &addFile{shape: a.shape, values: a.values})
}

// values makes holes of the strings and numbers in text[at:end], which is valid JSON with its
// quotes written as they are given: `"`, or `\"` where it stands in a string. The names of members stay.
func (b *templater) values(at, end int, quote string, text, number holeKind) {
	from := at
	cut := func(first, last int, kind holeKind) {
		if kind == statsHole {
			b.shape = append(append(b.shape, b.text[from:first]...), hole...)
			from = last
		}
		b.cut(first, last, kind)
	}
	for at < end {
		switch c := b.text[at]; {
		case strings.HasPrefix(b.text[at:end], quote):
			first := at + len(quote)
			last := stringEnd(b.text[:end], first, quote)
			next := last + len(quote)
			for at = next; at < end && strings.IndexByte(space, b.text[at]) >= 0; {
				at++
			}
			switch {
			case at < end && b.text[at] == ':':
			case text == statsHole: // which takes the quotes too
				cut(first-len(quote), next, text)
			default:
				cut(first, last, text)
			}
		case c == '-' || '0' <= c && c <= '9':
			first := at
			for at < end && strings.IndexByte("+-.eE0123456789", b.text[at]) >= 0 {
				at++
			}
			cut(first, at, number)
		default:
			at++
		}
	}
	if text == statsHole {
		b.shape = append(b.shape, b.text[from:end]...)
	}
}

// stringEnd returns where the quote at the end of a string is. In a text whose quotes are `\"` each
// character of the string may be written as two, a backslash before it.
func stringEnd(text string, at int, quote string) int {
	next := func() (c byte, first int) {
		first = at
		if quote != `"` && text[at] == '\\' {
			at++
		}
		c = text[at]
		at++
		return c, first
	}
	for at < len(text) {
		switch c, first := next(); c {
		case '"':
			return first
		case '\\':
			next()
		}
	}
	return len(text) - len(quote)
}
