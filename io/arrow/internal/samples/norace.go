//go:build !race

package samples

// Raced says that the tests run under the race detector, which takes ten
// times the time and several times the memory.
const Raced = false
