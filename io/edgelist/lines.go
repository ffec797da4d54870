// This file holds lines, which cuts an input into lines, for the first few,
// and into chunks of whole lines, for the rest.

package edgelist

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync/atomic"
)

// lines reads lines. The unread part of the buffer is buf[lo:hi].
type lines struct {
	ctx    context.Context
	in     *input
	buf    []byte
	lo, hi int
	line   uint64 // the number of the line at lo, from 1
	err    error  // what ended the reading, to be met after buf[lo:hi]
	max    int    // length of the longest line, without its LF
	rows          // of a text with columns, once they are known

	comments atomic.Uint64 // lines that were left out as comments
}

func newLines(ctx context.Context, in *input, o *Options) *lines {
	// A buffer of max+1 holds every line with its LF, and no longer one: that
	// makes the limit exact wherever lines fall.
	first := min(o.chunk, o.maxLine+1)
	if in.size >= 0 { // a small file takes a small buffer, with room to see its end
		first = min(first, max(int(min(in.size, 1<<30))+1, leastBuffer))
	}
	return &lines{ctx: ctx, in: in, buf: make([]byte, first), line: 1, max: o.maxLine}
}

// fill reads until the buffer is full or the input ends.
func (l *lines) fill() {
	if l.err == nil && l.hi < len(l.buf) {
		var n int
		n, l.err = l.in.fill(l.ctx, l.buf[l.hi:])
		l.hi += n
		l.in.report()
	}
}

// more makes room behind buf[lo:hi], which holds no LF, and reads on.
func (l *lines) more() error {
	switch {
	case l.lo > 0:
		l.hi = copy(l.buf, l.buf[l.lo:l.hi])
		l.lo = 0
	case l.hi < len(l.buf):
	case l.hi > l.max:
		return l.tooLong()
	default:
		b := make([]byte, min(2*len(l.buf), l.max+1))
		copy(b, l.buf)
		l.buf = b
	}
	l.fill()
	return nil
}

func (l *lines) tooLong() error {
	if l.quotes() && bytes.IndexByte(l.buf[l.lo:l.hi], '\n') >= 0 {
		return at(l.in.name, l.line, faultf(ErrSyntax, "the row is longer than %d bytes, of which a quote makes several lines; close each quote that a column begins with", l.max))
	}
	return at(l.in.name, l.line, faultf(ErrSyntax, "the line is longer than %d bytes", l.max))
}

// skipPrefix reports whether the rest begins with s, and if skip, skips it.
func (l *lines) skipPrefix(s string, skip bool) bool {
	for l.hi-l.lo < len(s) && l.err == nil {
		if l.more() != nil {
			return false
		}
	}
	if !bytes.HasPrefix(l.buf[l.lo:l.hi], []byte(s)) {
		return false
	}
	if skip {
		l.lo += len(s)
	}
	return true
}

// next returns the next line without its end, and its number. The bytes are
// valid until the next call. At the end the error is io.EOF.
func (l *lines) next() ([]byte, uint64, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.lo:l.hi], '\n'); i >= 0 {
			return l.take(i, i+1)
		}
		if l.err != nil {
			n := l.hi - l.lo
			switch {
			case l.err != io.EOF || n == 0:
				return nil, l.line, l.err
			case n > l.max:
				return nil, l.line, l.tooLong()
			}
			return l.take(n, n)
		}
		if err := l.more(); err != nil {
			return nil, l.line, err
		}
	}
}

func (l *lines) take(n, withEnd int) ([]byte, uint64, error) {
	b := l.buf[l.lo : l.lo+n]
	l.lo += withEnd
	no := l.line
	l.line += 1 + uint64(bytes.Count(b, []byte{'\n'}))
	return bytes.TrimSuffix(b, []byte{'\r'}), no, nil
}

// peek is next, but the line stays to be read.
func (l *lines) peek() ([]byte, error) {
	for {
		b := l.buf[l.lo:l.hi]
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return bytes.TrimSuffix(b[:i], []byte{'\r'}), nil
		}
		if l.err != nil {
			switch {
			case l.err != io.EOF || len(b) == 0:
				return nil, l.err
			case len(b) > l.max:
				return nil, l.tooLong()
			}
			return bytes.TrimSuffix(b, []byte{'\r'}), nil
		}
		if err := l.more(); err != nil {
			return nil, err
		}
	}
}

