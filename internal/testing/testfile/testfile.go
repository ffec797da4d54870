//go:build !windows

// Package testfile creates pipes and sockets for tests.
package testfile

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// FIFO makes a named pipe for the time of the test. The test is skipped where
// the system has none.
func FIFO(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	MakeFIFO(t, path)
	return path
}

// MakeFIFO makes a named pipe at the path.
func MakeFIFO(t testing.TB, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		testlong.Without(t, "needs named pipes", err)
	}
}

// Socket makes a socket for the time of the test.
func Socket(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		testlong.Without(t, "needs sockets in directories", err)
	}
	t.Cleanup(func() { l.Close() })
	return path
}
