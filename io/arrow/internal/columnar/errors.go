// This file holds the two ways in which a file can be at fault.

package columnar

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/internal/calls/panics"
)

var (
	// ErrCorrupt: the file contradicts itself or its format.
	ErrCorrupt = errors.New("damaged file")
	// ErrUnsupported: the file may be fine, but uses what isn't read here.
	ErrUnsupported = errors.New("unsupported")
)

// Corrupt returns an error that wraps ErrCorrupt.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...))
}

// Unsupported returns an error that wraps ErrUnsupported.
func Unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnsupported, fmt.Errorf(format, args...))
}

// Guard calls f and turns a panic into an error. It is the last line: what is
// known to fail has its own check, and a panic here means that a
// decompressor or a decoder tripped over bytes that no check foresaw.
func Guard(f func() error) error {
	err := panics.Call(f)
	if panics.In(err) {
		return Corrupt("decoding failed: %w", err)
	}
	return err
}

// At is an error at a place in a file.
type At struct {
	Block  int    // the row group or record batch, -1 if none
	Column string // its path, "" if none
	Err    error
}

func (a *At) Error() string {
	switch {
	case a.Block >= 0 && a.Column != "":
		return fmt.Sprintf("block %d, column %q: %v", a.Block, a.Column, a.Err)
	case a.Block >= 0:
		return fmt.Sprintf("block %d: %v", a.Block, a.Err)
	case a.Column != "":
		return fmt.Sprintf("column %q: %v", a.Column, a.Err)
	}
	return a.Err.Error()
}

func (a *At) Unwrap() error { return a.Err }

// PlaceAt wraps err, if there is one, in an At. Where err is one, it keeps what that
// has of the place, which is the nearer one, and adds what is missing.
func PlaceAt(block int, column string, err error) error {
	if err == nil {
		return nil
	}
	if at, ok := err.(*At); ok {
		if at.Block >= 0 {
			block = at.Block
		}
		if at.Column != "" {
			column = at.Column
		}
		err = at.Err
	}
	return &At{Block: block, Column: column, Err: err}
}
