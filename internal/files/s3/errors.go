// This file holds the package's errors.

package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/foray-graph/foray/internal/files/location"
)

// kind is a sentinel that is also one of package fs.
type kind struct {
	text string
	is   error
}

func (k *kind) Error() string { return k.text }
func (k *kind) Unwrap() error { return k.is }

// Errors to test for with errors.Is.
var (
	// ErrNotFound: no such object, nothing below a prefix, or no match. It
	// is fs.ErrNotExist as well.
	ErrNotFound error = &kind{"no such object", fs.ErrNotExist}
	// ErrNoBucket: no such bucket. It is fs.ErrNotExist as well.
	ErrNoBucket error = &kind{"no such bucket", fs.ErrNotExist}
	// ErrDenied: the store refuses. It is fs.ErrPermission as well.
	ErrDenied error = &kind{"access denied", fs.ErrPermission}
	// ErrChanged: an object has changed since it was listed.
	ErrChanged = errors.New("it was changed or removed after it was listed")
	// ErrPath: a path that isn't s3://bucket/key.
	ErrPath = errors.New("not a path of an object")
	// ErrConfig: files or variables of the environment that contradict
	// themselves, or credentials that can't be had.
	ErrConfig = errors.New("wrong configuration")
	// ErrUnavailable: the store could not be reached, or failed, time and again.
	ErrUnavailable = errors.New("the store is unavailable")
	// ErrAnswer: the store's answer doesn't match the request.
	ErrAnswer = errors.New("wrong answer of the store")
	// ErrExists: there are objects below a prefix. It is fs.ErrExist as well.
	ErrExists error = &kind{"there are objects already", fs.ErrExist}
	// ErrClosed: a Writer was committed or aborted. It is fs.ErrClosed as well.
	ErrClosed error = &kind{"the upload has ended", fs.ErrClosed}
)

// Error reports which operation on which object failed, and what can be done
// about it. errors.Is finds Kind and Err.
type Error struct {
	Op     string // read, list, write, use
	Path   string // s3://bucket/key
	Code   string // the store's code, such as NoSuchKey; may be empty
	Status int    // the HTTP status; 0 without an answer
	Kind   error  // a sentinel of this package, or nil
	Err    error  // the cause, or nil
	Remedy string // what the user can do

	Anonymous bool // it was asked without credentials, as Remedy says
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cannot %s %s", e.Op, location.RedactAddress(e.Path))
	if e.Kind != nil {
		fmt.Fprintf(&b, ": %v", e.Kind)
	}
	switch {
	case e.Code != "" && e.Status != 0:
		fmt.Fprintf(&b, " (%s, HTTP %d)", e.Code, e.Status)
	case e.Code != "":
		fmt.Fprintf(&b, " (%s)", e.Code)
	}
	if e.Err != nil {
		if text := e.Err.Error(); text != "" {
			fmt.Fprintf(&b, ": %.500s", location.Redact(text))
		}
	}
	if e.Remedy != "" {
		b.WriteString(": " + e.Remedy)
	}
	return b.String()
}

// Unwrap returns the sentinel and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
