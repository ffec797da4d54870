// This file holds the errors.

package arrow18

import (
	"errors"
	"fmt"
)

// Errors to test for with errors.Is.
var (
	// ErrType: a type that the other version lacks.
	ErrType = errors.New("arrow18: type that the other version of Arrow lacks")
	// ErrArray: an array whose parts don't fit its type, or nil.
	ErrArray = errors.New("arrow18: malformed array")
)

// guard makes an error of the panics by which both versions refuse arrays and
// types that contradict themselves.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrArray, r)
	}
}

// in adds the place in a nested type or record to an error.
func in(name string, err error) error { return fmt.Errorf("%.100q: %w", name, err) }
