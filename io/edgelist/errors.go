// This file holds the errors of reading and writing.

package edgelist

import (
	"bytes"
	"errors"
	"fmt"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// Errors to test for with errors.Is. An input without any edge is
// graph.ErrEmpty; an id that doesn't fit its type is graph.ErrIDRange.
var (
	// ErrFormat: the input isn't in the format, or in a variety of it that
	// can't be read as a graph, is compressed in a way that isn't read, or has columns of which it
	// isn't clear, or not true, that they are an edge's.
	ErrFormat = errors.New("edgelist: wrong format")
	// ErrSyntax: a line that isn't what the format wants.
	ErrSyntax = errors.New("edgelist: syntax error")
	// ErrColumnType: a value of a column of edges isn't of the type of the values before it.
	ErrColumnType = errors.New("edgelist: column of several types")
	// ErrDamaged: the input lacks the head that its format begins with, ends too early, has more or fewer entries than it declares, or its compressed stream
	// is damaged.
	ErrDamaged   = errors.New("edgelist: damaged input")
	errCount     = text.Named("edgelist: wrong number of entries", ErrDamaged)
	errTruncated = text.Named("edgelist: truncated input", ErrDamaged)
	errCorrupt   = text.Named("edgelist: corrupt compressed stream", ErrDamaged)

	// errNoHead: the input has no head such as its format begins with. That is damage, or another format.
	errNoHead error = noHead{}

	errCompression = text.Named("edgelist: unknown compression", ErrFormat)
	errColumns     = text.Named("edgelist: unclear columns", ErrFormat)
	// graph.ErrWeights: weights asked for that the input doesn't have, or that can't
	// be stored.
	errWeights = text.Named("edgelist: no weights", graph.ErrWeights)
	// graph.ErrOptions: an option's value that means nothing.
	errOptions = text.Named("edgelist: bad option", graph.ErrOptions)
)

type noHead struct{}

func (noHead) Error() string   { return ErrFormat.Error() }
func (noHead) Unwrap() []error { return []error{ErrFormat, ErrDamaged} }

// headless is the error of an input that ends before the head that its format begins with.
func headless(name, head string) error {
	return fmt.Errorf("%s: %w: there is no %s; check what wrote it", name, errTruncated, head)
}

// overLimit is the error of more than a limit that an option sets, such as MaxExpansion: a device.ErrMemory.
type overLimit struct{ error }

func (e overLimit) Unwrap() []error { return []error{e.error, device.ErrMemory} }

// lineError gives the line of a text input that can't be read, and the reason.
type lineError struct {
	Name string // of the input
	Line uint64 // from 1
	Msg  string
	Err  error // one of the sentinels above, or graph.ErrIDRange
}

func (e *lineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Msg) }

func (e *lineError) Unwrap() error { return e.Err }

// lineFault is a lineError whose place isn't known yet.
type lineFault struct {
	err error
	msg string
}

func (f *lineFault) Error() string { return f.msg }
func (f *lineFault) Unwrap() error { return f.err }

func faultf(err error, format string, args ...any) error {
	return &lineFault{err, fmt.Sprintf(format, args...)}
}

// at gives a fault its place. Other errors pass.
func at(name string, line uint64, err error) error {
	var f *lineFault
	if errors.As(err, &f) {
		return &lineError{Name: name, Line: line, Msg: f.msg, Err: f.err}
	}
	return err
}

// quoted is a field for a message, cut if it is long. Its own quotes are kept if it can be put in
// back quotes.
func quoted(field []byte) string {
	const most = 40
	more := ""
	if len(field) > most {
		field, more = field[:most], "..."
	}
	if bytes.IndexByte(field, '"') >= 0 {
		return fmt.Sprintf("%#q", field) + more
	}
	return fmt.Sprintf("%q", field) + more
}
