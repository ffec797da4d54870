//go:build !race

package cuda

// race says that the race detector is on, under which pools forget.
const race = false
