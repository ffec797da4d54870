// This file holds JSON lines: an object per line, with an edge (https://jsonlines.org).

package edgelist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// readJSONLines reads a file of objects. The first one determines the columns and the
// type of ids.
func readJSONLines(l *lines, o *Options, yield func(graph.Batch) error) error {
	b, no, err := l.nextData("")
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	columns, err := newColumns(o, l.in.name)
	if err != nil {
		return err
	}
	first := chunk{data: append(bytes.Clone(b), '\n'), line: no}
	lay := &jsonLayout{any: o.ids == idsString, weights: o.Graph.Weights}
	if err := lay.choose(first.data, o); err != nil {
		return at(l.in.name, no, err)
	}
	if columns != nil {
		columns.settle(lay.sample(first, l))
	}
	err = runPipeline(l, []chunk{first}, o.workers(), func() parser {
		p := &jsonParser{jsonLayout: lay, scan: jsonScanner{}, values: columns.newBatch(), more: make([]span, len(lay.more))}
		if lay.ids.Integer() {
			p.ints = newBatch(o, lay.ids, yield)
			p.ints.beside = p.values
		} else {
			p.strings = newTextStrings(layout{ids: lay.ids}, o, yield)
			p.strings.values = p.values
		}
		return p
	})
	if err != nil {
		return err
	}
	return columns.end(o, lay.members)
}

// sample returns a function that returns the columns of the edges in the objects that are in memory, one by one, until one
// that isn't well formed.
func (lay *jsonLayout) sample(first chunk, l *lines) func() []cellText {
	data := l.buf[l.lo:l.hi]
	data = append(bytes.Clone(first.data), data[:bytes.LastIndexByte(data, '\n')+1]...)
	look, p := jsonParser{jsonLayout: lay, more: make([]span, len(lay.more))}, 0
	cells := make([]cellText, len(lay.more))
	return func() []cellText {
		for p < len(data) {
			start := p
			p += bytes.IndexByte(data[p:], '\n') + 1
			if len(bytes.TrimSpace(data[start:p])) == 0 {
				continue
			}
			var v [3]span
			if look.find(&look.scan, data[:p], start, &v, look.more) != nil || look.cells(data, cells) != nil {
				return nil
			}
			return cells
		}
		return nil
	}
}

// jsonLayout is what all lines have.
type jsonLayout struct {
	names   [3]string // of source, target and weight
	ids     graph.IDType
	any     bool // numbers are ids too where ids are strings
	weights bool
	more    []string // columns of the edges
	members [][]byte // of the first object
}

// choose finds out, by the first object, which members are the edge.
func (lay *jsonLayout) choose(line []byte, o *Options) error {
	s := jsonScanner{b: line}
	var names [][]byte
	for ok := s.begin(); ok; {
		if ok = s.next(); ok {
			names = append(names, []byte(s.name()))
		}
	}
	if s.bad {
		return jsonFault(line)
	}
	var err error
	from, to, found := endsOf(names)
	switch {
	case o.OnlyVertices:
		from, err = vertexColumn(names, o.Source)
		to = from
	case o.Source != "" || o.Target != "":
		from, to, err = namedEnds(names, o.Source, o.Target)
	case found != 1 && len(names) < 2:
		err = faultf(errColumns, "the object has %d members, where source and target are two; %s", len(names), listMembers(names))
	case found != 1:
		from, to, err = otherEnds(names, found)
	}
	if err != nil {
		return err
	}
	w := -1
	if lay.weights {
		if o.Weight != "" {
			w, err = namedColumn(names, o.Weight, "Weight")
		} else if w = column(names, weightName); w < 0 || w == from || w == to {
			err = faultf(errColumns, "weights are wanted, but no member is named %q; name it in Options.Weight; %s", weightName, listMembers(names))
		}
		if err != nil {
			return err
		}
		lay.names[2] = string(names[w])
	}
	lay.names[0], lay.names[1] = string(names[from]), string(names[to])
	lay.members = names
	for _, name := range o.edgeColumns() { // the first object may lack some
		if k, err := namedColumn(names, name, "Graph.EdgeColumns"); err == nil && k >= 0 {
			name = string(names[k])
		}
		lay.more = append(lay.more, name)
	}
	var left []string
	for i, n := range names {
		if i != from && i != to && i != w && !slices.Contains(lay.more, string(n)) {
			left = append(left, string(n))
		}
	}
	if o.LeftOut != nil && len(left) > 0 {
		o.LeftOut(left)
	}
	if err := o.columns(names, [3]int{from, to, w}); err != nil {
		return err
	}
	switch o.ids {
	case idsInt64:
		lay.ids = graph.Int64
	case idsUint64:
		lay.ids = graph.Uint64
	case idsString:
		lay.ids = graph.String
	case idsBinary:
		lay.ids = graph.Binary
	default:
		lay.ids = graph.Int64
		var values [3]span
		if err := lay.find(&s, line, 0, &values, nil); err != nil {
			return err
		}
		if line[values[0].from] == '"' {
			lay.ids = graph.String
		}
	}
	return nil
}

