// Package limit has the error of limits that guard against malicious data, and whose value an
// option sets.
package limit

import (
	"errors"
	"fmt"
)

// Err is what every error of a limit wraps.
var Err = errors.New("past a limit")

// past is an Err with its own text.
type past struct{ text string }

func (p *past) Error() string { return p.text }
func (p *past) Unwrap() error { return Err }

// Error returns an error that names the option and reports what exceeds its limit.
func Error(option string, value any, format string, args ...any) error {
	return &past{fmt.Sprintf("%s; the limit is %v, and %s raises it for data that you trust", fmt.Sprintf(format, args...), value, option)}
}
