// This file holds lines, which cuts an input into lines, for the first few,
// and into chunks of whole lines, for the rest.

package edgelist

import (
	"bytes"
	"context"
	"io"
)

// lines reads lines. What is unread of what was read ahead is buf[lo:hi].
type lines struct {
	ctx    context.Context
	in     *input
	buf    []byte
	lo, hi int
	line   uint64 // the number of the line at lo, from 1
	err    error  // what ended the reading, to be met after buf[lo:hi]
	max    int    // length of the longest line, without its LF
}

func newLines(ctx context.Context, in *input, o *Options) *lines {
	// A buffer of max+1 holds every line with its LF, and no longer one: that
	// makes the limit exact wherever lines fall.
	return &lines{ctx: ctx, in: in, buf: make([]byte, min(o.chunk, o.maxLine+1)), line: 1, max: o.maxLine}
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
	l.line++
	return bytes.TrimSuffix(b, []byte{'\r'}), l.line - 1, nil
}

// nextData is next without blank lines and lines that begin with one of the
// bytes of comments.
func (l *lines) nextData(comments string) ([]byte, uint64, error) {
	for {
		b, no, err := l.next()
		if err != nil {
			return nil, no, err
		}
		if t := bytes.TrimLeft(b, " \t"); len(t) > 0 && bytes.IndexByte([]byte(comments), t[0]) < 0 {
			return b, no, nil
		}
	}
}

// chunk is some whole lines, each with its LF.
type chunk struct {
	data []byte
	line uint64 // the number of the first
	seq  int64  // the number of the chunk
}

// chunk returns the next chunk, whose data is the caller's. spare is a buffer
// to go on with, or nil. At the end the error is io.EOF.
func (l *lines) chunk(spare []byte) (chunk, error) {
	for l.fill(); ; {
		if end := bytes.LastIndexByte(l.buf[l.lo:l.hi], '\n') + 1; end > 0 {
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
