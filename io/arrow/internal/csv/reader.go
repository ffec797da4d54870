// Package csv reads CSV files (RFC 4180) whose first row names the columns and whose types the
// caller passes, such as the chunks of Apache GraphAr.
//
// Values are separated by commas. One in double quotes may have commas, line ends
// and doubled quotes. A value without a character is null; of strings only without
// quotes, since "" is the empty string. Empty lines count for nothing, except where
// there is one column: there they are a null, as Arrow's writer of CSV has it.
package csv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Column is a column that is read.
type Column struct {
	Name string
	Type Type
}

// Batch is rows of a file. It is valid until the next one is read.
type Batch struct {
	Rows  int
	Cols  []columnar.Vector // with Valid for all rows
	Lines []int64           // that each row begins in
}

// LineError says in which line of a file an error is.
type LineError struct {
	Line   int64  // from 1, that of the header
	Column string // empty where the error isn't about one
	Err    error
}

func (e *LineError) Error() string {
	if e.Column != "" {
		return fmt.Sprintf("line %d, column %.100q: %v", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns the error without its place.
func (e *LineError) Unwrap() error { return e.Err }

// Reader reads one file.
type Reader struct {
	in     *bufio.Reader
	cols   []Column
	at     []int // where each column is in a record; -1 for none
	header []string
	lines  int64 // read so far
	bytes  int64 // of these
	line   int64 // that the record begins in
	raw    []byte
	fields []field
	batch  Batch
}

// field is a value of a record.
type field struct {
	text   []byte
	quoted bool
}

// Open reads the header. Columns that the file hasn't got are no error: Has says
// which it has.
func Open(r io.Reader, cols []Column) (*Reader, error) {
	c := &Reader{in: bufio.NewReaderSize(r, readBytes), cols: cols}
	begin, err := c.in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(begin, []byte{0x1f, 0x8b}), bytes.Equal(begin, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return nil, columnar.Unsupported("it is compressed; CSV is read as plain text: decompress it")
	case string(begin) == "PAR1":
		return nil, columnar.Corrupt("it should be CSV, but it begins like Parquet; correct its file type")
	case bytes.HasPrefix(begin, []byte("\xef\xbb\xbf")): // a byte order mark
		_, _ = c.in.Discard(3)
	}
	if err := c.record(); err != nil {
		if err == io.EOF {
			err = columnar.Corrupt("it is empty; its first row has to name the columns")
		}
		return nil, err
	}
	for _, f := range c.fields {
		c.header = append(c.header, string(f.text))
	}
	for _, col := range cols {
		k := slices.Index(c.header, col.Name)
		if k >= 0 && slices.Contains(c.header[k+1:], col.Name) {
			return nil, &LineError{c.line, col.Name, columnar.Corrupt("two columns of the header have that name; rename one")}
		}
		c.at = append(c.at, k)
	}
	for _, col := range cols {
		c.batch.Cols = append(c.batch.Cols, newVector(col.Type))
	}
	return c, nil
}

// Has reports whether the file has the k-th column.
func (c *Reader) Has(k int) bool { return c.at[k] >= 0 }

// Header returns the names of all columns of the file.
func (c *Reader) Header() []string { return c.header }

// Line returns the line that the last record began in.
func (c *Reader) Line() int64 { return c.line }

// Read returns the next rows, and io.EOF where there are none.
func (c *Reader) Read(ctx context.Context) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &c.batch
	b.Rows, b.Lines = 0, b.Lines[:0]
	for k := range b.Cols {
		empty(&b.Cols[k])
	}
	data := 0
	for b.Rows < batchRows && data < batchBytes {
		if err := c.Skip(); err == io.EOF && b.Rows > 0 {
			return b, nil
		} else if err != nil {
			return nil, err
		}
		for k, at := range c.at {
			if at < 0 {
				continue
			}
			if err := add(&b.Cols[k], c.cols[k].Type, c.fields[at]); err != nil {
				return nil, &LineError{c.line, c.cols[k].Name, err}
			}
		}
		data += len(c.raw)
		b.Rows++
		b.Lines = append(b.Lines, c.line)
	}
	return b, nil
}

// Skip reads the next row and leaves it out. It returns io.EOF after the last row.
func (c *Reader) Skip() error {
	err := c.record()
	if err == nil && len(c.fields) != len(c.header) {
		err = &LineError{c.line, "", columnar.Corrupt("it has %d values, but the header names %d columns; a value with a comma stands in double quotes", len(c.fields), len(c.header))}
	}
	return err
}

// record reads a record into fields.
func (c *Reader) record() error {
	for {
		c.line, c.raw = c.lines+1, c.raw[:0]
		for quotes := 0; ; {
			part, err := c.in.ReadSlice('\n')
			c.raw = append(c.raw, part...)
			quotes += bytes.Count(part, []byte{'"'})
			switch {
			case len(c.raw) > maxRecord:
				return &LineError{c.line, "", columnar.Corrupt("the row has more than %d bytes; check that it is CSV, and that each quote is closed", maxRecord)}
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case err == io.EOF && len(c.raw) == 0:
				return io.EOF
			case err != nil && err != io.EOF:
				return err
			case err == io.EOF && quotes%2 == 1:
				return &LineError{c.line, "", columnar.Corrupt("a double quote in this row isn't closed")}
			}
			c.lines++
			c.bytes += int64(len(c.raw))
			if quotes%2 == 0 {
				break
			}
		}
		text := bytes.TrimSuffix(c.raw, []byte{'\n'})
		if text = bytes.TrimSuffix(text, []byte{'\r'}); len(text) > 0 || len(c.header) == 1 {
			return c.split(text)
		}
	}
}

// split takes a record apart. Doubled quotes are made one where they are.
func (c *Reader) split(text []byte) error {
	c.fields = c.fields[:0]
	for {
		var f field
		if len(text) > 0 && text[0] == '"' {
			f.quoted = true
			text = text[1:]
			n := 0
			for at := 0; ; {
				i := bytes.IndexByte(text[at:], '"')
				if i < 0 {
					return &LineError{c.line, "", columnar.Corrupt("a double quote in this row isn't closed")}
				}
				n += copy(text[n:], text[at:at+i])
				if at += i + 1; at == len(text) || text[at] != '"' {
					f.text, text = text[:n], text[at:]
					break
				}
				text[n] = '"'
				n, at = n+1, at+1
			}
			if len(text) > 0 && text[0] != ',' {
				return &LineError{c.line, "", columnar.Corrupt("after a value in double quotes there is %.20q; a quote inside is doubled", text)}
			}
		} else {
			end := bytes.IndexByte(text, ',')
			if end < 0 {
				end = len(text)
			}
			f.text, text = text[:end], text[end:]
			if bytes.IndexByte(f.text, '"') >= 0 {
				return &LineError{c.line, "", columnar.Corrupt("a double quote inside of %.40q; the value has to stand in quotes, with the quote inside doubled", f.text)}
			}
		}
		c.fields = append(c.fields, f)
		if len(text) == 0 {
			return nil
		}
		text = text[1:]
	}
}

// NoColumnError is the error of a file that has none of the columns that are read.
type NoColumnError struct {
	Wanted string // the first of them
	Header []string
}

func (e *NoColumnError) Error() string {
	return fmt.Sprintf("the header names none of the columns that are read, such as %.100q; it names %.300q", e.Wanted, e.Header)
}
