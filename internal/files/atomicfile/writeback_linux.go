package atomicfile

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// startWriteback starts writing bytes to disk, and doesn't wait for it.
func startWriteback(h handle, from, n int64) {
	c, ok := h.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err == nil {
		// It is a hint: the final sync reports errors.
		_ = raw.Control(func(fd uintptr) { _ = unix.SyncFileRange(int(fd), from, n, unix.SYNC_FILE_RANGE_WRITE) })
	}
}
