//go:build race

// This file says that the race detector is on, under which pools allocate.

package driver

const raceEnabled = true