func listMembers(names [][]byte) string {
	if len(names) == 0 {
		return "there are none"
	}
	return strings.Replace(listNames(names), "columns are", "members are", 1)
}

// span is a value: b[from:to].
type span struct{ from, to int }

// find finds the members of the edge in the object at b[p:], which a line end follows, and those of columns in more. A
// column that the object lacks has an empty span.
func (lay *jsonLayout) find(s *jsonScanner, b []byte, p int, values *[3]span, more []span) error {
	*s = jsonScanner{b: b, p: p}
	clear(more)
	var seen [3]bool
	for ok := s.begin(); ok; {
		if ok = s.next(); ok {
			for k := range values {
				if s.named(lay.names[k]) && (k < 2 || lay.weights) {
					values[k], seen[k] = s.value, true
				}
			}
			for k := range more {
				if s.named(lay.more[k]) {
					more[k] = s.value
				}
			}
		}
	}
	if s.bad {
		return jsonFault(firstLine(b[p:]))
	}
	for k, name := range lay.names {
		if !seen[k] && (k < 2 || lay.weights) {
			return faultf(ErrSyntax, "the object has no %q, which is the edge's %s: %s", name, [...]string{"source", "target", "weight"}[k], quoted(firstLine(b[p:])))
		}
	}
	return nil
}

// jsonFault says why a line is no object.
func jsonFault(line []byte) error {
	line = bytes.TrimSpace(line)
	var v map[string]json.RawMessage
	why := "it is no JSON object"
	if err := json.Unmarshal(line, &v); err != nil {
		why = text.Plainly(err).Error()
	}
	if len(line) > 0 && line[0] == '[' {
		why = "it is an array; write one object per line"
	} else if json.Valid(line) && len(line) > 2*maxJSONDepth {
		why = fmt.Sprintf("members are nested deeper than %d", maxJSONDepth)
	} else if string(line) == "{" {
		why = "an object takes several lines; write each on one"
	}
	return faultf(ErrSyntax, "want a JSON object per line, found %s: %s", quoted(line), why)
}

// jsonParser parses lines.
type jsonParser struct {
	*jsonLayout
	scan    jsonScanner
	ints    *batch       // or
	strings *textStrings // this
	text    [2][]byte    // scratch
	values  *columnBatch // of columns of the edges
	more    []span       // of these, in an object
	raw     []byte       // scratch
}

func (t *jsonParser) startAt(line uint64) { t.values.startAt(line) }

// cells sets the values of the columns of an edge.
func (t *jsonParser) cells(b []byte, cells []cellText) error {
	t.raw = t.raw[:0]
	for k, at := range t.more {
		v := b[at.from:at.to]
		switch {
		case len(v) == 0 || string(v) == "null":
			cells[k] = cellText{}
		case v[0] == '"':
			from := len(t.raw)
			var ok bool
			if t.raw, ok = unescape(t.raw, v[1:len(v)-1]); !ok {
				return faultf(ErrSyntax, "%q, %s, has half of a surrogate pair, which is no character", t.jsonLayout.more[k], quoted(v))
			}
			cells[k] = cellText{text: t.raw[from:len(t.raw):len(t.raw)], quotes: true}
		case v[0] == '{' || v[0] == '[':
			return faultf(ErrSyntax, "%q holds %s; a column has one value in each row", t.jsonLayout.more[k], quoted(v))
		default:
			cells[k] = cellText{text: v}
		}
	}
	return nil
}

// readColumns reads the columns of an edge, and reports whether the edge stays.
func (t *jsonParser) readColumns(b []byte, start int) (bool, error) {
	if t.values == nil {
		return true, nil
	}
	t.values.at(b, start)
	for k, at := range t.more {
		if at.to > 0 && !t.values.seen[k].Load() {
			t.values.seen[k].Store(true)
		}
	}
	if err := t.cells(b, t.values.cells); err != nil {
		return false, err
	}
	return t.values.read()
}

func (t *jsonParser) flush() error {
	if t.ints != nil {
		return t.ints.flush()
	}
	return t.strings.flush()
}

