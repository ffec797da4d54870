// This file bounds what the metadata of tables may take: a few bytes of JSON or Avro can become
// gigabytes, and a catalog may send as many as it likes.

package tables

import (
	"io"
	"math"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Budget is how many bytes of metadata one load may hold: of files and answers that are read whole,
// decompressed, all together, however often they are asked for. What is read piece by piece, such as
// manifests and logs, may be longer, but none of its pieces.
type Budget struct {
	limit int64
	used  atomic.Int64
	turn  chan struct{} // holds one token, for the reader of a large piece
}

// NewBudget returns a budget of so many bytes, 0 for the default.
func NewBudget(limit uint64) *Budget {
	if limit == 0 {
		limit = DefaultMetadata
	}
	b := &Budget{limit: int64(min(limit, math.MaxInt64)), turn: make(chan struct{}, 1)}
	b.turn <- struct{}{}
	return b
}

// Budgeted is an FS with the budget of the load that it is for.
type Budgeted interface {
	FS
	Budget() *Budget
}

// BudgetOf returns the budget of an FS, or a new one.
func BudgetOf(files FS) *Budget {
	if b, ok := files.(Budgeted); ok {
		return b.Budget()
	}
	return NewBudget(0)
}

// Limit returns the most bytes of a piece.
func (b *Budget) Limit() int64 { return b.limit }

// Left returns how many bytes may still be taken.
func (b *Budget) Left() int64 { return max(b.limit-b.used.Load(), 0) }

// Take counts bytes that are read whole.
func (b *Budget) Take(n int64) error {
	if used := b.used.Add(n); used > b.limit {
		return b.Past("the metadata takes %s or more", text.Bytes(uint64(used)))
	}
	return nil
}

// Past returns the error of metadata past the limit.
func (b *Budget) Past(format string, args ...any) error {
	return limit.Error("Options.MaxMetadata", text.Bytes(uint64(b.limit)), format, args...)
}

// ReadAll reads the rest of r, and counts it on the way.
func (b *Budget) ReadAll(r io.Reader) ([]byte, error) {
	return io.ReadAll(&taker{r, b})
}

// taker counts what is read.
type taker struct {
	io.Reader
	b *Budget
}

func (t *taker) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if past := t.b.Take(int64(n)); past != nil {
		return 0, past
	}
	return n, err
}

// Turn waits until no other goroutine reads a large piece. The caller gives the turn back.
func (b *Budget) Turn() { <-b.turn }

// GiveBack ends the turn.
func (b *Budget) GiveBack() { b.turn <- struct{}{} }

// CheckJSON refuses a JSON text that is nested too deep, or has so many objects or values that they
// would take many times the text's size, as "{},{},{}" does.
func (b *Budget) CheckJSON(data []byte) error {
	depth, objects, values, quoted := 0, int64(0), int64(0), false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return columnar.Unsupported("the metadata is nested more than %d deep", maxNesting)
			}
			if c == '{' {
				objects++
			}
		case c == '}' || c == ']':
			depth--
		case c == ',':
			values++
		}
	}
	if objects > b.limit/bytesPerObject || values > b.limit/bytesPerValue {
		return b.Past("the metadata has %s and %s, which take many times as many bytes as their text",
			text.Plural(int(objects), "object"), text.Plural(int(values), "value"))
	}
	return nil
}