// nextRow is next for a row of a text, which may have line ends in quotes.
func (l *lines) nextRow() ([]byte, uint64, error) {
	for {
		if i := l.end(l.buf[l.lo:l.hi], 0); i >= 0 {
			return l.take(i, i+1)
		}
		if l.err != nil {
			n := l.hi - l.lo
			switch {
			case l.err != io.EOF || n == 0:
				return nil, l.line, l.err
			case n > l.max:
				return nil, l.line, l.tooLong()
			}
			if l.end(append(bytes.Clone(l.buf[l.lo:l.hi]), '\n'), 0) != n {
				return nil, l.line, at(l.in.name, l.line, l.openFault(l.buf[l.lo:l.hi]))
			}
			return l.take(n, n)
		}
		if err := l.more(); err != nil {
			return nil, l.line, err
		}
	}
}

// peekQuoted returns the row whose first line is line, which is next, where that begins with a quote that is
// closed in another line, before a comma or a tab. Else it returns the line.
func (l *lines) peekQuoted(line []byte) ([]byte, error) {
	if t := trimLeft(line, ' '); len(t) == 0 || t[0] != '"' || closing(t) >= 0 {
		return line, nil
	}
	n := len(line)
	for {
		b := l.buf[l.lo:l.hi]
		t := trimLeft(b, ' ')
		if end := closing(t); end >= 0 && (end+1 < len(t) || l.err != nil) {
			t = trimLeft(t[end+1:], '\t')
			if len(t) > 0 && (t[0] == ',' || t[0] == '\t') {
				n = len(b) - len(t) + bytes.IndexByte(append(bytes.Clone(t), '\n'), '\n')
			}
			return b[:n], nil
		}
		if l.err != nil || l.hi-l.lo > l.max {
			return b[:n], nil
		}
		if err := l.more(); err != nil {
			return nil, err
		}
	}
}

// nextData is next without blank lines and, which it counts, lines that begin with
// one of the bytes of comments.
func (l *lines) nextData(comments string) ([]byte, uint64, error) {
	for {
		b, no, err := l.next()
		if err != nil {
			return nil, no, err
		}
		t := bytes.TrimLeft(b, " \t")
		switch {
		case len(t) == 0:
		case strings.IndexByte(comments, t[0]) < 0:
			return b, no, nil
		default:
			l.comments.Add(1)
		}
	}
}

// chunk is some whole lines, each with its LF.
type chunk struct {
	data []byte
	line uint64 // the number of the first
	seq  int64  // the number of the chunk
}

// chunk returns the next chunk, whose data the caller owns. spare is a buffer to reuse, or nil. At the end
// the error is io.EOF.
func (l *lines) chunk(spare []byte) (chunk, error) {
	for l.fill(); ; {
		end, _ := l.whole(l.buf[l.lo:l.hi])
		if end > 0 {
			return l.cut(end, spare), nil
		}
		if l.err != nil {
			n := l.hi - l.lo
			switch {
			case l.err != io.EOF || n == 0:
				return chunk{}, l.err
			case n > l.max:
				return chunk{}, l.tooLong()
			}
			l.buf = append(l.buf[:l.hi], '\n')
			end, open := l.whole(l.buf[l.lo : l.hi+1])
			if end == 0 && open {
				return chunk{}, at(l.in.name, l.line, l.openFault(l.buf[l.lo:l.hi]))
			}
			l.hi++
			return l.cut(n+1, spare), nil
		}
		if err := l.more(); err != nil {
			return chunk{}, err
		}
	}
}

// cut takes the next n bytes, whole lines, as a chunk, buffer and all.
func (l *lines) cut(n int, spare []byte) chunk {
	c := chunk{data: l.buf[l.lo : l.lo+n], line: l.line}
	l.line += uint64(bytes.Count(c.data, []byte{'\n'}))
	rest := l.buf[l.lo+n : l.hi]
	spare = spare[:min(cap(spare), l.max+1)]
	if len(spare) < min(len(l.buf), l.max+1) {
		spare = make([]byte, min(len(l.buf), l.max+1))
	}
	l.lo, l.hi = 0, copy(spare, rest)
	l.buf = spare
	return c
}
