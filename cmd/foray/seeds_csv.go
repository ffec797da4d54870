// This file keeps line breaks in quoted ids of CSV as they are.

package main

import (
	"io"
)

// quotedBreaks reads CSV for encoding/csv, which makes \r\n in quotes \n: of two \r before \n it
// leaves one.
type quotedBreaks struct {
	in     io.Reader
	err    error
	buf    [4096]byte
	out    []byte // what wasn't read yet
	quoted bool
	// commentByte begins comments, unless it is noComment.
	commentByte byte
	comments    int
	comment     bool
	inLine      bool // something of the line was there
	cr          bool // the last byte was \r
}

func (q *quotedBreaks) Read(p []byte) (int, error) {
	for len(q.out) == 0 && q.err == nil {
		var n int
		n, q.err = q.in.Read(q.buf[:])
		q.out = q.out[:0]
		for _, c := range q.buf[:n] {
			q.add(c)
		}
	}
	if len(q.out) == 0 {
		return 0, q.err
	}
	n := copy(p, q.out)
	q.out = q.out[n:]
	return n, nil
}

// add adds a byte to out.
func (q *quotedBreaks) add(c byte) {
	switch {
	case c == '"' && !q.comment: // one in quotes is written twice
		q.quoted = !q.quoted
	case c == q.commentByte && c != noComment && !q.quoted && !q.inLine:
		q.comment = true
		q.comments++
	case c == '\n' && q.quoted && q.cr:
		q.out = append(q.out, '\r')
	case c == '\n':
		q.comment = false
	}
	q.inLine, q.cr = c != '\n' || q.quoted, c == '\r'
	q.out = append(q.out, c)
}
