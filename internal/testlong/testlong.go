// Package testlong says how much tests do: what go test ./... should take, or the
// long form, for which the environment variable FORAY_TEST_LONG is 1, as in CI.
package testlong

import "os"

// Long reports whether tests take their long form.
func Long() bool {
	v := os.Getenv("FORAY_TEST_LONG")
	return v != "" && v != "0"
}

// Of returns how much a test does, of its two forms.
func Of[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}
