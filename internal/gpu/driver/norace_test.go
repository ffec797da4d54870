//go:build !race

// This file says that the race detector is off.

package driver

const raceEnabled = false
