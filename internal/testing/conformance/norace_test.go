//go:build !race

package conformance_test

// race says that the race detector is on.
const race = false