func (t *jsonParser) parse(b []byte) (int, error) {
	for p := 0; p < len(b); {
		start := p
		p += bytes.IndexByte(b[p:], '\n') + 1
		if len(bytes.TrimSpace(b[start:p])) == 0 {
			continue
		}
		var v [3]span
		if err := t.find(&t.scan, b[:p], start, &v, t.more); err != nil {
			return start, err
		}
		if stays, err := t.readColumns(b, start); err != nil {
			return start, err
		} else if !stays {
			continue
		}
		var w weight
		if t.weights {
			var ok bool
			value := b[v[2].from:v[2].to]
			if w, ok = parseWeight(value); !ok || value[0] == '"' {
				return start, faultf(ErrSyntax, "want a number as weight %q, found %s", t.names[2], quoted(value))
			}
		}
		if t.ints != nil {
			var ends [2]uint64
			for k := range ends {
				x, err := t.integer(b, v[k], k)
				if err != nil {
					return start, err
				}
				ends[k] = x
			}
			if t.values != nil {
				t.values.keep()
			}
			if err := t.ints.add(ends[0], ends[1], w); err != nil {
				return -1, err
			}
			if t.values.large() {
				if err := t.flush(); err != nil {
					return -1, err
				}
			}
			continue
		}
		for k := range t.text {
			if err := t.string(b, v[k], k); err != nil {
				return start, err
			}
		}
		if t.values != nil {
			t.values.keep()
		}
		addString(&t.strings.src, t.text[0])
		addString(&t.strings.dst, t.text[1])
		if t.weights {
			if !t.strings.w.add(w) {
				return start, weightFault(b[v[2].from:v[2].to])
			}
		}
		if t.strings.src.Len() == t.strings.most || len(t.strings.src.Data)+len(t.strings.dst.Data) >= batchBytes || t.values.large() {
			if err := t.strings.flush(); err != nil {
				return -1, err
			}
		}
	}
	if t.values != nil {
		if err := t.flush(); err != nil {
			return -1, err
		}
	}
	return 0, nil
}

// integer returns the k-th end of an edge.
func (t *jsonParser) integer(b []byte, v span, k int) (uint64, error) {
	value := b[v.from:v.to]
	if string(value) == "null" {
		return 0, t.null(k)
	}
	var x uint64
	var q int
	var ok bool
	if t.ids == graph.Uint64 {
		x, q, ok = scanUint(b, v.from)
	} else {
		var i int64
		i, q, ok = scanInt(b, v.from)
		x = uint64(i)
	}
	if ok && q == v.to {
		return x, nil
	}
	if err := idFault(value, t.ids); err != nil {
		return 0, err
	}
	return 0, faultf(ErrSyntax, "want an integer id, found %s", quoted(value))
}

// string sets text[k] to the k-th end of an edge.
func (t *jsonParser) string(b []byte, v span, k int) error {
	value := b[v.from:v.to]
	switch {
	case string(value) == "null":
		return t.null(k)
	case value[0] != '"' && t.any && isNumber(value):
		t.text[k] = append(t.text[k][:0], value...)
		return nil
	case value[0] != '"':
		return faultf(ErrSyntax, "want a string id, as in the first line, found %s; set Options.IDs to \"string\" to take numbers as strings too", quoted(value))
	case t.ids != graph.Binary && !utf8.Valid(value):
		return faultf(ErrSyntax, "id %s is not UTF-8", quoted(value))
	}
	if bytes.IndexByte(value, '\\') < 0 {
		t.text[k] = append(t.text[k][:0], value[1:len(value)-1]...)
		return nil
	}
	var ok bool
	if t.text[k], ok = unescape(t.text[k][:0], value[1:len(value)-1]); !ok {
		return faultf(ErrSyntax, "id %s has half of a surrogate pair, which is no character", quoted(value))
	}
	return nil
}

func (t *jsonParser) null(k int) error {
	return faultf(ErrSyntax, "%q, the edge's %s, is null", t.names[k], [...]string{"source", "target"}[k])
}

// jsonScanner goes through the members of an object. It finds where values end, and
// leaves what is in those that aren't needed alone.
type jsonScanner struct {
	b     []byte // which ends in LF
	p     int
	key   span // with its quotes
	value span
	bad   bool
}

func (s *jsonScanner) blanks() byte {
	for s.b[s.p] == ' ' || s.b[s.p] == '\t' || s.b[s.p] == '\r' {
		s.p++
	}
	return s.b[s.p]
}

// begin goes into the object, and reports whether it has members.
func (s *jsonScanner) begin() bool {
	if s.blanks() != '{' {
		s.bad = true
		return false
	}
	s.p++
	if s.blanks() == '}' {
		s.p++
		s.end()
		return false
	}
	return true
}

