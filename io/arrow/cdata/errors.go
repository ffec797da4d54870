//go:build cdata && cgo

// This file holds the errors.

package cdata

import "errors"

// Errors to test for with errors.Is.
var (
	// ErrReleased: a structure that has no contents, or none any more.
	ErrReleased = errors.New("the structure was released")
	// ErrMalformed: a structure that contradicts itself.
	ErrMalformed = errors.New("malformed structure")
	// ErrUnsupported: contents that this package doesn't pass on.
	ErrUnsupported = errors.New("not supported")
	// ErrStream: the other side's stream has failed. The message is its own.
	ErrStream = errors.New("the stream failed")
)
