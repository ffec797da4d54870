// This file holds errors of a package that are one of another package's.

package text

// Named returns an error with a text of its own, which wraps another.
func Named(text string, err error) error { return named{text, err} }

type named struct {
	text string
	err  error
}

func (n named) Error() string { return n.text }
func (n named) Unwrap() error { return n.err }