// next goes to the next member. Behind the last one it returns false.
func (s *jsonScanner) next() bool {
	if s.key.to > 0 { // it isn't the first
		switch s.blanks() {
		case '}':
			s.p++
			s.end()
			return false
		case ',':
			s.p++
		default:
			s.bad = true
			return false
		}
	}
	if s.blanks() != '"' || !s.skipString(&s.key) || s.blanks() != ':' {
		s.bad = true
		return false
	}
	s.p++
	s.bad = !s.skipValue()
	return !s.bad
}

// end checks that nothing follows the object.
func (s *jsonScanner) end() { s.bad = s.blanks() != '\n' }

// skipString goes behind the string that begins at p.
func (s *jsonScanner) skipString(at *span) bool {
	from, escapes := s.p, false
	for s.p++; ; s.p++ {
		switch c := s.b[s.p]; {
		case c == '\\':
			escapes = true
			s.p++ // what is escaped; a line end is found separately
			if s.b[s.p] < ' ' {
				return false
			}
		case c == '"':
			s.p++
			*at = span{from, s.p}
			return !escapes || json.Valid(s.b[from:s.p])
		case c < ' ':
			return false
		}
	}
}

// skipValue goes behind the value that begins at p or behind blanks.
func (s *jsonScanner) skipValue() bool {
	switch c := s.blanks(); c {
	case '"':
		return s.skipString(&s.value)
	case '{', '[':
		from := s.p
		var open []byte
		var inner span
		for {
			switch c := s.b[s.p]; c {
			case '"':
				if !s.skipString(&inner) {
					return false
				}
				continue
			case '{', '[':
				if len(open) == maxJSONDepth {
					return false
				}
				open = append(open, c+2) // which closes it
			case '}', ']':
				if c != open[len(open)-1] {
					return false
				}
				if open = open[:len(open)-1]; len(open) == 0 {
					s.p++
					s.value = span{from, s.p}
					return json.Valid(s.b[from:s.p])
				}
			case '\n':
				return false
			}
			s.p++
		}
	}
	from := s.p
	for c := s.b[s.p]; c > ' ' && c != ',' && c != '}' && c != ']' && c != '"' && c != '{' && c != '['; c = s.b[s.p] {
		s.p++
	}
	s.value = span{from, s.p}
	return literal(s.b[from:s.p])
}

// literal reports whether a value is a number, true, false or null.
func literal(v []byte) bool {
	switch string(v) {
	case "true", "false", "null":
		return true
	}
	if len(v) == 0 || v[0] == '+' || v[0] == '.' {
		return false
	}
	digits := bytes.TrimPrefix(v, []byte{'-'})
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	if isNumber(v) {
		return true
	}
	return json.Valid(v)
}

// name returns the member's name.
func (s *jsonScanner) name() string {
	raw := s.b[s.key.from:s.key.to]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var name string
	if json.Unmarshal(raw, &name) != nil {
		s.bad = true
	}
	return name
}

// named reports whether the member has a name.
func (s *jsonScanner) named(name string) bool {
	raw := s.b[s.key.from:s.key.to]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1:len(raw)-1]) == name
	}
	return s.name() == name
}

// unescape appends what is in a string, whose escapes are valid. It returns false where one is half of a
// surrogate pair: encoding/json has U+FFFD for each of those, and so one id for several. Bytes that aren't
// UTF-8 stay.
func unescape(to, s []byte) ([]byte, bool) {
	for len(s) > 0 {
		at := bytes.IndexByte(s, '\\')
		if at < 0 {
			return append(to, s...), true
		}
		to = append(to, s[:at]...)
		c := s[at+1]
		s = s[at+2:]
		switch c {
		case 'b':
			to = append(to, '\b')
		case 'f':
			to = append(to, '\f')
		case 'n':
			to = append(to, '\n')
		case 'r':
			to = append(to, '\r')
		case 't':
			to = append(to, '\t')
		case 'u':
			r := hexRune(s)
			s = s[4:]
			if utf16.IsSurrogate(r) {
				if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
					return to, false
				}
				if r = utf16.DecodeRune(r, hexRune(s[2:])); r == utf8.RuneError {
					return to, false
				}
				s = s[6:]
			}
			to = utf8.AppendRune(to, r)
		default: // a quote, a slash or a backslash
			to = append(to, c)
		}
	}
	return to, true
}

// hexRune returns what the four digits of an escape stand for.
func hexRune(s []byte) rune {
	x, _ := strconv.ParseUint(string(s[:4]), 16, 32) // they were checked
	return rune(x)
}
