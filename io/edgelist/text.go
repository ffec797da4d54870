// This file holds text edge lists of integer ids, and the finding out, from
// the first two lines, of the columns of a text edge list.

package edgelist

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

// layout is how the columns of a text edge list stand.
type layout struct {
	rows
	onlyBlanks bool // sep is ' ' since the first row has no tab, so that no row may have one
	blank      byte // besides ' ', what may stand around fields: '\t', or ' ' again where tabs separate or are refused
	ids        graph.IDType
	// columns is how many the first edge or the header has; 0 if others may
	// have more.
	columns int
	// certain: comments are at the start, or Options.Comment defines them.
	certain bool
	at      [3]int     // the columns of source, target and weight
	picked  bool       // they aren't 0, 1 and 2
	left    []string   // columns that have other names in the header
	more    []int      // columns of the edges
	names   []string   // of these
	cellsOf []cellText // of these, in a row

	// What the chunk that a parser is at holds somewhere, so that most lines needn't be looked through.
	quote, tab, cr rare

	comments uint64         // that a parser met and didn't add to dropped yet
	dropped  *atomic.Uint64 // comments of all parsers
}

// rare caches whether a byte is anywhere in a chunk.
type rare uint8

const (
	unasked rare = iota
	absent
	present
)

// in reports whether c stands in a chunk.
func (r *rare) in(b []byte, c byte) bool {
	if *r == unasked {
		if *r = absent; bytes.IndexByte(b, c) >= 0 {
			*r = present
		}
	}
	return *r == present
}

// begin is called before the first line of a chunk.
func (l *layout) begin() {
	if l.quote, l.tab, l.cr = unasked, unasked, unasked; !l.quotes() {
		l.quote = absent
	}
	if !l.onlyBlanks {
		l.tab = absent
	}
}

// rowEnd is end for a row, or columns at its end, in a chunk: the end of the chunk where
// a quote isn't closed, which a chunk doesn't have.
func (l *layout) rowEnd(b []byte, p int) int {
	if !l.quote.in(b, '"') {
		return p + bytes.IndexByte(b[p:], '\n')
	}
	if end := l.end(b, p); end >= 0 {
		return end
	}
	return len(b) - 1
}

// count adds the comments that a parser met to those of all.
func (l *layout) count() {
	if l.comments > 0 {
		l.dropped.Add(l.comments)
		l.comments = 0
	}
}

// fits reports whether a line may have so many columns: as many as the first
// edge, where a third, which may be a weight, may also be missing.
func (l *layout) fits(n int) bool {
	return n == l.columns || l.columns == 0 || n == 2 && l.columns == 3 && !l.picked
}

// readText reads a text edge list.
func readText(l *lines, o *Options, yield func(graph.Batch) error) error {
	columns, err := newColumns(o, l.in.name)
	if err != nil {
		return err
	}
	lay, first, err := textLayout(l, o)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	if columns != nil {
		columns.settle(lay.sample(first, l))
	}
	err = runPipeline(l, first, o.workers(), func() parser {
		lay := lay
		if lay.more != nil {
			lay.cellsOf = make([]cellText, len(lay.more))
		}
		if lay.ids.Integer() {
			t := &textInts{layout: lay, batch: newBatch(o, lay.ids, yield), weights: o.Graph.Weights}
			t.beside = columns.newBatch()
			return t
		}
		t := newTextStrings(lay, o, yield)
		t.values = columns.newBatch()
		return t
	})
	if err != nil {
		return err
	}
	return columns.end(o, nil)
}

// sample returns a function that returns the columns of the edges in the rows that are in memory, one by one.
func (lay *layout) sample(first []chunk, l *lines) func() []cellText {
	whole, _ := l.whole(l.buf[l.lo:l.hi])
	var data []byte
	for _, c := range first {
		data = append(data, c.data...)
	}
	data = append(data, l.buf[l.lo:l.lo+whole]...)
	look, p := *lay, 0
	look.dropped, look.cellsOf = new(atomic.Uint64), make([]cellText, len(lay.more))
	look.begin()
	return func() []cellText {
		for p < len(data) {
			var row []byte
			if row, p = look.take(data, p); row == nil {
				continue
			}
			var ends [3][]byte
			clear(look.cellsOf)
			look.cells(row, 2, &ends)
			return look.cellsOf
		}
		return nil
	}
}

// jsonBegin is how a line of JSON begins.
const jsonBegin = `{"`

