// This file holds the encoders of text: CSV (RFC 4180, with a header) and JSON
// lines (RFC 8259, one object per line).

package write

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	goarrow "github.com/apache/arrow/go/v15/arrow"
)

// csvEncoder writes CSV with "\n" at the end of lines. An empty string is
// written as "" in quotes, so that it differs from a value that is missing.
type csvEncoder struct {
	w      *countingWriter
	fields []outField
	buf    []byte
	list   []byte // scratch
}

func newCSVEncoder(w *countingWriter, fields []outField) (*csvEncoder, error) {
	e := &csvEncoder{w: w, fields: fields}
	for i := range fields {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = appendCSV(e.buf, []byte(fields[i].name))
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
			case !f.list && f.typ.kind == kindInt: // most columns are, so no call is made for them
				buf = strconv.AppendInt(buf, c.ints[row], 10)
			case f.list:
				buf = e.appendList(buf, f, c, row)
			case f.typ.kind == kindString:
				if f.noNUL && bytes.IndexByte(c.bytes[row], 0) >= 0 {
					return &notInCSV{fmt.Sprintf("id %.60q holds a NUL byte, which edges in CSV can't have; write .parquet, .arrow or .jsonl", c.bytes[row])}
				}
				buf = appendCSV(buf, c.bytes[row])
			case f.typ.kind == kindBinary && len(c.bytes[row]) == 0:
				buf = append(buf, `""`...)
			default:
				buf = appendText(buf, f.typ, c, row)
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

// notInCSV is an ErrOutputFormat with its own text.
type notInCSV struct{ text string }

func (e *notInCSV) Error() string { return e.text }
func (e *notInCSV) Unwrap() error { return ErrOutputFormat }

// listSeparator stands between the values of a list in CSV. One that is part
// of a value has a backslash before it, and so has a backslash.
const listSeparator = ';'

// appendList appends the values of a row, joined.
func (e *csvEncoder) appendList(buf []byte, f *outField, c *outColumn, row int) []byte {
	list := e.list[:0]
	lo, hi := c.elements(row, row+1)
	for i := lo; i < hi; i++ {
		if i > lo {
			list = append(list, listSeparator)
		}
		if f.typ.kind != kindString {
			list = appendText(list, f.typ, c, i)
			continue
		}
		for _, b := range c.bytes[i] {
			if b == listSeparator || b == '\\' {
				list = append(list, '\\')
			}
			list = append(list, b)
		}
	}
	e.list = list
	return appendCSV(buf, list)
}

// appendText appends value i as text. Strings are as they are.
func appendText(buf []byte, t outType, c *outColumn, i int) []byte {
	switch t.kind {
	case kindDecimal:
		return appendPoint(strconv.AppendInt(buf, c.ints[i], 10), len(buf), t)
	case kindInt:
		return strconv.AppendInt(buf, c.ints[i], 10)
	case kindUint:
		return strconv.AppendUint(buf, uint64(c.ints[i]), 10)
	case kindFloat:
		if t.bits == 32 {
			return strconv.AppendFloat(buf, float64(c.floats[i]), 'g', -1, 32)
		}
		return strconv.AppendFloat(buf, c.doubles[i], 'g', -1, 64)
	case kindBool:
		return strconv.AppendBool(buf, c.ints[i] != 0)
	case kindFixed:
		return appendFixed(buf, t, c.bytes[i])
	case kindBinary:
		return hex.AppendEncode(buf, c.bytes[i])
	case kindDate:
		return time.Unix(c.ints[i]*24*60*60, 0).UTC().AppendFormat(buf, time.DateOnly)
	case kindTime:
		return appendTime(buf, t, c.ints[i])
	case kindTimestamp:
		return appendTimestamp(buf, t, c.ints[i])
	}
	return append(buf, c.bytes[i]...)
}

// appendPoint sets the point in the digits of a decimal, which begin at buf[from:].
func appendPoint(buf []byte, from int, t outType) []byte {
	scale := int(t.scale)
	if scale == 0 {
		return buf
	}
	if buf[from] == '-' {
		from++
	}
	for len(buf)-from <= scale {
		buf = slices.Insert(buf, from, '0')
	}
	return slices.Insert(buf, len(buf)-scale, '.')
}

// appendTime appends a time of day, with as many decimals as its unit has.
func appendTime(buf []byte, t outType, x int64) []byte {
	at := len(buf)
	buf = appendTimestamp(buf, outType{unit: t.unit}, x) // of the first day of 1970
	return slices.Delete(buf, at, at+len("1970-01-01T"))
}

// appendTimestamp appends a time as RFC 3339 has it, in UTC, with a Z where the
// type has a zone, and with as many decimals as its unit has.
func appendTimestamp(buf []byte, t outType, x int64) []byte {
	per, layout := int64(1), "2006-01-02T15:04:05"
	switch t.unit {
	case goarrow.Millisecond:
		per, layout = 1e3, layout+".000"
	case goarrow.Microsecond:
		per, layout = 1e6, layout+".000000"
	case goarrow.Nanosecond:
		per, layout = 1e9, layout+".000000000"
	}
	seconds, rest := x/per, x%per
	if rest < 0 {
		seconds, rest = seconds-1, rest+per
	}
	buf = time.Unix(seconds, rest*(1e9/per)).UTC().AppendFormat(buf, layout)
	if t.zone != "" {
		buf = append(buf, 'Z')
	}
	return buf
}

// appendJSONValue appends value i. Numbers that JSON doesn't have (NaN,
// infinities) are null.
func appendJSONValue(buf []byte, t outType, c *outColumn, i int) []byte {
	switch t.kind {
	case kindString:
		return appendJSON(buf, c.bytes[i])
	case kindFloat:
		x := 0.0
		if t.bits == 32 {
			x = float64(c.floats[i])
		} else {
			x = c.doubles[i]
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return append(buf, "null"...)
		}
	case kindBinary, kindDate, kindTime, kindTimestamp, kindFixed:
		if t.digits > 0 {
			break
		}
		buf = append(buf, '"')
		return append(appendText(buf, t, c, i), '"')
	}
	return appendText(buf, t, c, i)
}

// appendCSV appends a field, in quotes where it needs them: for a comma, a
// quote, a line break, space at an end, because it is empty, or because it
// begins like a comment. Bytes that aren't UTF-8 stay as they are.
func appendCSV(buf, s []byte) []byte {
	quote := len(s) == 0 || s[0] == ' ' || s[0] == '\t' || s[len(s)-1] == ' ' || s[len(s)-1] == '\t' ||
		s[0] == '#' || s[0] == '%' // which edge lists take for comments
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
// 2^53 too; lists are arrays.
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
			case !f.list && f.typ.kind == kindInt:
				buf = strconv.AppendInt(buf, c.ints[row], 10)
			case f.list:
				buf = append(buf, '[')
				lo, hi := c.elements(row, row+1)
				for j := lo; j < hi; j++ {
					if j > lo {
						buf = append(buf, ',')
					}
					buf = appendJSONValue(buf, f.typ, c, j)
				}
				buf = append(buf, ']')
			default:
				buf = appendJSONValue(buf, f.typ, c, row)
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
