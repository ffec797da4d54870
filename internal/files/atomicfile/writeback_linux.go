package atomicfile

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// startWriteback asks the disk to take bytes that were written, and doesn't wait for it.
func startWriteback(h handle, from, n int64) {
	c, ok := h.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err == nil {
		// It is a hint: what goes wrong, the sync at the end says.
		_ = raw.Control(func(fd uintptr) { _ = unix.SyncFileRange(int(fd), from, n, unix.SYNC_FILE_RANGE_WRITE) })
	}
}
