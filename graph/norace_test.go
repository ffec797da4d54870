//go:build !race

package graph

// raced says that the tests run under the race detector.
const raced = false
