//go:build race

package conformance_test

// race says that the race detector is on, which makes everything some ten times as slow.
const race = true