// textLayout finds out the layout. The lines that were read for it and hold
// edges come back as chunks. The error is io.EOF where there is no line.
func textLayout(l *lines, o *Options) (lay layout, edges []chunk, err error) {
	var head [2][]byte
	for i := range head {
		b, no, err := l.headRow(&lay, head[0], o)
		if err == io.EOF && i > 0 {
			break
		}
		if err == io.EOF && (o.header == headerFirst || o.named()) {
			return lay, nil, headless(l.in.name, "header, which names the columns")
		}
		if err != nil {
			return lay, nil, err
		}
		what := ""
		switch {
		case bytes.IndexByte(b, 0) >= 0:
			what = "a NUL byte: this is no text, or UTF-16; make it UTF-8"
		case lay.bareCR(b):
			what = "a carriage return without a line feed; make the lines end in LF or CRLF"
		}
		if what != "" {
			return lay, nil, at(l.in.name, no, faultf(ErrFormat, "the line holds %s", what))
		}
		head[i] = bytes.Clone(b)
		edges = append(edges, chunk{data: append(bytes.Clone(b), '\n'), line: no})
	}
	sep := lay.sep
	if more := lay.otherComment(head[0]); more != "" && o.comment == 0 && o.ext != "" && sep == ' ' && o.Separator == 0 {
		return lay, nil, at(l.in.name, edges[0].line, faultf(ErrFormat, "the line looks like a comment: %s%s", quoted(head[0]), more))
	}
	if bytes.HasPrefix(head[0], []byte(jsonBegin)) {
		return lay, nil, at(l.in.name, edges[0].line, faultf(ErrFormat, "the line looks like JSON; set Options.Format to \"jsonl\""))
	}
	headLine := edges[0].line
	if err := o.headless(columnsOf(head[0], sep)); err != nil {
		return lay, nil, at(l.in.name, headLine, err)
	}
	header, err := lay.headerOf(head, sep, o)
	if err != nil {
		return lay, nil, at(l.in.name, edges[0].line, withHint(err, lay.otherComment(head[0])))
	}
	if lay.comment == 0 && !lay.certain && (header || sep != ' ' && sep != '\t') {
		lay.comment = noComment
	}
	l.rows = lay.rows
	firstEdge := head[0]
	if header {
		firstEdge = head[1]
		edges = edges[1:]
		if firstEdge == nil {
			return lay, nil, io.EOF
		}
	}
	switch o.ids {
	case idsAuto:
		lay.ids = graph.Int64
		if !isNumber(field(firstEdge, sep, lay.at[0])) || !isNumber(field(firstEdge, sep, lay.at[1])) {
			lay.ids = graph.String
		}
	case idsInt64:
		lay.ids = graph.Int64
	case idsUint64:
		lay.ids = graph.Uint64
	case idsString:
		lay.ids = graph.String
	case idsBinary:
		lay.ids = graph.Binary
	}
	if !header && len(o.edgeColumns()) > 0 {
		if lay.more, err = places(columnsOf(firstEdge, sep), o, false); err != nil {
			return lay, nil, at(l.in.name, headLine, err)
		}
		lay.names = o.edgeColumns()
		lay.picked = true
	}
	if !o.Ragged && (!lay.picked || !header && lay.more != nil && !o.OnlyVertices) {
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
	lay.blank = '\t'
	if sep == '\t' || lay.onlyBlanks {
		lay.blank = ' '
	}
	return lay, edges, nil
}

// headRow returns the next of the first two rows, and finds out what separates columns and which lines are
// comments. first is the first row where that was read.
func (l *lines) headRow(lay *layout, first []byte, o *Options) (row []byte, no uint64, err error) {
	if first == nil {
		lay.dropped, lay.comment = &l.comments, o.comment
		if o.comment == 0 && o.ext != "" {
			lay.comment = noComment
		}
		if lay.sep = o.Separator; lay.sep == 0 && o.ext == ".tsv" {
			lay.sep = '\t'
		}
	}
	for {
		line, err := l.peek()
		if err != nil {
			return nil, l.line, err
		}
		skip, comment := lay.skips(line)
		switch {
		case comment && first != nil && !lay.certain && lay.comment == 0:
			if lay.sep != ' ' && lay.sep != '\t' {
				skip = false
			} else if header, err := new(layout).headerOf([2][]byte{first, line}, lay.sep, o); header && err == nil {
				skip = false
			} else {
				lay.certain = true
			}
		case comment:
			lay.certain = true
		}
		if skip {
			if comment {
				l.comments.Add(1)
			}
			if _, _, err := l.next(); err != nil {
				return nil, l.line, err
			}
			continue
		}
		if lay.sep == 0 {
			if line, err = l.peekQuoted(line); err != nil {
				return nil, l.line, err
			}
			lay.sep = separatorOf(line, o.ext)
			if o.OnlyVertices && lay.sep == ' ' { // names may hold spaces
				lay.sep = '\t'
			}
			lay.onlyBlanks = lay.sep == ' '
		}
		l.rows = lay.rows
		return l.nextRow()
	}
}

// field returns column i of a line, or nil. Quotes are removed.
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
	t.begin()
	defer t.count()
	src, dst, n := t.src, t.dst, t.n
	unsigned, two := t.ids == graph.Uint64, t.fits(2)
	quote, tab := t.weights && t.quote.in(b, '"'), t.weights && t.tab.in(b, '\t')
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
		default:
			end := start + bytes.IndexByte(b[start:], '\n')
			skip, comment := t.skips(bytes.TrimSuffix(b[start:end], []byte{'\r'}))
			if skip {
				if comment {
					t.comments++
				}
				p = end + 1
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
			if quote {
				end = t.rowEnd(b, p)
			}
			columns := bytes.TrimSuffix(b[p:end], []byte{'\r'})
			f, rest, ok := cutField(columns, t.sep)
			if ok {
				var w weight
				if w, ok = parseWeight(unquoted(f, t.sep)); ok {
					ok = t.w.add(w)
				}
			}
			if !ok || tab && t.tabbed(columns) || !t.fits(3+countFields(rest, t.sep)) {
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
			n, src, dst = 0, t.src, t.dst
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
	case c == t.sep, t.sep == ' ' && q > p, t.onlyBlanks && c == '\t':
		end := t.rowEnd(b, q)
		if t.tab.in(b, '\t') && t.tabbed(bytes.TrimSuffix(b[q:end], []byte{'\r'})) {
			return q, false
		}
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

func (t *textInts) startAt(line uint64) { t.beside.startAt(line) }

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
