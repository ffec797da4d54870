// Package linked holds parts of the library that a program links by an import. A package that
// is large and that few programs need registers itself with a Part when it is imported. The
// package that uses the part asks for it, and gets an error that names the import if the
// program lacks it.
package linked

import (
	"errors"
	"fmt"
)

// Part is such a part, with what it provides. It is set while packages are initialized and
// only read afterwards.
type Part[T any] struct {
	// Name is the part in messages: "the S3 client".
	Name string
	// Import is the package that a program imports to link the part.
	Import string

	value  T
	linked bool
}

// Provide is called by the init function of the package that Import names.
func (p *Part[T]) Provide(value T) { p.value, p.linked = value, true }

// Get returns what was provided. The error wraps errors.ErrUnsupported and names the import.
func (p *Part[T]) Get() (T, error) {
	if !p.linked {
		return p.value, &missing{p.Name, p.Import}
	}
	return p.value, nil
}

type missing struct{ name, path string }

func (m *missing) Error() string {
	return fmt.Sprintf("this program does not link %s: import _ %q", m.name, m.path)
}

func (m *missing) Unwrap() error { return errors.ErrUnsupported }
