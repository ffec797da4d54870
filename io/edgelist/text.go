// This file holds text edge lists of integer ids, and the finding out, from
// the first two lines, of what a text edge list holds.

package edgelist

import (
	"bytes"
	"io"

	"github.com/foray-graph/foray/graph"
)

// layout is how the columns of a text edge list stand.
type layout struct {
	sep   byte // ' ' for white space
	blank byte // besides ' ', what may stand around fields: '\t', or ' ' again where tabs separate
	ids   graph.IDType
	// columns is how many the first edge or the header has; 0 if others may
	// have more.
	columns int
	at      [3]int   // the columns of source, target and weight
	picked  bool     // they aren't 0, 1 and 2
	left    []string // columns that have other names in the header
}

// fits reports whether a line may have so many columns: as many as the first
// edge, where a third, which may be a weight, may also be missing.
func (l *layout) fits(n int) bool {
	return n == l.columns || l.columns == 0 || n == 2 && l.columns == 3 && !l.picked
}

// readText reads a text edge list.
func readText(l *lines, o *Options, yield func(graph.Batch) error) error {
	lay, first, err := textLayout(l, o)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return runPipeline(l, first, o.workers(), func() parser {
		if lay.ids.Integer() {
			return &textInts{layout: lay, batch: newBatch(o, lay.ids, yield), weights: o.Graph.Weights}
		}
		return newTextStrings(lay, o, yield)
	})
}

// jsonBegin is how a line of JSON begins.
const jsonBegin = `{"`

// textLayout finds out the layout. The lines that were read for it and hold
// edges come back as chunks. The error is io.EOF where there is no line.
func textLayout(l *lines, o *Options) (lay layout, edges []chunk, err error) {
	var head [2][]byte
	for i := range head {
		b, no, err := l.nextData("#%")
		if err == io.EOF && i > 0 {
			break
		}
		if err != nil {
			return lay, nil, err
		}
		for _, c := range b {
			if c == 0 || c == '\r' {
				what := "a NUL byte: this is no text, or UTF-16; make it UTF-8"
				if c == '\r' {
					what = "a carriage return without a line feed; make the lines end in LF or CRLF"
				}
				return lay, nil, at(l.in.name, no, faultf(ErrFormat, "the line holds %s", what))
			}
		}
		head[i] = bytes.Clone(b)
		edges = append(edges, chunk{data: append(bytes.Clone(b), '\n'), line: no})
	}

	// The separator, as far as it doesn't depend on what ids are.
	comma := bytes.IndexByte(head[0], ',') >= 0
	sep := o.Separator
	switch {
	case sep == 0 && comma:
		sep = ','
	case sep == 0:
		sep = ' '
	}
	if bytes.HasPrefix(head[0], []byte(jsonBegin)) {
		return lay, nil, at(l.in.name, edges[0].line, faultf(ErrFormat, "the line looks like JSON; set Options.Format to FormatJSONLines"))
	}
	headLine := edges[0].line
	if err := o.headless(columnsOf(head[0], sep)); err != nil {
		return lay, nil, at(l.in.name, headLine, err)
	}
	header, err := lay.headerOf(head, sep, o)
	if err != nil {
		return lay, nil, at(l.in.name, edges[0].line, err)
	}
	firstEdge := head[0]
	if header {
		firstEdge = head[1]
		edges = edges[1:]
		if firstEdge == nil {
			return lay, nil, io.EOF
		}
	}
	switch o.IDs {
	case IDsAuto:
		lay.ids = graph.Int64
		if !isNumber(field(firstEdge, sep, lay.at[0])) || !isNumber(field(firstEdge, sep, lay.at[1])) {
			lay.ids = graph.String
		}
	case IDsInt64:
		lay.ids = graph.Int64
	case IDsUint64:
		lay.ids = graph.Uint64
	case IDsString:
		lay.ids = graph.String
	case IDsBinary:
		lay.ids = graph.Binary
	}
	if o.Separator == 0 && sep == ' ' && !lay.ids.Integer() && bytes.IndexByte(bytes.Trim(head[0], " \t"), '\t') >= 0 {
		sep = '\t'
		if header { // whose names may hold spaces
			if _, err = lay.headerOf(head, sep, o); err != nil {
				return lay, nil, at(l.in.name, headLine, err)
			}
		}
	}
	if !o.Ragged && !lay.picked {
		lay.columns = countFields(firstEdge, sep)
	}
	if o.LeftOut != nil && len(lay.left) > 0 {
		o.LeftOut(lay.left)
	}
	var names [][]byte
	if header {
		names = columnsOf(head[0], sep)
	}
	if err := o.columns(names, lay.at); err != nil {
		return lay, nil, err
	}
	lay.sep, lay.blank = sep, '\t'
	if sep == '\t' {
		lay.blank = ' '
	}
	return lay, edges, nil
}

