// This file holds the encoders of text: CSV (RFC 4180, with a header) and JSON
// lines (RFC 8259, one object per line).

package arrow

import (
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
)

// csvEncoder writes CSV with "\n" at the end of lines. An empty string is
// written as "" in quotes, so that it differs from a value that is missing.
type csvEncoder struct {
	w      *countingWriter
	fields []outField
	buf    []byte
}

func newCSVEncoder(w *countingWriter, fields []outField) (*csvEncoder, error) {
	e := &csvEncoder{w: w, fields: fields}
	for i := range fields {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = append(e.buf, fields[i].name...)
	}
	_, err := w.Write(append(e.buf, '\n'))
	return e, err
}

func (e *csvEncoder) write(b *outBatch) error {
	buf := e.buf[:0]
	for row := range b.n {
		for i := range e.fields {
			if i > 0 {
				buf = append(buf, ',')
			}
			f, c := &e.fields[i], &b.cols[i]
			switch {
			case c.missing(row):
				buf = append(buf, f.csvNull...)
			case f.float:
				buf = strconv.AppendFloat(buf, float64(c.floats[row]), 'g', -1, 32)
			case f.typ.Signed():
				buf = strconv.AppendInt(buf, c.ints[row], 10)
			case f.typ.Integer():
				buf = strconv.AppendUint(buf, uint64(c.ints[row]), 10)
			case f.typ == graph.Binary && len(c.bytes[row]) > 0:
				buf = hex.AppendEncode(buf, c.bytes[row])
			default:
				buf = appendCSV(buf, c.bytes[row])
			}
		}
		buf = append(buf, '\n')
		if len(buf) >= textFlush {
			if _, err := e.w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	e.buf = buf
	_, err := e.w.Write(buf)
	return err
}

func (e *csvEncoder) close() error { return nil }

func (e *csvEncoder) stop() {}

// appendCSV appends a field, in quotes where it needs them: for a comma, a
// quote, a line break, space at an end, or because it is empty. Bytes that
// aren't UTF-8 stay as they are.
func appendCSV(buf, s []byte) []byte {
	quote := len(s) == 0 || s[0] == ' ' || s[0] == '\t' || s[len(s)-1] == ' ' || s[len(s)-1] == '\t'
	for _, b := range s {
		if b == ',' || b == '"' || b == '\n' || b == '\r' {
			quote = true
			break
		}
	}
	if !quote {
		return append(buf, s...)
	}
	buf = append(buf, '"')
	for _, b := range s {
		if b == '"' {
			buf = append(buf, '"')
		}
		buf = append(buf, b)
	}
	return append(buf, '"')
}

// jsonEncoder writes one object per line. Integers are written in full, past
// 2^53 too; numbers that JSON doesn't have (NaN, infinities) are null.
type jsonEncoder struct {
	w      *countingWriter
	fields []outField
	keys   []string // what stands before the value of each column
	buf    []byte
}

func newJSONEncoder(w *countingWriter, fields []outField) *jsonEncoder {
	e := &jsonEncoder{w: w, fields: fields}
	before := "{"
	for i := range fields {
		e.keys = append(e.keys, before+string(appendJSON(nil, []byte(fields[i].name)))+":")
		before = ","
	}
	return e
}

func (e *jsonEncoder) write(b *outBatch) error {
	buf := e.buf[:0]
	for row := range b.n {
		for i := range e.fields {
			buf = append(buf, e.keys[i]...)
			f, c := &e.fields[i], &b.cols[i]
			switch {
			case c.missing(row):
				buf = append(buf, "null"...)
			case f.float:
				x := float64(c.floats[row])
				if math.IsNaN(x) || math.IsInf(x, 0) {
					buf = append(buf, "null"...)
				} else {
					buf = strconv.AppendFloat(buf, x, 'g', -1, 32)
				}
			case f.typ.Signed():
				buf = strconv.AppendInt(buf, c.ints[row], 10)
			case f.typ.Integer():
				buf = strconv.AppendUint(buf, uint64(c.ints[row]), 10)
			case f.typ == graph.Binary:
				buf = append(buf, '"')
				buf = hex.AppendEncode(buf, c.bytes[row])
				buf = append(buf, '"')
			default:
				buf = appendJSON(buf, c.bytes[row])
			}
		}
		buf = append(buf, '}', '\n')
		if len(buf) >= textFlush {
			if _, err := e.w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	e.buf = buf
	_, err := e.w.Write(buf)
	return err
}

func (e *jsonEncoder) close() error { return nil }

func (e *jsonEncoder) stop() {}

// appendJSON appends a string of JSON. Each byte that isn't UTF-8 becomes the
// replacement character U+FFFD.
func appendJSON(buf, s []byte) []byte {
	const hexDigits = "0123456789abcdef"
	buf = append(buf, '"')
	done := 0 // s[:done] is written
	for i := 0; i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && b < utf8.RuneSelf {
			i++
			continue
		}
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		buf = append(buf, s[done:i]...)
		i++
		done = i
		switch b {
		case '"', '\\':
			buf = append(buf, '\\', b)
		case '\n':
			buf = append(buf, '\\', 'n')
		case '\r':
			buf = append(buf, '\\', 'r')
		case '\t':
			buf = append(buf, '\\', 't')
		default:
			if b >= utf8.RuneSelf {
				buf = append(buf, "\uFFFD"...)
			} else {
				buf = append(buf, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
			}
		}
	}
	buf = append(buf, s[done:]...)
	return append(buf, '"')
}
