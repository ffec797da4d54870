//go:build !race

// This file says that the race detector is off.

package cuda

const raceEnabled = false
