package testfile

import "testing"

// FIFO skips the test.
func FIFO(t testing.TB) string {
	t.Skip("needs named pipes in directories, which Windows lacks")
	return ""
}

// MakeFIFO skips the test.
func MakeFIFO(t testing.TB, _ string) { FIFO(t) }

// Socket skips the test.
func Socket(t testing.TB) string { return FIFO(t) }
