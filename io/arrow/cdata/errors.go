//go:build cdata && cgo

// This file holds the errors.

package cdata

import "errors"

// Errors to test for with errors.Is, and errors.ErrUnsupported for contents that this package doesn't pass on.
var (
	// ErrReleased: a structure that has no contents, or none any more.
	ErrReleased = errors.New("the structure was released")
	// ErrMalformed: a structure that contradicts itself.
	ErrMalformed = errors.New("malformed structure")
	// ErrStream: the other side's stream has failed. The message is its own.
	ErrStream = errors.New("the stream failed")
)

// unsupported is errors.ErrUnsupported with another text.
type unsupported struct{}

func (unsupported) Error() string { return "not supported" }
func (unsupported) Unwrap() error { return errors.ErrUnsupported }

var errUnsupported unsupported
