//go:build !race

package arrow

// raced says that the tests run under the race detector, which takes ten
// times the time and several times the memory.
const raced = false
