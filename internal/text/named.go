// This file holds errors that wrap the error of another package.

package text

// Named returns an error with its own text, which wraps another error.
func Named(text string, err error) error { return named{text, err} }

type named struct {
	text string
	err  error
}

func (n named) Error() string { return n.text }
func (n named) Unwrap() error { return n.err }