// field returns column i of a line, nil where there is none. Quotes go.
func field(line []byte, sep byte, i int) []byte {
	var f []byte
	for rest, ok := line, true; i >= 0; i-- {
		if f, rest, ok = cutField(rest, sep); !ok {
			return nil
		}
	}
	return unquoted(f, sep)
}

// isNumber reports whether f is a decimal integer with or without a sign.
func isNumber(f []byte) bool {
	if len(f) > 0 && (f[0] == '-' || f[0] == '+') {
		f = f[1:]
	}
	for _, c := range f {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(f) > 0
}

// textInts parses edge lists of integer ids.
type textInts struct {
	layout
	*batch
	weights bool
	cell    []byte // scratch
}

func (t *textInts) parse(b []byte) (int, error) {
	if t.picked {
		return t.parsePicked(b)
	}
	src, dst, n := t.src, t.dst, t.n
	unsigned, two := t.ids == graph.Uint64, t.fits(2)
	var ok bool
	for p := 0; p < len(b); {
		start := p
		for b[p] == ' ' || b[p] == t.blank {
			p++
		}
		switch c := b[p]; {
		case '0' <= c && c <= '9':
		case c == '\n':
			p++
			continue
		case c == '\r' && b[p+1] == '\n':
			p += 2
			continue
		case c == '#' || c == '%':
			p += bytes.IndexByte(b[p:], '\n') + 1
			continue
		case c == '\t': // which separates: a line of nothing else is blank
			if end := bytes.IndexByte(b[p:], '\n'); skipped(bytes.TrimSuffix(b[p:p+end], []byte{'\r'})) {
				p += end + 1
				continue
			}
		}

		if src[n], p, ok = t.id(b, p, unsigned); !ok {
			return start, t.fault(b[start:])
		}
		if p, ok = t.next(b, p); !ok {
			return start, t.fault(b[start:])
		}
		if dst[n], p, ok = t.id(b, p, unsigned); !ok {
			return start, t.fault(b[start:])
		}
		if t.weights {
			if p, ok = t.next(b, p); !ok {
				return start, t.fault(b[start:])
			}
			end := p + bytes.IndexByte(b[p:], '\n')
			f, rest, ok := cutField(bytes.TrimSuffix(b[p:end], []byte{'\r'}), t.sep)
			if ok {
				var w weight
				if w, ok = parseWeight(unquoted(f, t.sep)); ok {
					ok = t.w.add(w)
				}
			}
			if !ok || !t.fits(3+countFields(rest, t.sep)) {
				return start, t.fault(b[start:])
			}
			p = end + 1
		} else if b[p] == '\n' && two {
			p++
		} else if p, ok = t.rest(b, p); !ok {
			return start, t.fault(b[start:])
		}
		if n++; n == len(src) {
			t.n = n
			if err := t.flush(); err != nil {
				return -1, err
			}
			n = 0
		}
	}
	t.n = n
	return 0, nil
}

// id scans an id at b[p:].
func (t *textInts) id(b []byte, p int, unsigned bool) (v int64, q int, ok bool) {
	quote := b[p] == '"' && t.sep != ' '
	if quote {
		p++
	}
	if unsigned {
		var x uint64
		x, q, ok = scanUint(b, p)
		v = int64(x)
	} else {
		v, q, ok = scanInt(b, p)
	}
	if quote {
		ok = ok && b[q] == '"'
		q++
	}
	return v, q, ok
}

// rest skips the rest of the line behind the second column.
func (t *textInts) rest(b []byte, p int) (int, bool) {
	q := p
	for b[q] == ' ' || b[q] == t.blank {
		q++
	}
	switch c := b[q]; {
	case c == '\n', c == '\r' && b[q+1] == '\n':
		return q + bytes.IndexByte(b[q:], '\n') + 1, t.fits(2)
	case c == t.sep, t.sep == ' ' && q > p:
		end := q + bytes.IndexByte(b[q:], '\n')
		if t.columns == 0 {
			return end + 1, true
		}
		if c == t.sep {
			q++
		}
		return end + 1, t.fits(2 + countFields(bytes.TrimSuffix(b[q:end], []byte{'\r'}), t.sep))
	}
	return q, false
}

func (t *textInts) fault(b []byte) error { return lineFaultOf(b, t.layout, t.weights) }

// next skips what stands between two columns.
func (t *textInts) next(b []byte, p int) (int, bool) {
	q := p
	for b[q] == ' ' || b[q] == t.blank {
		q++
	}
	if t.sep == ' ' {
		return q, q > p
	}
	if b[q] != t.sep {
		return q, false
	}
	q++
	for b[q] == ' ' || b[q] == t.blank {
		q++
	}
	return q, true
}
